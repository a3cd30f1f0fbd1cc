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

  @Test("what is appended is read back, and zeros made ahead stand behind it until the end")
  func appendAndRead() throws {
    var storage = try FileStorage(creating: path)
    try storage.append(pattern(100))
    try storage.append(pattern(50, from: 100))
    try storage.sync()
    let live = try storage.readAll()
    #expect(live.count == 64 * 1024)
    #expect(Array(live[..<150]) == pattern(150))
    #expect(live[150...].allSatisfy { $0 == 0 })
    try storage.finish()
    let finished = try storage.readAll()
    #expect(finished == pattern(150))
    #expect(directory.bytes(of: "log") == finished)
  }

  @Test("the end is durable, and that the file was cut to it")
  func finish() throws {
    let script = FaultScript()
    var storage = try FileStorage(creating: path, gate: script.gate)
    try storage.append(pattern(100))
    let before = script.calls.count
    try storage.finish()
    #expect(script.calls[before...] == [.truncate, .sync])
  }

  @Test("space is made in steps that double up to 1 MiB, before it is needed")
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
    #expect(kibibytes == [64, 192, 448, 960, 1984, 3008, 4032, 5056])
    try storage.finish()
    #expect(directory.bytes(of: "log") == pattern(4096 * 1200))
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

  @Test("a full disk is told once, with room left to end the log", arguments: 0..<40)
  func fullDisk(limitPages: Int) throws {
    let limit = UInt64(limitPages * 4096 + 100)
    let script = FaultScript(.full(at: limit))
    var storage = try FileStorage(creating: path, gate: script.gate)
    var taken = 0
    var refusal: StorageError?
    while refusal == nil {
      do {
        try storage.append(pattern(500, from: taken))
        taken += 500
      } catch {
        refusal = error
      }
    }
    #expect(refusal?.isFull == true)
    #expect(refusal?.path == path)
    #expect(refusal?.description.contains("free space") == true)
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

  @Test("a failing call is reported as what it was", arguments: [EIO, EROFS, EACCES, ENXIO])
  func errors(errno: Int32) throws {
    let script = FaultScript(.once(1, errno: errno))
    var storage = try FileStorage(creating: path, gate: script.gate)
    do {
      try storage.append([1, 2, 3])
      Issue.record("the write was to fail")
    } catch {
      #expect(error == StorageError(.write, path: path, errno: errno))
      #expect(!error.isFull)
      #expect(error.description.hasPrefix("writing to \(path): "))
      #expect(!error.remedy.isEmpty)
    }
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

  @Test("directories, devices and pipes are not taken for logs")
  func otherFiles() throws {
    #expect(mkfifo(path, 0o600) == 0)
    for (other, errno) in [(directory.path, EISDIR), ("/dev/zero", ENXIO), (path, ENXIO)] {
      do {
        _ = try FileStorage(reading: other)
        Issue.record("\(other) was to be refused")
      } catch {
        #expect(error == StorageError(.open, path: other, errno: errno))
      }
    }
  }

  @Test("an existing file is not written over")
  func existing() throws {
    directory.write([1, 2, 3], to: "log")
    do {
      _ = try FileStorage(creating: path)
      Issue.record("the file was to be refused")
    } catch {
      #expect(error.errno == EEXIST)
    }
    #expect(directory.bytes(of: "log") == [1, 2, 3])
  }
}
