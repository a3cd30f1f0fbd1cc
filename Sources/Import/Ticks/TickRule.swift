// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Where ticks without a sample are shown. Times are the samples' own, whatever this says.
///
///     steps    10 10 10 10 20 10 10      one tick lost
///     steps    10 10 12 14 14 14 14      a loop that became slower: none
///     steps    1.6 0.9 0.9 0.9 0.9 0.7 1.6 0.9 …     a clock that is set back often: none, as 1.6 is usual
struct TickRule: Equatable {
  /// Nanoseconds from a tick to the next.
  let period: Double
  /// The longest step that is one tick, whatever the period.
  let longest: Double

  /// - Parameters:
  ///   - steps: In nanoseconds.
  ///   - isGrid: Whether ticks without a sample are known to be there, so that each long step is one.
  init(_ steps: Intervals, stated: SampleRate?, isGrid: Bool = false) {
    // More than a few steps of 1.5 to 1.9 medians are a clock that is set back often.
    let few = max(steps.count / 50, min(3, steps.count > 0 ? (steps.count - 1) / 2 : 0))
    let usual = isGrid || stated != nil ? 0 : steps.isExceeded(byAllBut: few)
    period = stated?.period ?? steps.median
    // Rows that share times, which were sorted: no gaps are shown.
    longest = steps.median > 0 ? max(1.5 * period, min(1.5 * usual, 1.9 * period)) : .infinity
  }

  /// Ticks without a sample in a step of so many periods.
  func lost(periods: Double) -> UInt64 {
    UInt64(min(max(1, periods.rounded()), TickRule.most)) - 1
  }

  /// The most ticks that a log counts.
  static var most: Double { 0x1p57 }
}
