/// What the control registers ask for.
extension SimulatedLSM6DSO {
  private var accelerometerRate: UInt8 { registers[Self.control1] >> 4 }
  private var gyroscopeRate: UInt8 { registers[Self.control2] >> 4 }
  private var isLowPower: Bool { registers[Self.control6] & 0x10 != 0 }

  /// Ticks a sample by ODR code: 1 is 12.5 Hz, 10 is 6667 Hz.
  private static func ticks(_ code: UInt8) -> Int64 {
    (1...10).contains(code) ? 1024 >> Int64(code) : 0
  }

  /// Ticks a sample of acceleration; 0 when off. Code 11 is 1.6 Hz in low power, else 12.5 Hz.
  var accelerometerPeriod: Int64 {
    guard accelerometerRate == 11 else { return Self.ticks(accelerometerRate) }
    return isLowPower ? 4096 : 512
  }

  /// Ticks a sample of angular rate; 0 when off or asleep (CTRL4_C bit 6).
  var gyroscopePeriod: Int64 {
    registers[Self.control4] & 0x40 != 0 ? 0 : Self.ticks(gyroscopeRate)
  }

  /// Ticks a sample of temperature: 52 Hz, or the accelerometer's rate when that alone runs in low
  /// power.
  var thermometerPeriod: Int64 {
    if gyroscopePeriod > 0 { return 128 }
    guard accelerometerPeriod > 0 else { return 0 }
    return isLowPower ? max(128, accelerometerPeriod) : 128
  }

  /// What makes the accelerometer's filters settle anew when it changes: rate, power, filters; not
  /// range.
  var accelerometerModes: SIMD4<UInt8> {
    SIMD4(
      registers[Self.control1] & 0xF2, registers[Self.control6] & 0x10,
      registers[Self.control8] & 0xE4, 0)
  }

  /// As ``accelerometerModes``, for the gyroscope.
  var gyroscopeModes: SIMD4<UInt8> {
    SIMD4(
      registers[Self.control2] & 0xF0, registers[Self.control4] & 0x42,
      registers[Self.control6] & 0x07, registers[Self.control7] & 0xF0)
  }

  /// Counts a g. The order of the codes is 2, 16, 4, 8 g: 0.061, 0.488, 0.122, 0.244 mg a count.
  var countsPerG: Double {
    switch accelerometerRange {
    case 2: return 1 / 0.061e-3
    case 4: return 1 / 0.122e-3
    case 8: return 1 / 0.244e-3
    default: return 1 / 0.488e-3
    }
  }

  private var accelerometerRange: Int {
    switch registers[Self.control1] >> 2 & 3 {
    case 0: return 2
    // XL_FS_MODE, CTRL8_XL bit 1, takes the 16 g away.
    case 1: return registers[Self.control8] & 0x02 != 0 ? 2 : 16
    case 2: return 4
    default: return 8
    }
  }

  /// Counts a °/s. FS_125, bit 1, goes before the range in bits 3 and 2; only the LSM6DSR has bit
  /// 0.
  var countsPerDegree: Double {
    let control = registers[Self.control2]
    if identity == 0x6B, control & 0x01 != 0 { return 1 / 140e-3 }
    if control & 0x02 != 0 { return 1 / 4.375e-3 }
    switch control >> 2 & 3 {
    case 0: return 1 / 8.75e-3
    case 1: return 1 / 17.5e-3
    case 2: return 1 / 35e-3
    default: return 1 / 70e-3
    }
  }

  /// Standard deviation of acceleration in g.
  ///
  /// In high performance (and "normal") 70, 75, 80, 110 µg/√Hz at 2, 4, 8, 16 g over the filter's
  /// bandwidth; in low power 1.8, 2.0, 2.4, 3.0 mg.
  var accelerometerNoise: Double {
    let isQuiet = !isLowPower || (4...10).contains(accelerometerRate)
    let root = accelerometerBandwidth.squareRoot()
    switch accelerometerRange {
    case 2: return isQuiet ? 70e-6 * root : 1.8e-3
    case 4: return isQuiet ? 75e-6 * root : 2.0e-3
    case 8: return isQuiet ? 80e-6 * root : 2.4e-3
    default: return isQuiet ? 110e-6 * root : 3.0e-3
    }
  }

  /// Standard deviation of the angular rate in °/s: 3.8 mdps/√Hz.
  var gyroscopeNoise: Double { 3.8e-3 * gyroscopeBandwidth.squareRoot() }

  /// Hertz: half the output data rate, or the part of it that LPF2 (CTRL1_XL bit 1) lets through.
  private var accelerometerBandwidth: Double {
    rate(accelerometerPeriod) / Double(usesSecondFilter ? secondFilterDivider : 2)
  }

  private var usesSecondFilter: Bool { registers[Self.control1] & 0x02 != 0 }

  /// HPCF_XL, CTRL8_XL bits 7…5.
  private var secondFilterDivider: Int {
    switch registers[Self.control8] >> 5 {
    case 0: return 4
    case 1: return 10
    case 2: return 20
    case 3: return 45
    case 4: return 100
    case 5: return 200
    case 6: return 400
    default: return 800
    }
  }

  /// Hertz. LPF2 passes about a third of the rate; LPF1 (CTRL4_C bit 1), if on, about what FTYPE
  /// says.
  private var gyroscopeBandwidth: Double {
    let second = rate(gyroscopePeriod) / 3
    guard registers[Self.control4] & 0x02 != 0 else { return second }
    switch registers[Self.control6] & 0x07 {
    case 0: return min(second, 297)
    case 1: return min(second, 223)
    case 2: return min(second, 154)
    case 3: return min(second, 470)
    case 4: return min(second, 99)
    case 5: return min(second, 50)
    case 6: return min(second, 25)
    default: return min(second, 12)
    }
  }

  private func rate(_ period: Int64) -> Double {
    period > 0 ? Self.baseHertz / Double(period) : 0
  }

  /// Samples until the accelerometer's filters have settled (AN5130 tables 9 and 13).
  var accelerometerDiscards: Int {
    // Low power and "normal" settle at once.
    if isLowPower, accelerometerRate <= 5 || accelerometerRate == 11 { return 0 }
    let code = accelerometerRate == 11 ? 1 : Int(accelerometerRate)
    if usesSecondFilter, secondFilterDivider > 4 { return max(15, secondFilterDivider * 4 / 5) }
    switch code {
    case 1, 2: return usesSecondFilter ? 1 : 0
    case 3: return 1
    case 4...7: return usesSecondFilter ? 2 : 1
    case 8: return 2
    case 9: return usesSecondFilter ? 4 : 3
    default: return 13
    }
  }

  /// Samples until the gyroscope's filters have settled, after the turn-on time (AN5130 table 15).
  var gyroscopeDiscards: Int {
    let usesFirstFilter = registers[Self.control4] & 0x02 != 0
    switch gyroscopeRate {
    case 1: return 2
    case 2, 3: return 3
    case 4, 5: return usesFirstFilter ? 4 : 3
    case 6: return usesFirstFilter ? 5 : 3
    case 7: return usesFirstFilter ? 7 : 3
    case 8: return 135
    case 9: return 270
    default: return 540
    }
  }
}
