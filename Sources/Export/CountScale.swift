import IMUModel

/// What a count is in some unit: an exact line, and the number of decimals that tells counts apart.
///
///     value × 10^decimals = (count × numerator + offset) / denominator, rounded half away from zero
///
/// All in whole numbers, so that a count has the same text on every machine.
struct CountScale: Equatable {
  /// Characters that a text may have: a table entry without its length byte.
  static let longestText = 15

  private let numerator: Int128
  private let offset: Int128
  private let denominator: Int128
  /// Digits behind the point before trailing zeros are left out.
  let decimals: Int

  /// Counts as they are.
  static let counts = CountScale(numerator: 1, offset: 0, denominator: 1, decimals: 0)

  private init(numerator: Int128, offset: Int128, denominator: Int128, decimals: Int) {
    self.numerator = numerator
    self.offset = offset
    self.denominator = denominator
    self.decimals = decimals
  }

  /// The line `count` × `scale` × `factor` + `offset` with `decimals` digits, more when neighbouring
  /// counts need more, fewer when the largest values would not fit into ``longestText``.
  ///
  /// `nil` when no number of decimals does both, or `scale` is 0: counts would be told apart no more.
  init?(
    _ scale: Fraction, times factor: Fraction = .one, plus offset: Fraction = .zero, decimals: Int
  ) {
    let top = Int128(scale.numerator).multipliedReportingOverflow(by: Int128(factor.numerator))
    let bottom = Int128(scale.denominator).multipliedReportingOverflow(
      by: Int128(factor.denominator))
    guard !top.overflow, !bottom.overflow, top.partialValue != 0 else { return nil }
    let (a, b) = CountScale.reduced(top.partialValue, bottom.partialValue)
    let (c, d) = CountScale.reduced(Int128(offset.numerator), Int128(offset.denominator))
    guard let line = CountScale.joined(a, b, c, d) else { return nil }
    // Any number of decimals with which a step of one count is more than one unit of the last digit makes
    // texts that differ and are less than half a count from the exact value.
    let fewerFirst = Array(decimals...18) + Array((1..<decimals).reversed())
    for digits in fewerFirst {
      guard let candidate = line.scaled(toDecimals: digits) else { continue }
      if candidate.tellsCountsApart, candidate.fits {
        self = candidate
        return
      }
    }
    return nil
  }

  /// The text of a count, at most ``longestText`` characters: no exponent, at least one decimal unless
  /// ``decimals`` is 0, no trailing zeros behind that.
  func text(of count: Int16) -> [UInt8] {
    let exact = Int128(count) * numerator + offset
    let units = (2 * exact.magnitude + denominator.magnitude) / (2 * denominator.magnitude)
    var bytes: [UInt8] = []
    DecimalText.append(
      units: UInt64(units), decimals: decimals, least: min(1, decimals), isNegative: exact < 0,
      to: &bytes)
    return bytes
  }

  private var tellsCountsApart: Bool { numerator.magnitude > denominator.magnitude }

  private var fits: Bool {
    let largest = (32768 * numerator.magnitude + offset.magnitude) / denominator.magnitude + 1
    let digits = max(String(largest).count, decimals + 1)
    return digits + 2 <= CountScale.longestText
  }

  private func scaled(toDecimals digits: Int) -> CountScale? {
    var power: Int128 = 1
    for _ in 0..<digits { power *= 10 }
    let (cleared, bottom) = CountScale.reduced(power, denominator)
    let top = numerator.multipliedReportingOverflow(by: cleared)
    let shift = offset.multipliedReportingOverflow(by: cleared)
    // 2 × (32768 × numerator + offset) + denominator must fit when a text is made.
    let limit = Int128.max >> 19
    guard !top.overflow, !shift.overflow, top.partialValue.magnitude < limit.magnitude,
      shift.partialValue.magnitude < limit.magnitude, bottom < limit
    else { return nil }
    return CountScale(
      numerator: top.partialValue, offset: shift.partialValue, denominator: bottom, decimals: digits
    )
  }

  /// a/b × count + c/d on one denominator.
  private static func joined(_ a: Int128, _ b: Int128, _ c: Int128, _ d: Int128) -> CountScale? {
    let (down, up) = reduced(d, b)
    // The least common denominator is b × down = d × up.
    let denominator = b.multipliedReportingOverflow(by: down)
    let numerator = a.multipliedReportingOverflow(by: down)
    let offset = c.multipliedReportingOverflow(by: up)
    guard !denominator.overflow, !numerator.overflow, !offset.overflow else { return nil }
    return CountScale(
      numerator: numerator.partialValue, offset: offset.partialValue,
      denominator: denominator.partialValue, decimals: 0)
  }

  private static func reduced(_ a: Int128, _ b: Int128) -> (Int128, Int128) {
    var (x, y) = (a.magnitude, b.magnitude)
    while y != 0 { (x, y) = (y, x % y) }
    guard x > 1 else { return (a, b) }
    return (a / Int128(x), b / Int128(x))
  }
}

extension Fraction {
  static let one = Fraction(1, 1)
  static let zero = Fraction(0, 1)
  /// m/s² in one g: the standard acceleration of free fall (CGPM 1901).
  static let standardGravity = Fraction(980_665, 100_000)
  /// Radians in one degree: π/180, π to 18 digits.
  static let radiansPerDegree = Fraction(78_539_816_339_744_831, 4_500_000_000_000_000_000)
}
