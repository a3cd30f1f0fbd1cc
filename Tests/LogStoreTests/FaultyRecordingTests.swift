// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import TestSupport
import Testing

@Suite("Recordings with faults")
struct FaultyRecordingTests {
  let directory = TemporaryDirectory()

  func catalogue(_ script: FaultScript) throws -> Catalogue {
    try Catalogue(path: directory.path, create: true, gate: script.gate)
  }

  /// The contents of the store when it is opened again, without faults.
  func reopened() throws -> Catalogue { try Catalogue(path: directory.path) }

  @Test("a recording is complete, with its number, and every sample is there")
  func wholeRecording() throws {
    let recording = ExampleRecording(in: try reopened())
    #expect(recording.failure == nil)
    let entry = try #require(recording.entry)
    #expect(entry.fileName == "000001-20261121T023807Z-\(entry.idPrefix).imulog")
    let summary = try reopened().summary(of: entry)
    #expect(summary.isComplete)
    #expect(summary.sampleCount == 15)
    #expect(summary.duration == 1_500_000_000)
    #expect(summary.description.number == 1)
    var reader = try reopened().reader(of: entry)
    let report = try reader.account()
    #expect(report.isIntact)
    #expect(report.pageCount == 1)
    #expect(directory.names() == [".lock", entry.fileName])
  }

  @Test(
    "the header is durable before the recording has its name, and the name before the first sample"
  )
  func createOrder() throws {
    let script = FaultScript()
    let store = try catalogue(script)
    let before = script.calls.count
    let live = try store.create(ExampleLog.description(), wall: ExampleRecording.wall)
    let calls = script.calls[before...].filter { ![.lock, .list, .read, .look].contains($0) }
    #expect(
      calls == [
        .open, .open, .handOver,  // .lock: not there, made, for no other program to lock
        .open,  // the trash: not there
        .open, .sync, .write, .sync,  // the lock's name, and the number in it
        .open, .write, .write, .sync, .find,  // the temporary file: zeros, header
        .rename, .sync, .find, .open, .sync,  // the name, the file again for FAT, and the directory
      ])
    _ = consume live
  }

  @Test("on a disk that fills at any byte a recording ends cleanly and keeps everything before")
  func fullDisk() throws {
    let reserve = UInt64(FileStorage.spareByteCount)
    var endedEarly = 0
    for limit in stride(from: UInt64(0), through: 150_000, by: 2 * 4093) {
      let directory = TemporaryDirectory()
      let script = FaultScript(.full(at: limit))
      let store = try Catalogue(path: directory.path, create: true, gate: script.gate)
      let recording = ExampleRecording(in: store, syncs: 90, samplesPerSync: 100)
      let healthy = try Catalogue(path: directory.path)
      guard let entry = recording.entry else {
        #expect(limit < reserve + 4096)
        #expect(directory.names().allSatisfy { $0 == ".lock" })
        continue
      }
      let end = try #require(recording.end)
      #expect(try healthy.list().entries == [entry])
      let bytes = directory.bytes(of: entry.fileName)
      #expect(UInt64(bytes.count) <= limit)
      var reader = try healthy.reader(of: entry)
      let report = try reader.account()
      #expect(report.isIntact, "full at byte \(limit)")
      #expect(report.end == end)
      #expect(end.reason == (recording.failure == nil ? .completed : .storageFull))
      #expect(report.sampleCount == end.ledger.sampled)
      if recording.failure != nil {
        endedEarly += 1
        // All but the spare was used.
        #expect(UInt64(bytes.count) + reserve + 4096 > limit)
      }
    }
    #expect(endedEarly > 7)
  }

  @Test("a recording through the queue and its thread is the same file as one without")
  func throughTheQueue() throws {
    let log = try ExampleLog(ticks: 1000)
    let queue = FlushQueue(capacity: 100_000)
    let disk = MemoryDisk()
    var storage = MemoryStorage(disk)
    try storage.append(Array(log.bytes[..<log.headerByteCount]))
    var offset = log.headerByteCount
    while offset < log.bytes.count {
      let piece = min(777, log.bytes.count - offset)
      #expect(queue.put(Array(log.bytes[offset..<offset + piece])))
      offset += piece
    }
    queue.close()
    #expect(queue.flusherLoop(&storage, clock: SteppingClock(step: 1)) == nil)
    #expect(disk.bytes == log.bytes)
  }

  @Test("a writer offers the bytes that a full queue refused again, in order")
  func heldUp() throws {
    var description = ExampleLog.description()
    description.number = 0
    var writer = try LogEncoder.after(description)
    let header = try encodeHeader(description)
    let disk = MemoryDisk()
    var storage = MemoryStorage(disk)
    try storage.append(header)
    var refused = 0
    var generator = SeededGenerator(seed: 8)
    var tick: UInt64 = 0
    // Each round fills a queue that is too small for it, and then one that is not.
    while tick < 600 || writer.backlog > 0 {
      if tick < 600 {
        for _ in 0..<100 {
          let sample = RawSample(ax: Int16(truncatingIfNeeded: generator.next()))
          writer.append(TickRecord(tick: tick, time: Int64(tick) * 100_000_000, sample: sample))
          tick += 1
        }
        writer.flush()
        if tick == 600 {
          var ledger = TickLedger()
          ledger.sampled = 600
          writer.finish(
            RecordingEnd(reason: .completed, ledger: ledger, lateness: LatenessSummary()))
        }
      }
      for capacity in [150, 5000] {
        let queue = FlushQueue(capacity: capacity)
        if !writer.drain(into: queue) { refused += 1 }
        queue.close()
        queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
      }
    }
    #expect(refused > 0)
    var reader = try LogReader(MemoryStorage(disk))
    let report = try reader.account()
    #expect(report.isIntact)
    #expect(report.sampleCount == 600)
  }
}
