// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogStoreTesting
import Recorder
import Testing

@Suite("A recording of a service and its file")
struct RecordingFileTests {
  @Test("a file that is made late loses no samples")
  func lateFile() throws {
    let bench = WriterBench(ExampleLog.rate(1000))
    bench.fileDelay = 15_000_000_000
    bench.advance(to: 2)
    bench.begin(before: 300)
    bench.advance(to: 18)
    bench.end(at: bench.instant(17.9995), .button)
    try bench.expect(1700..<18_000, in: 0, .button)
    #expect(bench.droppedTicks == [])
  }

  @Test("a file that is made too late loses the newest samples, and the log records it")
  func tooLateFile() throws {
    let bench = WriterBench(ExampleLog.rate(1000))
    bench.fileDelay = 25_000_000_000
    bench.advance(to: 1)
    bench.begin()
    bench.advance(to: 28.0009)
    bench.end(at: bench.instant(28), .button)
    try bench.expect(1000..<28_001, in: 0, .button)
    // The oldest records stay: as many as fit into memory and the ring.
    let kept = UInt64(RecordingWriter.patience + 600)
    #expect(bench.droppedTicks.min() == 1000 + kept)
    #expect(try bench.logs[0].gaps().map(\.cause) == [.ringFull])
    #expect(
      try bench.logs[0].verification().end?.tally.ringFull == UInt64(bench.droppedTicks.count))
  }

  @Test("an end that is requested while the file is made ends the recording at that tick")
  func endBeforeFile() throws {
    let bench = WriterBench(ExampleLog.rate(100))
    bench.fileDelay = 3_000_000_000
    bench.advance(to: 1)
    bench.begin()
    bench.advance(to: 3)
    bench.writer.end(at: bench.instant(2.505), reason: .button)
    bench.advance(to: 5)
    #expect(bench.isIdle)
    try bench.expect(100..<251, in: 0, .button)
  }

  @Test("samples from a time when a file could not be made are history for the next recording")
  func abandon() throws {
    let bench = WriterBench(ExampleLog.rate(10))
    bench.fileDelay = nil
    bench.advance(to: 5)
    bench.begin()
    bench.advance(to: 8.05)
    bench.writer.mark(at: bench.now, label: "of the refused one")
    bench.writer.abandon()
    #expect(bench.isIdle)
    #expect(bench.writer.takeLostMarks() == 1)
    bench.fileDelay = 0
    bench.begin(before: 60, after: 10)
    bench.advance(to: 10)
    bench.end(.completed)
    try bench.expect(50..<91, in: 0, .completed)
    #expect(try bench.logs[0].marks() == [])
  }

  @Test(
    "a press that lasts longer than the ring's history begins a recording without a gap",
    arguments: [10, 100, 500, 1000] as [UInt32])
  func longPress(_ hertz: UInt32) throws {
    let bench = WriterBench(ExampleLog.rate(hertz))
    bench.advance(to: 70)
    let before = UInt64(bench.historyTicks)
    let press = bench.instant(68.4)
    bench.writer.begin(RecordingOrder(at: press, ticksBefore: before, ticksAfter: nil))
    bench.advance(to: 71)
    bench.end(at: bench.now, .button)
    let own = TickClock(bench.schedule).firstTick(from: press)
    try bench.expect(own - before..<UInt64(hertz) * 71 + 1, in: 0, .button)
    #expect(bench.droppedTicks == [])
  }

  @Test("a card that stalls at the end of a recording delays it, and no sample is lost")
  func stalledEnd() throws {
    let bench = WriterBench(ExampleLog.rate(1000))
    bench.queueCapacity = 8192
    let gate = Gate()
    bench.gate = gate
    bench.advance(to: 1)
    bench.begin()
    gate.close()
    // Until the queue is full, and the ring is not.
    while bench.writer.progress?.tally.sampled ?? 0 == 0 || !isStalled(bench) {
      bench.advance(to: bench.now + 50_000_000)
    }
    bench.advance(to: bench.now + 300_000_000)
    let end = bench.schedule.tick(at: bench.now)
    bench.writer.end(at: bench.now, reason: .button)
    bench.advance(to: bench.now + 200_000_000)
    #expect(!bench.isIdle)
    gate.open()
    while !bench.isIdle {
      sched_yield()
      bench.turn()
    }
    try bench.expect(1000..<end + 1, in: 0, .button)
    #expect(bench.droppedTicks == [])
  }

  /// Whether the last turn left records in the ring.
  private func isStalled(_ bench: WriterBench) -> Bool {
    let before = bench.writer.progress?.tally.sampled
    bench.advance(to: bench.now + 50_000_000)
    return bench.writer.progress?.tally.sampled == before
  }

  @Test(
    "storage that fails in a recording is reported once; the recording ends, and the next one is whole"
  )
  func failure() throws {
    let bench = WriterBench(ExampleLog.rate(100))
    bench.configureDisk = { $0.failure = (0, EIO) }
    bench.advance(to: 1)
    bench.begin()
    while !bench.news.contains(.storageEnded(.storage)) {
      bench.advance(to: bench.now + 50_000_000)
      sched_yield()
    }
    // An event that comes now is open until the end is asked for, and then belongs to the next recording; a mark is lost.
    let next = bench.schedule.tick(at: bench.now) + 1
    #expect(bench.writer.includes(next) == nil)
    bench.writer.mark(at: bench.now, label: "of the failed one")
    bench.advance(to: bench.now + 1_000_000_000)
    bench.writer.end(at: nil, reason: .storageError)
    #expect(bench.writer.includes(next) == false)
    #expect(bench.finish())
    #expect(bench.writer.takeLostMarks() == 1)
    #expect(bench.drainNews().count { $0 == .storageEnded(.storage) } == 1)
    #expect(bench.ends.map(\.reason) == [.storageError])
    bench.configureDisk = { _ in }
    bench.begin(after: 30)
    let own = TickClock(bench.schedule).firstTick(from: bench.now)
    // Also before there is a file.
    #expect(bench.writer.includes(own + 29) == true && bench.writer.includes(own + 30) == nil)
    bench.advance(to: bench.now + 1_000_000_000)
    bench.end(.completed)
    #expect(bench.news.contains(.firstSample))
    try bench.expect(own..<own + 30, in: 1, .completed)
  }

  @Test("storage that fills up ends the recording, and the log is whole")
  func full() throws {
    let bench = WriterBench(ExampleLog.rate(1000))
    bench.configureDisk = { $0.capacity = $0.spare + 10_000 }
    bench.advance(to: 1)
    bench.begin()
    while !bench.news.contains(.storageEnded(.storageFull)) {
      bench.advance(to: bench.now + 50_000_000)
      // The bytes that wait in the queue at the end have to fit into the spare.
      while let queue = bench.logs.last?.queue, queue.byteCount > 0, queue.failure == nil {
        sched_yield()
      }
    }
    bench.advance(to: bench.now + 300_000_000)
    let end = bench.schedule.tick(at: bench.now) + 1
    bench.writer.mark(at: bench.now, label: "ü")
    bench.end(.storageFull)
    #expect(try bench.logs[0].marks().map(\.label) == ["ü"])
    #expect(bench.writer.takeLostMarks() == 0)
    let report = try bench.logs[0].verification()
    #expect(report.isIntact)
    #expect(report.end?.reason == .storageFull)
    #expect(report.sampleCount > 1000)
    let ticks = try bench.logs[0].sampledTicks()
    let next = 1000 + UInt64(ticks.count)
    #expect(ticks == Array(1000..<next))
    // Ticks up to the order to end that found no room are a gap, and may go into the next recording.
    #expect(
      try bench.logs[0].gaps() == [
        Gap(firstTick: next - 1000, count: end - next, cause: .ringFull)
      ])
    #expect(report.end?.tally == report.counted && report.counted.scheduled == end - 1000)
    bench.configureDisk = { _ in }
    bench.writer.begin(RecordingOrder(at: bench.now, ticksBefore: .max, ticksAfter: 0))
    bench.end(.button)
    #expect(try bench.logs[1].sampledTicks().first == next)
  }
}
