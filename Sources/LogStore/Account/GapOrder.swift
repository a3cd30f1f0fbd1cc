// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogFormat

/// Puts gaps in their places among the samples, and makes gaps of the ticks that damage took.
///
///     log      gap 5…6 │ samples 0…4, 7…9 │ damage │ samples 20…
///     order    0…4, gap 5…6, 7…9, lost 10…19, 20…
///
/// A log has a gap before the samples that follow it, and sometimes before those that precede it. A tick with neither sample
/// nor gap when a later sample comes is therefore lost. Each tick counts once, even in a malformed log: a sample wins over
/// gaps, and the first gap over others.
package struct GapOrder: Equatable, Sendable {
  /// A gap, and whether the log has it; the samples of the others were in damaged parts.
  package typealias Place = (gap: Gap, isRecorded: Bool)

  /// Gaps whose place among the samples is not known yet, in tick order.
  private var waiting: [Gap] = []
  /// The tick after the last one with a sample or a gap.
  private(set) var next: UInt64 = 0
  /// Whether ticks up to the next sample or gap are lost. False before the first sample of a log that is read from within,
  /// and after the last one where reading stopped early.
  private var knowsLost = true

  /// Most gaps that wait, more than a log has before the samples that precede them.
  private static let waitingLimit = 4096

  /// The order of a whole log.
  package init() {}

  /// The order of what `reader` returns from here on.
  package init<Storage: LogStorage & ~Copyable>(_ reader: borrowing LogReader<Storage>) {
    knowsLost = !reader.beginsWithin
  }

  package mutating func add(_ gap: Gap) {
    let place = waiting.lastIndex { $0.firstTick <= gap.firstTick }.map { $0 + 1 } ?? 0
    waiting.insert(gap, at: place)
  }

  /// The next gap while too many wait; call until `nil`.
  package mutating func overdue() -> Place? {
    guard waiting.count > GapOrder.waitingLimit else { return nil }
    dropCounted()
    return waiting.first.flatMap { take(upTo: $0.firstTick) }
  }

  /// The next gap before a sample's tick; call until `nil`.
  package mutating func take(before tick: UInt64) -> Place? {
    dropCounted()
    guard next < tick else { return nil }
    guard var place = take(upTo: tick - 1) else { return lost(upTo: tick) }
    let before = tick - place.gap.firstTick
    if place.gap.count > before {
      // The gap does not have the sample's tick.
      add(place.gap, ticks: tick.addingSaturated(1), count: place.gap.count - before - 1)
      (place.gap.count, next) = (before, tick)
    }
    return place
  }

  /// The next gap that begins at or before a tick.
  private mutating func take(upTo tick: UInt64) -> Place? {
    dropCounted()
    guard let gap = waiting.first, gap.firstTick <= tick else { return nil }
    if let lost = lost(upTo: gap.firstTick) { return lost }
    waiting.removeFirst()
    next = max(next, gap.firstTick.addingSaturated(gap.count))
    return (gap, true)
  }

  /// The unaccounted ticks below `tick`.
  private mutating func lost(upTo tick: UInt64) -> Place? {
    guard knowsLost, next < tick else { return nil }
    defer { next = tick }
    return (Gap(firstTick: next, count: tick - next, cause: .lost), false)
  }

  /// Takes ticks already counted out of the gaps.
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

  /// Takes samples from the first row on up to the next gap among them; returns the row after them.
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

  /// The gaps after the last sample.
  ///
  /// - Parameter end: The tick after the recording's last one; `nil` where reading stopped before it.
  package mutating func rest(upTo end: UInt64?) -> [Place] {
    if end == nil { knowsLost = false }
    var places: [Place] = []
    while let place = take(upTo: .max) { places.append(place) }
    if let end, let place = lost(upTo: end) { places.append(place) }
    return places
  }
}
