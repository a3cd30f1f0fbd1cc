// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Recorder
import Testing

@Suite("Every tick of a recording of a service, up to its end, has a sample or a gap")
struct RecordingAccountTests {
  /// Ways in which a recording of the ticks 10 ..< 26 ends at 2.55 s.
  enum End: CaseIterable, Sendable {
    case atInstant, afterHold, signal, sensorLost, keep

    var reason: StopReason {
      switch self {
      case .atInstant, .afterHold, .keep: .button
      case .signal: .signal
      case .sensorLost: .sensorLost
      }
    }

    /// Carries it out on a bench at 10 Hz whose sampler may be held up from tick 11 on.
    func carryOut(_ bench: WriterBench) {
      let end = bench.instant(2.55)
      bench.advance(to: 0.95)
      if case .keep = self {
        bench.advance(to: end)
        // The history from tick 10 on.
        bench.writer.begin(RecordingOrder(at: end, ticksBefore: 16, ticksAfter: 0))
        return bench.writer.end(at: nil, reason: reason)
      }
      bench.begin()
      bench.advance(to: end)
      switch self {
      case .atInstant: bench.writer.end(at: end, reason: reason)
      case .afterHold:
        bench.writer.hold(at: end)
        bench.advance(to: 3.2)
        bench.writer.end(at: end, reason: reason)
      case .signal, .sensorLost, .keep: bench.writer.end(at: nil, reason: reason)
      }
    }
  }

  @Test(
    "for every kind of end, and every time and length of a sampler's stall",
    arguments: End.allCases)
  func heldUpSampler(_ end: End) throws {
    for from in 11...27 as ClosedRange<UInt64> {
      for until in [2.56, 2.6, 3, 3.9, 4.9, 6, 1000] {
        let bench = WriterBench(ExampleLog.rate(10))
        bench.holdUp = (from, bench.instant(until))
        end.carryOut(bench)
        #expect(bench.finish(within: 2), "held up from \(from) until \(until)")
        let log = try #require(bench.logs.first)
        let report = try log.verification()
        #expect(report.isIntact)
        #expect(report.end?.reason == end.reason)
        #expect(log.plan.start == bench.schedule.deadline(of: 10))
        #expect(
          report.end?.tally.scheduled == 16,
          "held up from \(from) until \(until): \(report.end.debugDescription)")
        // Records that arrive in time are logged; the rest is one gap.
        let isLate = until > 4.8 && from < 26
        #expect(
          try log.gaps()
            == (isLate ? [Gap(firstTick: from - 10, count: 26 - from, cause: .missed)] : []))
        #expect(try log.sampledTicks() == Array(10..<(isLate ? from : 26)))
        if until < 10 { try expectRest(bench) }
      }
    }
  }

  /// Records that were too late for a recording's log are not in the next one's either.
  private func expectRest(_ bench: WriterBench) throws {
    bench.advance(to: 7.05)
    bench.writer.begin(RecordingOrder(at: bench.now, ticksBefore: .max, ticksAfter: 0))
    bench.end(.button)
    try #require(bench.logs.count == 2)
    try bench.expect(26..<71, in: 1, .button)
  }

  @Test("a sampler that is silent after a bus error leaves a gap with the cause bus error")
  func silentBus() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    bench.busErrors = [22..<25, 25..<1000]
    bench.advance(to: 1.95)
    bench.begin()
    bench.advance(to: 4)
    bench.writer.end(at: nil, reason: .sensorLost)
    #expect(bench.finish(within: 2))
    try bench.expect(20..<41, in: 0, .sensorLost)
    #expect(try bench.logs[0].verification().end?.tally.busErrors == 19)
    #expect(try bench.logs[0].gaps().allSatisfy { $0.cause == .busError && $0.code == 121 })
  }

  @Test("an end without an instant is bounded at the slowest rates too")
  func slowRate() throws {
    let bench = WriterBench(ExampleLog.rate(1, per: 60))
    bench.advance(to: 50)
    bench.begin()
    bench.advance(to: 100)
    bench.holdUp = (2, bench.instant(10_000))
    bench.advance(to: 121)
    bench.writer.end(at: nil, reason: .signal)
    #expect(bench.finish(within: 10.1))
    try bench.expect(1..<3, in: 0, .signal)
  }

  /// A recording requested at 3 s, with half a second of history, while the card is busy with the previous one until `end`.
  private func waitingRecording(_ hertz: UInt32, until end: Double, isRestKept: Bool = true) throws
    -> WriterBench
  {
    let rate = UInt64(hertz)
    let bench = WriterBench.recording(hertz, from: 1)
    bench.advance(to: 2)
    bench.end(at: bench.now, .button)
    if !isRestKept { bench.writer.forgetRest() }
    bench.advance(to: end)
    let press = bench.instant(3)
    bench.writer.begin(RecordingOrder(at: press, ticksBefore: rate / 2, ticksAfter: nil))
    bench.advance(to: end + 2)
    bench.end(at: bench.now, .button)
    return bench
  }

  @Test(
    "a recording that waited while the card ended the previous one is complete",
    arguments: [100, 1000] as [UInt32])
  func waitingForCard(_ hertz: UInt32) throws {
    let rate = UInt64(hertz)
    let bench = try waitingRecording(hertz, until: 20)
    try bench.expect(5 * rate / 2..<22 * rate + 1, in: 1, .button)
    #expect(bench.droppedTicks == [])
  }

  @Test(
    "a recording that waited beyond the memory's capacity lacks the newest ticks, and the log records it"
  )
  func waitingForTooLong() throws {
    let bench = try waitingRecording(1000, until: 30)
    try bench.expect(2500..<32_001, in: 1, .button)
    // From the last tick of the previous recording on.
    #expect(bench.droppedTicks.min() == UInt64(2001 + RecordingWriter.patience + 600))
    #expect(try bench.logs[1].gaps().map(\.cause) == [.ringFull])
  }

  @Test("a recording requested after its samples were dropped begins with a gap")
  func forgottenBeginning() throws {
    let bench = try waitingRecording(1000, until: 6, isRestKept: false)
    let log = bench.logs[1]
    #expect(log.plan.start == bench.schedule.deadline(of: 3000))
    let report = try log.verification()
    #expect(report.isIntact)
    #expect(report.end?.tally.scheduled == 5001)
    let gap = try #require(try log.gaps().first)
    #expect(gap.firstTick == 0 && gap.cause == .ringFull)
    #expect(try log.gaps().count == 1)
    #expect(try log.sampledTicks() == Array(3000 + gap.count..<8001))
  }

  @Test(
    "a press during the previous recording begins one after that one's last tick, without a gap"
  )
  func pressWithinThePreviousRecording() throws {
    let bench = WriterBench.recording(10, from: 1)
    bench.advance(to: 3)
    bench.end(at: bench.now, .button)
    bench.writer.begin(RecordingOrder(at: bench.instant(2.5), ticksBefore: 5, ticksAfter: nil))
    bench.advance(to: 4)
    bench.end(at: bench.now, .button)
    try bench.expect(31..<41, in: 1, .button)
    #expect(try bench.logs[1].gaps() == [])
  }
}
