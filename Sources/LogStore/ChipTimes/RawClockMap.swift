// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

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

/// Converts a log's ticks to those that count every sample of the chip.
///
///     recorded    … 948 949 950 ┆ 40 estimated ┆ 991 992 …
///     counted     … 948 949 950 ┆ 43 proved       ┆ 994 995 …
///
/// Between two epochs the recorder can only estimate how many samples are missing. The readings prove the number, or show
/// samples missing inside an epoch; later ticks move by the difference.
struct TickMap {
  /// From recorded tick `start` on, ticks move by `shift`; no samples lie between `gap` and `start`.
  private struct Step {
    var gap: Int64
    var start: Int64
    var shift: Int64
  }

  private var steps: [Step] = []
  private var base: Int64 = 0
  /// Most steps that are kept: a log may have a gap before samples that precede it.
  private static let limit = 1024

  /// Moves ticks from `start` on by `change` more; the ticks between `gap` and `start` absorb it.
  mutating func insert(gap: Int64, start: Int64, change: Int64) {
    guard change != 0 else { return }
    let place = steps.lastIndex { $0.start <= start }.map { $0 + 1 } ?? 0
    let before = place > 0 ? steps[place - 1].shift : base
    guard abs(before + change) < 1 << 60 else { return }
    steps.insert(Step(gap: gap, start: start, shift: before + change), at: place)
    for later in steps.indices[(place + 1)...] { steps[later].shift += change }
    if steps.count > TickMap.limit { base = steps.removeFirst().shift }
  }

  /// The shift of a tick that has a sample, and the tick up to which it holds.
  func shift(at tick: Int64) -> (shift: Int64, end: Int64) {
    let next = steps.firstIndex { $0.start > tick } ?? steps.endIndex
    return (
      next > 0 ? steps[next - 1].shift : base, next < steps.count ? steps[next].start : .max
    )
  }

  /// The counted tick of a recorded one.
  func tick(_ tick: UInt64) -> UInt64 {
    guard base != 0 || !steps.isEmpty else { return tick }
    let recorded = Int64(clamping: tick)
    let next = steps.firstIndex { $0.start > recorded } ?? steps.endIndex
    let shift = shift(at: recorded).shift
    var moved = recorded.addingReportingOverflow(shift).partialValue
    if shift > 0, moved < recorded { moved = .max }
    if next < steps.count, recorded > steps[next].gap {
      moved = min(moved, steps[next].start + steps[next].shift)
    }
    return UInt64(max(0, moved))
  }

  /// A gap with its counted ticks; `nil` when it has none.
  func gap(_ gap: Gap) -> Gap? {
    let (start, end) = (tick(gap.firstTick), min(tick(gap.firstTick + gap.count), 1 << 63))
    guard end > start else { return nil }
    return Gap(firstTick: start, count: end - start, cause: gap.cause, code: gap.code)
  }
}
