import Glibc
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import RingBuffer
import Testing

/// An output in memory that has room or has not, as the test says.
struct BoundedOutput: LogOutput, ~Copyable {
  var bytes: [UInt8] = []
  var hasRoom = true
  var syncCount = 0
  var failure: StorageError?

  mutating func take(from writer: inout LogWriter) -> Bool {
    guard hasRoom else { return writer.backlog == 0 }
    let queue = FlushQueue(capacity: 1 << 20)
    let isTaken = writer.drain(into: queue)
    var storage = MemoryStorageSink()
    queue.close()
    queue.flusherLoop(&storage, clock: StandingClock())
    bytes += storage.bytes
    return isTaken
  }

  mutating func requestSync() { syncCount += 1 }
}

/// Storage that only collects.
struct MemoryStorageSink: LogStorage, ~Copyable {
  var bytes: [UInt8] = []
  var name: String { "memory" }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    self.bytes.append(contentsOf: bytes)
  }

  mutating func sync() throws(StorageError) {}

  mutating func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int { 0 }

  mutating func size() throws(StorageError) -> UInt64 { UInt64(bytes.count) }

  mutating func finish() throws(StorageError) {}
}

/// A clock that stands still.
struct StandingClock: MonotonicClock {
  func now() -> MonotonicTime { MonotonicTime(nanoseconds: 0) }
  func sleep(until deadline: MonotonicTime) {}
}

@Suite("What the recorder moves from the ring into the log")
struct RecorderTests {
  static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  static func sample(_ tick: UInt64) -> TickRecord {
    TickRecord(
      tick: tick, time: Int64(tick) * 100_000_000,
      sample: RawSample(ax: Int16(tick), ay: -2, az: 3, gx: -4, gy: 5, gz: -6, temperature: 7))
  }

  /// What a reader finds in header and bytes.
  static func events(_ bytes: [UInt8]) throws -> [ReadEvent] {
    try read(try encodeHeader(ExampleLog.description()) + bytes)
  }

  @Test("every record of the ring is in the log, and the end carries the account of exactly those")
  func everything() throws {
    var ring = RingEnds<TickRecord>(capacity: 10)
    var producer = ring.takeProducer()
    var recorder = try Recorder(
      after: ExampleLog.description(), consumer: ring.takeConsumer(), output: BoundedOutput(),
      start: RecorderTests.start)
    let records =
      (0..<3).map { RecorderTests.sample($0) } + [
        TickRecord(Gap(firstTick: 3, count: 4, cause: .busError, code: 121)),
        TickRecord(SensorEvent(tick: 7, kind: .back, fault: .none)), RecorderTests.sample(7),
      ]
    for record in records { _ = producer.push(record) }
    recorder.drain()
    let isTaken = recorder.finish(reason: .signal)
    #expect(isTaken)
    let ledger = recorder.ledger
    #expect(ledger.sampled == 4)
    #expect(ledger.busErrors == 4)
    #expect(ledger.scheduled == 8)
    let events = try RecorderTests.events(recorder.release().bytes)
    #expect(events.compactMap(\.damage).isEmpty)
    let ticks = events.reduce(0) { $0 + $1.tickCount }
    #expect(ticks == 8)
  }

  @Test(
    "while the output has no room, records stay in the ring, where the sampler can count losses")
  func backPressure() throws {
    var ring = RingEnds<TickRecord>(capacity: 600)
    var producer = ring.takeProducer()
    var output = BoundedOutput()
    output.hasRoom = false
    var recorder = try Recorder(
      after: ExampleLog.description(), consumer: ring.takeConsumer(), output: output,
      start: RecorderTests.start)
    // Encoded and not taken: from now on nothing may leave the ring.
    for tick in 0..<10 as Range<UInt64> { _ = producer.push(RecorderTests.sample(tick)) }
    recorder.drain()
    recorder.sync()
    for tick in 10..<500 as Range<UInt64> { _ = producer.push(RecorderTests.sample(tick)) }
    recorder.drain()
    #expect(recorder.ledger.sampled == 10)
    #expect(recorder.output.syncCount == 0)
    recorder.output.hasRoom = true
    recorder.drain()
    #expect(recorder.ledger.sampled == 500)
    recorder.finish(reason: .completed)
    let events = try RecorderTests.events(recorder.release().bytes)
    #expect(events.reduce(0) { $0 + $1.tickCount } == 500)
  }

  @Test("a sync is asked for when its interval has passed, once however late the call is")
  func syncs() throws {
    var ring = RingEnds<TickRecord>(capacity: 600)
    _ = ring.takeProducer()
    var description = ExampleLog.description()
    description.syncInterval = 1_000_000_000
    var recorder = try Recorder(
      after: description, consumer: ring.takeConsumer(), output: BoundedOutput(),
      start: RecorderTests.start)
    let intervals = [0, 999_999_999, 1_000_000_000, 1_500_000_000, 9_000_000_000, 9_500_000_000]
    let counts = intervals.map { later in
      recorder.syncIfDue(now: RecorderTests.start + Int64(later))
      return recorder.output.syncCount
    }
    #expect(counts == [0, 0, 1, 1, 2, 3])
  }

  @Test("a sync for which there was no room is asked for as soon as there is")
  func syncAfterStall() throws {
    var ring = RingEnds<TickRecord>(capacity: 600)
    var producer = ring.takeProducer()
    var output = BoundedOutput()
    output.hasRoom = false
    var recorder = try Recorder(
      after: ExampleLog.description(), consumer: ring.takeConsumer(), output: output,
      start: RecorderTests.start)
    _ = producer.push(RecorderTests.sample(0))
    recorder.drain()
    recorder.syncIfDue(now: RecorderTests.start + 1_000_000_000)
    #expect(recorder.output.syncCount == 0)
    recorder.output.hasRoom = true
    recorder.syncIfDue(now: RecorderTests.start + 1_050_000_000)
    #expect(recorder.output.syncCount == 1)
    recorder.syncIfDue(now: RecorderTests.start + 1_100_000_000)
    #expect(recorder.output.syncCount == 1)
  }

  @Test("what the ring holds when the storage is full is a gap, up to the sampler's last tick")
  func givingUp() throws {
    var ring = RingEnds<TickRecord>(capacity: 600)
    var producer = ring.takeProducer()
    var recorder = try Recorder(
      after: ExampleLog.description(), consumer: ring.takeConsumer(), output: BoundedOutput(),
      start: RecorderTests.start)
    _ = producer.push(RecorderTests.sample(0))
    recorder.drain()
    for tick in 1..<100 as Range<UInt64> { _ = producer.push(RecorderTests.sample(tick)) }
    recorder.output.failure = StorageError(.write, path: "memory", errno: ENOSPC)
    let gap = TickRecord(Gap(firstTick: 100, count: 20, cause: .busError, code: 121))
    let isWorthIt = recorder.drainAll(undelivered: [gap, RecorderTests.sample(120)]) {
      Issue.record("nothing is waited for")
      return false
    }
    #expect(isWorthIt)
    recorder.finish(reason: .storageFull)
    #expect(recorder.ledger.sampled == 1)
    #expect(recorder.ledger.ringFull == 120)
    let events = try RecorderTests.events(recorder.release().bytes)
    #expect(events.compactMap(\.damage).isEmpty)
    #expect(events.reduce(0) { $0 + $1.tickCount } == 121)
  }

  @Test("who does not want to wait any longer for room is not kept")
  func impatience() throws {
    var ring = RingEnds<TickRecord>(capacity: 600)
    var producer = ring.takeProducer()
    var output = BoundedOutput()
    output.hasRoom = false
    var recorder = try Recorder(
      after: ExampleLog.description(), consumer: ring.takeConsumer(), output: output,
      start: RecorderTests.start)
    _ = producer.push(RecorderTests.sample(0))
    recorder.drain()
    recorder.sync()
    var pauses = 0
    let pause = {
      pauses += 1
      return pauses % 3 != 0
    }
    let isDrained = recorder.drainAll(undelivered: [], pause: pause)
    #expect(!isDrained && pauses == 3)
    let isFinished = recorder.finish(reason: .signal, pause: pause)
    #expect(!isFinished && pauses == 6)
  }

  @Test("the log's end says how late the reads of its samples were")
  func lateness() throws {
    var ring = RingEnds<TickRecord>(capacity: 600)
    var producer = ring.takeProducer()
    var recorder = try Recorder(
      after: ExampleLog.description(), consumer: ring.takeConsumer(), output: BoundedOutput(),
      start: RecorderTests.start)
    #expect(recorder.lateness == LatenessSummary())
    for tick in 0..<100 as Range<UInt64> {
      var record = RecorderTests.sample(tick)
      record.time += tick == 99 ? 7_000_000 : 20_000
      _ = producer.push(record)
    }
    _ = producer.push(TickRecord(Gap(firstTick: 100, count: 5, cause: .missed)))
    recorder.drain()
    // As exact as the histogram's buckets.
    #expect((20_000..<20_625).contains(recorder.lateness.median))
    #expect(recorder.lateness.percentile99 == recorder.lateness.median)
    #expect(recorder.lateness.maximum == 7_000_000)
    recorder.finish(reason: .completed)
    let events = try RecorderTests.events(recorder.release().bytes)
    let isSaid = events.contains { event in
      if case .other(.end(let end)) = event { return end.lateness.maximum == 7_000_000 }
      return false
    }
    #expect(isSaid)
  }
}
