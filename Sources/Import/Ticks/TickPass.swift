// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The second pass: finds the rows before which ticks are lost, by their times.
///
///     periods since the row before    1  1  7.2  0.2  0.1  0.1  1      one late sample, and none lost
///     periods since the row before    1  1  7.2  1    1    1    1      six lost
///
/// A long step that the next 31 rows catch up is a late sample: of it the lost ticks are the least that any of these rows
/// leaves, up to the next long step. What a row catches up is what it is shorter than the rows before, of which about 64 count:
/// a rate that is stated to a few per cent is no late sample.
struct TickPass {
  private static let ahead: UInt64 = 31

  private let rule: TickRule
  /// The ticks without a sample.
  private(set) var gaps: [Gap] = []
  private(set) var rows: UInt64 = 0
  private var lost: UInt64 = 0
  /// The coarsest of 1 ms, 1 µs and 1 ns that divides every time.
  private(set) var unit: Int64 = 1_000_000
  /// Steps that are longer than 1.5 periods.
  private(set) var long: UInt64 = 0
  /// Those that times may be rounded to.
  private(set) var rounded: UInt64 = 0
  private var last: Int64 = 0
  private var isSkipped = false
  /// The usual step of late.
  private var usual: Double
  /// The long step before row `row`, in periods: with the rows after it, and the least so far; and the usual step then.
  private var open: (row: UInt64, periods: Double, least: Double, usual: Double)?

  init(_ rule: TickRule) {
    self.rule = rule
    usual = rule.near(max(rule.usual, rule.median))
  }

  mutating func add(_ time: Int64) {
    while time % unit != 0 { unit /= 1000 }
    defer { (last, rows) = (time, rows + 1) }
    guard rows > 0, !isSkipped else { return isSkipped = false }
    let step = time.nanoseconds(since: last)
    if step > 1.5 * rule.period {
      long += 1
      if step <= rule.longest { rounded += 1 }
    }
    if step > rule.longest {
      close()
      open = (rows, step / rule.period, step / rule.period, usual)
    } else if var open {
      open.periods += (step - open.usual) / rule.period
      open.least = min(open.least, open.periods)
      self.open = open
      if rows - open.row == TickPass.ahead { close() }
    }
    // Rows that are read late, in one go or after a long step, say nothing of the usual one.
    if step >= (open == nil ? 0.5 : 0.85) * usual, step <= rule.normal {
      usual = rule.near(usual + (step - usual) / 64)
    }
  }

  /// The file states a gap here: the next step is not judged.
  mutating func skip() {
    close()
    isSkipped = true
  }

  mutating func close() {
    defer { open = nil }
    guard let open, case let ticks = rule.lost(periods: open.least), ticks > 0 else { return }
    gaps.append(
      Gap(firstTick: open.row.addingSaturated(lost), count: ticks, cause: .lost))
    lost = lost.addingSaturated(ticks)
  }
}

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

  /// The mean of the steps that are one tick by themselves, whatever is stated, and the longest of them.
  let (usual, normal): (Double, Double)
  let median: Double

  init(_ steps: Intervals, stated: SampleRate?, isGrid: Bool = false) {
    median = steps.median
    // More than a few steps of 1.5 to 1.9 medians are a clock that is set back often.
    let few = max(steps.count / 50, min(3, steps.count > 0 ? (steps.count - 1) / 2 : 0))
    let frequent = isGrid ? 0 : steps.isExceeded(byAllBut: few)
    let own = frequent > 1.5 * median ? min(1.5 * frequent, 1.9 * median) : 1.5 * median
    normal = min(own, stated.map { 1.9 * $0.period } ?? own)
    // Of times that are rounded, no single step is the period.
    usual = steps.mean(max(0, min(2 * median - own, normal))...normal)
    period = stated?.period ?? usual
    // Rows that share times, which were sorted: no gaps are shown.
    let slack = 0.999 * min(period, steps.resolution)
    longest = median <= 0 ? .infinity : stated == nil ? normal : max(1.5 * period, period + slack)
  }

  /// Ticks without a sample in a step of so many periods, after what was caught up: that of a late sample leaves less than 0.35.
  func lost(periods: Double) -> UInt64 {
    UInt64(min(max(1, (periods + 0.65).rounded(.down)), TickRule.most)) - 1
  }

  /// A usual step that is as near to the period as an accepted rate; else the period, as where rows come in packets.
  func near(_ step: Double) -> Double { abs(step - period) <= 0.1 * period ? step : period }

  /// The most ticks that a log counts.
  static var most: Double { 0x1p57 }
}
