/// An output data rate of a chip that is read twice.
struct DataRate: Sendable, Equatable {
  /// What the rate's registers hold for it.
  let code: UInt8
  /// Nominal, in hertz.
  let hertz: Double

  /// Nominal period in nanoseconds.
  var periodNanoseconds: Int64 { Int64(1e9 / hertz) }

  /// The data rate for polling at `rate` hertz on a bus of `busClock` hertz, or of a clock not
  /// known.
  ///
  /// As high as is sensible, so that a sample is young. But the chip has no shadow registers: of
  /// two bursts one is whole only when one update at most falls into them. What the processor and
  /// the adapter need between the bursts counts too, and a slow or busy one needs several times what
  /// a quick one does: so 2 ms between updates are left where the polling rate allows. At 400 kHz
  /// that makes 416 Hz the data rate up to 378 Hz and 833 Hz the one above, at 100 kHz 208 Hz the
  /// one up to 189 Hz. Where the polling rate comes within a tenth of what the bus allows, a higher
  /// one is taken all the same: 1666 Hz above 757 Hz. The tenth is for chips that run up to some
  /// per cent slow, and for ticks that are not equally late; what a tick needs besides, so that it is
  /// not left without a new sample, reading takes care of.
  ///
  /// - Parameter ladder: The chip's rates, rising.
  static func choose(
    among ladder: [DataRate], _ family: SensorFamily, rate: Double, busClock: Int?
  ) -> DataRate {
    let fastest = ladder[ladder.count - 1]
    let bits = BusTiming.bits(ofTick: family) - beforeFirstAxis(family)
    let span = Double(bits) / assume(busClock, rate, family) + betweenBursts
    let lowest = ladder.first { $0.hertz >= 1.1 * rate } ?? fastest
    let whole = ladder.last { $0.hertz * max(span, roomy) <= 1 } ?? lowest
    return whole.hertz < lowest.hertz ? lowest : whole
  }

  /// How long a read of both bursts may take, in nanoseconds, so that one update at most falls
  /// between the first axis of the one and the last of the other.
  ///
  /// The chip's clock may be 5 % fast. Where the bus alone needs longer, half as long again as that.
  func readLimit(_ family: SensorFamily, rate: Double, busClock: Int?) -> Int64 {
    let clock = DataRate.assume(busClock, rate, family)
    let untilFirstAxis = Double(DataRate.beforeFirstAxis(family)) / clock
    let whole = Int64((untilFirstAxis + 1 / (1.05 * hertz)) * 1e9)
    let bits = BusTiming.bits(ofTick: family)
    return max(whole, BusTiming.patience(bits: bits, busClock: Int(clock)))
  }

  /// Seconds that the kernel adds between two bursts.
  private static let betweenBursts = 0.000_3
  /// Seconds between two updates that leave room for a processor or an adapter that is slow.
  private static let roomy = 0.002

  /// Bit times from the beginning of the first burst until the chip fetches the first axis, which it does when the
  /// byte before is through.
  private static func beforeFirstAxis(_ family: SensorFamily) -> Int {
    BusTiming.bits(ofBurst: family.layout.angularRate) + 9
  }

  /// The bus clock in hertz; when it is not known, the slower usual one that carries the rate.
  private static func assume(_ busClock: Int?, _ rate: Double, _ family: SensorFamily) -> Double {
    let bits = Double(BusTiming.bits(ofTick: family))
    return Double(busClock ?? (rate * bits <= 100_000 ? 100_000 : 400_000))
  }
}
