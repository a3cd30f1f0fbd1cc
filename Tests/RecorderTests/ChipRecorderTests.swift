// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import SimulatedIMU
import TestSupport
import Testing

@testable import Recorder

@Suite(
  "The service with a button and a chip that keeps the time, stepped in simulated time",
  .excludesProgramStarts)
struct ChipRecorderTests {
  private static let chips: [(ChipRecorder, Int)] = [
    (.mpu6050, 50_000), (.mpu6050, -70_000), (.lsm6dso, 45_000), (.lsm6dsl, -30_000),
    (.lsm6dsv, -39_000), (.slow, 30_000), (.icm20948, 60_000),
  ]

  @Test(
    "a recording has the samples that the chip made from before the press to the press that ends it",
    arguments: CaseSelection.sample(6, of: Array(0..<28)))
  func twoPresses(number: Int) throws {
    var (bench, error) = ChipRecorderTests.chips[number / 4]
    (bench.clockError, bench.preTrigger) = (error, 150_000_000)
    bench.hasInterrupt = number & 1 != 0 && bench.model.hasWatermark
    bench.isStamped = number & 2 != 0
    let (first, last): (Int64, Int64) = (3_204_321_000, 8_001_234_567)
    let outcome = try bench.run(presses: [first, last])
    #expect(outcome.warnings == [], "seed \(CaseSelection.seed)")
    let take = try outcome.take()
    try take.expectTrue(errorAtMost: bench.rate.hertz < 200 ? 2_000_000 : 200_000)
    #expect(take.gaps == [])
    #expect(take.report.end?.reason == .button)
    let period = bench.rate.periodNanoseconds
    // To a sample: the newest ones are in the FIFO when the button is understood.
    let (from, to) = (try #require(take.truth.first), try #require(take.truth.last))
    #expect(abs(from - (first - bench.preTrigger) - period / 2) <= period * 3 / 2)
    #expect(abs(to - last + period / 2) <= period * 3 / 2)
    #expect(take.report.description.clock == .chip(busClock: 400_000))
  }

  /// Percent of the configured bus clock, every 1.7 s.
  private static let loads: [[Int]] = [
    [50], [62], [160], [100, 50, 160, 62, 130, 75, 110, 160],
  ]

  @Test(
    "the bus's clock is measured to 2 %, and whatever the load makes of it, no sample is outside its interval",
    arguments: [ChipRecorder.mpu6050, .lsm6dsl, .slow], loads)
  func busClock(_ chip: ChipRecorder, _ load: [Int]) throws {
    var bench = chip
    bench.faults = load.enumerated().map {
      // The first from the beginning on, and others in the middle of a transfer.
      (.busClock(percent: $1, fromBit: $0 > 0 ? 60 : 0), Int64($0) * 1_700_000_000)
    }
    let take = try bench.run(presses: [3_204_321_000, 13_001_234_567]).take()
    try take.expectTrue(errorAtMost: 2_000_000)
    let found = take.report.busClock
    let (least, most) = (try #require(load.min()), try #require(load.max()))
    #expect(found.count > 0 && Double(found.least) > 4000 * Double(least) * 0.98)
    #expect(Double(found.most) < 4000 * Double(most) * 1.02)
    let hertz = Double(try #require(found.hertz))
    if least == most { #expect(abs(hertz / 4000 / Double(least) - 1) < 0.02, "\(hertz)") }
    #expect(take.report.description.busClockMeasured == 390_000)
  }

  @Test("a history that is kept after a recording that ended early is not cut at that one's limit")
  func keptLater() throws {
    var bench = ChipRecorder.slow
    bench.length = 2_000_000_000
    var isKept = false
    let outcome = try bench.run(presses: [3_000_000_000, 4_500_000_000]) { loop, now in
      guard now > 8_500_000_000, !isKept else { return }
      isKept = true
      loop.handle(.keep(at: loop.clock.now()))
    }
    #expect(outcome.takes.map { ($0.truth.last ?? 0) / 1_000_000_000 } == [4, 8])
  }

  @Test(
    "a press soon after the chip was set up has all samples since then before it",
    arguments: CaseSelection.sample(2, of: Array(0..<6)))
  func earlyPress(chip: Int) throws {
    var (bench, error) = ChipRecorderTests.chips[chip]
    (bench.clockError, bench.length, bench.preTrigger) = (error, 2_000_000_000, 150_000_000)
    let press: Int64 = 600_000_000
    let take = try bench.run(presses: [press], of: 30_000_000).take()
    try take.expectTrue(errorAtMost: bench.rate.hertz < 200 ? 3_000_000 : 500_000)
    let period = bench.rate.periodNanoseconds
    // Its clock is not measured yet.
    #expect(abs(take.truth[0] - (press - bench.preTrigger) - period / 2) <= period * 5 / 2)
  }

  @Test(
    "a recording ends when its time is over by the computer's clock, and not by the chip's count",
    arguments: CaseSelection.sample(2, of: Array(0..<6)))
  func length(chip: Int) throws {
    var (bench, error) = ChipRecorderTests.chips[chip]
    (bench.clockError, bench.length) = (error, 4_000_000_000)
    let press: Int64 = 3_204_321_000
    let take = try bench.run(presses: [press]).take()
    try take.expectTrue(errorAtMost: bench.rate.hertz < 200 ? 2_000_000 : 200_000)
    #expect(take.report.end?.reason == .completed)
    let period = bench.rate.periodNanoseconds
    #expect(abs(take.truth[0] - press - period / 2) <= period * 3 / 2)
    #expect(abs((take.truth.last ?? 0) - press - 4_000_000_000 + period / 2) <= period * 3 / 2)
  }

  @Test(
    "a recording of the greatest length that the configuration takes has no room, and traps nowhere"
  )
  func greatestLength() throws {
    var bench = ChipRecorder.slow
    bench.length = .max
    let outcome = try bench.run(presses: [2_000_000_000])
    #expect(outcome.takes.isEmpty && !outcome.warnings.isEmpty)
  }

  @Test(
    "the longest pre-trigger is kept through a long press, whatever the chip's error",
    arguments: [-70_000, 50_000], [0, 1_400_000_000] as [Int64])
  func longHistory(error: Int, pressLength: Int64) throws {
    var bench = ChipRecorder.slow
    (bench.model, bench.rate, bench.stride) = (.mpu6050, ExampleLog.rate(100), 80)
    (bench.clockError, bench.length) = (error, 1_000_000_000)
    bench.preTrigger = RecorderConfiguration.longestPreTrigger(at: bench.rate)
    let press: Int64 = 7_000_000_000
    let take = try bench.run(presses: [press], of: max(pressLength, 50_000_000)).take()
    try take.expectTrue(errorAtMost: 3_000_000)
    #expect(abs(take.truth[0] - (press - bench.preTrigger)) <= 2 * bench.rate.periodNanoseconds)
  }

  @Test("the longest pre-trigger is kept with the values of a magnetometer, through a long press")
  func fieldHistory() throws {
    var bench = ChipRecorder.icm20948
    (bench.rate, bench.stride) = (try #require(SampleRate(225, per: 2)), 80)
    (bench.field, bench.length) = (ExampleLog.rate(100), 1_000_000_000)
    bench.preTrigger = RecorderConfiguration.longestPreTrigger(at: bench.rate)
    let press: Int64 = 7_000_000_000
    let take = try bench.run(presses: [press], of: 1_400_000_000).take()
    try take.expectTrue(errorAtMost: 3_000_000)
    #expect(abs(take.truth[0] - (press - bench.preTrigger)) <= 2 * bench.rate.periodNanoseconds)
    let values = Double(bench.preTrigger + 1_000_000_000) / 1e7
    #expect(abs(Double(take.field.count) - values) < 0.03 * values, "\(take.field.count)")
    // Values come before the samples of the drain after them.
    #expect(abs(take.field[0].time) < 16 * bench.rate.periodNanoseconds)
  }

  @Test("at a low rate, whole drains find room beside the longest history")
  func slowHistory() throws {
    var bench = ChipRecorder.slow
    (bench.rate, bench.stride, bench.length) = (ExampleLog.rate(52), 128, 1_000_000_000)
    (bench.clockError, bench.hasInterrupt) = (30_000, true)
    bench.preTrigger = RecorderConfiguration.longestPreTrigger(at: bench.rate)
    bench.faults = [(.brownOut, 22_000_000_000)]
    let press: Int64 = 31_000_000_000
    let take = try bench.run(presses: [press]).take()
    try take.expectTrue(errorAtMost: 5_000_000)
    #expect(!take.gaps.isEmpty && !take.gaps.contains { $0.cause == .ringFull })
    #expect(abs(take.truth[0] - (press - bench.preTrigger)) <= 2 * bench.rate.periodNanoseconds)
  }

  @Test("live samples are in order, and a fraction of a period from the chip's instants")
  func live() throws {
    var bench = ChipRecorder.mpu6050
    bench.clockError = 35_000
    var records: [(record: TickRecord, uncertainty: Int64?)] = []
    var lost: UInt64 = 0
    var states: Set<String> = []
    var origin: MonotonicTime?
    let outcome = try bench.run(presses: [4_000_000_000, 8_000_000_000]) { loop, now in
      origin = origin ?? loop.sensor?.schedule.start
      loop.feed.isWatched = true
      let status = loop.status()
      if now > 2_000_000_000 { states.insert("\(status.state) \(status.clock != nil)") }
      let news = loop.feed.drain()
      lost += news.lost
      records += news.records.map { ($0, status.clock?.uncertainty) }
    }
    let start = try #require(origin)
    let samples = records.filter { $0.record.kind == .sample }
    #expect(lost == 0 && samples.count > 8000)
    #expect(
      states == ["armed true", "starting true", "recording true", "stopping true", "saving true"])
    var last: Int64 = .min
    var worst: Int64 = 0
    var number: Int64?
    for (record, uncertainty) in samples {
      let time = record.time + start.nanoseconds - ChipRecorder.powerUp
      #expect(time >= last)
      last = time
      number = number.map { $0 + 1 } ?? outcome.twin.find(record.sample, near: time)
      let truth = try #require(number.flatMap { outcome.twin.instant(of: $0) })
      #expect(outcome.twin.made(record.sample, number ?? 0))
      guard time > 3_000_000_000, let uncertainty else { continue }
      worst = max(worst, abs(time - truth) - uncertainty)
    }
    // A watcher's times are made by the sampler, which knows less than the status.
    #expect(worst <= bench.rate.periodNanoseconds / 4, "\(worst) ns more than said")
  }

  @Test("the status has the chip's rate, within what its readings show, also beside time stamps")
  func status() throws {
    var stamped = ChipRecorder.lsm6dsl
    (stamped.clockError, stamped.isStamped) = (35_000, true)
    var stampedRates: [Double] = []
    _ = try stamped.run(presses: [2_000_000_000, 8_000_000_000]) { loop, now in
      if now > 6_000_000_000, let hertz = loop.status().clock?.hertz { stampedRates.append(hertz) }
    }
    #expect(stampedRates.count > 50)
    #expect(stampedRates.allSatisfy { abs($0 / (416.7 * 1.035) - 1) < 2e-3 }, "\(stampedRates)")
    var bench = ChipRecorder.mpu6050
    bench.clockError = 35_000
    var json = ""
    var rates: [Double] = []
    _ = try bench.run(presses: [2_000_000_000, 8_000_000_000]) { loop, now in
      guard now > 4_000_000_000 else { return }
      json = loop.status().json
      if let hertz = loop.status().clock?.hertz { rates.append(hertz) }
    }
    #expect(rates.count > 100)
    #expect(rates.allSatisfy { abs($0 / 1035 - 1) < 3e-4 })
    #expect(json.contains(#""chipClock":{"rate_hz":103"#))
  }
}
