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

  /// The finest ticks of which at most `limit` are in `range`, its ends included; none for an empty range.
  ///
  /// - Complexity: a few dozen operations, and a text for each tick.
  public init(_ range: ClosedRange<Int64>, atMost limit: Int) {
    guard limit > 0, range.lowerBound < range.upperBound else {
      ticks = []
      step = 0
      unit = "s"
      return
    }
    var step: Int64 = 1
    while TimeTicks.count(of: step, in: range) > limit, let next = TimeTicks.step(above: step) {
      step = next
    }
    let form = TimeForm(
      step: step, largest: max(range.lowerBound.magnitude, range.upperBound.magnitude))
    var ticks: [Tick] = []
    let (first, last) = TimeTicks.multiples(of: step, in: range)
    if first <= last, TimeTicks.count(of: step, in: range) <= limit {
      ticks = (first...last).map { Tick(time: $0 * step, label: form.text($0 * step)) }
    }
    self.ticks = ticks
    self.step = step
    unit = form.unit
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
private enum TimeForm {
  case seconds(decimals: Int)
  case minutes(decimals: Int)
  case hours(decimals: Int)
  case hoursAndMinutes

  init(step: Int64, largest: UInt64) {
    var decimals = 9
    var unit: Int64 = 1
    while decimals > 0, step % (unit * 10) == 0 {
      unit *= 10
      decimals -= 1
    }
    if largest < 60_000_000_000 {
      self = .seconds(decimals: decimals)
    } else if largest < 3_600_000_000_000 {
      self = .minutes(decimals: decimals)
    } else {
      self = step % 60_000_000_000 == 0 ? .hoursAndMinutes : .hours(decimals: decimals)
    }
  }

  var unit: String {
    switch self {
    case .seconds: return "s"
    case .minutes: return "min:s"
    case .hours: return "h:min:s"
    case .hoursAndMinutes: return "h:min"
    }
  }

  func text(_ time: Int64) -> String {
    let sign = time < 0 ? "-" : ""
    let seconds = Int64(time.magnitude / 1_000_000_000)
    let rest = Int64(time.magnitude % 1_000_000_000)
    switch self {
    case .seconds(let decimals): return sign + TimeForm.decimal(seconds, rest, decimals)
    case .minutes(let decimals):
      return "\(sign)\(seconds / 60):" + TimeForm.padded(seconds % 60, rest, decimals)
    case .hours(let decimals):
      let minutes = TimeForm.padded(seconds / 60 % 60, 0, 0)
      return "\(sign)\(seconds / 3600):\(minutes):" + TimeForm.padded(seconds % 60, rest, decimals)
    case .hoursAndMinutes:
      return "\(sign)\(seconds / 3600):" + TimeForm.padded(seconds / 60 % 60, 0, 0)
    }
  }

  private static func padded(_ whole: Int64, _ rest: Int64, _ decimals: Int) -> String {
    (whole < 10 ? "0" : "") + decimal(whole, rest, decimals)
  }

  /// `rest` nanoseconds after the point; the dropped digits are zeros.
  private static func decimal(_ whole: Int64, _ rest: Int64, _ decimals: Int) -> String {
    guard decimals > 0 else { return "\(whole)" }
    return "\(whole)." + "\(1_000_000_000 + rest)".dropFirst().prefix(decimals)
  }
}
