// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension SampleRate {
  /// The rate of rows, as a user would say it; `nil` when the times stand still, or make a rate that no log can hold.
  ///
  /// `steps` are the periods from the first row to the last, those of lost ticks included, in `span` nanoseconds. A rate is
  /// taken when its grid, laid on the first row, is at most a period off the last one, and half a period more for each of
  /// `gaps`, whose length need not be a whole number of periods, and when it is less than a hundredth off. Tried in this
  /// order: whole hertz, those with the most zeros at their end first (1000 Hz before 1001 Hz); whole seconds (1/5 Hz);
  /// the mean rate itself if its denominator is at most 1000 (125/12 Hz); the fraction with the smallest denominator.
  init?(steps: UInt64, gaps: Int = 0, in span: Int64) {
    guard steps > 0, span > 0 else { return nil }
    let (steps, span, second) = (Int128(steps), Int128(span), Int128(1_000_000_000))
    // Half-periods and hundredths: 200 × steps ± slack over 200 × span.
    let slack = min(100 * (2 + Int128(gaps)), 2 * steps)
    let low = Ratio((200 * steps - slack) * second, 200 * span)
    let high = Ratio((200 * steps + slack) * second, 200 * span)
    let mean = Ratio(steps * second, span)
    let all = [
      Ratio.roundest(from: low, to: high, near: mean),
      Ratio.roundest(from: high.inverse, to: low.inverse, near: mean.inverse)?.inverse,
      mean.denominator <= 1000 ? mean : nil, Ratio.simplest(from: low, to: high),
    ]
    for case let ratio? in all {
      guard let above = UInt32(exactly: ratio.numerator),
        let below = UInt32(exactly: ratio.denominator), above > 0
      else { continue }
      self.init(above, per: below)
      return
    }
    return nil
  }

  /// The rate that this program wrote as decimal hertz: exact, or rounded to 12 digits after the point, as 333.333333333333
  /// for 1000/3 Hz; `nil` for other text, and for 0.
  init?(stated text: String) {
    guard let (digits, power) = Fraction.terms(ofDecimal: text, digits: 10, decimals: 12),
      digits > 0
    else { return nil }
    let (value, scale) = (Int128(digits), Int128(power))
    var ratio = Ratio(value, scale)
    if scale == 1_000_000_000_000 {
      ratio = Ratio.simplest(from: Ratio(value - 1, scale), to: Ratio(value + 1, scale))
    }
    guard let above = UInt32(exactly: ratio.numerator),
      let below = UInt32(exactly: ratio.denominator)
    else { return nil }
    self.init(above, per: below)
  }

  /// The coarsest unit of times that divides every tick of the grid: 1 ms, 1 µs or 1 ns.
  var timeUnit: Int64 {
    let period = 1_000_000_000 * UInt64(denominator)
    guard period % UInt64(numerator) == 0 else { return 1 }
    let nanoseconds = period / UInt64(numerator)
    return nanoseconds % 1_000_000 == 0 ? 1_000_000 : nanoseconds % 1000 == 0 ? 1000 : 1
  }

  /// Nanoseconds from a tick to the next, with their fraction.
  var period: Double { 1e9 * Double(denominator) / Double(numerator) }
}

/// A positive ratio of large whole numbers, in lowest terms.
struct Ratio {
  let numerator: Int128
  let denominator: Int128

  init(_ numerator: Int128, _ denominator: Int128) {
    let divisor = Int128(max(1, numerator.magnitude.commonDivisor(denominator.magnitude)))
    (self.numerator, self.denominator) = (numerator / divisor, denominator / divisor)
  }

  var inverse: Ratio { Ratio(denominator, numerator) }

  /// The whole number in low...high with the most zeros at its end, of several the nearest to `mean`; `nil` for none.
  static func roundest(from low: Ratio, to high: Ratio, near mean: Ratio) -> Ratio? {
    guard low.denominator > 0 else { return nil }
    var unit: Int128 = 1_000_000_000
    while unit > 0 {
      let least = (low.numerator + low.denominator * unit - 1) / (low.denominator * unit)
      let most = high.numerator / (high.denominator * unit)
      if max(1, least) <= most {
        let nearest =
          (2 * mean.numerator + mean.denominator * unit) / (2 * mean.denominator * unit)
        return Ratio(min(max(nearest, least, 1), most) * unit, 1)
      }
      unit /= 10
    }
    return nil
  }

  /// The ratio in low...high with the smallest denominator, by the continued fractions of both: as long as
  /// they agree, their terms are the result's.
  static func simplest(from low: Ratio, to high: Ratio) -> Ratio {
    let (whole, rest) = low.numerator.quotientAndRemainder(dividingBy: low.denominator)
    if rest == 0 { return Ratio(whole, 1) }
    if (whole + 1) <= high.numerator / high.denominator { return Ratio(whole + 1, 1) }
    let inner = simplest(
      from: Ratio(high.denominator, high.numerator - whole * high.denominator),
      to: Ratio(low.denominator, rest))
    return Ratio(whole * inner.numerator + inner.denominator, inner.numerator)
  }
}
