public import IMUModel

extension [Int] {
  /// Where `range` stands among the ranges of a chip; traps when it is none of them, which validating the configuration
  /// excludes.
  func position(of range: Int) -> Int {
    guard let position = firstIndex(of: range) else { preconditionFailure("no range of the chip") }
    return position
  }
}

/// Ranges and scales. Sources: MPU register map RM-MPU-6000A 4.4 and 4.5; LSM6DS data sheets, table
/// "Mechanical characteristics".
extension SensorModel {
  /// Full scales of the accelerometer in g, rising.
  public var accelerometerRanges: [Int] {
    self == .lsm6dso32 ? [4, 8, 16, 32] : [2, 4, 8, 16]
  }

  /// Full scales of the gyroscope in °/s, rising.
  public var gyroscopeRanges: [Int] {
    switch (family, self) {
    case (.mpu6050, _): return [250, 500, 1000, 2000]
    case (.lsm6ds, .lsm6dsr): return [125, 250, 500, 1000, 2000, 4000]
    case (.lsm6ds, _): return [125, 250, 500, 1000, 2000]
    }
  }

  /// g a count in the range of `range` g; `nil` when the chip lacks the range.
  public func accelerometerScale(range: Int) -> Fraction? {
    guard accelerometerRanges.contains(range) else { return nil }
    switch family {
    case .mpu6050: return Fraction(1, Int64(32768 / range))
    // 0.061 mg a count at 2 g, and so on: a nominal 32767.2 counts, not 32768.
    case .lsm6ds: return Fraction(Int64(61 * range / 2), 1_000_000)
    }
  }

  /// °/s a count in the range of `range` °/s; `nil` when the chip lacks the range.
  public func gyroscopeScale(range: Int) -> Fraction? {
    guard gyroscopeRanges.contains(range) else { return nil }
    switch family {
    case .mpu6050:
      switch range {
      case 250: return Fraction(1, 131)
      case 500: return Fraction(10, 655)
      case 1000: return Fraction(10, 328)
      default: return Fraction(10, 164)
      }
    // 4.375 m°/s a count at 125 °/s: the registers reach 15 % beyond the nominal range.
    case .lsm6ds: return Fraction(Int64(4375 * range / 125), 1_000_000)
    }
  }

  /// °C a count, and °C at count 0.
  public var temperature: (scale: Fraction, offset: Fraction) {
    switch self {
    case .mpu6050: return (Fraction(1, 340), Fraction(3653, 100))
    case .mpu6500, .mpu9250, .mpu9255: return (Fraction(100, 33387), Fraction(21, 1))
    case .icm20689: return (Fraction(10, 3268), Fraction(25, 1))
    case .lsm6ds3, .lsm6ds33: return (Fraction(1, 16), Fraction(25, 1))
    case .lsm6dsl, .lsm6dsm, .lsm6ds3trc, .lsm6dso, .lsm6dsox, .lsm6dso32, .lsm6dsr:
      return (Fraction(1, 256), Fraction(25, 1))
    }
  }
}
