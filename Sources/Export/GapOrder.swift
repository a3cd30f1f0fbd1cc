// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

/// Puts gaps in their places among the samples, and makes gaps of the ticks that damage took.
///
///     log      gap 5…6 │ samples 0…4, 7…9 │ damage │ samples 20…
///     order    0…4, gap 5…6, 7…9, lost 10…19, 20…
///
/// A log has a gap before the samples that follow it, and sometimes before those that precede it. So a tick that has neither
/// a sample nor a gap when a later sample comes is lost.
struct GapOrder {
  /// A gap, and whether the log has it; damage took the samples of the others.
  typealias Place = (gap: Gap, isRecorded: Bool)

  /// Gaps whose place among the samples is not known yet, in order of ticks.
  private var waiting: [Gap] = []
  /// The tick after the last one with a sample or a gap; `nil` before the first sample of a log that is read from within.
  private var next: UInt64?

  /// Gaps that wait at most: more than a log has before the samples that precede them.
  private static let waitingLimit = 4096

  /// The order of what a reader returns from here on.
  init<Storage: LogStorage & ~Copyable>(_ reader: borrowing LogReader<Storage>) {
    next = reader.beginsWithin ? nil : 0
  }

  /// Takes a gap that was read.
  mutating func add(_ gap: Gap) {
    let place = waiting.lastIndex { $0.firstTick <= gap.firstTick }.map { $0 + 1 } ?? 0
    waiting.insert(gap, at: place)
  }

  /// The next gap when too many wait; ask until there is none.
  mutating func overdue() -> Place? {
    guard waiting.count > GapOrder.waitingLimit else { return nil }
    return take(upTo: waiting[0].firstTick)
  }

  /// The next gap that begins at a sample's tick or before it; ask until there is none.
  mutating func take(upTo tick: UInt64) -> Place? {
    let gap = waiting.first.flatMap { $0.firstTick <= tick ? $0 : nil }
    let end = gap?.firstTick ?? tick
    if let first = next, first < end {
      next = end
      return (Gap(firstTick: first, count: end - first, cause: .lost), false)
    }
    guard let gap else { return nil }
    waiting.removeFirst()
    next = next.map { max($0, gap.firstTick.addingSaturated(gap.count)) }
    return (gap, true)
  }

  /// Takes the samples of a block from a row on that have no gap among them; returns the row after them.
  mutating func takeRun(_ rows: Range<Int>, of block: borrowing SampleBlock) -> Int {
    let ticks = block.ticks
    let first = ticks[rows.lowerBound]
    var end = rows.upperBound
    let isConsecutive = ticks[end - 1] &- first == UInt64(rows.count - 1)
    if !isConsecutive || waiting.first.map({ $0.firstTick < ticks[end - 1] }) == true {
      end = rows.lowerBound + 1
      while end < rows.upperBound, ticks[end] == ticks[end - 1] &+ 1,
        waiting.first.map({ ticks[end] < $0.firstTick }) ?? true
      { end += 1 }
    }
    next = max(next ?? 0, ticks[end - 1].addingSaturated(1))
    return end
  }

  /// The gaps that are left after the last sample.
  ///
  /// - Parameter end: The tick after the recording's last one; `nil` where reading ended before.
  mutating func rest(upTo end: UInt64?) -> [Place] {
    if end == nil { next = nil }
    let last = max(end ?? 0, waiting.last?.firstTick ?? 0)
    var places: [Place] = []
    while let place = take(upTo: last) { places.append(place) }
    return places
  }
}
