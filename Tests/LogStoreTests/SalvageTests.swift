// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import TestSupport
import Testing

@Suite("Salvage writes each tick of a damaged log once, with all that is known of it")
struct SalvageTests {
  private func verify(_ bytes: [UInt8]) throws -> Account {
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
    return try reader.account()
  }

  private func samples(_ events: [ReadEvent]) -> [ReadEvent] {
    events.filter { if case .sample = $0 { true } else { false } }
  }

  private func others(_ events: [ReadEvent]) -> [ReadEvent] {
    events.filter { event in
      guard case .other(let item) = event else { return false }
      switch item {
      case .mark, .clock, .sensor: return true
      default: return false
      }
    }
  }

  /// Checks every salvaged log; `place` names it.
  private func expectSound(_ copy: [UInt8], of log: [UInt8], _ place: String) throws {
    let (report, source) = try (verify(copy), verify(log))
    #expect(report.isIntact, "\(place)")
    let (found, left) = try (read(copy), read(log))
    #expect(samples(found) == samples(left), "\(place)")
    #expect(others(found) == others(left), "\(place)")
    var covered: UInt64 = 0
    for event in found.sorted(by: { $0.firstTick < $1.firstTick })
    where event.tickCount > 0 {
      #expect(event.firstTick == covered, "\(place)")
      covered += event.tickCount
    }
    let told = source.damagedTickCount + source.unexplainedTickCount
    let lost = report.counted.lost - source.counted.lost
    // Where nothing follows that says how many were lost, a gap may say that some were.
    #expect(source.isLossKnown ? lost == told : lost >= told, "\(place)")
    if let end = source.end { #expect(covered == end.tally.scheduled, "\(place)") }
    #expect((report.end?.reason == .recovered) == !source.isIntact, "\(place)")
    #expect(report.end?.lateness == source.end?.lateness ?? LatenessSummary(), "\(place)")
  }

  @Test("a whole log yields one with the same events", arguments: [1, 10, 1000])
  func whole(flushEvery: UInt64) throws {
    let log = try ExampleLog(ticks: 900, flushEvery: flushEvery)
    let copy = try salvaged(log.bytes)
    try expectSound(copy, of: log.bytes, "flushed every \(flushEvery)")
    #expect(try verify(copy).end == log.end)
  }

  @Test("a flipped bit anywhere costs what the reader reports, and each tick is there once")
  func flips() throws {
    let log = try ExampleLog(ticks: 500, marksEvery: 40)
    for byte in stride(from: log.headerByteCount, to: log.bytes.count, by: 311) {
      var bytes = log.bytes
      bytes[byte] ^= 1 << UInt8(byte % 8)
      try expectSound(salvaged(bytes), of: bytes, "byte \(byte)")
    }
  }

  @Test("a log cut anywhere ends where it was cut")
  func cuts() throws {
    let log = try ExampleLog(ticks: 500, marksEvery: 40)
    for length in stride(from: log.headerByteCount, to: log.bytes.count, by: 293) {
      let bytes = Array(log.bytes[..<length])
      try expectSound(salvaged(bytes), of: bytes, "cut at byte \(length)")
    }
  }

  @Test("pages lost, zeroed and out of place, in one log")
  func pages() throws {
    let log = try ExampleLog(ticks: 3000, flushEvery: 1000, marksEvery: 10_000)
    let seed = UInt64.random(in: 0..<1_000_000)
    var generator = SeededGenerator(seed: seed)
    let count = log.bytes.count / 4096
    for round in 0..<12 {
      var bytes = log.bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let page = Int.random(in: 1..<count, using: &generator) * 4096
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: for byte in page..<(page + 4096) { bytes[byte] = 0 }
        case 1: bytes[page + 3000] ^= 1
        case 2: bytes[page + 9] ^= 1
        default: bytes.replaceSubrange(page..<(page + 4096), with: log.bytes[4096..<8192])
        }
      }
      try expectSound(salvaged(bytes), of: bytes, "seed \(seed), round \(round)")
    }
  }

  @Test("gaps that overlap, come late or cover existing samples are cut to the missing ticks")
  func disorder() throws {
    var encoder = try LogEncoder(ExampleLog.description())
    let gaps: [Gap] = [
      Gap(firstTick: 5, count: 10, cause: .missed), Gap(firstTick: 8, count: 3, cause: .stale),
      Gap(firstTick: 2, count: 4, cause: .busError, code: 5),
      Gap(firstTick: 20, count: 2, cause: .ringFull),
    ]
    for gap in gaps { encoder.append(TickRecord(gap)) }
    for tick in [0, 9, 18] as [UInt64] {
      encoder.append(
        TickRecord(tick: tick, time: Int64(tick) * 100_000_000, sample: RawSample(ax: 1)))
    }
    encoder.flush()
    encoder.append(TickRecord(Gap(firstTick: 1, count: 1, cause: .missed)))
    encoder.flush()
    let found = try read(salvaged(Array(encoder.output)))
    let tally = try verify(salvaged(Array(encoder.output))).counted
    #expect(samples(found).count == 3)
    let left = found.compactMap { event -> Gap? in
      if case .other(.gap(let gap)) = event { gap } else { nil }
    }
    #expect(
      left.sorted { $0.firstTick < $1.firstTick } == [
        Gap(firstTick: 1, count: 1, cause: .lost),
        Gap(firstTick: 2, count: 4, cause: .busError, code: 5),
        Gap(firstTick: 6, count: 3, cause: .missed), Gap(firstTick: 10, count: 5, cause: .missed),
        Gap(firstTick: 15, count: 3, cause: .lost), Gap(firstTick: 19, count: 1, cause: .lost),
        Gap(firstTick: 20, count: 2, cause: .ringFull),
      ])
    #expect(tally.scheduled == 22)
  }

  @Test("a log that reports more ticks than an end can count is still salvaged")
  func tooManyTicks() throws {
    var encoder = try LogEncoder(ExampleLog.description())
    encoder.append(TickRecord(Gap(firstTick: 0, count: 1 << 62, cause: .missed)))
    encoder.append(TickRecord(Gap(firstTick: 1 << 62, count: 1 << 62, cause: .stale)))
    encoder.flush()
    let report = try verify(salvaged(Array(encoder.output)))
    #expect(report.counted.scheduled == 1 << 63)
    #expect(report.end?.tally.missed == (1 << 60) - 1)
    #expect(!report.isIntact)
  }

  @Test("thousands of gaps without a sample between them are written in bounded memory")
  func manyGaps() throws {
    var encoder = try LogEncoder(ExampleLog.description())
    for index in 0..<10_000 as Range<UInt64> {
      encoder.append(TickRecord(Gap(firstTick: 2 * index, count: 1, cause: .busError, code: 5)))
    }
    encoder.flush()
    let report = try verify(salvaged(Array(encoder.output)))
    #expect(report.counted.busErrors == 10_000)
    #expect(report.counted.lost == 9_999)
    #expect(report.isIntact)
  }

  @Test("a full disk ends it with the storage's error")
  func fullDisk() throws {
    let log = try ExampleLog(ticks: 900)
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: log.bytes)))
    var storage = MemoryStorage(MemoryDisk { $0.capacity = FileStorage.spareByteCount + 5000 })
    var writer = try LogEncoder.after(reader.description)
    do {
      try reader.salvage(into: &writer, &storage)
      Issue.record("there was room")
    } catch {
      guard case .storage(let cause) = error else { throw error }
      #expect(cause.isFull)
    }
  }
}
