// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Leads from `CLOCK_MONOTONIC_RAW`, on which readings are, to `CLOCK_MONOTONIC`, on which a log's times are.
///
///     offset ▲        ●╌╌╌╌╌╌●        Each reading has the difference of both clocks; between two it is linear, so
///            │  ●╌╌╌╌╌              that a clock which is being slewed leaves no step.
///            └──────────────────► raw
struct RawClockMap {
  /// The raw instants after reads, in order, and the offsets then, in nanoseconds.
  private var points: [(time: Int64, offset: Int64)] = []
  /// Points before this one are no longer needed.
  private var head = 0

  /// What the offsets are unsure of, in nanoseconds: half of the 10 µs that the clock calls take at most, and 1 µs of
  /// rounding.
  static let uncertainty: Int64 = 6000

  /// Adds a reading that is not before the last one.
  mutating func add(_ reading: FIFOReading) {
    let time = reading.before + Int64(reading.length)
    if let last = points.last, time <= last.time { return }
    points.append((time, reading.offset * 1000))
  }

  /// Forgets what instants from `time` on do not need; returns whether cursors begin again.
  mutating func forget(before time: Int64) -> Bool {
    while head + 1 < points.count, points[head + 1].time <= time { head += 1 }
    guard head > 4096 else { return false }
    points.removeFirst(head)
    head = 0
    return true
  }

  /// Readings that were not forgotten.
  var waitingCount: Int { points.count - head }

  /// A place in the map that moves along it: instants that rise take no search.
  struct Cursor {
    private var index = 0
    /// The points around it, and the slope between them.
    private var start: Int64 = .max
    private var end: Int64 = .min
    private var offset: Int64 = 0
    private var slope = 0.0

    /// The instant on `CLOCK_MONOTONIC`.
    @inline(__always)
    mutating func map(_ raw: Int64, _ map: borrowing RawClockMap) -> Int64 {
      if raw < start || raw >= end { move(to: raw, map) }
      guard slope != 0 else { return raw + offset }
      return raw + offset + (Double(raw - start) * slope).floored
    }

    private mutating func move(to raw: Int64, _ map: borrowing RawClockMap) {
      let points = map.points
      (slope, offset, start, end) = (0, 0, .min, .max)
      guard map.head < points.count else { return }
      index = min(max(index, map.head), points.count - 1)
      while index + 1 < points.count, points[index + 1].time <= raw { index += 1 }
      while index > map.head, points[index].time > raw { index -= 1 }
      let point = points[index]
      offset = point.offset
      guard raw >= point.time else {
        end = point.time
        return
      }
      start = point.time
      guard index + 1 < points.count else { return }
      let next = points[index + 1]
      end = next.time
      slope = Double(next.offset - point.offset) / Double(next.time - point.time)
    }

    /// Begins again after points were forgotten.
    mutating func reset() { (index, start, end) = (0, .max, .min) }
  }
}
