// SPDX-License-Identifier: Apache-2.0

/// Which chip to simulate, and how this specimen differs from others.
public struct SimulatedChip: Equatable, Sendable, BitwiseCopyable {
  /// The simulated register maps.
  public enum Model: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// InvenSense MPU-6050 and relatives.
    case mpu6050
    /// STMicroelectronics LSM6DSO and relatives.
    case lsm6dso
    /// STMicroelectronics LSM9DS1 of the Sense HAT, with its magnetometer at 1C beside it.
    case lsm9ds1
    /// STMicroelectronics LSM6DSV and relatives.
    case lsm6dsv
    /// InvenSense ICM-20948, with its magnetometer at 0C behind it.
    case icm20948

    /// The type that simulates it.
    var type: any RegisterChip.Type {
      switch self {
      case .mpu6050: return SimulatedMPU6050.self
      case .lsm6dso: return SimulatedLSM6DSO.self
      case .lsm9ds1: return SimulatedLSM9DS1.self
      case .lsm6dsv: return SimulatedLSM6DSV.self
      case .icm20948: return SimulatedICM20948.self
      }
    }

    /// Its magnetometer, and where that is.
    var field: (type: any RegisterChip.Type, address: UInt8)? {
      switch self {
      case .icm20948: return (SimulatedAK09916.self, SimulatedAK09916.address)
      case .lsm9ds1: return (SimulatedLSM9DS1Field.self, SimulatedLSM9DS1Field.address)
      default: return nil
      }
    }
  }

  /// The register map.
  public let model: Model

  /// The contents of the identity register. Another than the model's own also selects that relative's reset values,
  /// temperature formula, filters and noise.
  public var identity: UInt8

  /// The noise and the zero offsets follow from it: the same seed, the same samples.
  public var seed: UInt64 = 1

  /// How much too fast the chip's oscillator is, in parts per million; −10 000 to 10 000 is usual for an MPU-6050. Rounded to
  /// a multiple of 1500 or 1300 in an LSM6DSO or LSM6DSV, which reports it in INTERNAL_FREQ_FINE.
  public var clockErrorPartsPerMillion: Int

  /// How far the oscillator wanders to each side of its error, in parts per million, once in 120 s, as the temperature of
  /// ``Motion/tumble``. 20 make it change by 1 ppm a second at most.
  public var clockDriftPartsPerMillion = 0

  /// Whether an output register that block data update held back shows the present sample only with the next update. The
  /// data sheets of LSM6DS and LSM6DSV leave it open.
  public var updatesHeldRegistersLate = false

  /// Whether an LSM6DS or LSM6DSV whose FIFO is limited to its watermark by STOP_ON_WTM or STOP_ON_FTH stores nothing more
  /// once that is reached, also in continuous mode; otherwise each word replaces the oldest one, as AN5130 figure 35 shows.
  public var stopsAtWatermark = false

  /// Whether the FIFO of an ICM-20948 has 4096 bytes, as users measured it, and not the data sheet's 512.
  public var hasLargeFIFO = false

  /// Whether each axis has an offset of its own, within the data sheet's tolerance.
  public var hasZeroOffsets = true

  /// Whether samples have noise of the data sheet's density.
  public var hasNoise = true

  /// How it answers its built-in self-test.
  public var selfTest = SimulatedSelfTest()

  /// The samples' noise as a multiple of the data sheet's.
  public var noiseFactor = 1.0

  /// What is wrong with an axis, if anything.
  public var axisFault: AxisFault?

  /// Whether the accelerometer has twice the ranges that its identity promises, as in an LSM6DSO32 or LSM6DSV32X.
  public var hasDoubleRange = false

  /// A fault of one or two of the axes 0 to 5: acceleration X, Y, Z, angular rate X, Y, Z.
  public enum AxisFault: Equatable, Sendable, BitwiseCopyable {
    /// The axis has this count from so many nanoseconds after the motion's beginning on; 0 for a dead one.
    case held(axis: Int, count: Int16, from: Int64)
    /// Two axes of one sensor are exchanged.
    case swapped(Int, Int)
    /// The axis has the counts of another one of the same sensor.
    case copied(axis: Int, of: Int)
  }

  /// An MPU-6050 whose oscillator is 0.25 % fast.
  public static let mpu6050 = SimulatedChip(
    model: .mpu6050, identity: 0x68, clockErrorPartsPerMillion: 2500)

  /// An LSM6DSO whose oscillator is 0.45 % slow.
  public static let lsm6dso = SimulatedChip(
    model: .lsm6dso, identity: 0x6C, clockErrorPartsPerMillion: -4500)

  /// An LSM9DS1 whose oscillator is 0.3 % fast. Its data sheet gives no tolerance.
  public static let lsm9ds1 = SimulatedChip(
    model: .lsm9ds1, identity: 0x68, clockErrorPartsPerMillion: 3000)

  /// An LSM6DSV whose oscillator is 0.26 % fast, two steps of INTERNAL_FREQ_FINE.
  public static let lsm6dsv = SimulatedChip(
    model: .lsm6dsv, identity: 0x70, clockErrorPartsPerMillion: 2600)

  /// An ICM-20948 whose oscillator is 0.7 % slow.
  public static let icm20948 = SimulatedChip(
    model: .icm20948, identity: 0xEA, clockErrorPartsPerMillion: -7000)

  /// One of each.
  public static let all = [mpu6050, lsm6dso, lsm9ds1, lsm6dsv, icm20948]

  /// The oscillator's error in steps of so many parts per million, as INTERNAL_FREQ_FINE has it.
  func frequencySteps(of step: Double) -> Int8 {
    Int8(max(-128, min(127, (Double(clockErrorPartsPerMillion) / step).rounded())))
  }

  /// The same chip with another identity, as clones and relabelled parts have it.
  public func answering(_ identity: UInt8) -> SimulatedChip {
    var chip = self
    chip.identity = identity
    return chip
  }

  /// The same chip without noise, zero offsets and clock error.
  package var ideal: SimulatedChip {
    var chip = self
    chip.hasNoise = false
    chip.hasZeroOffsets = false
    (chip.clockErrorPartsPerMillion, chip.clockDriftPartsPerMillion) = (0, 0)
    return chip
  }
}
