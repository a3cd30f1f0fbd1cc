// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Sampling
import Testing

@testable import Recorder

@Suite("The log of a live recording")
struct RecordingLogTests {
  static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  let queue: FlushQueue
  let log: RecordingLog

  init() throws {
    queue = FlushQueue()
    log = try RecordingLogTests.log(into: queue)
  }

  static func log(into queue: FlushQueue) throws -> RecordingLog {
    var description = ExampleLog.description()
    description.syncInterval = 1_000_000_000
    let schedule = Schedule(start: start, rate: description.rate)
    let frame = RecordingFrame(clock: TickClock(schedule), base: 0, timeUnit: 1000)
    return try RecordingLog(description, frame: frame, queue: queue)
  }

  static func sample(_ tick: UInt64, lateness: Int64 = 0) -> TickRecord {
    TickRecord(
      tick: tick, time: Int64(tick) * 100_000_000, lateness: lateness,
      sample: RawSample(ax: Int16(tick), ay: -2, az: 3, gx: -4, gy: 5, gz: -6, temperature: 7))
  }

  static func reading(_ later: Int64) -> ClockReading {
    ClockReading(monotonic: start + later, wall: ExampleRecording.wall, isSynchronised: true)
  }

  /// Ends the log and reads it.
  func events(_ reason: StopReason) throws -> [ReadEvent] {
    _ = log.finish(reason, RecordingLogTests.reading(9_000_000_000))
    queue.close()
    let disk = MemoryDisk()
    var storage = MemoryStorage(disk)
    queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
    return try read(try encodeHeader(ExampleLog.description()) + disk.bytes)
  }

  @Test("every record is in the log, and the end carries the account of exactly those")
  func everything() throws {
    let records =
      (0..<3).map { RecordingLogTests.sample($0) } + [
        TickRecord(Gap(firstTick: 3, count: 4, cause: .busError, code: 121)),
        TickRecord(SensorEvent(tick: 7, kind: .back, fault: .none)), RecordingLogTests.sample(7),
      ]
    for record in records { log.write(record) }
    #expect(log.tally.sampled == 4)
    #expect(log.tally.busErrors == 4)
    #expect(log.reached == 8)
    let events = try events(.signal)
    #expect(events.compactMap(\.damage).isEmpty)
    #expect(events.reduce(0) { $0 + $1.tickCount } == 8)
    let end = try #require(RecordingLogTests.end(events))
    #expect(end.tally == log.tally)
    #expect(end.reason == .signal)
  }

  static func end(_ events: [ReadEvent]) -> RecordingEnd? {
    for case .other(.end(let end)) in events { return end }
    return nil
  }

  /// How often a disk was synced, once a flusher has written to it what is in the queue.
  static func syncs(_ queue: FlushQueue, _ disk: MemoryDisk) -> Int {
    var storage = MemoryStorage(disk)
    var stopped: StorageError?
    let clock = SteppingClock(step: 1)
    while case .worked = queue.flusherStep(&storage, clock: clock, &stopped, waits: false) {}
    return disk.snapshot.operations.count { $0 == .sync }
  }

  @Test("a sync is due when its interval has passed, once however late the call is")
  func syncs() throws {
    let disk = MemoryDisk()
    let instants: [Int64] = [
      0, 999_999_999, 1_000_000_000, 1_500_000_000, 9_000_000_000, 9_500_000_000,
    ]
    let counts = instants.enumerated().map { tick, later in
      log.write(RecordingLogTests.sample(UInt64(tick)))
      log.syncIfDue(RecordingLogTests.start + later)
      return RecordingLogTests.syncs(queue, disk)
    }
    #expect(counts == [0, 0, 1, 1, 2, 3])
  }

  @Test("a sync for which the queue had no room is due as soon as there is")
  func syncAfterStall() throws {
    let queue = FlushQueue(capacity: 4096)
    let log = try RecordingLogTests.log(into: queue)
    _ = queue.put([UInt8](repeating: 0, count: 4096))
    log.write(RecordingLogTests.sample(0))
    log.syncIfDue(RecordingLogTests.start + 1_000_000_000)
    #expect(!log.deliver())
    let disk = MemoryDisk()
    var counts = [RecordingLogTests.syncs(queue, disk)]
    log.syncIfDue(RecordingLogTests.start + 1_050_000_000)
    counts.append(RecordingLogTests.syncs(queue, disk))
    log.write(RecordingLogTests.sample(1))
    log.syncIfDue(RecordingLogTests.start + 1_100_000_000)
    counts.append(RecordingLogTests.syncs(queue, disk))
    #expect(counts == [0, 1, 1])
  }

  @Test(
    "the log's end has the lateness of the sampler's wake-ups, regardless of delays in the reads")
  func lateness() throws {
    #expect(log.lateness == LatenessSummary())
    for tick in 0..<100 as Range<UInt64> {
      var record = RecordingLogTests.sample(tick, lateness: tick == 99 ? 7_000_000 : 20_000)
      // A read that waits for the chip begins later.
      record.time += 30_000_000
      log.write(record)
    }
    log.write(TickRecord(Gap(firstTick: 100, count: 5, cause: .missed)))
    // As exact as the histogram's buckets.
    #expect((20_000..<20_625).contains(log.lateness.median))
    #expect(log.lateness.percentile99 == log.lateness.median)
    #expect(log.lateness.maximum == 7_000_000)
    let end = RecordingLogTests.end(try events(.completed))
    #expect(end?.lateness == log.lateness)
  }

  @Test("skipped ticks are a gap: a bus error if it follows one, else missed")
  func givingUp() throws {
    log.write(RecordingLogTests.sample(0))
    log.giveUp(before: 3)
    #expect(log.tally.missed == 2)
    log.write(TickRecord(Gap(firstTick: 3, count: 1, cause: .busError, code: 121)))
    log.giveUp(before: 10)
    #expect(log.tally.busErrors == 7)
    log.giveUp(before: 4)
    log.giveUp(before: 12, because: .ringFull)
    #expect(log.tally.ringFull == 2)
    let events = try events(.storageFull)
    #expect(events.compactMap(\.damage).isEmpty)
    #expect(events.reduce(0) { $0 + $1.tickCount } == 12)
  }
}
