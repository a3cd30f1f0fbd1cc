// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import Sampling
import Testing

/// A recording's log while it is written, by a flusher with a thread of its own into memory, and afterwards.
final class WrittenLog: Sendable {
  let description: RecordingDescription
  let plan: RecordingPlan
  let queue: FlushQueue
  let disk: MemoryDisk
  private let flusher: FlusherThread

  init(
    _ description: RecordingDescription, _ plan: RecordingPlan, queueCapacity: Int,
    disk: MemoryDisk,
    gate: Gate
  ) {
    self.description = description
    self.plan = plan
    queue = FlushQueue(capacity: queueCapacity)
    self.disk = disk
    flusher = FlusherThread(queue, disk, gate)
  }

  /// Waits for the flusher, whose queue is closed.
  func finish() { flusher.join() }

  /// The log's file.
  func bytes() throws -> [UInt8] { try encodeHeader(description) + disk.bytes }

  func events() throws -> [ReadEvent] { try read(try bytes()) }

  func verification() throws -> Account {
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: try bytes())))
    return try reader.account()
  }

  /// The sampler's ticks whose samples are in it.
  func sampledTicks() throws -> [UInt64] {
    try events().compactMap { event in
      if case .sample(_, _, let sample) = event { return ExampleLog.tick(sample) }
      return nil
    }
  }

  /// Marks, in the order of the log.
  func marks() throws -> [Mark] {
    try events().compactMap { event in
      if case .other(.mark(let mark)) = event { return mark }
      return nil
    }
  }

  func gaps() throws -> [Gap] {
    try events().compactMap { event in
      if case .other(.gap(let gap)) = event { return gap }
      return nil
    }
  }

  func sensorEvents() throws -> [SensorEvent] {
    try events().compactMap { event in
      if case .other(.sensor(let event)) = event { return event }
      return nil
    }
  }

  /// Expects a whole log of exactly these ticks of the sampler: each sample at its tick and at its time, the account
  /// balanced and equal to the ticks.
  func expect(
    _ ticks: Range<UInt64>, of schedule: Schedule, _ times: [UInt64: Int64], reason: StopReason,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let report = try verification()
    #expect(report.isIntact, "\(report)", sourceLocation: sourceLocation)
    #expect(report.end?.reason == reason, sourceLocation: sourceLocation)
    let count = UInt64(ticks.count)
    #expect(report.end?.tally.scheduled == count, sourceLocation: sourceLocation)
    #expect(plan.start == schedule.deadline(of: ticks.lowerBound), sourceLocation: sourceLocation)
    let base = schedule.rate.nanoseconds(atTick: ticks.lowerBound)
    let unit = WriterBench.timeUnit
    var found: [UInt64] = []
    var wrong: [UInt64] = []
    for case .sample(let tick, let time, let sample) in try events() {
      let own = ExampleLog.tick(sample)
      found.append(own)
      let offset = max(0, (times[own] ?? -1) - base)
      if tick + ticks.lowerBound != own || time != offset - offset % unit { wrong.append(own) }
    }
    let expected = ticks.filter { times[$0] != nil }
    let isSame = found == expected
    #expect(
      isSame, "\(found.count) samples \(found.first ?? 0)...\(found.last ?? 0), expected \(ticks)",
      sourceLocation: sourceLocation)
    #expect(
      wrong.isEmpty,
      "\(wrong.count) ticks with another number or time, from \(wrong.first ?? 0) on",
      sourceLocation: sourceLocation)
  }
}

/// A flusher's thread.
final class FlusherThread: Sendable {
  private let thread: pthread_t

  private final class Work: Sendable {
    let queue: FlushQueue
    let disk: MemoryDisk
    let gate: Gate
    init(_ queue: FlushQueue, _ disk: MemoryDisk, _ gate: Gate) {
      self.queue = queue
      self.disk = disk
      self.gate = gate
    }
  }

  init(_ queue: FlushQueue, _ disk: MemoryDisk, _ gate: Gate) {
    let work = Work(queue, disk, gate)
    var thread = pthread_t()
    let created = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        let work = Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
        var storage = WatchedStorage(MemoryStorage(work.disk), witness: work.gate)
        work.queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    precondition(created == 0, "no thread")
    self.thread = thread
  }

  /// Waits for its end; once.
  func join() { pthread_join(thread, nil) }
}

/// Keeps flushers from their storage while it is closed. Closed and opened by one thread.
final class Gate: StorageWitness, @unchecked Sendable {
  // Safe: the mutex is constant while any reference exists.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  let finishes = true

  init() {
    mutex = .allocate(capacity: 1)
    // Initialising with default attributes cannot fail on Linux.
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func close() { pthread_mutex_lock(mutex) }

  func open() { pthread_mutex_unlock(mutex) }

  func willOperate() {
    pthread_mutex_lock(mutex)
    pthread_mutex_unlock(mutex)
  }

  func didSync() {}

  func didFail(_ error: StorageError) {}
}
