// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Import

@Suite("Ticks that a file states")
struct StatedTicksTests {
  private static func gap(_ first: UInt64, _ count: UInt64, _ cause: GapCause = .busError) -> Gap {
    Gap(firstTick: first, count: count, cause: cause, code: cause == .busError ? 5 : 0)
  }

  @Test("leave every other tick to the samples")
  func list() throws {
    let gaps = [Self.gap(0, 2, .missed), Self.gap(4, 3), Self.gap(7, 1, .stale), Self.gap(9, 2)]
    let event = SensorEvent(tick: 5, kind: .lost, fault: .bus)
    var ticks = try #require(StatedTicks(gaps, [event]))
    var samples: [UInt64] = []
    var found: [Gap] = []
    for _ in 0..<3 {
      let records = ticks.records(before: nil) ?? []
      found += records.compactMap(\.gap)
      if samples.count == 2 { #expect(records.last?.sensorEvent == event) }
      samples.append(ticks.next)
      ticks.pass()
    }
    found += ticks.rest(of: 11).compactMap(\.gap)
    #expect(samples == [2, 3, 8])
    #expect(found == gaps)
    #expect(ticks.tally.scheduled == 11)
    #expect(ticks.tally.busErrors == 5)
  }

  @Test("of a column begin at the file's first, and what is between is lost")
  func column() throws {
    var ticks = try #require(StatedTicks([], first: 500))
    var records: [TickRecord] = []
    for tick in [500, 501, 504] as [UInt64] {
      records += ticks.records(before: tick) ?? []
      ticks.pass()
    }
    records += ticks.records(of: Self.gap(0, 4), at: 505) ?? []
    records += ticks.records(before: 509) ?? []
    ticks.pass()
    #expect(records.compactMap(\.gap) == [Self.gap(2, 2, .lost), Self.gap(5, 4)])
    #expect(ticks.next == 10)
    // Passed before.
    let passed = ticks.records(before: 508)
    #expect(passed == nil)
    let rest = ticks.rest(of: 12)
    #expect(rest.compactMap(\.gap) == [Self.gap(10, 2, .lost)])
  }

  @Test(
    "are refused when gaps overlap, begin early or are more than a log counts",
    arguments: [
      [gap(3, 2), gap(4, 1)], [gap(1, 1)], [gap(2, 1 << 57), gap(1 << 58, 1)], [gap(2, .max)],
    ])
  func refused(_ gaps: [Gap]) {
    #expect(StatedTicks(gaps, first: 2) == nil)
  }

  @Test("of rows are refused when their sum is more than a log counts")
  func hostile() throws {
    var ticks = try #require(StatedTicks([]))
    let all = [.max, 1 << 56, 1 << 57].map { ticks.records(of: Self.gap(0, $0), at: nil) }
    #expect(all.map { $0 == nil } == [true, false, true])
    let beyond = ticks.records(before: 1 << 58)
    #expect(beyond == nil)
  }
}
