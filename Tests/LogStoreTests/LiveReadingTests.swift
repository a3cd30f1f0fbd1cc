// SPDX-License-Identifier: Apache-2.0

import LogFormat
import LogStore
import LogStoreTesting
import Testing

@Suite("Reading a live log")
struct LiveReadingTests {
  /// A file with the beginning of a log, and preallocated zeros after it; it grows.
  private struct GrowingFile {
    private let disk: MemoryDisk
    private let log: [UInt8]

    init(_ log: [UInt8], length: Int) {
      self.log = log
      disk = MemoryDisk(holding: Array(log[..<length]), preallocated: 2 * LogFormat.pageSize)
    }

    /// Another view of it.
    var storage: MemoryStorage { MemoryStorage(disk) }

    func grow(to length: Int) throws {
      var end = storage
      try end.append(Array(log[disk.bytes.count..<length]))
    }
  }

  @Test(
    "returns each item once, whatever part of a chunk is in the file already",
    arguments: [1, 5, 61, 4096])
  func everyCut(_ step: Int) throws {
    let log = try ExampleLog(ticks: 700, flushEvery: 10, marksEvery: 11)
    let whole = try read(log.bytes)
    let growing = GrowingFile(log.bytes, length: log.headerByteCount)
    var storage = growing.storage
    var reader = try LogReader(growing.storage)
    var check = PageCheck(log.description)
    var events: [ReadEvent] = []
    var finalBytes: UInt64 = 0
    let lengths = Array(stride(from: log.headerByteCount, to: log.bytes.count, by: step))
    for length in lengths + [log.bytes.count] {
      try growing.grow(to: length)
      try check.advance(&storage)
      // A chunk that ends in zeros is whole before they are written.
      let isAhead = log.bytes[min(length, Int(check.finalByteCount))..<Int(check.finalByteCount)]
        .contains { $0 != 0 }
      #expect(check.finalByteCount >= finalBytes && !isAhead)
      finalBytes = check.finalByteCount
      events += try reader.readAll(within: finalBytes)
    }
    #expect(check.finalByteCount == UInt64(log.bytes.count))
    #expect(check.damagedPageCount == 0)
    events += try reader.readAll()
    #expect(events == whole)
  }

  @Test("everything flushed is final, and read at once")
  func flushes() throws {
    let log = try ExampleLog(ticks: 2000, flushEvery: 10)
    let growing = GrowingFile(log.bytes, length: log.headerByteCount)
    var storage = growing.storage
    var reader = try LogReader(growing.storage)
    var check = PageCheck(log.description)
    var events: [ReadEvent] = []
    for (length, count) in log.flushes {
      try growing.grow(to: length)
      try check.advance(&storage)
      #expect(check.finalByteCount == UInt64(length))
      events += try reader.readAll(within: check.finalByteCount)
      #expect(events.count == count)
    }
    #expect(events == (try read(log.bytes)))
  }

  @Test("damage in a page is skipped and reported once the next page has something in it")
  func damage() throws {
    let log = try ExampleLog(ticks: 2000, flushEvery: 10)
    var bytes = log.bytes
    bytes[LogFormat.pageSize + 1000] ^= 1
    let growing = GrowingFile(bytes, length: LogFormat.pageSize + 2000)
    var storage = growing.storage
    var check = PageCheck(log.description)
    try check.advance(&storage)
    #expect(check.finalByteCount <= UInt64(LogFormat.pageSize + 1000))
    var reader = try LogReader(growing.storage)
    var events = try reader.readAll(within: check.finalByteCount)
    try growing.grow(to: bytes.count)
    try check.advance(&storage)
    #expect(check.damagedPageCount == 1)
    events += try reader.readAll(within: check.finalByteCount)
    events += try reader.readAll()
    #expect(events.compactMap(\.damage).count == 1)
    #expect(events == (try read(bytes)))
  }

  @Test("the certainly intact part of a copy ends before the first damage")
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
