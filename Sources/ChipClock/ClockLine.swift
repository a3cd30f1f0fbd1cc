// SPDX-License-Identifier: Apache-2.0

/// A straight line through a regime's readings: a clock with a constant period, from which offsets are counted so that
/// they stay small.
///
///     time(slot) = time + (slot − this slot) · period
struct ClockLine: Equatable {
  var slot: Int64
  /// In nanoseconds of `CLOCK_MONOTONIC_RAW`.
  var time: Int64
  /// Nanoseconds a slot.
  var period: Double

  init(slot: Int64, time: Int64, period: Double) {
    (self.slot, self.time, self.period) = (slot, time, period)
  }

  /// The line from the first to the last reading with an instant after it; with the `known` period if there are not two of
  /// them with different counts.
  ///
  /// If its period is more than a tenth off, the chip is, or a count at an end is wrong: the median over parts of the
  /// readings shows which.
  init?(_ readings: some Sequence<FillReading>, known: Double) {
    let ends = readings.compactMap { reading in
      reading.after.map { (slot: reading.count, time: $0) }
    }
    guard let first = ends.first, let last = ends.last else { return nil }
    func period(_ start: (slot: Int64, time: Int64), _ end: (slot: Int64, time: Int64)) -> Double? {
      guard end.slot > start.slot, end.time > start.time else { return nil }
      return Double(end.time - start.time) / Double(end.slot - start.slot)
    }
    (slot, time) = first
    self.period = period(first, last) ?? known
    guard abs(self.period - known) > known / 10 else { return }
    let parts = min(9, ends.count - 1)
    let periods = (0..<parts).compactMap { part in
      period(ends[(ends.count - 1) * part / parts], ends[(ends.count - 1) * (part + 1) / parts])
    }.sorted()
    guard !periods.isEmpty else { return }
    let median = periods[periods.count / 2]
    if abs(self.period - median) > median / 10 { self.period = median }
  }

  /// Microseconds from the line to an instant, at a slot and a part of the next one. Instants are subtracted as integers.
  func offset(of time: Int64, at slot: Int64, _ part: Double = 0) -> Double {
    (Double(time - self.time) - (Double(slot - self.slot) + part) * period) / 1000
  }

  /// The instants of three offsets in microseconds, the outer ones rounded outward, and clamped to the range.
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
