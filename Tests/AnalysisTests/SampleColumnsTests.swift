// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Analysis

@Suite("A recording as columns and segments")
struct SampleColumnsTests {
  /// A sample whose channels are told apart, and from those of other ticks.
  static func sample(_ tick: Int) -> RawSample {
    RawSample(
      ax: Int16(tick % 1000), ay: -Int16(tick % 999), az: 32767, gx: -32768, gy: Int16(tick % 7),
      gz: -Int16(tick % 11), temperature: 5)
  }

  @Test("columns hold every count of the asked channels in order, as one segment")
  func columns() throws {
    var log = try WrittenLog(hertz: 100)
    for tick in 0..<3000 { log.add(UInt64(tick), Self.sample(tick)) }
    let columns = try log.columns(channels: .all)
    #expect(columns.count == 3000)
    let segment = try #require(columns.segments.first)
    #expect(columns.segments.count == 1 && segment.places == 0..<3000)
    #expect(segment.firstTime == 0 && segment.lastTime == 29_990_000_000)
    for channel in 0..<7 {
      let expected = (0..<3000).map { Self.sample($0)[channel] }
      #expect(Array(columns.runs(ofChannel: channel)[0]) == expected, "\(channel)")
    }
    #expect(columns.rate == 100)
    #expect(columns.rateError == nil)
    #expect(columns.account == SampleColumns.Account() && columns.account.lengthError == 0)
  }

  @Test("a gap ends a segment, and nothing is made for its ticks")
  func gap() throws {
    var log = try WrittenLog(hertz: 100)
    for tick in 0..<100 { log.add(UInt64(tick), Self.sample(tick)) }
    log.add(Gap(firstTick: 100, count: 30, cause: .busError, code: 5))
    for tick in 130..<330 { log.add(UInt64(tick), Self.sample(tick)) }
    let columns = try log.columns()
    #expect(columns.segments.map(\.count) == [100, 200])
    #expect(columns.segments[1].firstTime == 1_300_000_000)
    #expect(columns.account.gaps == 1)
    #expect(columns.runs(ofChannel: 0)[1].first == 130)
  }

  @Test("runs of fewer than 64 samples are left out and counted")
  func shortRuns() throws {
    var log = try WrittenLog(hertz: 100)
    for tick in 0..<63 { log.add(UInt64(tick), Self.sample(tick)) }
    for tick in 70..<134 { log.add(UInt64(tick), Self.sample(tick)) }
    for tick in 140..<150 { log.add(UInt64(tick), Self.sample(tick)) }
    let columns = try log.columns()
    #expect(columns.segments.map(\.count) == [64])
    #expect(columns.count == 64)
    #expect(columns.runs(ofChannel: 0)[0].first == 70)
    #expect(columns.account.leftOut == 73)
    #expect(columns.account.longestLeftOut == 63)
  }

  @Test("a table's time that is off by half a period begins a segment; the rate is the mean")
  func unevenTimes() throws {
    var log = try WrittenLog(hertz: 100, isImported: true)
    // Really 98 Hz, with a second's step that the ticks do not show.
    for tick in 0..<400 {
      log.add(
        UInt64(tick), at: Int64(tick) * 10_204_082 + (tick < 150 ? 0 : 1_000_000_000),
        Self.sample(tick))
    }
    let columns = try log.columns()
    #expect(columns.segments.map(\.count) == [150, 250])
    #expect(columns.account.unevenTimes == 1)
    #expect(abs(columns.rate - 98) < 1e-4)
  }

  @Test("on the computer's grid, a late reading does not end a segment, but is counted")
  func late() throws {
    var log = try WrittenLog(hertz: 100)
    for tick in 0..<200 {
      log.add(
        UInt64(tick), at: Int64(tick) * 10_000_000 + (tick == 77 ? 6_000_000 : 0), Self.sample(tick)
      )
    }
    let columns = try log.columns()
    #expect(columns.segments.map(\.count) == [200])
    #expect(columns.account.unevenTimes == 2)
  }

  @Test("a stretch has the samples from its beginning on and before its end")
  func stretch() throws {
    var log = try WrittenLog(hertz: 100)
    for tick in 0..<5000 { log.add(UInt64(tick), Self.sample(tick)) }
    let columns = try log.columns(from: 20_000_000_000, to: 30_000_000_000)
    #expect(columns.count == 1000)
    #expect(columns.segments[0].firstTime == 20_000_000_000)
    #expect(columns.runs(ofChannel: 1)[0].last == Self.sample(2999).ay)
  }

  @Test("too many samples, none, and too short runs are refused in one sentence with the remedy")
  func refusals() throws {
    var log = try WrittenLog(hertz: 100)
    for tick in 0..<200 { log.add(UInt64(tick), Self.sample(tick)) }
    expectRefusal("more than the 150 samples that can be analysed at once: choose a stretch with") {
      _ = try log.columns(limit: 150)
    }
    expectRefusal("there is no sample to analyse: choose another stretch with --from and --to") {
      _ = try log.columns(from: 9_000_000_000)
    }
    expectRefusal("an analysis needs 64: choose another stretch, or record for longer") {
      _ = try log.columns(to: 630_000_000)
    }
  }

  @Test("the remedy for times in bursts, and for many gaps, is not to record for longer")
  func divided() throws {
    var log = try WrittenLog(hertz: 100)
    for tick in 0..<1000 where tick % 50 != 0 { log.add(UInt64(tick), Self.sample(tick)) }
    expectRefusal(
      "49 samples are the longest run without a gap or an uneven time, and an analysis needs 64: gaps leave no longer "
        + "one, and recording for longer does not help: end what `imulog info`", .damagedData
    ) { _ = try log.columns() }
    // A table with such gaps was not read too slowly, and its rows may be all there are.
    var table = try WrittenLog(hertz: 100, isImported: true)
    for tick in 0..<1000 where tick % 50 != 0 { table.add(UInt64(tick), Self.sample(tick)) }
    expectRefusal(
      "if no row is missing, import the table again with --rate and without time=", .damagedData
    ) { _ = try table.columns() }
  }

  @Test("a whole recording that cannot be analysed is bad data")
  func exitStatus() throws {
    var log = try WrittenLog(hertz: 100)
    expectRefusal("there is no sample to analyse: choose another recording", .damagedData) {
      _ = try log.columns()
    }
    for tick in 0..<150 where tick % 50 != 0 { log.add(UInt64(tick), Self.sample(tick)) }
    expectRefusal("an analysis needs 64: record for longer", .damagedData) {
      _ = try log.columns()
    }
  }

  @Test("a rate that changes within a segment, or between segments, is found")
  func drift() throws {
    func drift(_ period: (Int) -> Int64, gapAt gap: Int = .max) throws -> Double {
      var log = try WrittenLog(hertz: 100, isImported: true)
      var time: Int64 = 0
      for tick in 0..<6000 {
        log.add(UInt64(tick < gap ? tick : tick + 500), at: time, Self.sample(tick))
        time += period(tick) + (tick + 1 == gap ? 5_000_000_000 : 0)
      }
      return try log.columns().rateDrift(length: 512)
    }
    #expect(try drift { _ in 10_000_000 } == 0)
    // By 3 % from end to end: between the means of the first and the last part.
    let steady = try drift { 10_000_000 - Int64($0) * 50 }
    #expect((0.024...0.031).contains(steady), "\(steady)")
    // There and back: both halves are alike.
    let quarters = try drift { $0 / 1500 % 2 == 0 ? 10_000_000 : 10_300_000 }
    #expect((0.027...0.0301).contains(quarters), "\(quarters)")
    let hump = try drift { 10_000_000 + Int64(min($0, 6000 - $0)) * 100 }
    #expect((0.018...0.0301).contains(hump), "\(hump)")
    let step = try drift({ $0 < 3000 ? 10_000_000 : 10_100_000 }, gapAt: 3000)
    #expect(abs(step - 0.01) < 1e-6, "\(step)")
    // Times that jitter by a third of a period are no drift.
    let jitter = try drift { $0 % 2 == 0 ? 7_000_000 : 13_000_000 }
    #expect(jitter < 1.0 / 512, "\(jitter)")
  }
}
