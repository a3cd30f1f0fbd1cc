// SPDX-License-Identifier: Apache-2.0

/// The mean rate of a chip over regimes of its samples.
public struct ClockRate: Equatable, Sendable {
  /// Periods, from the first knot of each regime to its last one.
  public private(set) var periods = 0.0
  /// Nanoseconds of these periods: at least, likely, and at most.
  private var least = 0.0
  private var likely = 0.0
  private var greatest = 0.0

  /// Over nothing.
  public init() {}

  mutating func add(_ regime: ClockRegime) {
    guard let period = regime.period else { return }
    let count = Double(regime.periodCount)
    periods += count
    least += count * period.least
    likely += count * period.likely
    greatest += count * period.greatest
  }

  mutating func add(_ other: ClockRate) {
    periods += other.periods
    least += other.least
    likely += other.likely
    greatest += other.greatest
  }

  /// Samples a second; `nil` over nothing.
  public var hertz: Double? { likely > 0 ? periods / likely * 1e9 : nil }

  /// The least and the greatest rate that the readings allow; `nil` where they do not bound it.
  public var bounds: ClosedRange<Double>? {
    guard least > 0, greatest >= least else { return nil }
    return periods / greatest * 1e9...periods / least * 1e9
  }
}

/// What is known of regimes as a whole.
struct ClockTotals {
  private(set) var rate = ClockRate()
  /// Knots for which edges and stamps were left out.
  private(set) var leftOutCount = 0

  mutating func add(_ regime: ClockRegime) {
    rate.add(regime)
    leftOutCount += regime.leftOutCount
  }

  mutating func add(_ other: ClockTotals) {
    rate.add(other.rate)
    leftOutCount += other.leftOutCount
  }
}
