// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Converts `CLOCK_MONOTONIC_RAW`, the clock of readings, to `CLOCK_MONOTONIC`, the clock of a log's times.
///
///     offset ▲        ●╌╌╌╌╌╌●        Each reading has the difference of both clocks; it is linear in between, so that
///            │  ●╌╌╌╌╌              a clock that is being slewed leaves no step.
///            └──────────────────► raw
struct RawClockMap {
  /// The raw instants after reads, in order, and the offsets at them, in nanoseconds.
  private var points: [(time: Int64, offset: Int64)] = []
  /// Points before this index are no longer needed.
  private var head = 0

  /// The offsets' uncertainty in nanoseconds: half of the 10 µs that the clock calls take at most, and 1 µs of rounding.
  static let uncertainty: Int64 = 6000

  mutating func add(_ reading: FIFOReading) {
    let time = reading.before + Int64(reading.length)
    if let last = points.last, time <= last.time { return }
    points.append((time, reading.offset * 1000))
  }

  /// Forgets what instants from `time` on do not need; whether cursors must be reset.
  mutating func forget(before time: Int64) -> Bool {
    while head + 1 < points.count, points[head + 1].time <= time { head += 1 }
    guard head > 4096 else { return false }
    points.removeFirst(head)
    head = 0
    return true
  }

  var waitingCount: Int { points.count - head }

  /// A moving place in the map: rising instants need no search.
  struct Cursor {
    private var index = 0
    /// The points around it, and the slope between them.
    private var start: Int64 = .max
    private var end: Int64 = .min
    private var offset: Int64 = 0
    private var slope = 0.0

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

    mutating func reset() { (index, start, end) = (0, .max, .min) }
  }
}
