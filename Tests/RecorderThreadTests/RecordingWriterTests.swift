// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Recorder
import Testing

@Suite("Which ticks a recording of a service has")
struct RecordingWriterTests {
  @Test(
    "are those of its order, also at rates whose period is not a whole number of nanoseconds",
    arguments: [(10, 1), (30, 1), (3, 1), (7, 3), (25, 2), (1000, 1)] as [(UInt32, UInt32)])
  func ordered(hertz: UInt32, seconds: UInt32) throws {
    let rate = ExampleLog.rate(hertz, per: seconds)
    let bench = WriterBench(rate)
    let unit = rate.periodNanoseconds
    let press = bench.schedule.start + (103 * unit - unit / 3)
    bench.advance(to: press)
    bench.writer.begin(RecordingOrder(at: press, ticksBefore: 20, ticksAfter: 50))
    let own = bench.schedule.tick(at: press) + 1
    bench.advance(to: press + 30 * unit)
    // The report arrives after the writer has written.
    while !bench.news.contains(where: { if case .limitReached = $0 { true } else { false } }) {
      bench.advance(to: bench.now + unit)
    }
    bench.advance(to: bench.now + 9 * unit)
    bench.end(.completed)
    let log = try #require(bench.logs.first)
    #expect(bench.logs.count == 1)
    #expect(log.plan.plannedTicks == 70)
    try log.expect(own - 20..<own + 50, of: bench.schedule, bench.sampleTimes, reason: .completed)
    var tally = TickTally()
    tally.sampled = 70
    let end = try #require(try log.verification().end)
    #expect(end.tally == tally)
    let last = bench.schedule.deadline(of: own + 49)
    #expect(bench.news == [.firstSample, .limitReached(at: last)])
    #expect(bench.ends == [end])
  }

  @Test("a tick that is due at the very instant of the press is the recording's own first")
  func instantOfTick() throws {
    for offset in [-1, 0, 1] as [Int64] {
      let bench = WriterBench(ExampleLog.rate(10))
      bench.advance(to: 2)
      let press = bench.schedule.deadline(of: 20) + offset
      bench.writer.begin(RecordingOrder(at: press, ticksBefore: 0, ticksAfter: 5))
      bench.advance(to: 3)
      bench.end(.completed)
      let first: UInt64 = offset > 0 ? 21 : 20
      try bench.expect(first..<first + 5, in: 0, .completed)
    }
  }

  @Test(
    "a recording that was ordered before the sampler began has its whole length",
    arguments: [ClockSource.grid, .chip(busClock: 400_000)])
  func orderedEarly(_ source: ClockSource) throws {
    let bench = WriterBench(ExampleLog.rate(100), source: source)
    let order = RecordingOrder(
      at: bench.schedule.start + -80_000_000, ticksBefore: 0, ticksAfter: 300)
    bench.writer.begin(order)
    bench.advance(to: 4)
    bench.end(.completed)
    let end = try #require(try bench.logs[0].verification().end)
    #expect(end.tally.sampled == 300)
  }

  @Test(
    "begin with the tick that the order names, and exactly the ticks before it, long after they were sampled",
    arguments: [ClockSource.grid, .chip(busClock: 400_000)], [0, 1.2])
  func ownTick(_ source: ClockSource, late: Double) throws {
    let bench = WriterBench(ExampleLog.rate(50), source: source)
    bench.advance(to: 30)
    bench.advance(to: 31.003 + late)
    // The instant of the chip's own sample, at which the clock's first tick is the one after it.
    let instant = bench.schedule.start + (try #require(bench.sampleTimes[1550]))
    bench.writer.begin(
      RecordingOrder(at: instant, ownTick: 1550, ticksBefore: 590, ticksAfter: 100))
    bench.advance(to: 34)
    bench.end(.completed)
    let log = try #require(bench.logs.first)
    #expect(log.plan.frame.base == 960)
    let end = try #require(try log.verification().end)
    #expect((689...691).contains(end.tally.sampled) && end.tally.scheduled == end.tally.sampled)
  }

  @Test("the pre-trigger is limited by the history and by the previous recording")
  func shortHistory() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    bench.advance(to: 1.05)
    bench.begin(before: 50, after: 10)
    bench.advance(to: 2.5)
    bench.end(.completed)
    try bench.expect(0..<21, in: 0, .completed)
    bench.advance(to: 3.05)
    bench.begin(before: 50, after: 10)
    bench.advance(to: 5)
    bench.end(.completed)
    try bench.expect(21..<41, in: 1, .completed)
  }

  @Test("a whole history can precede a recording, a minute at 10 Hz")
  func longHistory() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    #expect(bench.historyTicks == 590)
    bench.advance(to: 200.05)
    bench.begin(before: 590, after: 3)
    bench.advance(to: 201)
    bench.end(.completed)
    try bench.expect(2001 - 590..<2004, in: 0, .completed)
    #expect(bench.droppedTicks == [])
  }

  @Test("a recording of the history has all of it and no later tick")
  func keep() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    bench.advance(to: 10.05)
    bench.begin(before: .max, after: 0)
    bench.writer.end(at: nil, reason: .button)
    bench.advance(to: 11.05)
    #expect(bench.finish())
    try bench.expect(0..<101, in: 0, .button)
    #expect(bench.logs[0].plan.plannedTicks == 101)
    // Repeated at once: only the ticks since then.
    bench.begin(before: .max, after: 0)
    bench.end(.button)
    try bench.expect(101..<111, in: 1, .button)
  }

  @Test("a recording of an empty history is not kept")
  func keepNothing() {
    let bench = WriterBench(ExampleLog.rate(10))
    bench.begin(before: .max, after: 0)
    bench.end(.button)
    #expect(bench.news == [.savedNothing])
  }

  @Test(
    "a sensor that gives only gaps makes a recording without a first sample, whose end says that it is empty"
  )
  func nothingSampled() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    bench.busErrors = (0..<100).map { $0 * 10..<($0 + 1) * 10 }
    bench.advance(to: 2)
    bench.begin(after: 30)
    bench.advance(to: 9)
    bench.end(.completed)
    #expect(!bench.news.contains(.firstSample))
    let end = try #require(bench.ends.last)
    #expect(end.reason == .completed)
    #expect(end.tally.sampled == 0)
    #expect(end.tally.busErrors == 30)
  }

  @Test(
    "a gap over the recording's first tick and one over its last are cut, and the next recording has the rest"
  )
  func gaps() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    bench.busErrors = [5..<25, 45..<63]
    bench.advance(to: 4)
    bench.writer.begin(
      RecordingOrder(at: bench.schedule.deadline(of: 20), ticksBefore: 0, ticksAfter: 30))
    bench.advance(to: 8)
    bench.end(.completed)
    try bench.expect(20..<50, in: 0, .completed)
    #expect(
      try bench.logs[0].gaps() == [
        Gap(firstTick: 0, count: 5, cause: .busError, code: 121),
        Gap(firstTick: 25, count: 5, cause: .busError, code: 121),
      ])
    bench.writer.begin(RecordingOrder(at: bench.now, ticksBefore: 100, ticksAfter: 5))
    bench.advance(to: 10)
    bench.end(.completed)
    #expect(try bench.logs[1].gaps() == [Gap(firstTick: 0, count: 13, cause: .busError, code: 121)])
    #expect(bench.logs[1].plan.start == bench.schedule.deadline(of: 50))
  }

  @Test("events of the chip before the recording are not in it")
  func events() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    for tick in [19, 20, 24, 25] as [UInt64] {
      bench.events[tick] = SensorEvent(tick: tick, kind: .back, fault: .none)
    }
    bench.advance(to: 4)
    bench.writer.begin(
      RecordingOrder(at: bench.schedule.deadline(of: 20), ticksBefore: 0, ticksAfter: 5))
    bench.end(.completed)
    try bench.expect(20..<25, in: 0, .completed)
    #expect(try bench.logs[0].sensorEvents().map(\.tick) == [0, 4])
  }
}
