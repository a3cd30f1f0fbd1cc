// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing

@Suite("A log is read once")
struct OnePassTests {
  private static let pageSize = LogFormat.pageSize

  @Test("an account reads each page once, whatever it looks at")
  func account() throws {
    let log = try ExampleLog(ticks: 3000)
    for ofSamples in [false, true] {
      let disk = MemoryDisk(holding: log.bytes)
      var reader = try LogReader(MemoryStorage(disk))
      let before = disk.snapshot.readByteCount
      let account = try reader.account(ofSamples: ofSamples)
      #expect(account.isIntact && account.sampleCount > 2000)
      #expect(disk.snapshot.readByteCount - before == log.bytes.count)
    }
  }

  @Test("a gap that a sample divides is a gap before it and after it")
  func divided() {
    var order = GapOrder()
    order.add(Gap(firstTick: 0, count: 10, cause: .stale))
    let before = order.take(before: 4)
    #expect(before?.gap == Gap(firstTick: 0, count: 4, cause: .stale))
    let rest = order.rest(upTo: 12).filter(\.isRecorded).map(\.gap)
    #expect(rest == [Gap(firstTick: 5, count: 5, cause: .stale)])
  }

  @Test(
    "a copy is the log to its last written page, and its account that of the log, damaged or not")
  func copy() throws {
    let log = try ExampleLog(ticks: 9000).bytes
    try #require(log.count > 17 * OnePassTests.pageSize)
    var cases = [log, Array(log.dropLast(100)), Array(log[..<(16 * OnePassTests.pageSize)])]
    for place in [700, 4096 + 30, 15 * 4096 + 4090, 16 * 4096, log.count - 3] {
      var damaged = log
      damaged[place] ^= 0x55
      cases.append(damaged)
    }
    for log in cases {
      for zeros in [0, 3 * OnePassTests.pageSize] {
        let storage = MemoryStorage(MemoryDisk(holding: log, preallocated: zeros))
        var reader = try LogReader(try ReadAheadStorage(storage))
        let disk = MemoryDisk(holding: reader.storage.firstPage)
        var copy = MemoryStorage(disk)
        let account = try reader.copy(to: &copy)
        #expect(account == (try reader.account()))
        let padding =
          (OnePassTests.pageSize - log.count % OnePassTests.pageSize) % OnePassTests.pageSize
        #expect(Array(disk.bytes.prefix(log.count)) == log)
        #expect(disk.bytes.count <= log.count + padding)
      }
    }
  }

  @Test("a copy reads the log's bytes once, beside the first and the last page")
  func copyReads() throws {
    let log = try ExampleLog(ticks: 9000).bytes
    let disk = MemoryDisk(holding: log)
    var reader = try LogReader(try ReadAheadStorage(MemoryStorage(disk)))
    var copy = MemoryStorage(MemoryDisk(holding: reader.storage.firstPage))
    _ = try reader.copy(to: &copy)
    #expect(disk.snapshot.readByteCount <= log.count + 2 * OnePassTests.pageSize)
  }
}
