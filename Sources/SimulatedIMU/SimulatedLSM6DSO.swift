// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// An LSM6DSO as its data sheet (DS12140) and application notes (AN5192, AN5130) describe it, and its predecessors. The state
/// is computed from the time that each call passes, which never runs backwards.
///
/// Not simulated: the FIFO's compression and its modes that wait for an event, user offsets, high-pass filters, embedded
/// functions (their bank reads 0), I3C.
struct SimulatedLSM6DSO: LSM6Chip, BitwiseCopyable {
  /// From power-on, or BOOT, until the chip answers: 15 ms (AN5130).
  static let bootTime: Int64 = 15_000_000
  /// From SW_RESET until the bit clears itself: 50 µs (AN5130).
  private static let resetTime: Int64 = 50_000
  /// From power-down until the gyroscope's first samples, which have yet to settle: 70 ms (AN5130).
  private static let gyroscopeTurnOn: Int64 = 70_000_000
  /// The fastest output data rate; all others are fractions of it.
  private static let baseHertz = 6667.0
  /// A tick of the time stamp is 25 µs.
  static let fifoMap = LSM6FIFOMap(
    status: 0x3A, words: 512, timer: (control10, 0x20), hasParity: true,
    governing: [
      control1...control2, control4...control4, control6...control8, control10...control10,
    ])

  let identity: UInt8
  private let hasDoubleRange: Bool
  /// INTERNAL_FREQ_FINE; 0 and absent in the relatives that have no such register.
  private let frequencyFine: Int8

  var registers = RegisterFile()
  var stages: OutputStages
  var fifo = TaggedFIFO()
  /// The FIFO of the LSM6DS3 and LSM6DSL generations, instead.
  var patternFIFO = PatternFIFO()
  var timer = TimestampCounter()
  var usableFrom: Int64 = 0
  var resetEnds: Int64 = 0

  init(_ chip: SimulatedChip, source: MotionSource, motionOrigin: Int64, poweredOn instant: Int64) {
    (identity, hasDoubleRange) = (chip.identity, chip.hasDoubleRange)
    // Steps of 0.15 %.
    frequencyFine = chip.frequencySteps(of: 1500)
    // ODR_actual = 6667·(1 + 0.0015·INTERNAL_FREQ_FINE)/coefficient.
    let isTrimmed = identity != 0x69 && identity != 0x6A
    let error =
      isTrimmed ? 0.0015 * Double(frequencyFine) : Double(chip.clockErrorPartsPerMillion) * 1e-6
    // Zero-g level ±20 mg, zero-rate level ±1 °/s.
    stages = OutputStages(
      chip, source, origin: motionOrigin, poweredOn: instant, hertz: Self.baseHertz * (1 + error),
      tolerances: (0.02, 1))
    powerOn(at: instant)
  }

  func acknowledges(at instant: Int64) -> Bool {
    // CTRL4_C bit 2 switches the I2C interface off: only power brings it back.
    instant >= usableFrom && registers[Self.control4] & 0x04 == 0
  }

  private static let control5: UInt8 = 0x14
  private static let internalFrequencyFine: UInt8 = 0x63

  /// Whether it has the LSM6DSO's registers, and not those of LSM6DS3 and LSM6DSL.
  var isNewGeneration: Bool { identity != 0x69 && identity != 0x6A }

  /// The bits that a write changes; 0 for registers that are read-only, reserved or absent.
  private static func writableBits(_ register: UInt8) -> UInt8 {
    switch register {
    case Self.functionAccess: return 0xE0
    // The LSM6DSO has no bit 1 (byte order).
    case Self.control3: return 0xFD
    case 0x62: return 0x19
    // Pins, FIFO control, COUNTER_BDR, interrupt pins; control; taps, wake-up, free fall, interrupt routing; user offsets.
    case 0x02, 0x06...0x0E, control1...control10, 0x56...0x5F, 0x73...0x75: return 0xFF
    default: return 0
    }
  }

  var resetValues: RegisterFile {
    var values = RegisterFile()
    values[Self.whoAmI] = identity
    values[Self.control3] = 0x04
    if isNewGeneration {
      values[Self.pinControl] = 0x3F
      values[Self.control9] = 0xE0
      values[Self.internalFrequencyFine] = UInt8(bitPattern: frequencyFine)
    } else if identity == 0x69 {
      values[Self.control9] = 0x38
      values[Self.control10] = 0x38
    }
    return values
  }

  var isOtherBank: Bool { registers[Self.functionAccess] != 0 }

  mutating func fetchFIFO(_ register: UInt8, at instant: Int64) -> UInt8? {
    isNewGeneration
      ? fetchTaggedFIFO(register, at: instant) : fetchPatternFIFO(register, at: instant)
  }

  mutating func isInterruptHigh(at instant: Int64) -> Bool {
    isNewGeneration ? isTaggedInterruptHigh(at: instant) : isThresholdReached(at: instant)
  }

  mutating func loseFromFIFO(at instant: Int64) {
    fifo.lose(atTick: oscillator.tick(at: instant))
    patternFIFO.lose(atTick: oscillator.tick(at: instant))
  }

  mutating func store(_ register: UInt8, value: UInt8, at instant: Int64) {
    guard instant >= resetEnds, !isOtherBank || register == Self.functionAccess else { return }
    if register == Self.control3, value & 0x01 != 0 {
      reset(at: instant, until: instant + Self.resetTime)
      return
    }
    let writable = Self.writableBits(register)
    let content = registers[register] & ~writable | value & writable
    switch register {
    case Self.control1, Self.control2, Self.control4, Self.control6...Self.control8:
      reconfigure(register, content, at: instant)
    case Self.control3: setControl3(content, kept: 0x7E, at: instant)
    case Self.timestamp2 where value == 0xAA:
      timer.start = oscillator.phase(at: instant)
    case Self.control5:
      registers[register] = content
      stages.switchSelfTest(
        content, isFineRange: registers[Self.control2] & 0x0E == 0, at: instant)
    default: registers[register] = content
    }
    if isNewGeneration {
      noteFIFO(register, at: instant)
    } else if Self.changesPatternFIFO(register) {
      restartPatternFIFO(atTick: oscillator.tick(at: instant))
    }
  }

  /// Stores `content` in a register that governs sampling.
  private mutating func reconfigure(_ register: UInt8, _ content: UInt8, at instant: Int64) {
    let tick = oscillator.tick(at: instant)
    stages.hold(atTick: tick)
    let before = self
    registers[register] = content
    stages.accelerometer.set(accelerometerPeriod, countsPerG, accelerometerNoise)
    stages.gyroscope.set(gyroscopePeriod, countsPerDegree, gyroscopeNoise)
    // 256 LSB/°C; LSM6DS3 and LSM6DS33 16 LSB/°C.
    stages.thermometer.set(thermometerPeriod, identity == 0x69 ? 16 : 256)

    if accelerometerPeriod > 0, accelerometerModes != before.accelerometerModes {
      stages.accelerometer.settled = tick + Int64(accelerometerDiscards) * accelerometerPeriod
    }
    if gyroscopePeriod > 0, gyroscopeModes != before.gyroscopeModes {
      let wasOff = before.registers[Self.control2] >> 4 == 0
      let begin = wasOff ? oscillator.tick(at: instant + Self.gyroscopeTurnOn) : tick
      stages.gyroscope.settled = begin + Int64(gyroscopeDiscards) * gyroscopePeriod
    }
  }
}

/// The settings in the control registers.
extension SimulatedLSM6DSO {
  private var accelerometerRate: UInt8 { registers[Self.control1] >> 4 }
  private var gyroscopeRate: UInt8 { registers[Self.control2] >> 4 }
  private var isLowPower: Bool { registers[Self.control6] & 0x10 != 0 }

  /// Ticks a sample by ODR code: 1 is 12.5 Hz, 10 is 6667 Hz.
  static func ticks(_ code: UInt8) -> Int64 {
    (1...10).contains(code) ? 1024 >> Int64(code) : 0
  }

  static func batchTicks(_ code: UInt8) -> Int64 { ticks(code) }

  /// Ticks a sample of acceleration; 0 when off. Code 11 is 1.6 Hz in low power, else 12.5 Hz.
  var accelerometerPeriod: Int64 {
    guard accelerometerRate == 11 else { return Self.ticks(accelerometerRate) }
    return isLowPower ? 4096 : 512
  }

  /// Ticks a sample of angular rate; 0 when off or asleep (CTRL4_C bit 6).
  var gyroscopePeriod: Int64 {
    registers[Self.control4] & 0x40 != 0 ? 0 : Self.ticks(gyroscopeRate)
  }

  /// Ticks a sample of temperature: 52 Hz, or the accelerometer's rate when that alone runs in low power.
  private var thermometerPeriod: Int64 {
    if gyroscopePeriod > 0 { return 128 }
    guard accelerometerPeriod > 0 else { return 0 }
    return isLowPower ? max(128, accelerometerPeriod) : 128
  }

  /// The settings whose change makes the accelerometer's filters settle again: rate, power, filters; not range.
  private var accelerometerModes: SIMD4<UInt8> {
    SIMD4(
      registers[Self.control1] & 0xF2, registers[Self.control6] & 0x10,
      registers[Self.control8] & 0xE4, 0)
  }

  /// As ``accelerometerModes``, for the gyroscope.
  private var gyroscopeModes: SIMD4<UInt8> {
    SIMD4(
      registers[Self.control2] & 0xF0, registers[Self.control4] & 0x42,
      registers[Self.control6] & 0x07, registers[Self.control7] & 0xF0)
  }

  /// Counts a g at 2, 4, 8 and 16 g: 0.061, 0.122, 0.244, 0.488 mg a count.
  private var countsPerG: Double { 1 / [0.061e-3, 0.122e-3, 0.244e-3, 0.488e-3][rangeRow] }

  /// Which of these. The order of the codes is 2, 16, 4, 8 g; XL_FS_MODE, CTRL8_XL bit 1, turns the 16 g range into 2 g.
  private var rangeRow: Int {
    let code = Int(registers[Self.control1] >> 2 & 3)
    return code == 1 && registers[Self.control8] & 0x02 != 0 ? 0 : [0, 3, 1, 2][code]
  }

  /// Counts a °/s. FS_125, bit 1, overrides the range in bits 3 and 2; only the LSM6DSR has bit 0.
  private var countsPerDegree: Double {
    let control = registers[Self.control2]
    if identity == 0x6B, control & 0x01 != 0 { return 1 / 140e-3 }
    if control & 0x02 != 0 { return 1 / 4.375e-3 }
    return 1 / [8.75e-3, 17.5e-3, 35e-3, 70e-3][Int(control >> 2 & 3)]
  }

  /// Standard deviation of acceleration in g: in high performance (and "normal") 70, 75, 80, 110 µg/√Hz at 2, 4, 8, 16 g
  /// over the filter's bandwidth; in low power 1.8, 2.0, 2.4, 3.0 mg. LSM6DSO32 in its ranges 120, 130, 160, 220; LSM6DS3
  /// 90 in all; LSM6DSL 90, at 16 g 130.
  private var accelerometerNoise: Double {
    let isQuiet = !isLowPower || (4...10).contains(accelerometerRate)
    guard isQuiet else { return [1.8e-3, 2.0e-3, 2.4e-3, 3.0e-3][rangeRow] }
    let densities: [Double] =
      switch identity {
      case 0x69: [90e-6, 90e-6, 90e-6, 90e-6]
      case 0x6A: [90e-6, 90e-6, 90e-6, 130e-6]
      default: hasDoubleRange ? [120e-6, 130e-6, 160e-6, 220e-6] : [70e-6, 75e-6, 80e-6, 110e-6]
      }
    return densities[rangeRow] * accelerometerBandwidth.squareRoot()
  }

  /// Standard deviation of the angular rate in °/s: 3.8 mdps/√Hz; LSM6DS3 7, LSM6DSL and LSM6DSR 5.
  private var gyroscopeNoise: Double {
    let density = identity == 0x69 ? 7e-3 : identity == 0x6A || identity == 0x6B ? 5e-3 : 3.8e-3
    return density * gyroscopeBandwidth.squareRoot()
  }

  /// Hertz: half the output data rate, or the part of it that LPF2 (CTRL1_XL bit 1) lets through.
  private var accelerometerBandwidth: Double {
    let (hertz, control) = (rate(accelerometerPeriod), registers[Self.control8])
    // LSM6DS3: BW_XL, CTRL1_XL bits 1 and 0, with XL_BW_SCAL_ODR, CTRL4_C bit 7.
    if identity == 0x69, registers[Self.control4] & 0x80 != 0 {
      return [400, 200, 100, 50][Int(registers[Self.control1] & 3)]
    }
    // LSM6DSL: LPF2 with CTRL8_XL bit 7 (AN5130 table 9), else LPF1_BW_SEL.
    if identity == 0x6A, control & 0x80 != 0 {
      return hertz / [50, 100, 9, 400][Int(control >> 5 & 3)]
    }
    return hertz / Double(usesSecondFilter ? secondFilterDivider : 2)
  }

  private var usesSecondFilter: Bool { registers[Self.control1] & 0x02 != 0 }

  /// Hertz. LPF2 passes about a third of the rate; LPF1 (CTRL4_C bit 1), if on, about the bandwidth that FTYPE selects.
  private var gyroscopeBandwidth: Double {
    let second = rate(gyroscopePeriod) / 3
    guard registers[Self.control4] & 0x02 != 0 else { return second }
    let first: [Double] = [297, 223, 154, 470, 99, 50, 25, 12]
    return min(second, first[Int(registers[Self.control6] & 0x07)])
  }

  private func rate(_ period: Int64) -> Double {
    period > 0 ? Self.baseHertz / Double(period) : 0
  }

  /// Samples until the accelerometer's filters have settled (AN5130 tables 9 and 13).
  private var accelerometerDiscards: Int {
    // Low power and "normal" settle at once.
    if isLowPower, accelerometerRate <= 5 || accelerometerRate == 11 { return 0 }
    if usesSecondFilter, secondFilterDivider > 4 { return max(15, secondFilterDivider * 4 / 5) }
    let samples =
      usesSecondFilter ? [1, 1, 1, 2, 2, 2, 2, 2, 4, 13] : [0, 0, 1, 1, 1, 1, 1, 2, 3, 13]
    return samples[accelerometerRate == 11 ? 0 : Int(accelerometerRate) - 1]
  }

  /// Samples until the gyroscope's filters have settled, after the turn-on time (AN5130 table 15).
  private var gyroscopeDiscards: Int {
    let usesFirstFilter = registers[Self.control4] & 0x02 != 0
    let samples =
      usesFirstFilter
      ? [2, 3, 3, 4, 4, 5, 7, 135, 270, 540] : [2, 3, 3, 3, 3, 3, 3, 135, 270, 540]
    return samples[Int(gyroscopeRate) - 1]
  }
}
