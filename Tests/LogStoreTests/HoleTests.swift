// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import LogFormat
import LogStore
import LogStoreTesting
import Synchronization
import Testing
import TestSupport

@Suite("Sparse files", .excludesProgramStarts)
struct HoleTests {
  private let directory = TemporaryDirectory()
  /// 4 TB: read through, it takes hours.
  private static let huge: off_t = 4 << 40
  private static let stranger = "000006-20261122T120839Z-aaaaaaae.imulog"

  /// A recording without its end, cut to the last page with anything in it; its bytes without the zeros made ahead.
  private func killedRecording() throws -> (entry: CatalogueEntry, bytes: [UInt8]) {
    let store = try Catalogue(path: directory.path)
    let entry = try #require(ExampleRecording(in: store, syncs: 300, ends: false).entry)
    _ = try store.adopt()
    return (entry, directory.bytes(of: entry.fileName))
  }

  /// Puts the store in order; returns how often files were read for it, and the cuts.
  private func adopt(
    knowsHoles: Bool = true, while isWanted: () -> Bool = { true }
  ) throws -> (reads: Int, cut: [UInt64]) {
    let reads = Mutex(0)
    let gate = FaultGate { call in
      if call.operation == .read { reads.withLock { $0 += 1 } }
      return call.operation == .seek && !knowsHoles ? .refuse(EINVAL) : .pass
    }
    let store = try Catalogue(path: directory.path, create: false, gate: gate)
    let adoptions = try store.adopt(while: isWanted)
    return (reads.withLock { $0 }, adoptions.map(\.cutByteCount))
  }

  @Test("one that is not a log is left alone after reading its first and last pages")
  func foreign() throws {
    directory.write([], to: HoleTests.stranger)
    #expect(truncate("\(directory.path)/\(HoleTests.stranger)", HoleTests.huge) == 0)
    let (reads, cut) = try adopt()
    #expect(reads < 10 && cut.isEmpty)
  }

  @Test("a log with a hole at its end is cut to its written part, after 64 MiB were read")
  func cut() throws {
    let (entry, bytes) = try killedRecording()
    #expect(truncate(entry.path, HoleTests.huge) == 0)
    let (reads, cut) = try adopt()
    #expect(reads < 16_500)
    #expect(cut == [UInt64(HoleTests.huge) - UInt64(bytes.count)])
    #expect(directory.bytes(of: entry.fileName) == bytes)
  }

  @Test("where the file system knows of no holes, reading gives the same result")
  func unknown() throws {
    let (entry, bytes) = try killedRecording()
    #expect(truncate(entry.path, off_t(bytes.count) + 100 << 20) == 0)
    #expect(try adopt(knowsHoles: false).cut.count == 1)
    #expect(directory.bytes(of: entry.fileName) == bytes)
  }

  @Test("data between two holes is found, and zeros around it are skipped")
  func between() throws {
    let (entry, _) = try killedRecording()
    let place: off_t = 1 << 40
    #expect(truncate(entry.path, HoleTests.huge) == 0)
    let descriptor = open(entry.path, O_WRONLY)
    defer { close(descriptor) }
    #expect(pwrite(descriptor, [7], 1, place) == 1)
    let zeros = [UInt8](repeating: 0, count: 70_000)
    #expect(pwrite(descriptor, zeros, zeros.count, place + 100_000) == zeros.count)
    #expect(try adopt().cut == [UInt64(HoleTests.huge - place) - 4096])
  }

  @Test("the caller may stop before each MiB, and nothing is cut then")
  func unwanted() throws {
    let (entry, bytes) = try killedRecording()
    #expect(truncate(entry.path, off_t(bytes.count) + 20 << 20) == 0)
    var questions = 0
    let (reads, cut) = try adopt {
      questions += 1
      return questions < 5
    }
    #expect(questions == 5 && cut.isEmpty)
    // The first question is whether to look at all.
    #expect((3 * 256..<3 * 256 + 20).contains(reads))
  }

  @Test("a list, a check, a search and an offer of one are as without the hole")
  func readers() throws {
    let store = try Catalogue(path: directory.path)
    let entry = try #require(ExampleRecording(in: store, syncs: 300).entry)
    let size = directory.bytes(of: entry.fileName).count
    var reader = try store.reader(of: entry)
    let events = try reader.readAll()
    let summary = try store.summary(of: entry)
    let padded = (size + LogFormat.pageSize - 1) / LogFormat.pageSize * LogFormat.pageSize
    #expect(truncate(entry.path, HoleTests.huge) == 0)
    var expected = summary
    expected.byteCount = UInt64(HoleTests.huge)
    #expect(try store.summary(of: entry) == expected)
    let standing = try #require(try store.standing(of: entry))
    #expect(standing.state == .complete && standing.byteCount == UInt64(padded))
    reader = try store.reader(of: entry)
    #expect(try reader.readAll() == events)
    #expect(try reader.account().isIntact)
    try reader.seek(toTime: reader.description.rate.nanoseconds(atTick: 1499))
    let end = try #require(summary.end)
    #expect(try reader.readAll().last == .other(.end(end)))
  }

  @Test("a hole in the middle is damage of its length, and what follows it is read")
  func middle() throws {
    let store = try Catalogue(path: directory.path)
    let entry = try #require(ExampleRecording(in: store, syncs: 300).entry)
    let bytes = directory.bytes(of: entry.fileName)
    let lastPage = (bytes.count - 1) / LogFormat.pageSize * LogFormat.pageSize
    try #require(lastPage >= 2 * LogFormat.pageSize)
    // The first page, a hole, and the last page where it does not belong.
    #expect(truncate(entry.path, off_t(LogFormat.pageSize)) == 0)
    #expect(truncate(entry.path, HoleTests.huge) == 0)
    let descriptor = open(entry.path, O_WRONLY)
    defer { close(descriptor) }
    let page = Array(bytes[lastPage...])
    #expect(pwrite(descriptor, page, page.count, HoleTests.huge) == page.count)
    var reader = try store.reader(of: entry)
    let report = try reader.account()
    #expect(report.damageCount == 1)
    #expect(report.damage.first?.offset == UInt64(LogFormat.pageSize))
    #expect(
      report.damage.first?.byteCount
        == UInt64(HoleTests.huge) - UInt64(LogFormat.pageSize) + UInt64(page.count))
    try reader.seek(toTime: reader.description.rate.nanoseconds(atTick: 1499))
    #expect(try reader.readAll().isEmpty == false)
  }
}
