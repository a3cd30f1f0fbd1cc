// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The second pass: finds the rows before which ticks are lost, by their times.
///
///     periods since the row before    1  1  7.2  0.2  0.1  0.5  1      4 lost, and a late sample: 7.2 − 0.8 − 0.9 − 0.5
///     periods since the row before    1  1  7.2  1    1    1    1      6 lost
///
/// A long step, less what the short ones right after it are shorter than the usual one, is so many ticks. The usual step is
/// the mean of all others: where rows come early and late, these make up for each other.
struct TickPass {
  private let rule: TickRule
  /// Long steps, each before a row, with the short ones after it.
  private var breaks: [(row: UInt64, length: Double, steps: UInt64, isRounded: Bool)] = []
  /// All other steps.
  private var plain = (length: 0.0, steps: UInt64(0))
  private(set) var rows: UInt64 = 0
  /// The coarsest of 1 ms, 1 µs and 1 ns that divides every time.
  private(set) var unit: Int64 = 1_000_000
  /// Steps that are longer than 1.5 periods.
  private(set) var long: UInt64 = 0
  /// Steps of two periods that rounded times may show as well.
  private(set) var roundedCount: UInt64 = 0
  private var last: Int64 = 0
  private var isSkipped = false
  /// The long step before row `row`, and the short ones after it.
  private var open: (row: UInt64, length: Double, steps: UInt64)?

  init(_ rule: TickRule) { self.rule = rule }

  mutating func add(_ time: Int64) {
    while time % unit != 0 { unit /= 1000 }
    defer { (last, rows) = (time, rows + 1) }
    guard rows > 0, !isSkipped else { return isSkipped = false }
    let step = time.nanoseconds(since: last)
    if step > 1.5 * rule.period { long += 1 }
    if step > rule.longest, step <= rule.longestRounded {
      close()
      roundedCount += 1
      breaks.append((rows, step, 1, true))
    } else if step > rule.longest {
      close()
      open = (rows, step, 1)
    } else if step <= rule.short, let (row, length, steps) = open {
      open = (row, length + step, steps + 1)
    } else {
      close()
      plain = (plain.length + step, plain.steps + 1)
    }
  }

  /// The file states a gap here: the next step is not judged.
  mutating func skip() {
    close()
    isSkipped = true
  }

  mutating func close() {
    if let open { breaks.append((open.row, open.length, open.steps, false)) }
    open = nil
  }

  /// The ticks without a sample, of a pass that was closed.
  ///
  /// - Parameter isRounded: Whether steps that may be rounded are none.
  func gaps(isRounded: Bool) -> [Gap] {
    var (gaps, lost) = ([Gap](), UInt64(0))
    let usual = rule.near(plain.steps > 0 ? plain.length / Double(plain.steps) : rule.period)
    for (row, length, steps, isOpen) in breaks where !isRounded || !isOpen {
      let step = length - Double(steps - 1) * usual
      let count = rule.ticks(in: step, usual) - 1
      guard count > 0 else { continue }
      gaps.append(Gap(firstTick: row.addingSaturated(lost), count: count, cause: .lost))
      lost = lost.addingSaturated(count)
    }
    return gaps
  }
}

/// Where ticks without a sample are shown. Times are the samples' own, whatever this says.
///
///     steps    10 10 10 10 20 10 10      one tick lost
///     steps    10 10 12 14 14 14 14      a loop that became slower: none
///     steps    1.6 0.9 0.9 0.9 0.9 0.7 1.6 0.9 …     a clock that is set back often: none, as 1.6 is usual
struct TickRule: Equatable {
  /// Nanoseconds from a tick to the next: the usual step if it is as near to the stated one as an accepted rate.
  let period: Double
  /// The stated one; else the usual one.
  private let given: Double
  private let isStated: Bool
  /// The longest step that is one tick.
  let longest: Double
  /// The longest that may be one of the stated period, where times are rounded by more than half of it.
  let longestRounded: Double
  /// Steps up to it may catch up; a rate that is slightly off does not make others so short.
  let short: Double

  init(_ steps: Intervals, stated: SampleRate?, isGrid: Bool = false) {
    let median = steps.median
    // More than a few steps of 1.5 to 1.9 medians are a clock that is set back often.
    let few = max(steps.count / 50, min(3, steps.count > 0 ? (steps.count - 1) / 2 : 0))
    let frequent = isGrid ? 0 : steps.isExceeded(byAllBut: few)
    let own = frequent > 1.5 * median ? min(1.5 * frequent, 1.9 * median) : 1.5 * median
    let normal = min(own, stated.map { 1.9 * $0.period } ?? own)
    // Rounded times have no step of one period, but some below and some above it.
    let near = max(steps.resolution, 0.03 * median)
    let usual = steps.mean(max(0, min(median - near, normal))...min(normal, median + near))
    given = stated?.period ?? usual
    isStated = stated != nil
    period = TickRule.near(usual, to: given)
    short = 0.95 * period
    // Rows that share times, which were sorted: no gaps are shown.
    longest = median <= 0 ? .infinity : stated == nil ? normal : 1.5 * period
    let isCoarse = stated != nil && 2 * steps.resolution > period
    longestRounded = isCoarse ? given + 0.999 * min(given, steps.resolution) : 0
  }

  /// A step that is as near to the stated one as an accepted rate; else that one, as where rows come in packets.
  func near(_ step: Double) -> Double { isStated ? TickRule.near(step, to: given) : step }

  private static func near(_ step: Double, to given: Double) -> Double {
    abs(step - given) <= 0.1 * given ? step : given
  }

  /// The ticks in a step, at least 1: by the stated rate, else by the usual step.
  func ticks(in step: Double, _ usual: Double) -> UInt64 {
    UInt64(min(max(1, (step / (isStated ? given : usual)).rounded()), TickRule.most))
  }

  /// The most ticks that a log counts.
  static var most: Double { 0x1p57 }
}
