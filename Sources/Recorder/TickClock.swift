// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import Sampling

/// When the sampler's ticks are, for the instants at which recordings begin and end: by the schedule of a grid, or by the
/// samples of a chip that dates them, to a fraction of a period, at the rate that they show:
///
///     seen     ·    ·    ·    ·    ·┄┄┄┄┄
///                                   now: the newest samples are still in the FIFO
package struct TickClock: Sendable {
  package let schedule: Schedule
  package let source: ClockSource
  /// Ticks and their times since tick 0, in nanoseconds, some of the last samples'; rising.
  private var seen: [(tick: UInt64, time: Int64)] = []
  /// Nanoseconds a tick after those seen.
  private var period: Double

  package init(_ schedule: Schedule, _ source: ClockSource = .grid) {
    (self.schedule, self.source) = (schedule, source)
    period = 1e9 / schedule.rate.hertz
  }

  package var rate: SampleRate { schedule.rate }

  /// Samples that are remembered, and the nanoseconds between them at least: a minute.
  private static var memory: (count: Int, spacing: Int64) { (600, 100_000_000) }
  /// Nanoseconds from which on samples show a rate.
  private static var shortest: Int64 { 1_000_000_000 }

  package mutating func note(_ record: TickRecord) {
    guard source != .grid, record.kind == .sample else { return }
    if let last = seen.last {
      guard record.tick > last.tick, record.time > last.time else { return }
      // The last one is always the newest sample.
      if seen.count > 1, last.time - seen[seen.count - 2].time < TickClock.memory.spacing {
        seen.removeLast()
      }
    }
    seen.append((record.tick, record.time))
    if seen.count > TickClock.memory.count {
      seen.removeFirst(TickClock.memory.count / 2)
    }
    let (first, last) = (seen[0], seen[seen.count - 1])
    guard last.time - first.time >= TickClock.shortest else { return }
    period = Double(last.time - first.time) / Double(last.tick - first.tick)
  }

  /// Whether samples after `instant` were seen, or none need be.
  package func hasReached(_ instant: MonotonicTime) -> Bool {
    guard source != .grid else { return true }
    return seen.last.map { schedule.start + $0.time >= instant } ?? false
  }

  /// The last tick at `instant` or before; 0 before the start.
  package func tick(at instant: MonotonicTime) -> UInt64 {
    guard source != .grid, let first = seen.first, let last = seen.last else {
      return schedule.tick(at: instant)
    }
    let time = instant - schedule.start
    let from: (tick: UInt64, time: Int64)
    var slope = period
    if time >= last.time {
      from = last
    } else if time < first.time {
      from = first
    } else {
      var low = 0
      var high = seen.count - 1
      while high - low > 1 {
        let middle = (low + high) / 2
        if seen[middle].time <= time { low = middle } else { high = middle }
      }
      from = seen[low]
      slope = Double(seen[high].time - from.time) / Double(seen[high].tick - from.tick)
    }
    let ticks = (Double(time - from.time) / slope).rounded(.down)
    return ticks >= 0
      ? from.tick &+ UInt64(min(ticks, 0x1p60))
      : from.tick - min(from.tick, UInt64(min(-ticks, 0x1p60)))
  }

  /// The first tick at `instant` or later.
  package func firstTick(from instant: MonotonicTime) -> UInt64 {
    guard instant > schedule.start else { return 0 }
    let tick = tick(at: instant)
    return source == .grid && schedule.deadline(of: tick) == instant ? tick : tick + 1
  }

  /// The first tick of a recording with `ticks` before `own`, the first one from `instant` on. A chip that dates its samples
  /// makes more or less than its table says: there it is as long a time.
  package func firstTick(_ ticks: UInt64, before own: UInt64, at instant: MonotonicTime) -> UInt64 {
    // More than any history: all of it.
    guard source != .grid, ticks <= UInt64(RecordingWriter.patience) else {
      return own - min(own, ticks)
    }
    return min(own, firstTick(from: instant + -rate.nanoseconds(atTick: ticks)))
  }

  /// When a recording that begins with `tick` begins: at its deadline, or, when the chip keeps the time, before the sample.
  package func start(at tick: UInt64) -> MonotonicTime {
    guard source != .grid, let first = seen.first, let last = seen.last, tick > 0 else {
      return schedule.deadline(of: tick)
    }
    let near = seen.last { $0.tick <= tick } ?? first
    let time = Double(near.time) + (Double(tick) - Double(near.tick)) * period - period
    return schedule.start + max(0, Int64(min(time, Double(last.time) + 1e15)))
  }
}
