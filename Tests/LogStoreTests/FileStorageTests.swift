// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import LogStore
import LogStoreTesting
import Testing

@Suite("File storage")
struct FileStorageTests {
  let directory = TemporaryDirectory()
  var path: String { directory.path + "/log" }

  /// Bytes without zeros, of a sequence with the period 251, so that a misplaced piece is seen.
  func pattern(_ count: Int, from start: Int = 0) -> [UInt8] {
    (start..<start + count).map { UInt8($0 % 251 + 1) }
  }

  @Test("appended bytes are read back, followed by preallocated zeros until the end")
  func appendAndRead() throws {
    var storage = try FileStorage(creating: path)
    try storage.append(pattern(100))
    try storage.append(pattern(50, from: 100))
    try storage.sync()
    let live = try storage.readAll()
    #expect(live.count == 32 * 1024)
    #expect(Array(live[..<150]) == pattern(150))
    #expect(live[150...].allSatisfy { $0 == 0 })
    try storage.finish()
    let finished = try storage.readAll()
    #expect(finished == pattern(150))
    #expect(directory.bytes(of: "log") == finished)
  }

  @Test("lines that replace those of a file are followed by appended ones")
  func replacedLines() throws {
    var file = Journal(path, temporary: path + ".new", FileSystem(gate: .open))
    try file.replace(by: [Array("one".utf8), Array("two".utf8)])
    try file.append(["three"])
    var lines: [String] = []
    try file.read { lines.append(String(decoding: $0, as: UTF8.self)) }
    #expect(lines == ["one", "two", "three"])
    #expect(file.damagedLineCount == 0 && file.lineCount == 3)
  }

  @Test("the end is durable, and so is the cut of the file")
  func finish() throws {
    let script = FaultScript()
    var storage = try FileStorage(creating: path, gate: script.gate)
    try storage.append(pattern(100))
    let before = script.calls.count
    try storage.finish()
    #expect(script.calls[before...] == [.read, .truncate, .sync, .find])
  }

  @Test("space is preallocated in steps that double up to 1 MiB")
  func steps() throws {
    var storage = try FileStorage(creating: path)
    var sizes: [UInt64] = []
    for index in 0..<1200 {
      try storage.append(pattern(4096, from: 4096 * index))
      let size = try storage.size()
      if sizes.last != size { sizes.append(size) }
      #expect(size >= UInt64(4096 * (index + 1) + FileStorage.spareByteCount))
    }
    let kibibytes = sizes.map { $0 / 1024 }
    #expect(kibibytes == [32, 96, 224, 480, 992, 2016, 3040, 4064, 5088])
    try storage.finish()
    #expect(directory.bytes(of: "log") == pattern(4096 * 1200))
  }

  /// Writes of a recording: where each went and how long it was.
  private func writes(_ script: FaultScript) -> [Range<Int>] {
    script.operations.compactMap { operation in
      if case .write(_, let offset, let bytes) = operation {
        return Int(offset)..<Int(offset) + bytes.count
      }
      return nil
    }
  }

  /// The file of a recording: its header is durable, and later bytes go past the cache.
  private func recording(_ script: FaultScript, header: Int) throws -> FileStorage {
    var storage = try FileStorage(creating: path, gate: script.gate)
    try storage.append(pattern(header))
    try storage.sync()
    storage.bypassCache()
    return storage
  }

  @Test(
    "a recording is written in whole sectors, whatever the pieces, and ends where it ends",
    arguments: [0, 1, 511, 512, 513, 551, 4095])
  func sectors(header: Int) throws {
    let script = FaultScript()
    var storage = try recording(script, header: header)
    let before = writes(script).count
    var count = header
    for piece in [1, 66, 49, 400, 512, 1000, 4096, 3, 9000, 20_000, 511, 1] {
      try storage.append(pattern(piece, from: count))
      count += piece
      let live = try storage.readAll()
      #expect(Array(live[..<count]) == pattern(count))
      #expect(live[count...].allSatisfy { $0 == 0 })
    }
    // Where the file system lets them; the others are written as they are.
    let pieces = writes(script)[before...]
    if pieces.first?.count == 512 {
      #expect(pieces.allSatisfy { $0.lowerBound % 512 == 0 && $0.upperBound % 512 == 0 })
    }
    try storage.sync()
    try storage.finish()
    #expect(directory.bytes(of: "log") == pattern(count))
  }

  @Test(
    "a file system that accepts no sectors, now or later, gets the bytes as they are",
    arguments: 0..<6)
  func refusedSectors(at piece: Int) throws {
    let script = FaultScript()
    var storage = try recording(script, header: 551)
    for index in 0..<6 {
      if index == piece { script.change(to: .once(script.calls.count, errno: EINVAL)) }
      try storage.append(pattern(777, from: 551 + 777 * index))
    }
    let last = try #require(writes(script).last)
    #expect(last == 551 + 777 * 5..<551 + 777 * 6)
    try storage.sync()
    try storage.finish()
    #expect(directory.bytes(of: "log") == pattern(551 + 777 * 6))
  }

  /// Appends pieces from byte `taken` on until one is refused.
  private func fill(_ storage: inout FileStorage, from taken: inout Int, by piece: Int)
    -> StorageError
  {
    while true {
      do {
        try storage.append(pattern(piece, from: taken))
        taken += piece
      } catch {
        return error
      }
    }
  }

  @Test("sectors never make a file longer than the preallocated space", arguments: 0..<40)
  func sectorsOnFullDisk(limitPages: Int) throws {
    let limit = UInt64(65_000 + limitPages * 100)
    let script = FaultScript()
    var storage = try recording(script, header: 551)
    script.change(to: .full(at: limit))
    var taken = 551
    let refusal = fill(&storage, from: &taken, by: 333)
    #expect(refusal.isFull)
    while try storage.size() >= UInt64(taken + 70) {
      try storage.append(pattern(70, from: taken))
      taken += 70
    }
    #expect(try storage.size() <= limit)
    try storage.sync()
    try storage.finish()
    #expect(directory.bytes(of: "log") == pattern(taken))
  }

  @Test("interrupted calls and short writes lose and repeat nothing", arguments: [1, 7, 4096])
  func interruptions(bytes: Int) throws {
    let script = FaultScript(.troubled(bytes: bytes == 1 ? 1000 : bytes * 100))
    var storage = try FileStorage(creating: path, gate: script.gate)
    for index in 0..<20 { try storage.append(pattern(999, from: 999 * index)) }
    script.change(to: .troubled(bytes: bytes))
    for index in 20..<24 { try storage.append(pattern(999, from: 999 * index)) }
    try storage.sync()
    try storage.finish()
    #expect(directory.bytes(of: "log") == pattern(999 * 24))
  }

  @Test("a full disk is reported once, with room left to end the log", arguments: 0..<40)
  func fullDisk(limitPages: Int) throws {
    let limit = UInt64(limitPages * 4096 + 100)
    let script = FaultScript(.full(at: limit))
    var storage = try FileStorage(creating: path, gate: script.gate)
    var taken = 0
    let refusal = fill(&storage, from: &taken, by: 500)
    #expect(refusal.isFull && refusal.path == path)
    #expect(refusal.description.contains("free space"))
    // Whatever was taken left the spare alone, so all of it can still be used.
    let made = try storage.size()
    if taken > 0 {
      #expect(made >= UInt64(taken + FileStorage.spareByteCount))
      try storage.append(pattern(FileStorage.spareByteCount, from: taken))
      taken += FileStorage.spareByteCount
    }
    try storage.sync()
    try storage.finish()
    #expect(directory.bytes(of: "log") == pattern(taken))
  }

  @Test(
    "a failing call is reported with its operation and errno",
    arguments: [EIO, EROFS, EACCES, ENXIO])
  func errors(errno: Int32) throws {
    let script = FaultScript(.once(1, errno: errno))
    var storage = try FileStorage(creating: path, gate: script.gate)
    let expected = StorageError(.write, path: path, errno: errno)
    #expect(throws: expected) { try storage.append([1, 2, 3]) }
    #expect(expected.description.hasPrefix("writing to \(path): "))
    #expect(!expected.isFull && !expected.remedy.isEmpty)
  }

  @Test(
    "only a full disk, a used-up quota and a file at its limit are full; every errno has a meaning")
  func meanings() {
    for errno in Int32(1)...133 {
      let error = StorageError(.sync, path: path, errno: errno)
      #expect(error.isFull == [ENOSPC, EDQUOT, EFBIG].contains(errno))
      #expect(error.description.hasPrefix("syncing \(path): "))
      #expect(!error.meaning.isEmpty)
    }
  }

  @Test("directories, devices and pipes are refused as logs")
  func otherFiles() throws {
    #expect(mkfifo(path, 0o600) == 0)
    for (other, errno) in [(directory.path, EISDIR), ("/dev/zero", ENXIO), (path, ENXIO)] {
      #expect(throws: StorageError(.open, path: other, errno: errno)) {
        _ = try FileStorage(reading: other)
      }
    }
  }

  @Test("an existing file is not written over")
  func existing() throws {
    directory.write([1, 2, 3], to: "log")
    let error = #expect(throws: StorageError.self) { _ = try FileStorage(creating: path) }
    #expect(error?.errno == EEXIST)
    #expect(directory.bytes(of: "log") == [1, 2, 3])
  }
}
