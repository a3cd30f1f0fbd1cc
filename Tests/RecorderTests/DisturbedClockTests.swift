import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import RingBuffer
import Sampling
import Testing

/// A clock whose sleeps sometimes end late: by whole bursts of ticks.
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

@Suite("A take on disturbed clocks")
struct DisturbedClockTests {
  static let hour: Int64 = 3_600_000_000_000
  static let steps: [Int64] = [hour, -hour, 87_600 * hour, -87_600 * hour]

  /// A take of 300 ticks at 10 Hz whose wall clock is stepped every second, and the log of it.
  static func take(_ clock: BurstyClock) throws -> (log: [UInt8], ledger: TickLedger) {
    var ring = RingEnds<TickRecord>()
    let start = clock.now()
    let description = ExampleLog.description()
    let disk = MemoryDisk()
    var recorder = try Recorder(
      after: description, consumer: ring.takeConsumer(),
      output: DirectOutput(MemoryStorage(disk)), start: start)
    var sampler = Sampler(
      sensor: NoisySensor(), clock: clock, sink: ring.takeProducer(),
      rate: ExampleLog.tenHertz, start: start, plannedTicks: 300, timeUnit: 1000, stop: StopFlag())
    var watch = ClockWatch()
    while sampler.step() == .continue {
      recorder.drain()
      let time = clock.now() - start
      let step = steps[Int(time / 1_000_000_000) % steps.count]
      let wall = ExampleTake.wall + time + step
      if let pair = watch.reading(time: time, wall: wall, isSynchronised: false) {
        recorder.note(pair)
      }
      recorder.syncIfDue(now: clock.now())
    }
    recorder.drain()
    for record in sampler.undelivered { recorder.write(record) }
    recorder.finish(reason: .completed)
    return (try encodeHeader(description) + disk.bytes, sampler.ledger)
  }

  @Test(
    "bursts of late ticks and steps of the wall clock by an hour and by ten years lose no account",
    arguments: 1...20 as ClosedRange<UInt64>)
  func disturbed(seed: UInt64) throws {
    let (log, ledger) = try DisturbedClockTests.take(BurstyClock(seed: seed))
    #expect(ledger.scheduled == 300)
    #expect(ledger.missed > 50)
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: log)))
    let report = try reader.verify()
    #expect(report.isIntact)
    #expect(report.counted == ledger)
    let events = try reader.readAll()
    var next: UInt64 = 0
    let covered = events.filter { $0.tickCount > 0 }.map { event -> (UInt64, UInt64) in
      switch event {
      case .sample(let tick, let time, _):
        // A sample that is a period late would be one of another tick.
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
    #expect(pairs.dropFirst().allSatisfy { $0.reason == .stepped })
    #expect(pairs.count > 5)
    // Each says what the wall clock was ahead by.
    let sizes = pairs.map { $0.wallAtStart - ExampleTake.wall }
    #expect(sizes.allSatisfy { DisturbedClockTests.steps.contains($0) })
    #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 != $1 })
  }
}
