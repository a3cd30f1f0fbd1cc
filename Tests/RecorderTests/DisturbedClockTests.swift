// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import RingBuffer
import Sampling
import TestSupport
import Testing

/// A clock whose sleeps sometimes end several ticks late.
final class BurstyClock: MonotonicClock, @unchecked Sendable {
  // Safe: each test uses its own on one thread.
  private var instant: Int64 = 7_000_000_000
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  func now() -> MonotonicTime { MonotonicTime(nanoseconds: instant) }

  func sleep(until deadline: MonotonicTime) {
    instant = max(instant, deadline.nanoseconds)
    if generator.next() % 8 == 0 { instant += Int64(generator.next() % 2_500_000_000) }
  }
}

@Suite("A recording on disturbed clocks")
struct DisturbedClockTests {
  static let hour: Int64 = 3_600_000_000_000
  static let steps: [Int64] = [hour, -hour, 87_600 * hour, -87_600 * hour]

  /// A recording of 300 ticks at 10 Hz whose wall clock is stepped every second, and the log of it.
  static func record(_ clock: BurstyClock) throws -> (log: [UInt8], ledger: TickLedger) {
    let queue = FlushQueue(syncsEarly: false)
    let stepped = SteppedRecording(clock, ExampleLog.description(), ticks: 300, queue: queue)
    let start = clock.now()
    while stepped.end == nil {
      stepped.stepSampler()
      let time = clock.now() - start
      stepped.stepWriter(wallAhead: steps[Int(time / 1_000_000_000) % steps.count])
    }
    let disk = MemoryDisk()
    var storage = MemoryStorage(disk)
    queue.flusherLoop(&storage, clock: clock)
    return (try stepped.log(disk.bytes), stepped.ledger)
  }

  @Test(
    "the account balances despite bursts of late ticks and steps of the wall clock by an hour and ten years",
    arguments: 1...20 as ClosedRange<UInt64>)
  func disturbed(seed: UInt64) throws {
    let (log, ledger) = try DisturbedClockTests.record(BurstyClock(seed: seed))
    #expect(ledger.scheduled == 300)
    #expect(ledger.missed > 50)
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: log)))
    let report = try reader.account()
    #expect(report.isIntact)
    #expect(report.counted == ledger)
    let events = try reader.readAll()
    var next: UInt64 = 0
    let covered = events.filter { $0.tickCount > 0 }.map { event -> (UInt64, UInt64) in
      switch event {
      case .sample(let tick, let time, _):
        // A sample that is a period late would belong to another tick.
        let due = Int64(tick) * 100_000_000
        #expect((due..<due + 100_000_000).contains(time))
        return (tick, 1)
      case .other(.gap(let gap)): return (gap.firstTick, gap.count)
      case .other: return (0, 0)
      }
    }
    for (first, count) in covered.sorted(by: { $0.0 < $1.0 }) {
      #expect(first == next)
      next = first + count
    }
    #expect(next == 300)
    let pairs = events.compactMap { event -> ClockPair? in
      if case .other(.clock(let pair)) = event { return pair }
      return nil
    }
    #expect(pairs.first?.reason == .start)
    #expect(pairs.last?.reason == .end)
    #expect(pairs.dropFirst().dropLast().allSatisfy { $0.reason == .stepped })
    #expect(pairs.count > 5)
    // Each has the wall clock's offset.
    let sizes = pairs.dropLast().map { $0.wallAtStart - ExampleRecording.wall }
    #expect(sizes.allSatisfy { DisturbedClockTests.steps.contains($0) })
    #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 != $1 })
  }
}
