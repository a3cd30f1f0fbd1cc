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

  /// Microseconds from the line to an instant, at a slot and a part of the next one. The instants are subtracted as integers
  /// first.
  func offset(of time: Int64, at slot: Int64, _ part: Double = 0) -> Double {
    (Double(time - self.time) - (Double(slot - self.slot) + part) * period) / 1000
  }

  /// The instants of three offsets in microseconds, the outer ones rounded outward; at the ends of the range for offsets
  /// beyond it.
  func instant(_ earliest: Double, _ likely: Double, _ latest: Double, at slot: Int64)
    -> SampleInstant
  {
    // The line's part is split, so that what is rounded is small.
    let line = Double(slot - self.slot) * period
    let limit = 0x1p61
    let offsets = max(abs(earliest), abs(likely), abs(latest)) * 1000
    guard abs(line) < limit, offsets < limit else {
      func instant(_ offset: Double) -> Int64 {
        let sum = line + offset * 1000
        return abs(sum) < limit ? time + Int64(sum) : sum < 0 ? -(1 << 62) : 1 << 62
      }
      return SampleInstant(
        earliest: instant(earliest), likely: instant(likely), latest: instant(latest))
    }
    let whole = line.floored
    let part = line - Double(whole)
    let start = time + whole
    return SampleInstant(
      earliest: start + (part + earliest * 1000).floored,
      likely: start + (part + likely * 1000 + 0.5).floored,
      latest: start - (-part - latest * 1000).floored)
  }
}
