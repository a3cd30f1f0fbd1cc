/// The part of a recording that is in sight: never outside of it, never shorter than some samples.
public struct TimeWindow: Equatable, Sendable {
  /// Nanoseconds from tick 0 at the left edge.
  public private(set) var start: Int64
  /// Nanoseconds from the left edge to the right one.
  public private(set) var length: Int64
  /// Nanoseconds of the whole recording.
  public let duration: Int64
  private let least: Int64

  /// The whole recording.
  ///
  /// - Parameters:
  ///   - duration: Nanoseconds; below 1 counts as 1.
  ///   - period: Nanoseconds between two ticks; no less than four of them are ever in sight.
  public init(duration: Int64, period: Int64) {
    self.duration = max(1, duration)
    let (four, overflow) = max(1, period).multipliedReportingOverflow(by: 4)
    least = min(self.duration, overflow ? .max : four)
    start = 0
    length = self.duration
  }

  /// Where it ends.
  public var end: Int64 { start + length }
  /// What it spans.
  public var span: Range<Int64> { start..<end }
  /// Whether all is in sight.
  public var isWhole: Bool { length == duration }

  /// Makes the window `numerator` / `denominator` times as long, `centre` staying where it is.
  public mutating func zoom(_ numerator: Int64, _ denominator: Int64, around centre: Int64) {
    let wanted = Double(length) * Double(numerator) / Double(denominator)
    let new = wanted >= Double(duration) ? duration : max(least, Int64(wanted))
    let share = Double(centre - start) / Double(length)
    length = new
    move(to: centre - Int64((Double(new) * share).rounded()))
  }

  /// Moves by a fraction of its length.
  public mutating func pan(_ numerator: Int64, _ denominator: Int64) {
    move(to: start + Int64(Double(length) * Double(numerator) / Double(denominator)))
  }

  /// Lets it begin at a time, as far as the recording goes.
  public mutating func move(to time: Int64) {
    start = max(0, min(time, duration - length))
  }

  /// Moves so that a time is in sight: a window further, or a quarter before the edge, where it was outside.
  public mutating func follow(_ time: Int64) {
    if time >= end {
      move(to: time - length / 4)
    } else if time < start {
      move(to: time - length * 3 / 4)
    }
  }

  /// Shows all.
  public mutating func showAll() {
    (start, length) = (0, duration)
  }
}
