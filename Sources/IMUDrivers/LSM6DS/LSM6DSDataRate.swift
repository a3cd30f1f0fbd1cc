/// An output data rate of the LSM6DS family. Raw values are the codes of ODR_XL and ODR_G.
enum LSM6DSDataRate: UInt8, CaseIterable {
  case hertz12 = 1
  case hertz26
  case hertz52
  case hertz104
  case hertz208
  case hertz416
  case hertz833
  case hertz1666

  /// Nominal, in hertz.
  var hertz: Double {
    switch self {
    case .hertz12: return 12.5
    case .hertz26: return 26
    case .hertz52: return 52
    case .hertz104: return 104
    case .hertz208: return 208
    case .hertz416: return 416
    case .hertz833: return 833
    case .hertz1666: return 1666
    }
  }

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
  static func choose(rate: Double, busClock: Int?) -> LSM6DSDataRate {
    let bits = BusTiming.bits(ofTick: .lsm6ds)
    let span = Double(bits - beforeFirstAxis) / assume(busClock, rate) + betweenBursts
    let lowest = allCases.first { $0.hertz >= 1.1 * rate } ?? .hertz1666
    let whole = allCases.last { $0.hertz * max(span, roomy) <= 1 } ?? lowest
    return whole.hertz < lowest.hertz ? lowest : whole
  }

  /// How long a read of both bursts may take, in nanoseconds, so that one update at most falls
  /// between the first axis of the one and the last of the other.
  ///
  /// The chip's clock may be 5 % fast. Where the bus alone needs longer, half as long again as that.
  func readLimit(rate: Double, busClock: Int?) -> Int64 {
    let clock = LSM6DSDataRate.assume(busClock, rate)
    let untilFirstAxis = Double(LSM6DSDataRate.beforeFirstAxis) / clock
    let whole = Int64((untilFirstAxis + 1 / (1.05 * hertz)) * 1e9)
    let bits = BusTiming.bits(ofTick: .lsm6ds)
    return max(whole, BusTiming.patience(bits: bits, busClock: Int(clock)))
  }

  /// Seconds that the kernel adds between two bursts.
  private static let betweenBursts = 0.000_3
  /// Seconds between two updates that leave room for a processor or an adapter that is slow.
  private static let roomy = 0.002

  /// Bit times from the beginning of the first burst until the chip fetches the first axis, which it
  /// does when the byte before is through.
  private static var beforeFirstAxis: Int { BusTiming.bits(ofBurst: 4) - 1 + 9 + 1 }

  /// The bus clock in hertz; when it is not known, the slower usual one that carries the rate.
  private static func assume(_ busClock: Int?, _ rate: Double) -> Double {
    let bits = Double(BusTiming.bits(ofTick: .lsm6ds))
    return Double(busClock ?? (rate * bits <= 100_000 ? 100_000 : 400_000))
  }
}
