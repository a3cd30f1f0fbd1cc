// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// What makes values of counts: value = count × `ratio` + `offset`, in g, °/s or °C.
struct Scale: Equatable, Sendable {
  var ratio: Fraction
  var offset = Fraction.zero

  /// Whether exports can write its values in every unit: a step of at least 10⁻¹⁰, and the largest value and a step in
  /// 13 digits together.
  var isHeld: Bool {
    let step = ratio.value.magnitude
    return step >= 1e-10 && step <= 1e6 && offset.value.magnitude + 32768 * step < 1e11 * step
  }

  /// What one count means on common chips, from their data sheets, by the group; that of an MPU-6050 after reset first.
  static let known: [[Scale]] = [
    accelerometer.map { Scale(ratio: $0) }, gyroscope.map { Scale(ratio: $0) }, temperature,
  ]

  /// g a count: 2 to 16 g of InvenSense's, Bosch's and Analog Devices' chips (1/16384 to 1/2048) and of Axivity's files
  /// (1/256 besides), of ST's LSM6DS (0.061 mg and its multiples) and LSM9DS1 (0.732 mg).
  private static let accelerometer: [Fraction] =
    halves(1, 16384, 7) + [Fraction(61, 2_000_000)] + doubles(61, 1_000_000, 5)
    + [Fraction(732, 1_000_000)]

  /// °/s a count: InvenSense's MPU (1/131 and on), ST's (4.375 m°/s and its multiples), and Bosch's, whose 32768 counts
  /// are 125 to 4000 °/s.
  private static let gyroscope: [Fraction] =
    [Fraction(1, 131), Fraction(10, 655), Fraction(10, 328), Fraction(10, 164)]
    + doubles(4375, 1_000_000, 6) + doubles(125, 32768, 6)

  /// So many fractions, each twice as large as the one before.
  private static func doubles(_ first: Int64, _ denominator: Int64, _ count: Int64) -> [Fraction] {
    (0..<count).map { Fraction(first << $0, denominator) }
  }

  /// So many fractions, of half the denominator each time.
  private static func halves(_ numerator: Int64, _ first: Int64, _ count: Int64) -> [Fraction] {
    (0..<count).map { Fraction(numerator, first >> $0) }
  }

  /// MPU-6050, MPU-6500, MPU-9250, ICM-20600; LSM6DSL and later, LSM6DS3 and LSM9DS1.
  private static let temperature: [Scale] = [
    Scale(ratio: Fraction(1, 340), offset: Fraction(3653, 100)),
    Scale(ratio: Fraction(100, 33387), offset: Fraction(21, 1)),
    Scale(ratio: Fraction(10, 3268), offset: Fraction(25, 1)),
    Scale(ratio: Fraction(1, 256), offset: Fraction(25, 1)),
    Scale(ratio: Fraction(1, 16), offset: Fraction(25, 1)),
  ]

  /// That of counts whose scale nothing states but `--units raw`: an MPU-6050's after reset.
  static func usual(_ group: Group) -> Scale { known[group.rawValue][0] }
}

extension Fraction {
  /// The known ratio within 10⁻¹² of a value, else the simplest one within 10⁻¹¹, which is far below a count in
  /// 32768 of them; `nil` for none that a log can hold.
  static func nearest(to value: Double, among known: [Fraction] = []) -> Fraction? {
    if let same = known.first(where: { abs($0.value / value - 1) < 1e-12 }) { return same }
    guard value.isFinite, value > 1e-12, value < 1e12 else { return nil }
    let (middle, margin, one) = (Int128(value * 1e24), Int128(value * 1e13), Int128(1e24))
    let ratio = Ratio.simplest(
      from: Ratio(middle - margin, one), to: Ratio(middle + margin, one))
    guard ratio.numerator < 1 << 40, ratio.denominator < 1 << 40 else { return nil }
    return Fraction(Int64(ratio.numerator), over: Int64(ratio.denominator))
  }

  /// The product in lowest terms, or the nearest ratio where its terms are long.
  static func product(_ first: Fraction, _ second: Fraction) -> Fraction? {
    let above = Int128(first.numerator) * Int128(second.numerator)
    let below = Int128(first.denominator) * Int128(second.denominator)
    let divisor = Int128(max(1, above.magnitude.commonDivisor(below.magnitude)))
    let (p, q) = (above / divisor, below / divisor)
    if p.magnitude < 1 << 34, q < 1 << 34 { return Fraction(Int64(p), over: Int64(q)) }
    return nearest(to: first.value * second.value)
  }
}
