// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Recorder
import Testing

@Suite("How a recording of a service ends")
struct RecordingEndTests {
  /// Makes a recording from second 1 on that a press ends, as is decided only later; returns the time of the press.
  @discardableResult
  private func press(_ bench: WriterBench, at start: Double, until end: Double) -> MonotonicTime {
    bench.advance(to: 1)
    bench.begin()
    bench.advance(to: start)
    let press = bench.now
    bench.writer.hold(at: press)
    bench.advance(to: end)
    bench.writer.end(at: press, reason: .button)
    bench.turn()
    return press
  }

  @Test(
    "with the last tick before the press, though that is decided later",
    arguments: [3, 10, 30, 200, 1000] as [UInt32])
  func datedByPress(_ hertz: UInt32) throws {
    let bench = WriterBench.recording(hertz, from: 2)
    let press = bench.instant(4.987)
    bench.advance(to: press)
    bench.writer.hold(at: press)
    bench.advance(to: 5.45)
    bench.writer.end(at: press, reason: .button)
    bench.turn()
    #expect(bench.isIdle)
    let own = UInt64(hertz) * 2
    let end = bench.schedule.tick(at: press) + 1
    try bench.expect(own..<end, in: 0, .button)
    // The ticks that were held back belong to the next one.
    let next = TickClock(bench.schedule).firstTick(from: bench.now)
    bench.begin(before: UInt64(hertz), after: 5)
    bench.advance(to: 9)
    bench.end(.completed)
    try bench.expect(end..<next + 5, in: 1, .completed)
  }

  @Test(
    "a sample that is being read when the end is requested is still in the recording, also the only one",
    arguments: [2.5001, 2.0001])
  func lastSample(end: Double) throws {
    let bench = WriterBench.recording(10, from: 1.95)
    // A tenth of a millisecond after a tick was due, before its record is there.
    bench.advance(to: end)
    bench.writer.end(at: bench.now, reason: .button)
    bench.turn()
    #expect(bench.finish(within: 0.1))
    try #require(bench.logs.count == 1)
    try bench.expect(20..<UInt64(end * 10) + 1, in: 0, .button)
  }

  @Test("a sampler that has ended does not delay the end of a recording")
  func deadSampler() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    bench.busErrors = [25..<100_000]
    bench.advance(to: 1.95)
    bench.begin()
    bench.advance(to: 4)
    bench.writer.end(at: bench.now, reason: .button)
    #expect(bench.finish(within: 2))
    try bench.expect(20..<41, in: 0, .button)
    #expect(try bench.logs[0].gaps() == [Gap(firstTick: 5, count: 16, cause: .missed)])
    // Nor does a sampler that never had a record.
    bench.begin()
    bench.advance(to: 7)
    bench.writer.end(at: bench.now, reason: .button)
    #expect(bench.finish(within: 2))
    #expect(bench.news.last == .savedNothing)
  }

  @Test("of several instants of a hold the first one counts, and none of them outlives a release")
  func repeatedHold() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    // Without a recording a hold has no effect.
    bench.writer.hold(at: bench.now)
    bench.advance(to: 1.95)
    bench.begin()
    bench.advance(to: 3.01)
    bench.writer.hold(at: bench.now)
    bench.writer.release()
    // The button goes down and up: both hold back at an instant that may be the end.
    bench.advance(to: 4.01)
    bench.writer.hold(at: bench.now)
    bench.advance(to: 4.35)
    bench.writer.hold(at: bench.now)
    bench.advance(to: 5)
    #expect(bench.writer.progress?.tally.scheduled == 21)
    bench.end(at: bench.instant(4.01), .button)
    try bench.expect(20..<41, in: 0, .button)
  }

  @Test("holding back and continuing loses nothing", arguments: [10, 200, 1000] as [UInt32])
  func release(_ hertz: UInt32) throws {
    let bench = WriterBench.recording(hertz, from: 1)
    for second in [2.0, 5.0, 9.0] {
      bench.advance(to: second)
      bench.writer.hold(at: bench.now)
      bench.advance(to: second + 2.3)
      bench.writer.release()
    }
    bench.advance(to: 13.0009)
    bench.end(at: bench.instant(13), .button)
    let rate = UInt64(hertz)
    try bench.expect(rate..<13 * rate + 1, in: 0, .button)
    #expect(bench.droppedTicks == [])
  }

  @Test(
    "a hold over more than the ring holds keeps to the press, and the rest is the next recording's")
  func longHold() throws {
    let bench = WriterBench(ExampleLog.rate(1000))
    press(bench, at: 2, until: 3.7)
    #expect(bench.isIdle)
    try bench.expect(1000..<2001, in: 0, .button)
    // A press during the hold, which was waiting for that end.
    bench.writer.begin(RecordingOrder(at: bench.instant(3), ticksBefore: 200, ticksAfter: 1500))
    bench.advance(to: 5)
    bench.end(.completed)
    try bench.expect(2800..<4500, in: 1, .completed)
    #expect(bench.droppedTicks == [])
  }

  @Test(
    "a recording that begins with a press from before the last one was saved lacks nothing since that press",
    arguments: [10, 200, 1000] as [UInt32])
  func beginInThePast(_ hertz: UInt32) throws {
    let bench = WriterBench(ExampleLog.rate(hertz))
    // The press is known to be long at its release, and then the card is slow.
    let press = press(bench, at: 2.0005, until: 7)
    #expect(bench.isIdle)
    bench.advance(to: 11)
    let rate = UInt64(hertz)
    bench.writer.begin(RecordingOrder(at: press, ticksBefore: 0, ticksAfter: 5 * rate))
    bench.advance(to: 12)
    bench.end(.completed)
    try bench.expect(rate..<2 * rate + 1, in: 0, .button)
    try bench.expect(2 * rate + 1..<7 * rate + 1, in: 1, .completed)
    #expect(bench.droppedTicks == [])
  }

  @Test("ticks after a recording become usual history when no recording follows at once")
  func restIsTrimmed() throws {
    let bench = WriterBench(ExampleLog.rate(1000))
    press(bench, at: 2, until: 4)
    bench.writer.forgetRest()
    bench.advance(to: 9)
    bench.writer.begin(RecordingOrder(at: bench.now, ticksBefore: .max, ticksAfter: 0))
    bench.end(.button)
    let kept = try #require(bench.logs.last).plan.plannedTicks ?? 0
    // The ring's, and those of a press of 1.8 s.
    #expect(kept >= UInt64(bench.historyTicks) + 1800 && kept <= 600 + 1801)
  }

  @Test("an end without an instant logs the ticks that were held back")
  func endWhileHolding() throws {
    let bench = WriterBench.recording(10, from: 1)
    bench.advance(to: 2)
    bench.writer.hold(at: bench.now)
    bench.advance(to: 2.35)
    bench.end(.sensorLost)
    try bench.expect(10..<24, in: 0, .sensorLost)
  }

  @Test("a recording that ends before its first tick leaves the history to the next one")
  func nothingBeforeAnother() throws {
    let bench = WriterBench.recording(10, from: 2.01)
    bench.turn()
    bench.end(at: bench.now, .button)
    #expect(bench.drainNews() == [.savedNothing])
    bench.begin(before: 5)
    let own = TickClock(bench.schedule).firstTick(from: bench.now)
    bench.advance(to: 3.05)
    bench.end(at: bench.now, .button)
    try bench.expect(own - 5..<31, in: 0, .button)
  }

  @Test("before there was a record there is nothing to keep, and its marks are forgotten with it")
  func nothing() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    bench.advance(to: 1.01)
    bench.begin(after: 600)
    bench.writer.mark(at: bench.now, label: "of nothing")
    bench.advance(to: 1.04)
    bench.writer.end(at: bench.now, reason: .button)
    bench.turn()
    #expect(bench.drainNews() == [.savedNothing])
    #expect(bench.isIdle)
    // Too late for the one and too early for the other: it belongs to none.
    bench.writer.mark(at: bench.now, label: "of no one")
    #expect(bench.writer.takeLostMarks() == 2)
    bench.advance(to: 1.5)
    bench.begin(after: 10)
    bench.advance(to: 3)
    bench.end(.completed)
    #expect(try bench.logs[0].marks() == [])
  }

  @Test("marks have the time of their press from the recording's first tick on")
  func marks() throws {
    let bench = WriterBench(ExampleLog.rate(30))
    bench.fileDelay = 500_000_000
    bench.advance(to: 5)
    let press = bench.instant(5.01)
    bench.advance(to: press)
    bench.writer.begin(RecordingOrder(at: press, ticksBefore: 30, ticksAfter: nil))
    bench.writer.mark(at: press, label: "before the file")
    bench.advance(to: 7)
    bench.writer.mark(at: bench.instant(6.99), label: "é")
    bench.writer.hold(at: bench.now)
    bench.advance(to: 7.2)
    bench.writer.mark(at: bench.instant(7), label: "")
    bench.writer.release()
    bench.advance(to: 8)
    bench.end(at: bench.now, .button)
    let start = bench.logs[0].plan.start
    #expect(start == bench.schedule.deadline(of: 151 - 30))
    let expected = [(5.01, "before the file"), (6.99, "é"), (7.0, "")].map { second, label in
      Mark(time: bench.instant(second) - start, label: label)
    }
    #expect(try bench.logs[0].marks() == expected)
  }

  @Test("a mark before the recording's first sample has a time before it")
  func earlyMark() throws {
    let bench = WriterBench.recording(10, from: 1.01)
    bench.advance(to: 1.03)
    bench.writer.mark(at: bench.now, label: "early")
    bench.advance(to: 2.05)
    bench.end(at: bench.now, .button)
    #expect(try bench.logs[0].marks() == [Mark(time: -70_000_000, label: "early")])
    #expect(try bench.logs[0].verification().isIntact)
  }
}
