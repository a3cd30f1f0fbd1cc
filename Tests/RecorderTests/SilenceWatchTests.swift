// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("A sensor that stops giving samples")
struct SilenceWatchTests {
  private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: 77_000_000_000 + milliseconds * 1_000_000)
  }

  /// The reports for these counts of samples at these milliseconds: `silent`, `heard`, or nothing.
  private func told(_ looks: [(at: Int64, count: UInt64)], rate: SampleRate) -> [String] {
    var watch = SilenceWatch(rate, start: at(0))
    return looks.map { look in
      watch.notice(look.count, now: at(look.at)) ? watch.isSilent ? "silent" : "heard" : ""
    }
  }

  @Test("is reported once, after more than 2 s without a sample, and once when samples resume")
  func silence() throws {
    let rate = try #require(SampleRate(100))
    let looks: [(Int64, UInt64)] = [
      (10, 1), (1000, 100), (3000, 100), (3001, 100), (9000, 100), (9010, 101), (9020, 102),
      (11_020, 102), (11_021, 102), (11_030, 103),
    ]
    #expect(
      told(looks, rate: rate)
        == ["", "", "", "silent", "", "heard", "", "", "silent", "heard"])
    // It never gave one: counted from the start.
    #expect(told([(0, 0), (2000, 0), (2001, 0)], rate: rate) == ["", "", "silent"])
  }

  @Test("is not silent while the ring has no room for its samples, nor for 2 s afterwards")
  func blocked() throws {
    let rate = try #require(SampleRate(100))
    var watch = SilenceWatch(rate, start: at(0))
    for milliseconds in stride(from: 0, through: 60_000, by: 50) as StrideThrough<Int64> {
      let isChanged = watch.notice(600, isBlocked: true, now: at(milliseconds))
      #expect(!isChanged)
    }
    let atOnce = watch.notice(600, now: at(62_000))
    let later = watch.notice(600, now: at(62_001))
    #expect(!atOnce && later)
  }

  @Test(
    "of a slow rate is given three periods",
    arguments: [(1, 1, 3000), (1, 10, 30_000), (2, 3, 4500)])
  func slow(numerator: UInt32, denominator: UInt32, patience: Int64) throws {
    let rate = try #require(SampleRate(numerator, per: denominator))
    #expect(
      told([(0, 1), (patience, 1), (patience + 1, 1), (patience + 2, 2)], rate: rate)
        == ["", "", "silent", "heard"])
  }

  @Test("an interrupt line is silent after 250 drains without an edge, which is reported once")
  func interrupt() {
    func record(_ number: Int64, isEdge: Bool) -> TickRecord {
      TickRecord(
        FIFOReading(
          epoch: 1, cause: .start, firstTick: 0, countBefore: 0, count: number * 20 + 1,
          before: number * 20_000_000, length: isEdge ? 0 : 200_000, offset: 0,
          isDrained: !isEdge))
    }
    var watch = InterruptWatch()
    var reports: [Int64] = []
    for number in 0..<2000 as Range<Int64> {
      // Edges come at first, and again between 1000 and 1200.
      if number < 100 || (1000..<1200).contains(number) {
        if watch.notice(record(number, isEdge: true)) { reports.append(-number) }
      }
      if watch.notice(record(number, isEdge: false)) { reports.append(number) }
    }
    // The drain after the last edge is the first without one.
    #expect(reports == [348, 1448])
  }
}
