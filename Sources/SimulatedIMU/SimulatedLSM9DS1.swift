// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The accelerometer and gyroscope of an LSM9DS1 as its data sheet (DocID025715 rev. 2) describes them.
///
/// With both sensors on they share the gyroscope's data rate, and a burst goes from 1D, the last byte of angular
/// rate, to 28, the first of acceleration, and from 2D back to 18. With the accelerometer alone it goes from 2D to 28.
///
/// Its magnetometer is another device. Not simulated: FIFO (its count is 0), interrupts, high-pass filters, low power.
struct SimulatedLSM9DS1: STChip, BitwiseCopyable {
  static let whoAmI: UInt8 = 0x0F
  // Register numbers (section 6).
  private static let control1: UInt8 = 0x10
  private static let control2: UInt8 = 0x11
  private static let temperature: UInt8 = 0x15
  private static let statuses: (UInt8, UInt8) = (0x17, 0x27)
  private static let control4: UInt8 = 0x1E
  private static let control5: UInt8 = 0x1F
  private static let control6: UInt8 = 0x20
  private static let control8: UInt8 = 0x22
  private static let control9: UInt8 = 0x23
  private static let control10: UInt8 = 0x24
  private static let angularRate: ClosedRange<UInt8> = 0x18...0x1D
  private static let acceleration: ClosedRange<UInt8> = 0x28...0x2D

  /// From power-on, or BOOT, until the chip answers. The data sheet gives no time; drivers wait 10 to 100 ms.
  static let bootTime: Int64 = 15_000_000
  /// From SW_RESET until the bit clears itself.
  private static let resetTime: Int64 = 5_000_000
  /// The fastest data rate; those of 119 Hz and more are fractions of it, and the slower two nearly so.
  private static let baseHertz = 952.0

  private let identity: UInt8
  var registers = RegisterFile()
  var stages: OutputStages
  var usableFrom: Int64 = 0
  var resetEnds: Int64 = 0

  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64) {
    identity = chip.identity
    // Typical offsets: ±90 mg, ±30 °/s.
    stages = OutputStages(
      chip, source, origin: motionOrigin, poweredOn: instant,
      hertz: Self.baseHertz * (1 + Double(chip.clockErrorPartsPerMillion) * 1e-6),
      tolerances: (0.09, 30))
    powerOn(at: instant)
  }

  var resetValues: RegisterFile {
    var values = RegisterFile()
    values[Self.whoAmI] = identity
    values[Self.control4] = 0x38
    values[Self.control5] = 0x38
    values[Self.control8] = 0x04
    return values
  }

  func acknowledges(at instant: Int64) -> Bool {
    // CTRL_REG9 bit 2 switches the I2C interface off.
    instant >= usableFrom && registers[Self.control9] & 0x04 == 0
  }

  // MARK: The bus

  mutating func fetch(_ register: UInt8, at instant: Int64) -> UInt8 {
    let tick = oscillator.tick(at: instant)
    switch register {
    case Self.statuses.0, Self.statuses.1: return stages.status(atTick: tick)
    case Self.temperature, Self.temperature + 1: return output(0, register - Self.temperature, tick)
    case Self.angularRate: return output(1, register - Self.angularRate.lowerBound, tick)
    case Self.acceleration: return output(4, register - Self.acceleration.lowerBound, tick)
    case Self.control8: return registers[register] | (instant < resetEnds ? 0x01 : 0)
    default: return registers[register]
    }
  }

  /// A byte of the pairs from `first` on; BLE, CTRL_REG8 bit 1, swaps the bytes of each.
  private mutating func output(_ first: Int, _ offset: UInt8, _ tick: Int64) -> UInt8 {
    let isBigEndian = registers[Self.control8] & 0x02 != 0
    return stages.fetch(
      first + Int(offset) / 2, isHigh: (offset % 2 == 1) != isBigEndian, atTick: tick,
      holdsPairs: registers[Self.control8] & 0x40 != 0)
  }

  /// The register after `register` in a burst: the same without IF_ADD_INC.
  func successor(of register: UInt8) -> UInt8 {
    guard registers[Self.control8] & 0x04 != 0 else { return register }
    let isGyroscopeOn = gyroscopePeriod > 0
    switch register {
    case Self.angularRate.upperBound where isGyroscopeOn: return Self.acceleration.lowerBound
    case Self.acceleration.upperBound:
      return isGyroscopeOn ? Self.angularRate.lowerBound : Self.acceleration.lowerBound
    default: return register &+ 1
    }
  }

  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64) {
    guard instant >= resetEnds else { return }
    if register == Self.control8 {
      if value & 0x01 != 0 {
        reset(at: instant, until: instant + Self.resetTime)
        return
      }
      if value & 0x80 != 0 { usableFrom = instant + Self.bootTime }
      registers[register] = value & 0x7E
      if value & 0x40 == 0 { stages.unlock() }
      return
    }
    switch register {
    case Self.control1, Self.control2, Self.control4, Self.control5, Self.control6:
      reconfigure(register, value, at: instant)
    case Self.control10:
      registers[register] = value
      // ST_G and ST_XL; answers amid the limits, 70 to 1500 mg and 200 to 800 °/s.
      stages.pushAccelerometer(
        value & 0x01 != 0 ? 1 : 0, usual: SIMD3(0.44, 0.57, -0.63), at: instant)
      stages.pushGyroscope(
        value & 0x04 != 0 ? 1 : 0, usual: SIMD3(-430, 385, 520), at: instant)
    // Interrupts, references, FIFO control and the other control registers; the rest is read-only or reserved.
    case 0x04...0x0D, 0x12, 0x13, 0x21, Self.control9, 0x2E, 0x30...0x37:
      registers[register] = value
    default: break
    }
  }

  // MARK: The settings in the control registers

  private var gyroscopeCode: UInt8 { registers[Self.control1] >> 5 }
  private var accelerometerCode: UInt8 { registers[Self.control6] >> 5 }

  /// Ticks a sample by code; 1 is 14.9 Hz (10 Hz of the accelerometer alone), 2 is 59.5 Hz (50 Hz).
  private static func ticks(_ code: UInt8, isAlone: Bool = false) -> Int64 {
    (isAlone
      ? SIMD8<Int64>(0, 95, 19, 8, 4, 2, 1, 0) : SIMD8(0, 64, 16, 8, 4, 2, 1, 0))[Int(code)]
  }

  /// Ticks a sample of angular rate; 0 when off.
  private var gyroscopePeriod: Int64 { Self.ticks(gyroscopeCode) }

  /// Ticks a sample of acceleration: with the gyroscope on, at its rate, even when ODR_XL says off (section 3.1).
  private var accelerometerPeriod: Int64 {
    gyroscopePeriod > 0 ? gyroscopePeriod : Self.ticks(accelerometerCode, isAlone: true)
  }

  private mutating func reconfigure(_ register: UInt8, _ content: UInt8, at instant: Int64) {
    let tick = oscillator.tick(at: instant)
    stages.hold(atTick: tick)
    let before = self
    registers[register] = content
    stages.accelerometer.set(
      registers[Self.control5] & 0x38 == 0x38 ? accelerometerPeriod : 0, countsPerG,
      120e-6 * accelerometerBandwidth.squareRoot())
    stages.gyroscope.set(
      registers[Self.control4] & 0x38 == 0x38 ? gyroscopePeriod : 0, countsPerDegree,
      8e-3 * gyroscopeBandwidth.squareRoot())
    // 59.5 Hz with the gyroscope on, else 50 Hz, or 10 Hz with the accelerometer at 10 Hz.
    stages.thermometer.set(
      gyroscopePeriod > 0 ? 16 : accelerometerPeriod == 0 ? 0 : max(19, accelerometerPeriod), 16)

    if accelerometerPeriod != before.accelerometerPeriod {
      stages.accelerometer.settled = tick + 14 * accelerometerPeriod
    }
    if gyroscopePeriod != before.gyroscopePeriod
      || registers[Self.control2] != before.registers[Self.control2]
    {
      // Table 11: samples to discard after LPF1, and with LPF2.
      let index = Int(max(1, min(6, gyroscopeCode))) - 1
      let discards =
        registers[Self.control2] & 0x02 == 0
        ? [2, 3, 3, 4, 5, 8][index] : [13, 13, 13, 14, 15, 18][index]
      stages.gyroscope.settled = tick + Int64(discards) * gyroscopePeriod
    }
  }

  /// The order of the codes is 2, 16, 4, 8 g: 0.061, 0.732, 0.122, 0.244 mg a count.
  private var countsPerG: Double {
    1 / [0.061e-3, 0.732e-3, 0.122e-3, 0.244e-3][Int(registers[Self.control6] >> 3 & 3)]
  }

  /// 245, 500 and 2000 °/s; code 2 is not available, here 500.
  private var countsPerDegree: Double {
    1 / [8.75e-3, 17.5e-3, 17.5e-3, 70e-3][Int(registers[Self.control1] >> 3 & 3)]
  }

  /// Hertz: BW_XL with BW_SCAL_ODR, else by the data rate.
  private var accelerometerBandwidth: Double {
    let control = registers[Self.control6]
    if control & 0x04 != 0 { return [408, 211, 105, 50][Int(control & 0x03)] }
    let code = gyroscopePeriod > 0 ? gyroscopeCode : accelerometerCode
    return [408, 408, 408, 50, 105, 211, 408, 408][Int(code)]
  }

  /// Hertz: LPF1, or with OUT_SEL LPF2 by BW_G.
  private var gyroscopeBandwidth: Double {
    let index = Int(max(1, min(6, gyroscopeCode))) - 1
    guard registers[Self.control2] & 0x02 != 0 else { return [5, 19, 38, 76, 100, 100][index] }
    let second: [[Double]] = [
      [5, 5, 5, 5], [16, 16, 16, 16], [14, 31, 31, 31], [14, 29, 63, 78], [21, 28, 57, 100],
      [33, 40, 58, 100],
    ]
    return second[index][Int(registers[Self.control1] & 0x03)]
  }
}
