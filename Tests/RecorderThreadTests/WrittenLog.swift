// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LinuxIO
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import Sampling
import Synchronization
import Testing

/// A recording's log while it is written, by a flusher with a thread of its own into memory, and afterwards.
final class WrittenLog: Sendable {
  let description: RecordingDescription
  let plan: RecordingPlan
  let queue: FlushQueue
  let disk: MemoryDisk
  /// Whether the flusher has ended.
  private let isWritten = Atomic(false)

  init(
    _ description: RecordingDescription, _ plan: RecordingPlan, queueCapacity: Int,
    disk: MemoryDisk, gate: Gate
  ) {
    (self.description, self.plan, self.disk) = (description, plan, disk)
    queue = FlushQueue(capacity: queueCapacity)
    do {
      try RealTimeThread(name: "imu-flusher").run {
        var storage = WatchedStorage(MemoryStorage(disk), witness: gate)
        self.queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
        self.isWritten.store(true, ordering: .releasing)
      }.leaveBehind()
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Waits for the flusher, whose queue is closed.
  func finish() { while !isWritten.load(ordering: .acquiring) { sched_yield() } }

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

  /// What else is in it, in its order, of one kind.
  private func items<Kind>(_ pick: (LogItem) -> Kind?) throws -> [Kind] {
    try events().compactMap { event in
      if case .other(let item) = event { return pick(item) }
      return nil
    }
  }

  func marks() throws -> [Mark] { try items { if case .mark(let mark) = $0 { mark } else { nil } } }

  func gaps() throws -> [Gap] { try items { if case .gap(let gap) = $0 { gap } else { nil } } }

  func sensorEvents() throws -> [SensorEvent] {
    try items { if case .sensor(let event) = $0 { event } else { nil } }
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

/// Keeps flushers from their storage while it is closed.
final class Gate: StorageWitness, Sendable {
  private let isClosed = Atomic(false)
  let finishes = true

  func close() { isClosed.store(true, ordering: .releasing) }

  func open() { isClosed.store(false, ordering: .releasing) }

  func willOperate() { while isClosed.load(ordering: .acquiring) { sched_yield() } }

  func didSync() {}

  func didFail(_ error: StorageError) {}
}
