import IMUModel

/// How long transfers take on the wire, and what follows for the rate.
///
///     S  address+W  register  Sr  address+R  data … data  P
///     1      9         9      1       9        9 · N      1     bits
public enum BusTiming {
  /// Bit times of a read of `byteCount` registers: 9 · (3 + N) + 3.
  public static func bits(ofBurst byteCount: Int) -> Int { 9 * (3 + byteCount) + 3 }

  /// Bit times that one tick takes at least.
  ///
  /// With shadow registers: the burst. Without: the burst, and the axes once more, by which samples that an update
  /// fell into are known. Where these two leave doubt, in one tick of twelve at 100 Hz to one of thirty from 500 Hz
  /// on, the axes are read a third time: 450 bit times in all for an LSM6DS. Above 888 Hz at 400 kHz, and 222 Hz at
  /// 100 kHz, the next tick then begins late.
  public static func bits(ofTick family: SensorFamily) -> Int {
    let burst = bits(ofBurst: family.layout.count)
    switch family.layout.method {
    case .shadowed: return burst
    case .twofold: return burst + bits(ofBurst: axesByteCount)
    }
  }

  /// Nanoseconds after which a read of `bits` bit times was held up, by the bus alone: half as long
  /// again as the wire takes.
  ///
  /// Of a clock that is not known the slower usual one is assumed.
  static func patience(bits: Int, busClock: Int?) -> Int64 {
    Int64(bits) * 1_500_000_000 / Int64(busClock ?? 100_000)
  }

  /// Whether a bus of `busClock` hertz may carry `rate` ticks a second.
  static func carries(_ rate: SampleRate, _ family: SensorFamily, busClock: Int) -> Bool {
    rate.hertz <= 1e9 / Double(nanoseconds(ofTick: family, busClock: busClock))
  }

  /// Ticks a second at most that a bus of `busClock` hertz carries, rounded down.
  public static func maximumRate(_ family: SensorFamily, busClock: Int) -> Int {
    Int(1_000_000_000 / nanoseconds(ofTick: family, busClock: busClock))
  }

  /// The arithmetic in words, such as `an 18-byte burst takes 192 bit times, 1.92 ms at 100 kHz, and 0.05 ms in the
  /// kernel: 507 Hz at most`.
  public static func sentence(_ family: SensorFamily, busClock: Int) -> String {
    let bits = averageBits(family)
    let bytes = family.layout.count
    let what: String
    switch family.layout.method {
    case .shadowed: what = "an \(bytes)-byte burst takes"
    case .twofold:
      what =
        "bursts of \(bytes) and \(axesByteCount) bytes, and in one tick of \(ticksPerThirdBurst) of "
        + "\(axesByteCount) more, take"
    }
    return "\(what) \(bits) bit times, \(milliseconds(bits: bits, busClock: busClock)) ms "
      + "at \(clock(busClock)), and \(Double(kernelTime(family)) / 1e6) ms in the kernel: "
      + "\(maximumRate(family, busClock: busClock)) Hz at most"
  }

  /// Nanoseconds that a tick takes on average at least: on the wire, with third bursts, and in the kernel.
  private static func nanoseconds(ofTick family: SensorFamily, busClock: Int) -> Int64 {
    Int64(averageBits(family)) * 1_000_000_000 / Int64(busClock) + kernelTime(family)
  }

  /// Bit times of a tick, with its share of third bursts, rounded up.
  private static func averageBits(_ family: SensorFamily) -> Int {
    let bits = bits(ofTick: family)
    guard family.layout.method == .twofold else { return bits }
    return bits + (self.bits(ofBurst: axesByteCount) + ticksPerThirdBurst - 1) / ticksPerThirdBurst
  }

  /// What the kernel adds to a tick's transfers at least, in nanoseconds: to each on a Raspberry Pi some 50 to 150 µs. What
  /// a bus may carry is not refused; the log says which ticks were missed.
  private static func kernelTime(_ family: SensorFamily) -> Int64 {
    50_000 * (family.layout.method == .shadowed ? 1 : 2)
  }

  /// The registers of the six axes.
  private static let axesByteCount = 12
  /// Of so many ticks one needs a third burst, on average.
  private static let ticksPerThirdBurst = 25

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

/// Rounding without `rounded()`, which calls the C library's mathematics: not every program that
/// uses the drivers links it.
extension Double {
  /// The least whole number that is not smaller. For numbers that an `Int` can hold.
  var roundedUp: Int {
    let whole = Int(self)
    return Double(whole) < self ? whole + 1 : whole
  }

  /// This number, not negative and below 10^15, with two decimals or as many as it needs: `23.11`,
  /// `62.4`, `50`.
  var briefly: String {
    let hundredths = Int(self * 100 + 0.5)
    let (whole, rest) = (hundredths / 100, hundredths % 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest / 10)\(rest % 10)"
  }
}
