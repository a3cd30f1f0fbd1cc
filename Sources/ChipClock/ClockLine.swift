/// A straight line through a stretch's readings: a clock with a constant period, from which offsets are counted so that
/// they stay small.
///
///     time(slot) = time + (slot − this slot) · period
struct ClockLine: Equatable {
  var slot: Int64
  /// In nanoseconds of `CLOCK_MONOTONIC_RAW`.
  var time: Int64
  /// Nanoseconds a slot.
  var period: Double

  /// A line by its parts.
  init(slot: Int64, time: Int64, period: Double) {
    (self.slot, self.time, self.period) = (slot, time, period)
  }

  /// The line from the first to the last reading with an instant after it; by `nominalPeriod` when there are not two of
  /// them with different counts.
  init?(_ readings: some Sequence<ClockReading>, nominalPeriod: Double) {
    var ends: (first: (slot: Int64, time: Int64), last: (slot: Int64, time: Int64))?
    for reading in readings {
      guard let after = reading.after else { continue }
      let end = (slot: reading.count, time: after)
      ends = (ends?.first ?? end, end)
    }
    guard let (first, last) = ends else { return nil }
    (slot, time) = first
    period =
      last.slot > first.slot && last.time > first.time
      ? Double(last.time - first.time) / Double(last.slot - first.slot) : nominalPeriod
  }

  /// Microseconds from the line to an instant. The instants are subtracted as integers first.
  func offset(of time: Int64, at slot: Int64) -> Double {
    (Double(time - self.time) - Double(slot - self.slot) * period) / 1000
  }

  /// Seconds from one slot to another.
  func distance(from start: Double, to end: Double) -> Double { (end - start) * period * 1e-9 }

  /// The instant of an offset in microseconds, rounded as asked; at the ends of the range for offsets beyond it.
  func instant(_ offset: Double, at slot: Int64, _ rule: FloatingPointRoundingRule) -> Int64 {
    // The line's part is split, so that what is rounded is small.
    let line = Double(slot - self.slot) * period
    let whole = line.rounded(.down)
    let rest = (line - whole + offset * 1000).rounded(rule)
    let limit = 0x1p61
    guard abs(whole) < limit, abs(rest) < limit else {
      return whole + rest < 0 ? -(1 << 62) : 1 << 62
    }
    return time + Int64(whole) + Int64(rest)
  }
}
