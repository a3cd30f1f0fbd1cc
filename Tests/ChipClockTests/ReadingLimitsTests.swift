// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
import IMUModel
import Testing

@testable import ChipClock

extension ClockTimeline {
  /// As `instant(of:in:)`, for macros.
  fileprivate func known(of slot: Int64, in epoch: Int) -> SampleInstant? {
    var timeline = self
    return timeline.instant(of: slot, in: epoch)
  }
}

@Suite("Readings at the edge, and readings that no chip makes")
struct ReadingLimitsTests {
  private func timeline(_ hertz: Double = 1000) -> ClockTimeline {
    var timeline = ClockTimeline(nominalPeriod: 1e9 / hertz, ClockAssumptions())
    timeline.beginEpoch(.start, delivered: 0)
    return timeline
  }

  /// A reading of 1000 Hz whose latch is `after` milliseconds after the last sample.
  private func reading(_ count: Int64, after: Double = 0.3) -> FillReading {
    let latch = count * 1_000_000 + Int64(after * 1e6)
    return FillReading(count: count, before: latch - 100_000, after: latch + 100_000)
  }

  @Test("an epoch that no read followed has no instant, and that is certain once it is over")
  func noRead() {
    var timeline = timeline()
    timeline.add(FillReading(count: 0, before: 1000, after: nil))
    #expect(timeline.known(of: 1, in: 0) == nil && !timeline.isDecided(0))
    timeline.beginEpoch(.start, delivered: 0)
    for step: Int64 in 1...10 { timeline.add(reading(step * 20)) }
    #expect(timeline.known(of: 1, in: 0) == nil && timeline.isDecided(0))
    #expect(timeline.known(of: 1, in: 1) == nil && !timeline.isDecided(1))
    timeline.finish()
    #expect(timeline.known(of: 1, in: 1) != nil && timeline.isDecided(1))
    #expect(timeline.known(of: 1, in: 2) == nil && !timeline.isDecided(2))
  }

  @Test("one reading bounds its own slot, by the nominal period those near it")
  func oneReading() throws {
    var timeline = timeline()
    timeline.add(reading(7))
    timeline.finish()
    let instant = try #require(timeline.known(of: 7, in: 0))
    #expect(instant.earliest < 7_000_000 && 7_000_000 < instant.latest)
    let next = try #require(timeline.known(of: 8, in: 0))
    #expect(next.earliest < 8_000_000 && 8_000_000 < next.latest && next.likely > instant.likely)
  }

  @Test("of readings of one count, the least instant after and the greatest before decide")
  func oneCount() throws {
    // Both are on the same sample; the second of each pair is later in its period.
    var (pairs, triples) = (timeline(), timeline())
    for step: Int64 in 1...100 {
      pairs.add(reading(step * 20, after: 0.15))
      pairs.add(reading(step * 20, after: 0.85))
      triples.add(reading(step * 20, after: 0.15))
      triples.add(reading(step * 20, after: 0.5))
      triples.add(reading(step * 20, after: 0.85))
    }
    pairs.finish()
    triples.finish()
    for slot: Int64 in stride(from: 1, through: 2000, by: 13) {
      let (two, three) = (pairs.known(of: slot, in: 0), triples.known(of: slot, in: 0))
      #expect(two == three)
      let instant = try #require(two)
      #expect(instant.earliest <= slot * 1_000_000 && slot * 1_000_000 <= instant.latest)
    }
    let middle = try #require(pairs.known(of: 2001, in: 0))
    #expect(middle.latest - middle.earliest < 540_000)
    #expect(triples.findings.isEmpty)
  }

  @Test("a read that ends before it begins, and instants that go back, are left out and counted")
  func refused() {
    var timeline = timeline()
    for step: Int64 in 1...100 {
      timeline.add(reading(step * 20))
      if step == 50 {
        timeline.add(FillReading(count: 1001, before: 1_001_000_000, after: 1_000_999_999))
        timeline.add(reading(900))
        timeline.add(FillReading(count: -1, before: 1_001_000_000, after: 1_001_100_000))
        timeline.add(FillReading(count: 1 << 60, before: 1_001_000_000, after: 1_001_100_000))
        timeline.add(FillReading(count: 1001, before: .min, after: .max))
        timeline.add(FillReading(count: 1001, before: .max, after: .max))
      }
    }
    timeline.finish()
    #expect(timeline.refusedCount == 6 && timeline.findings.isEmpty)
    #expect(timeline.known(of: 2000, in: 0) != nil)
  }

  @Test("hours later the intervals are as narrow and as true")
  func hours() throws {
    // A reading each 5 s, in another phase each time; 3 % fast, drifting. 24 h when many seeds are asked for.
    let hours = seeds(1).count > 1 ? 24.0 : 1
    var timeline = timeline(104)
    var truth: [Double] = []
    var (time, period) = (1e12, 1e9 / 104 * 0.97)
    var count: Int64 = 0
    while time < 1e12 + hours * 3600e9 {
      for _ in 0..<540 {
        truth.append(time)
        time += period
      }
      period *= count / 540 % 2 == 0 ? 1 + 2e-5 : 1 - 2e-5
      count += 540
      // Phases that rise evenly would look like another period.
      let turn = UInt64(count / 540)
      let phase = Double((turn &* turn &* 11_400_714_819_323_198_485) >> 11) * 0x1p-53
      let latch = truth[truth.count - 1] + phase * period * 0.98
      timeline.add(
        FillReading(count: count, before: Int64(latch) - 100_000, after: Int64(latch) + 100_000))
    }
    timeline.finish()
    #expect(timeline.findings.isEmpty)
    for slot in stride(from: Int(count) - 20_000, to: Int(count), by: 101) {
      let instant = try #require(timeline.known(of: Int64(slot + 1), in: 0))
      #expect(Double(instant.earliest) <= truth[slot] && truth[slot] <= Double(instant.latest))
      // So few readings leave a period at most, which is 9.3 ms.
      #expect(instant.latest - instant.earliest < 9_900_000)
    }
  }

  /// What hostile logs hold; `i` is the number of the reading.
  private static let impossible: [(name: String, reading: @Sendable (Int64) -> FillReading)] = {
    @Sendable func reading(_ count: Int64, _ milliseconds: Int64) -> FillReading {
      let time = milliseconds * 1_000_000
      return FillReading(count: count, before: time + 100_000, after: time + 300_000)
    }
    return [
      ("jumps by 2⁴⁰", { i in reading(i * 20 + i / 100 << 40, i * 20) }),
      ("jumps and falls", { i in reading(i * 20 + i / 50 % 2 << 40, i * 20) }),
      ("one count of 2⁴⁰", { i in reading(i * 20 + (i == 120 ? 1 << 40 : 0), i * 20) }),
      ("instants stand", { i in reading(i * 20, 0) }),
      ("counts stand", { _ in reading(5, 0) }),
      ("counts stand for hours", { i in reading(i < 5 ? i : 5, i * 60_000) }),
      ("counts alternate", { i in reading(5 + i % 2, i * 20) }),
      ("counts fall", { i in reading(1_000_000 - i * 20, i * 20) }),
      ("ten years pass", { i in reading(i * 20, i * 20 + i / 90 * 315_000_000_000) }),
      ("half a minute passes", { i in reading(i * 30_000, i * 30_000) }),
      ("half of the counts are wrong", { i in reading(i * 20 + i % 2 * 10, i * 20) }),
      ("counts are anything", { i in reading(i &* 7_919 % 10_007, i * 20) }),
      ("the greatest of all", { i in reading((1 << 60) - 10_000 + i * 20, (1 << 60) / 1_000_000) }),
    ]
  }()

  @Test("hostile readings end in bounded time and memory", arguments: impossible.indices)
  func hostile(_ index: Int) {
    var timeline = timeline()
    var slot: Int64 = 1
    for i: Int64 in 1...240 {
      timeline.add(ReadingLimitsTests.impossible[index].reading(i))
      while slot < i * 20, timeline.instant(of: slot, in: 0) != nil { slot += 20 }
    }
    timeline.finish()
    _ = timeline.instant(of: 4800, in: 0)
    #expect(timeline.findings.count <= 480 && timeline.findingCount <= 480)
  }

  @Test("epochs of one reading are joined where that is certain, however many there are")
  func shortEpochs() {
    var timeline = ClockTimeline(nominalPeriod: 1e6, ClockAssumptions())
    let count: Int64 = 6000
    for i in 1...count {
      timeline.beginEpoch(i % 3 == 0 ? .start : .overflow, delivered: 20)
      timeline.add(
        FillReading(count: 20, before: i * 20_000_000 + 100_000, after: i * 20_000_000 + 300_000))
    }
    timeline.finish()
    #expect(timeline.epochs.count == Int(count))
    // The first ones waited for too long.
    #expect(timeline.known(of: 20, in: 0) == nil && timeline.isDecided(0))
    #expect(timeline.known(of: 20, in: Int(count) - 1) != nil)
  }

  @Test("findings beyond a thousand are counted, and those taken make room")
  func manyFindings() {
    var (kept, taken) = (timeline(104), timeline(104))
    var found = 0
    for i: Int64 in 1...1200 {
      let reading = FillReading(
        count: i &* 7_919 % 100_003, before: i * 20_000_000, after: i * 20_000_000 + 200_000)
      kept.add(reading)
      taken.add(reading)
      found += taken.takeFindings().count
    }
    kept.finish()
    taken.finish()
    found += taken.takeFindings().count
    #expect(kept.findings.count == 1000 && kept.findingCount > 1000)
    #expect(found == taken.findingCount && found == kept.findingCount && taken.findings.isEmpty)
  }
}
