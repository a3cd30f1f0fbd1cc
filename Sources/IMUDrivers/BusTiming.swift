/// How long transfers take on the wire, and what follows for the rate.
///
///     S  address+W  register  Sr  address+R  data … data  P
///     1      9         9      1       9        9 · N      1     bits
///
/// The time that the kernel adds (some 50 to 150 µs a transfer on a Raspberry Pi) is not counted.
public enum BusTiming {
  /// Bit times of a read of `byteCount` registers: 9 · (3 + N) + 3.
  public static func bits(ofBurst byteCount: Int) -> Int { 9 * (3 + byteCount) + 3 }

  /// Bit times that one tick takes.
  ///
  /// MPU-6050 family: the burst. LSM6DS family: the burst, and the axes once more, by which samples
  /// that an update fell into are known. Where these two leave doubt, in one tick of twenty at 10
  /// Hz to one of sixty from 500 Hz on, the axes are read a third time: 450 bit times in all. Above 888
  /// Hz at 400 kHz, and 222 Hz at 100 kHz, the next tick then begins late.
  public static func bits(ofTick family: SensorFamily) -> Int {
    let burst = bits(ofBurst: family.burstByteCount)
    switch family {
    case .mpu6050: return burst
    case .lsm6ds: return burst + bits(ofBurst: 12)
    }
  }

  /// Nanoseconds after which a read of `bits` bit times was held up, by the bus alone: half as long
  /// again as the wire takes.
  ///
  /// Of a clock that is not known the slower usual one is assumed.
  static func patience(bits: Int, busClock: Int?) -> Int64 {
    Int64(bits) * 1_500_000_000 / Int64(busClock ?? 100_000)
  }

  /// Ticks a second at most when each may take `bits` bit times at `busClock` hertz, rounded down.
  public static func maximumRate(bits: Int, busClock: Int) -> Int { busClock / bits }

  /// The arithmetic in words, such as `an 18-byte burst takes 192 bit times, 1.92 ms at 100 kHz: 520
  /// Hz at most`.
  public static func sentence(_ family: SensorFamily, busClock: Int) -> String {
    let bits = bits(ofTick: family)
    let what: String
    switch family {
    case .mpu6050: what = "an 18-byte burst takes"
    case .lsm6ds: what = "bursts of 16 and 12 bytes take"
    }
    return "\(what) \(bits) bit times, \(milliseconds(bits: bits, busClock: busClock)) ms "
      + "at \(clock(busClock)): \(maximumRate(bits: bits, busClock: busClock)) Hz at most"
  }

  /// A time on the wire in milliseconds with two digits after the point.
  static func milliseconds(bits: Int, busClock: Int) -> String {
    let hundredths = (bits * 100_000 + busClock / 2) / busClock
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }

  /// A bus clock in words, such as `400 kHz`.
  static func clock(_ hertz: Int) -> String {
    hertz % 1000 == 0 ? "\(hertz / 1000) kHz" : "\(hertz) Hz"
  }
}
