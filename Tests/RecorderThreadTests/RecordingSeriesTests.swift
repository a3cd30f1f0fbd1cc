// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Recorder
import TestSupport
import Testing

@Suite("Many recordings from one sampler")
struct RecordingSeriesTests {
  @Test(
    "every sample is in exactly the recording of its time, for random presses",
    arguments: [3, 10, 30, 100, 1000] as [UInt32])
  func series(_ hertz: UInt32) throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("series of recordings at \(hertz) Hz: seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let bench = WriterBench(ExampleLog.rate(hertz))
    var tick: UInt64 = 0
    while tick < UInt64(hertz) * 200 {
      tick += UInt64(hertz) * .random(in: 1...9, using: &generator)
      let length = UInt64.random(in: 1...max(2, UInt64(hertz) * 8 / 10), using: &generator)
      bench.busErrors.append(tick..<tick + length)
      tick += length
    }
    var end: UInt64 = 0
    var lastEnd = bench.now
    for _ in 0..<25 {
      // A press may be within the end of the previous recording.
      let isRemembered = Bool.random(using: &generator)
      if !isRemembered {
        bench.advance(to: bench.now + .random(in: 0...1_500_000_000, using: &generator))
      }
      let press =
        isRemembered
        ? lastEnd + .random(in: 0...(bench.now - lastEnd), using: &generator) : bench.now
      end = max(end, try record(press, after: end, bench, &generator, lastEnd: &lastEnd))
    }
  }

  /// Makes one random recording, and expects its ticks, the sampler's; returns their end, or 0.
  private func record(
    _ press: MonotonicTime, after floor: UInt64, _ bench: WriterBench,
    _ generator: inout SeededGenerator, lastEnd: inout MonotonicTime
  ) throws -> UInt64 {
    let rate = bench.schedule.rate
    let slack = rate.tick(atNanoseconds: 200_000_000)
    let most = min(UInt64(bench.historyTicks) - slack, rate.tick(atNanoseconds: 2_000_000_000))
    let before = UInt64.random(in: 0...most, using: &generator)
    let limit: UInt64? =
      Bool.random(using: &generator)
      ? .random(in: 1...max(2, rate.tick(atNanoseconds: 3_000_000_000)), using: &generator) : nil
    bench.fileDelay = .random(in: 0...600_000_000, using: &generator)
    _ = bench.drainNews()
    let count = bench.logs.count
    bench.writer.begin(RecordingOrder(at: press, ticksBefore: before, ticksAfter: limit))
    if Bool.random(using: &generator) { bench.turn() }

    let own = TickClock(bench.schedule).firstTick(from: press)
    if Bool.random(using: &generator) {
      // Two presses: a mark.
      bench.advance(to: bench.now + .random(in: 0...1_000_000_000, using: &generator))
      bench.writer.hold(at: bench.now)
      bench.advance(to: bench.now + .random(in: 0...900_000_000, using: &generator))
      bench.writer.release()
    }
    bench.advance(to: bench.now + .random(in: 0...3_000_000_000, using: &generator))
    let stop = bench.now
    if Bool.random(using: &generator) {
      bench.writer.hold(at: stop)
      bench.advance(to: bench.now + .random(in: 0...900_000_000, using: &generator))
    }
    bench.writer.end(at: stop, reason: .button)
    lastEnd = stop
    #expect(bench.finish())

    let base = max(floor, own - min(own, before))
    let end = min(limit.map { own + $0 } ?? .max, bench.schedule.tick(at: stop) + 1)
    guard base < end else {
      #expect(bench.news == [.savedNothing])
      return 0
    }
    try #require(bench.logs.count == count + 1, "\(base)..<\(end): \(bench.news)")
    try bench.expect(base..<end, in: count, .button)
    #expect(bench.droppedTicks.isEmpty)
    return end
  }
}
