// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogFormat
@testable import LogStore
import LogStoreTesting
import Testing

@Suite("Log reader")
struct LogReaderTests {
  /// Events without order between gaps and samples, which a log does not keep.
  func sorted(_ events: [ReadEvent]) -> [ReadEvent] {
    events.filter { $0.tickCount > 0 }.sorted { $0.firstTick < $1.firstTick }
      + events.filter { $0.tickCount == 0 }
  }

  @Test("everything written is read back, whatever the flushes", arguments: [1, 7, 10, 1000])
  func roundTrip(flushEvery: UInt64) throws {
    let log = try ExampleLog(ticks: 1500, flushEvery: flushEvery)
    let events = try read(log.bytes)
    #expect(sorted(events) == sorted(log.events))
    #expect(log.bytes.count > 4 * 4096)
  }

  @Test("the header is the description that was written")
  func header() throws {
    let log = try ExampleLog(ticks: 0)
    let reader = try LogReader(MemoryStorage(MemoryDisk(holding: log.bytes)))
    let description = reader.description
    #expect(description == log.description)
    // Nothing bounds the times of a log without readings.
    let counts = [reader.earliest.count, reader.latest.count]
    #expect(counts == [0, 0])
  }

  @Test(
    "preallocated zeros are not damage, whether they fill pages or not",
    arguments: [1, 95, 4096, 70_001])
  func zeros(count: Int) throws {
    let log = try ExampleLog(ticks: 300)
    let events = try read(log.bytes, preallocated: count)
    let whole = try read(log.bytes)
    #expect(events == whole)
  }

  @Test("a page that was never written, before one that was, is damage with the ticks that it had")
  func hole() throws {
    let log = try ExampleLog(ticks: 1200)
    let whole = try read(log.bytes)
    var bytes = log.bytes
    for index in 2 * 4096..<3 * 4096 { bytes[index] = 0 }
    let events = try read(bytes)
    let rest = events.filter { $0.damage == nil }
    let lost = ticks(whole) - ticks(rest)
    let damage = Damage(
      page: 2, pageCount: 1, offset: 2 * 4096, byteCount: 4096, reason: .notWritten,
      ticksLost: lost)
    #expect(lost > 100)
    #expect(events.compactMap(\.damage) == [damage])
    let isSound = rest.allSatisfy { whole.contains($0) }
    #expect(isSound)
  }

  @Test(
    "a page whose last chunk never reached the file is damage although all its bytes are valid")
  func missingTail() throws {
    let log = try ExampleLog(ticks: 1200)
    let whole = try read(log.bytes)
    // The last flush that ended within page 1, and zeros from there to the end of the page.
    let flush = try #require(log.flushes.last { $0.length < 2 * 4096 })
    var bytes = log.bytes
    for index in flush.length..<2 * 4096 { bytes[index] = 0 }
    let events = try read(bytes)
    let damage = events.compactMap(\.damage)
    let lost = ticks(whole) - ticks(events)
    #expect(lost > 0)
    #expect(damage.map(\.ticksLost) == [lost])
    #expect(damage.map(\.page) == [1])
    #expect(damage.map(\.byteCount) == [0])
  }

  @Test("gaps without the samples that were written with them are damage, wherever they stand")
  func gapsAlone() throws {
    var encoder = try LogEncoder(ExampleLog.description())
    let headerEnd = encoder.output.count
    encoder.append(TickRecord(tick: 0, time: 0, sample: RawSample()))
    encoder.append(TickRecord(Gap(firstTick: 1, count: 2, cause: .missed)))
    encoder.flush()
    let whole = Array(encoder.output)
    // After the header: the head of the gaps chunk, its four fields after the count, its check.
    let gapsEnd = headerEnd + 2 + 5 + 4
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: Array(whole[..<gapsEnd]))))
    let report = try reader.account()
    let damage = Damage(
      page: 0, pageCount: 1, offset: UInt64(gapsEnd), byteCount: 0, reason: .notWritten,
      ticksLost: 1)
    #expect(report.damage == [damage])
    #expect(report.gapCount == 1)
    #expect(report.unexplainedTickCount == 0 && report.markCount == 0)
    var again = try LogReader(MemoryStorage(MemoryDisk(holding: Array(whole[..<gapsEnd]))))
    _ = try again.readAll()
    #expect(again.unexplainedTickCount == 0)

    let log = try ExampleLog(ticks: 600, flushEvery: 1000, marksEvery: 10_000)
    // One flush: each page has its gaps, and then its samples in one chunk, which is emptied here.
    let events = try read(log.bytes)
    var cut = log.bytes
    let first = log.headerByteCount
    let length = Int(cut[first]) + Int(cut[first + 1] & 15) * 256 + 6
    for index in first + length..<4096 { cut[index] = 0 }
    let rest = try read(cut)
    #expect(rest.first { $0.tickCount > 0 }?.tickCount == 3)
    let lost = ticks(events) - ticks(rest)
    #expect(rest.compactMap(\.damage).map(\.ticksLost) == [lost])
    #expect(rest.compactMap(\.damage).map(\.page) == [0])
  }

  @Test(
    "a log whose gaps have more ticks together than 64 bits can count is read through, each tick once"
  )
  func tooManyTicks() throws {
    var encoder = try LogEncoder(ExampleLog.description())
    for cause in [GapCause.missed, .missed, .stale, .busError] {
      encoder.append(TickRecord(Gap(firstTick: 0, count: 1 << 63, cause: cause)))
      encoder.flush()
    }
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: Array(encoder.output))))
    let report = try reader.account()
    #expect(report.gapCount == 4)
    #expect(report.counted.missed == 1 << 63)
    #expect(report.counted.scheduled == 1 << 63)
    #expect(try reader.account().summary.tally.scheduled == 1 << 63)
  }

  @Test("ticks missing before a gap count as lost")
  func lostBeforeGap() throws {
    // One flush: each page has its gaps first, and then its samples in one chunk.
    let log = try ExampleLog(ticks: 600, flushEvery: 1000, marksEvery: 10_000)
    var bytes = log.bytes
    bytes[3000] ^= 1
    let events = try read(bytes)
    let damage = try #require(events.firstIndex { $0.damage != nil })
    #expect(events[..<damage].contains { $0.tickCount == 3 })
    let lost = log.tally.scheduled - ticks(events)
    #expect(lost > 50)
    let told = try #require(events[damage].damage).ticksLost
    #expect(told == lost)
  }

  @Test("damaged pages in a row are one damage")
  func runs() throws {
    let log = try ExampleLog(ticks: 1500)
    var bytes = log.bytes
    bytes[2 * 4096] ^= 1
    bytes[3 * 4096 + 5] ^= 1
    for index in 4 * 4096..<5 * 4096 { bytes[index] = 0 }
    let events = try read(bytes)
    let damage = Damage(
      page: 2, pageCount: 3, offset: 2 * 4096, byteCount: 3 * 4096, reason: .notALog,
      ticksLost: log.tally.scheduled - ticks(events))
    #expect(events.compactMap(\.damage) == [damage])
  }

  @Test("a page of another recording, or from another place, is damage and yields nothing")
  func wrongPages() throws {
    let log = try ExampleLog(ticks: 1200)
    let other = try ExampleLog(ticks: 1200, seed: 2)
    for source in [Array(other.bytes[2 * 4096..<3 * 4096]), Array(log.bytes[4096..<2 * 4096])] {
      var bytes = log.bytes
      bytes.replaceSubrange(2 * 4096..<3 * 4096, with: source)
      let events = try read(bytes)
      #expect(events.compactMap(\.damage).map(\.page) == [2])
      let ticks = sampled(events)
      #expect(zip(ticks, ticks.dropFirst()).allSatisfy(<))
    }
  }

  private func sampled(_ events: [ReadEvent]) -> [UInt64] {
    events.filter { if case .sample = $0 { true } else { false } }.map(\.firstTick)
  }

  @Test("intact pages whose ticks came before are damage, and no sample is returned twice")
  func ticksGoBack() throws {
    // The same recording made twice; the second one fills its pages faster with marks.
    let first = try ExampleLog(ticks: 1200)
    let second = try ExampleLog(ticks: 1200, marksEvery: 5, labelLength: 150)
    let bytes = Array(first.bytes[..<(3 * 4096)]) + Array(second.bytes[(3 * 4096)...])
    let events = try read(bytes)
    #expect(events.compactMap(\.damage).map(\.reason).contains(.ticksGoBack))
    let ticks = sampled(events)
    #expect(zip(ticks, ticks.dropFirst()).allSatisfy(<))
    #expect(ticks.last == 1199)
  }

  @Test("garbage after the end is damage without lost ticks")
  func garbage() throws {
    let log = try ExampleLog(ticks: 100)
    var bytes = log.bytes
    bytes += [UInt8](repeating: 0, count: 4096 - bytes.count % 4096)
    bytes += [UInt8](repeating: 0xA5, count: 5000)
    let events = try read(bytes)
    let whole = try read(log.bytes)
    #expect(events.filter { $0.damage == nil } == whole)
    #expect(events.compactMap(\.damage).map(\.ticksLost) == [0])
    #expect(events.compactMap(\.damage).map(\.byteCount) == [5000])
  }

  @Test(
    "seeking continues a few pages before the time, with everything after it, and reports no damage"
  )
  func seek() throws {
    let log = try ExampleLog(ticks: 12_000)
    let whole = try read(log.bytes)
    var reader = try LogReader(MemoryStorage(MemoryDisk(holding: log.bytes, preallocated: 99999)))
    for tick in stride(from: UInt64(0), through: 12_100, by: 550) {
      try reader.seek(toTime: reader.description.rate.nanoseconds(atTick: tick))
      let events = try reader.readAll()
      let samples = events.filter { $0.tickCount > 0 }
      #expect(events.allSatisfy { $0.damage == nil })
      #expect(samples == whole.filter { $0.tickCount > 0 }.suffix(samples.count))
      let first = try #require(samples.first)
      #expect(first.firstTick <= tick)
      // Nine pages of such samples hold fewer than 3600.
      #expect(first.firstTick + 3600 > min(tick, 11_999))
    }
  }

  @Test("seeking finds its way around damaged pages")
  func seekAroundDamage() throws {
    let log = try ExampleLog(ticks: 6000)
    let pages = log.bytes.count / 4096
    for damaged in 1..<pages {
      var bytes = log.bytes
      bytes[damaged * 4096 + 3] ^= 0x10
      var reader = try LogReader(MemoryStorage(MemoryDisk(holding: bytes)))
      let all = try reader.readAll()
      for tick in stride(from: UInt64(0), to: 6000, by: 1199) {
        try reader.seek(toTime: reader.description.rate.nanoseconds(atTick: tick))
        let found = try reader.readAll()
        let wanted = all.filter { $0.tickCount > 0 && $0.firstTick >= tick }
        #expect(found.filter { $0.tickCount > 0 && $0.firstTick >= tick } == wanted)
      }
    }
  }

  @Test("whichever read fails, the error is the storage's and reading is not silently short")
  func readErrors() throws {
    let log = try ExampleLog(ticks: 600)
    let reads = MemoryDisk(holding: log.bytes)
    var reader = try LogReader(MemoryStorage(reads))
    _ = try reader.readAll()
    for index in 0..<reads.snapshot.operations.count {
      let disk = MemoryDisk {
        $0.bytes = log.bytes
        $0.failure = (index: index, errno: 5)
      }
      do {
        var reader = try LogReader(MemoryStorage(disk))
        _ = try reader.readAll()
        Issue.record("read \(index) was to fail")
      } catch {
        #expect(error == .storage(StorageError(.read, path: "memory", errno: 5)))
      }
    }
  }

  func ticks(_ events: [ReadEvent]) -> UInt64 { events.reduce(0) { $0 + $1.tickCount } }
}
