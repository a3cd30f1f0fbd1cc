// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension SampleRate {
  /// The rate at which `count` samples from time `first` to time `last` (nanoseconds) were taken, as a user
  /// would say it; `nil` when the times stand still.
  ///
  /// `count` includes samples that are missing. A rate is taken when its grid, laid on the first sample, is at most
  /// half a period off the last one, plus this many `halfPeriods`: one for each hole, whose length need not be
  /// a whole number of periods, and those by which times are rounded or late.
  /// Tried in this order: the whole number of hertz nearest to that of the `period` (nanoseconds) of most of them (100 Hz,
  /// where a few intervals were longer), that nearest to the mean rate (10 Hz, 985 Hz), the whole
  /// number of seconds nearest to the mean period (1/5 Hz), the mean rate itself if its denominator is at
  /// most 1000 (4/3 Hz), the fraction with the smallest denominator (9903/100 Hz). A single sample gives
  /// 10 Hz.
  init?(
    ofSamples count: UInt64, from first: Int64, to last: Int64, halfPeriods: UInt64 = 0,
    near period: Double = 0
  ) {
    guard count > 1 else {
      self.init(10)
      return
    }
    let span = Int128(last) - Int128(first)
    let second: Int128 = 1_000_000_000
    guard span > 0 else { return nil }
    // The mean rate is steps × 1 s / span; limits are (steps ± (1 + halfPeriods)/2) × 1 s / span.
    let steps = Int128(count) - 1
    let slack = 1 + Int128(halfPeriods)
    let low = Ratio(max(1, 2 * steps - slack) * second, 2 * span)
    let high = Ratio((2 * steps + slack) * second, 2 * span)
    let hertz = Ratio((2 * steps * second + span) / (2 * span), 1)
    let seconds = Ratio(1, max(1, (2 * span + steps * second) / (2 * steps * second)))
    let usual = Ratio(period > 1 ? max(1, Int128((1e9 / period).rounded())) : hertz.numerator, 1)
    let mean = Ratio(steps * second, span).reduced
    let short = mean.denominator <= 1000 ? mean : hertz
    for ratio in [usual, hertz, seconds, short, Ratio.simplest(from: low, to: high)] {
      guard low <= ratio, ratio <= high, let numerator = UInt32(exactly: ratio.numerator),
        let denominator = UInt32(exactly: ratio.denominator), numerator > 0
      else { continue }
      self.init(numerator, per: denominator)
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
    var ratio = Ratio(value, scale).reduced
    if scale == 1_000_000_000_000 {
      ratio = Ratio.simplest(from: Ratio(value - 1, scale), to: Ratio(value + 1, scale))
    }
    guard let above = UInt32(exactly: ratio.numerator),
      let below = UInt32(exactly: ratio.denominator)
    else { return nil }
    self.init(above, per: below)
  }

  /// The coarsest unit of times of which every tick of the grid is a multiple: 1 ms, 1 µs or 1 ns.
  var timeUnit: Int64 {
    let period = 1_000_000_000 * UInt64(denominator)
    guard period % UInt64(numerator) == 0 else { return 1 }
    let nanoseconds = period / UInt64(numerator)
    return nanoseconds % 1_000_000 == 0 ? 1_000_000 : nanoseconds % 1000 == 0 ? 1000 : 1
  }

  /// Nanoseconds from a tick to the next, with their fraction.
  var period: Double { 1e9 * Double(denominator) / Double(numerator) }
}

/// A positive ratio of large whole numbers.
private struct Ratio {
  var numerator: Int128
  var denominator: Int128

  init(_ numerator: Int128, _ denominator: Int128) {
    self.numerator = numerator
    self.denominator = denominator
  }

  var reduced: Ratio {
    var (a, b) = (numerator, denominator)
    while b != 0 { (a, b) = (b, a % b) }
    return Ratio(numerator / a, denominator / a)
  }

  static func <= (left: Ratio, right: Ratio) -> Bool {
    left.numerator.multipliedFullWidth(by: right.denominator)
      <= right.numerator.multipliedFullWidth(by: left.denominator)
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
