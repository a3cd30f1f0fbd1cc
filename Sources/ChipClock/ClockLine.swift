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

  /// The line from the first to the last reading with an instant after it; by the `known` period when there are not two
  /// of them with different counts.
  init?(_ readings: some Sequence<FillReading>, known: Double) {
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
      ? Double(last.time - first.time) / Double(last.slot - first.slot) : known
  }

  /// Microseconds from the line to an instant. The instants are subtracted as integers first.
  func offset(of time: Int64, at slot: Int64) -> Double {
    (Double(time - self.time) - Double(slot - self.slot) * period) / 1000
  }

  /// The instants of three offsets in microseconds, the outer ones rounded outward; at the ends of the range for offsets
  /// beyond it.
  func instant(_ earliest: Double, _ likely: Double, _ latest: Double, at slot: Int64)
    -> SampleInstant
  {
    // The line's part is split, so that what is rounded is small.
    let line = Double(slot - self.slot) * period
    let whole = line.rounded(.down)
    let part = line - whole
    func instant(_ rest: Double) -> Int64 {
      let limit = 0x1p61
      guard abs(whole) < limit, abs(rest) < limit else {
        return whole + rest < 0 ? -(1 << 62) : 1 << 62
      }
      return time + Int64(whole) + Int64(rest)
    }
    return SampleInstant(
      earliest: instant((part + earliest * 1000).rounded(.down)),
      likely: instant((part + likely * 1000).rounded(.toNearestOrAwayFromZero)),
      latest: instant((part + latest * 1000).rounded(.up)))
  }
}
