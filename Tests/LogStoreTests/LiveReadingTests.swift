// SPDX-License-Identifier: Apache-2.0

import Files
import LogFormat
import LogStore
import LogStoreTesting
import Testing

/// A log's beginning in a file, with preallocated zeros after it.
private final class GrowingLog {
  let bytes: [UInt8]
  var length = 0
  init(_ bytes: [UInt8]) { self.bytes = bytes }
}

private struct GrowingStorage: LogStorage, ~Copyable {
  let log: GrowingLog
  var name: String { "growing" }

  mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    let count = min(buffer.count, max(0, log.length + 2 * LogFormat.pageSize - Int(offset)))
    for index in 0..<count {
      let place = Int(offset) + index
      buffer[index] = place < log.length ? log.bytes[place] : 0
    }
    return count
  }

  mutating func size() throws(StorageError) -> UInt64 {
    UInt64(log.length + 2 * LogFormat.pageSize)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {}
  mutating func sync() throws(StorageError) {}
  mutating func finish() throws(StorageError) {}
}

@Suite("Reading a live log")
struct LiveReadingTests {
  private func items(
    _ reader: inout LogReader<GrowingStorage>, within limit: UInt64
  ) throws -> [ReadEvent] {
    var events: [ReadEvent] = []
    while let item = try reader.next(within: limit) {
      guard case .samples(let count) = item else {
        events.append(.other(item))
        continue
      }
      for index in 0..<count {
        let (tick, time, sample) = reader.block[index]
        events.append(.sample(tick: tick, time: time, sample))
      }
    }
    return events
  }

  @Test(
    "returns each item once, whatever part of a chunk is in the file already",
    arguments: [1, 5, 61, 4096])
  func everyCut(_ step: Int) throws {
    let log = try ExampleLog(ticks: 700, flushEvery: 10, marksEvery: 11)
    let whole = try read(log.bytes)
    let growing = GrowingLog(log.bytes)
    growing.length = log.headerByteCount
    var storage = GrowingStorage(log: growing)
    var reader = try LogReader(GrowingStorage(log: growing))
    var check = PageCheck(log.description)
    var events: [ReadEvent] = []
    var finalBytes: UInt64 = 0
    let lengths = Array(stride(from: log.headerByteCount, to: log.bytes.count, by: step))
    for length in lengths + [log.bytes.count] {
      growing.length = length
      try check.advance(&storage)
      // A chunk that ends in zeros is whole before they are written.
      let isAhead = log.bytes[
        min(length, Int(check.finalByteCount))..<Int(check.finalByteCount)
      ]
      .contains { $0 != 0 }
      #expect(check.finalByteCount >= finalBytes && !isAhead)
      finalBytes = check.finalByteCount
      events += try items(&reader, within: finalBytes)
    }
    #expect(check.finalByteCount == UInt64(log.bytes.count))
    #expect(check.damagedPageCount == 0)
    events += try reader.readAll()
    #expect(events == whole)
  }

  @Test("everything flushed is final, and read at once")
  func flushes() throws {
    let log = try ExampleLog(ticks: 2000, flushEvery: 10)
    let growing = GrowingLog(log.bytes)
    growing.length = log.headerByteCount
    var storage = GrowingStorage(log: growing)
    var reader = try LogReader(GrowingStorage(log: growing))
    var check = PageCheck(log.description)
    var events: [ReadEvent] = []
    for (length, count) in log.flushes {
      growing.length = length
      try check.advance(&storage)
      #expect(check.finalByteCount == UInt64(length))
      events += try items(&reader, within: check.finalByteCount)
      #expect(events.count == count)
    }
    #expect(events == (try read(log.bytes)))
  }

  @Test("damage in a page is skipped and reported once the next page has something in it")
  func damage() throws {
    let log = try ExampleLog(ticks: 2000, flushEvery: 10)
    var bytes = log.bytes
    bytes[LogFormat.pageSize + 1000] ^= 1
    let growing = GrowingLog(bytes)
    var storage = GrowingStorage(log: growing)
    growing.length = LogFormat.pageSize + 2000
    var check = PageCheck(log.description)
    try check.advance(&storage)
    #expect(check.finalByteCount <= UInt64(LogFormat.pageSize + 1000))
    var reader = try LogReader(GrowingStorage(log: growing))
    var events = try items(&reader, within: check.finalByteCount)
    growing.length = bytes.count
    try check.advance(&storage)
    #expect(check.damagedPageCount == 1)
    events += try items(&reader, within: check.finalByteCount)
    events += try reader.readAll()
    #expect(events.compactMap(\.damage).count == 1)
    #expect(events == (try read(bytes)))
  }

  @Test(
    "the certainly intact part of a copy ends before the first damage")
  func beginnings() throws {
    let log = try ExampleLog(ticks: 2000, flushEvery: 10)
    for place in [4096 + 40, 2 * 4096 + 3000, 3 * 4096 - 1] {
      var bytes = log.bytes
      bytes[place] ^= 0x10
      var storage = MemoryStorage(MemoryDisk(holding: bytes))
      var check = PageCheck(log.description)
      try check.run(&storage, stopsAtDamage: true)
      let end = Int(check.finalByteCount)
      #expect(end <= place && end + LogFormat.pageSize > place)
      #expect(bytes[..<end] == log.bytes[..<end])
      check = PageCheck(log.description)
      // In two passes, as while it comes.
      try check.advance(&storage, to: 3 * 4096 + 700)
      #expect(check.finalByteCount == 3 * 4096)
      try check.run(&storage, stopsAtDamage: false)
      #expect(check.damagedPageCount == 1)
      #expect(check.finalByteCount == UInt64(bytes.count))
    }
  }
}
