// SPDX-License-Identifier: Apache-2.0

/// The labels of a time axis, in nanoseconds: at round parts of a second, of a minute and of an hour.
///
///     0 … 10 s        0       2       4       6       8      10      s
///     0 … 4 min       0:00        1:00        2:00        3:00       min:s
///     0 … 30 h        0:00        6:00       12:00       18:00       h:min
///
/// All labels have the form that the largest time and the step need, with the fewest digits that distinguish them.
public struct TimeTicks: Equatable, Sendable {
  /// One label.
  public struct Tick: Equatable, Sendable {
    /// Nanoseconds.
    public let time: Int64
    /// Its text, without the unit.
    public let label: String
  }

  /// From the earliest to the latest; may be empty.
  public let ticks: [Tick]
  /// Nanoseconds between neighbours; 0 when there are no ticks.
  public let step: Int64
  /// The parts of a label: `s`, `min:s`, `h:min` or `h:min:s`.
  public let unit: String

  /// The finest ticks with at most `limit` in `range`, its ends included; none for an empty range.
  ///
  /// - Complexity: a few dozen operations, and a text for each tick.
  public init(_ range: ClosedRange<Int64>, atMost limit: Int) {
    var (ticks, step, unit): ([Tick], Int64, String) = ([], 0, "s")
    if limit > 0, range.lowerBound < range.upperBound {
      step = 1
      while TimeTicks.count(of: step, in: range) > limit, let next = TimeTicks.step(above: step) {
        step = next
      }
      let form = TimeForm(
        step: step, largest: max(range.lowerBound.magnitude, range.upperBound.magnitude))
      let (first, last) = TimeTicks.multiples(of: step, in: range)
      if first <= last, TimeTicks.count(of: step, in: range) <= limit {
        ticks = (first...last).map { Tick(time: $0 * step, label: form.text($0 * step)) }
      }
      unit = form.unit
    }
    (self.ticks, self.step, self.unit) = (ticks, step, unit)
  }

  /// Steps of a second and more, as on a clock.
  private static let clockSteps: [Int64] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
  ].map { $0 * 1_000_000_000 }

  private static func step(above step: Int64) -> Int64? {
    if step < 1_000_000_000 {
      var power: Int64 = 1
      while power * 10 <= step { power *= 10 }
      return step == power ? 2 * power : step == 2 * power ? 5 * power : 10 * power
    }
    if let next = clockSteps.first(where: { $0 > step }) { return next }
    let (double, overflow) = step.multipliedReportingOverflow(by: 2)
    return overflow ? nil : double
  }

  private static func multiples(of step: Int64, in range: ClosedRange<Int64>) -> (Int64, Int64) {
    let (low, below) = range.lowerBound.quotientAndRemainder(dividingBy: step)
    let (high, above) = range.upperBound.quotientAndRemainder(dividingBy: step)
    return (below > 0 ? low + 1 : low, above < 0 ? high - 1 : high)
  }

  private static func count(of step: Int64, in range: ClosedRange<Int64>) -> Int64 {
    let (first, last) = multiples(of: step, in: range)
    let (difference, overflow) = last.subtractingReportingOverflow(first)
    return overflow || difference == .max ? .max : difference + 1
  }
}

/// The common form of an axis' labels.
private struct TimeForm {
  let unit: String
  private let decimals: Int

  init(step: Int64, largest: UInt64) {
    var (decimals, divisor): (Int, Int64) = (9, 1)
    while decimals > 0, step % (divisor * 10) == 0 {
      (decimals, divisor) = (decimals - 1, divisor * 10)
    }
    self.decimals = decimals
    let isMinutes = step % 60_000_000_000 == 0
    unit =
      largest < 60_000_000_000
      ? "s" : largest < 3_600_000_000_000 ? "min:s" : isMinutes ? "h:min" : "h:min:s"
  }

  func text(_ time: Int64) -> String {
    let sign = time < 0 ? "-" : ""
    let (whole, rest) = time.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    // The dropped digits are zeros.
    let part = decimals > 0 ? "." + "\(1_000_000_000 + rest)".dropFirst().prefix(decimals) : ""
    func two(_ number: UInt64) -> String { (number < 10 ? "0" : "") + "\(number)" }
    switch unit {
    case "s": return "\(sign)\(whole)\(part)"
    case "min:s": return "\(sign)\(whole / 60):\(two(whole % 60))\(part)"
    case "h:min": return "\(sign)\(whole / 3600):\(two(whole / 60 % 60))"
    default:
      return "\(sign)\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))\(part)"
    }
  }
}
