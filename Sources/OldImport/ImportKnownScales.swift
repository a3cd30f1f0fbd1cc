// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// What one count means on the chips that are common, from their data sheets.
enum ImportKnownScales {
  /// g a count: 2 to 16 g of InvenSense's, Bosch's and Analog Devices' chips (1/16384 to 1/2048) and of Axivity's files
  /// (1/256 besides), of ST's LSM6DS (0.061 mg and its multiples) and LSM9DS1 (0.732 mg).
  static let accelerometer: [Fraction] =
    (0...6).map { Fraction(1, 16384 >> $0) }
    + (-1...4).map { $0 < 0 ? Fraction(61, 2_000_000) : Fraction(61 << Int64($0), 1_000_000) }
    + [Fraction(732, 1_000_000)]

  /// °/s a count: InvenSense's MPU (1/131 and on), ST's (4.375 m°/s and its multiples), and Bosch's, whose 32768 counts
  /// are 125 to 4000 °/s.
  static let gyroscope: [Fraction] =
    [Fraction(1, 131), Fraction(10, 655), Fraction(10, 328), Fraction(10, 164)]
    + (0...5).map { Fraction(4375 << Int64($0), 1_000_000) }
    + (0...5).map { Fraction(125 << Int64($0), 32768) }

  /// °C a count and at count 0: MPU-6050, MPU-6500, MPU-9250, ICM-20600; LSM6DSL and later, LSM6DS3 and LSM9DS1.
  static let temperature: [(scale: Fraction, offset: Fraction)] = [
    (Fraction(1, 340), Fraction(3653, 100)), (Fraction(100, 33387), Fraction(21, 1)),
    (Fraction(10, 3268), Fraction(25, 1)), (Fraction(1, 256), Fraction(25, 1)),
    (Fraction(1, 16), Fraction(25, 1)),
  ]
}

/// Ratios of whole numbers near a double or a product.
enum ImportRatio {
  /// The known ratio within 10⁻¹² of a value, else the simplest one within 10⁻¹¹, which is far below a count in
  /// 32768 of them; `nil` for none that a log can hold.
  static func nearest(to value: Double, among known: [Fraction] = []) -> Fraction? {
    if let same = known.first(where: { abs($0.value / value - 1) < 1e-12 }) { return same }
    guard value.isFinite, value > 1e-12, value < 1e12 else { return nil }
    // Convergents of the continued fraction.
    var (a, b, c, d) = (Int64(0), Int64(1), Int64(1), Int64(0))
    var rest = value
    for _ in 0..<40 {
      let whole = rest.rounded(.down)
      guard whole < 1e13 else { break }
      let (above, below) = (Int64(whole) &* c &+ a, Int64(whole) &* d &+ b)
      guard above < 1 << 40, below < 1 << 40, above >= 0, below >= 0 else { break }
      (a, b, c, d) = (c, d, above, below)
      if c > 0, abs(Double(c) / Double(d) / value - 1) < 1e-11 { break }
      guard rest > whole else { break }
      rest = 1 / (rest - whole)
    }
    guard c > 0, d > 0 else { return nil }
    return Fraction(c, over: d)
  }

  /// The product in lowest terms, or the nearest ratio where its terms are long.
  static func product(_ first: Fraction, _ second: Fraction) -> Fraction? {
    let above = Int128(first.numerator) * Int128(second.numerator)
    let below = Int128(first.denominator) * Int128(second.denominator)
    var (x, y) = (above.magnitude, below.magnitude)
    while y != 0 { (x, y) = (y, x % y) }
    guard x > 0 else { return nil }
    let (p, q) = (above / Int128(x), below / Int128(x))
    if p.magnitude < 1 << 34, q < 1 << 34 { return Fraction(Int64(p), over: Int64(q)) }
    return nearest(to: first.value * second.value)
  }
}
