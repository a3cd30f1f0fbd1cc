// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The ticks that a file states: by a list of all gaps, by rows of gaps between the samples, or by a column of ticks.
///
///     gaps      tick 2, 3 ticks       tick 6, 1 tick
///     samples   tick 0   tick 1       tick 5   tick 7   tick 8
///
/// Each tick has a sample or is in a gap; gaps between stated ticks that nothing explains are lost.
struct StatedTicks {
  private var gaps: ArraySlice<Gap>
  private var events: ArraySlice<SensorEvent>
  /// The tick of the next sample or gap.
  private(set) var next: UInt64 = 0
  /// What the records before the samples add up to.
  private(set) var tally = TickTally()
  /// What is subtracted from stated ticks: a part of a recording begins later.
  private let origin: UInt64

  /// - Parameters:
  ///   - gaps: All of the file, in the order of their ticks; empty where they are rows.
  ///   - first: The first tick of the file.
  /// - Returns: `nil` when gaps overlap, begin before that tick or have more ticks than a log counts.
  init?(_ gaps: [Gap], _ events: [SensorEvent] = [], first: UInt64 = 0) {
    var (end, sum) = (first, UInt64(0))
    for gap in gaps {
      guard gap.firstTick >= end else { return nil }
      end = gap.firstTick.addingSaturated(gap.count)
      sum = sum.addingSaturated(gap.count)
    }
    guard Double(sum) <= TickRule.most, Double(end) <= TickRule.most else { return nil }
    self.gaps = gaps[...]
    self.events = events.sorted { $0.tick < $1.tick }[...]
    precondition(events.isEmpty || first == 0, "a document counts ticks from 0")
    origin = first
  }

  /// The records before the next sample, whose tick is then ``next``; `nil` when its stated tick was passed before.
  mutating func records(before tick: UInt64?) -> [TickRecord]? {
    // As nearly all samples are.
    if gaps.isEmpty, events.isEmpty, tick == nil || tick == next + origin { return [] }
    var records: [TickRecord] = []
    while let gap = gaps.first, gap.firstTick == next + origin {
      gaps.removeFirst()
      records.append(take(gap))
    }
    if let tick {
      guard tick >= next + origin, Double(tick - origin) <= TickRule.most else { return nil }
      if case let missing = tick - origin - next, missing > 0 {
        records.append(take(Gap(firstTick: 0, count: missing, cause: .lost)))
      }
    }
    return records + takeEvents(through: next)
  }

  mutating func pass() {
    tally.sampled += 1
    next += 1
  }

  /// The records of a row of a gap; `nil` when its tick was passed before, or a log has no room for its ticks.
  mutating func records(of gap: Gap, at tick: UInt64?) -> [TickRecord]? {
    guard Double(gap.count) + Double(next) <= TickRule.most,
      let before = records(before: tick)
    else { return nil }
    return before + [take(gap)]
  }

  private mutating func take(_ gap: Gap) -> TickRecord {
    var gap = gap
    gap.firstTick = next
    tally.add(gap.count, gap.cause)
    next += gap.count
    return TickRecord(gap)
  }

  /// Events of the sample, and of the gaps before it, after them.
  private mutating func takeEvents(through tick: UInt64) -> [TickRecord] {
    let here = events.prefix { $0.tick <= tick }
    events = events.dropFirst(here.count)
    return here.map { TickRecord($0) }
  }

  /// The records after the last sample.
  mutating func rest(of ticks: UInt64?) -> [TickRecord] {
    let end = ticks.map { $0.addingSaturated(origin) }.flatMap {
      $0 >= next + origin && Double($0) <= TickRule.most ? $0 : nil
    }
    let records = self.records(before: end) ?? []
    return records + takeEvents(through: .max)
  }
}
