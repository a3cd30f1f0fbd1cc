// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogFormat

/// Puts gaps in their places among the samples, and makes gaps of the ticks that damage took.
///
///     log      gap 5…6 │ samples 0…4, 7…9 │ damage │ samples 20…
///     order    0…4, gap 5…6, 7…9, lost 10…19, 20…
///
/// A log has a gap before the samples that follow it, and sometimes before those that precede it. So a tick that has neither
/// a sample nor a gap when a later sample comes is lost. Each tick counts once, whatever a malformed log says: one with a
/// sample is in no gap, and one that several gaps have is in the first of them.
package struct GapOrder: Equatable, Sendable {
  /// A gap, and whether the log has it; damage took the samples of the others.
  package typealias Place = (gap: Gap, isRecorded: Bool)

  /// Gaps whose place among the samples is not known yet, in order of ticks.
  private var waiting: [Gap] = []
  /// The tick after the last one with a sample or a gap.
  private(set) var next: UInt64 = 0
  /// Whether ticks below that of the next sample or gap are lost: not before the first sample of a log that is read from
  /// within, nor after the last one where reading ended before the recording does.
  private var knowsLost = true

  /// Gaps that wait at most: more than a log has before the samples that precede them.
  private static let waitingLimit = 4096

  /// The order of a whole log.
  package init() {}

  /// The order of what a reader returns from here on.
  package init<Storage: LogStorage & ~Copyable>(_ reader: borrowing LogReader<Storage>) {
    knowsLost = !reader.beginsWithin
  }

  /// Takes a gap that was read.
  package mutating func add(_ gap: Gap) {
    let place = waiting.lastIndex { $0.firstTick <= gap.firstTick }.map { $0 + 1 } ?? 0
    waiting.insert(gap, at: place)
  }

  /// The next gap when too many wait; ask until there is none.
  package mutating func overdue() -> Place? {
    guard waiting.count > GapOrder.waitingLimit else { return nil }
    dropCounted()
    return waiting.first.flatMap { take(upTo: $0.firstTick) }
  }

  /// The next gap before a sample's tick; ask until there is none.
  package mutating func take(before tick: UInt64) -> Place? {
    dropCounted()
    guard next < tick else { return nil }
    guard var place = take(upTo: tick - 1) else { return lost(upTo: tick) }
    let before = tick - place.gap.firstTick
    if place.gap.count > before {
      // The sample's tick is none of the gap's.
      add(place.gap, ticks: tick.addingSaturated(1), count: place.gap.count - before - 1)
      (place.gap.count, next) = (before, tick)
    }
    return place
  }

  /// The next gap that begins at a tick or before it.
  private mutating func take(upTo tick: UInt64) -> Place? {
    dropCounted()
    guard let gap = waiting.first, gap.firstTick <= tick else { return nil }
    if let lost = lost(upTo: gap.firstTick) { return lost }
    waiting.removeFirst()
    next = max(next, gap.firstTick.addingSaturated(gap.count))
    return (gap, true)
  }

  /// The ticks below this one that nothing accounts for.
  private mutating func lost(upTo tick: UInt64) -> Place? {
    guard knowsLost, next < tick else { return nil }
    defer { next = tick }
    return (Gap(firstTick: next, count: tick - next, cause: .lost), false)
  }

  /// Leaves out of the gaps what samples and other gaps had before.
  private mutating func dropCounted() {
    while let gap = waiting.first, gap.firstTick < next {
      waiting.removeFirst()
      let counted = next - gap.firstTick
      if gap.count > counted { add(gap, ticks: next, count: gap.count - counted) }
    }
  }

  private mutating func add(_ gap: Gap, ticks first: UInt64, count: UInt64) {
    guard count > 0 else { return }
    add(Gap(firstTick: first, count: count, cause: gap.cause, code: gap.code))
  }

  /// Takes the samples of a block from a row on that have no gap among them; returns the row after them.
  package mutating func takeRun(_ rows: Range<Int>, of block: borrowing SampleBlock) -> Int {
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
    (next, knowsLost) = (max(next, ticks[end - 1].addingSaturated(1)), true)
    return end
  }

  /// The gaps that are left after the last sample.
  ///
  /// - Parameter end: The tick after the recording's last one; `nil` where reading ended before.
  package mutating func rest(upTo end: UInt64?) -> [Place] {
    if end == nil { knowsLost = false }
    var places: [Place] = []
    while let place = take(upTo: .max) { places.append(place) }
    if let end, let place = lost(upTo: end) { places.append(place) }
    return places
  }
}
