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

  /// The data rate for polling at `rate` hertz on a bus of `busClock` hertz, or of a clock not known.
  ///
  /// As high as is sensible, so that a sample is young: 833 Hz for rates up to 500 Hz, else 1666 Hz. But
  /// the chip has no shadow registers: a burst that an update falls into mixes two samples and is read
  /// again, and the second burst is whole only when it ends before the next update. So a slow bus asks for
  /// a lower data rate, though never for one that leaves ticks without a new sample.
  static func choose(rate: Double, busClock: Int?) -> LSM6DSDataRate {
    let highest: LSM6DSDataRate = rate > 500 ? .hertz1666 : .hertz833
    let bits = BusTiming.bits(ofTick: .lsm6ds)
    let assumed = rate * Double(bits) <= 100_000 ? 100_000 : 400_000
    // From the end of the first burst's status byte, plus what the kernel adds to three transfers.
    let afterStatus = Double(bits - BusTiming.bits(ofBurst: 1) + 1)
    let span = afterStatus / Double(busClock ?? assumed) + 0.000_3
    // Chips run up to some per cent slow.
    let lowest = allCases.first { $0.hertz >= 1.1 * rate } ?? highest
    let whole = allCases.last { $0.hertz * span <= 1 && $0.hertz <= highest.hertz } ?? lowest
    return whole.hertz < lowest.hertz ? lowest : whole
  }
}
