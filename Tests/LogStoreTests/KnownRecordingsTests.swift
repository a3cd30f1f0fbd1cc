// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
@testable import LogStore
import LogStoreTesting
import Synchronization
import TestSupport
import Testing

@Suite("Checks at a start", .excludesProgramStarts)
struct KnownRecordingsTests {
  private let directory = TemporaryDirectory()

  private func store() throws -> Catalogue { try Catalogue(path: directory.path) }

  @discardableResult
  private func addRecording(_ seed: UInt64, ends: Bool = true) throws -> CatalogueEntry {
    let description = ExampleLog.description(seed)
    return try #require(
      ExampleRecording(in: try store(), syncs: 2, description: description, ends: ends).entry)
  }

  /// Puts the store in order; returns how many files other than the store's own were opened for it, and the cuts.
  private func adopt() throws -> (looks: Int, cut: [UInt32]) {
    let looks = Mutex(0)
    let gate = FaultGate { call in
      if call.operation == .open, call.path.hasSuffix(".imulog") { looks.withLock { $0 += 1 } }
      return .pass
    }
    let adoptions = try Catalogue(path: directory.path, create: false, gate: gate).adopt()
    return (looks.withLock { $0 }, adoptions.map(\.entry.number).sorted())
  }

  @Test("recordings found intact are not checked again, new ones are")
  func known() throws {
    for seed in 1...100 { try addRecording(UInt64(seed)) }
    #expect(try adopt() == (100, []))
    #expect(try adopt() == (0, []))
    try addRecording(200)
    #expect(try adopt() == (1, []))
    #expect(try adopt() == (0, []))
  }

  @Test("adopting cuts only logs, and none that has a name elsewhere")
  func adoptForeign() throws {
    let zeros = [UInt8](repeating: 0, count: 20_000)
    func path(_ number: Int) -> String { directory.path + "/" + ExampleLog.fileName(number) }
    let log = directory.bytes(of: try addRecording(1).fileName)
    directory.write([UInt8](repeating: 7, count: 5000) + zeros, to: ExampleLog.fileName(7))
    directory.write(log + zeros, to: "linked")
    #expect(symlink("linked", path(8)) == 0)
    directory.write(log + zeros, to: "named")
    #expect(link("\(directory.path)/named", path(9)) == 0 && mkfifo(path(10), 0o600) == 0)
    directory.write(log + zeros, to: ExampleLog.fileName(11))
    #expect(try adopt().cut == [11])
    #expect(directory.bytes(of: ExampleLog.fileName(7)).count == 25_000)
    #expect(directory.bytes(of: "linked").count == log.count + 20_000)
    #expect(directory.bytes(of: "named").count == log.count + 20_000)
    // The page at hand is filled up with zeros of its own.
    #expect(directory.bytes(of: ExampleLog.fileName(11)).count < log.count + LogFormat.pageSize)
    // A log that may be of a later version is not known to be in order.
    #expect(try adopt().looks == 1)
  }

  @Test("cut-off recordings are found: after a kill, a copy by hand, an overwritten file")
  func changes() throws {
    let whole = try addRecording(1)
    _ = try adopt()
    let killed = try addRecording(2, ends: false)
    let cutOff = directory.bytes(of: killed.fileName)
    #expect(try adopt() == (2, [2]))
    #expect(try adopt() == (0, []))
    // A copy by hand.
    directory.write(cutOff, to: ExampleLog.fileName(7))
    #expect(try adopt() == (2, [7]))
    // Written over in place, under a name that is known.
    let bytes = directory.bytes(of: whole.fileName)
    let zeros = bytes.prefix(600) + [UInt8](repeating: 0, count: 9000)
    directory.write(Array(zeros), to: whole.fileName)
    #expect(try adopt().cut == [1])
    #expect(try adopt().looks == 0)
    // Moved over a known one.
    directory.write(cutOff, to: "elsewhere")
    #expect(rename("\(directory.path)/elsewhere", whole.path) == 0)
    #expect(try adopt().cut == [1])
    // Removed, and brought back cut off.
    let name = ExampleLog.fileName(7)
    #expect(unlink("\(directory.path)/\(name)") == 0)
    directory.write(cutOff, to: name)
    #expect(try adopt().cut == [7])
    #expect(try adopt() == (0, []))
  }

  @Test("a file that changed by whole seconds alone is another one: some cards count no others")
  func seconds() {
    let status = stat()
    var later = status
    later.st_ctim.tv_sec += 1
    #expect(KnownRecordings.key("a", later) != KnownRecordings.key("a", status))
  }

  @Test("a live recording is checked again, whatever it looks like")
  func live() throws {
    do {
      let live = try store().create(ExampleLog.description(), wall: ExampleRecording.wall)
      #expect(try adopt() == (1, []))
      // Nothing made ahead, as on a full disk: it looks whole.
      #expect(truncate(live.entry.path, 4096) == 0)
      #expect(try adopt() == (1, []))
      #expect(try adopt().looks == 1)
      #expect(truncate(live.entry.path, 30_000) == 0)
      _ = consume live
    }
    #expect(try adopt().cut == [1])
    #expect(try adopt() == (0, []))
  }

  @Test("without the cache, or with a damaged one, everything is checked")
  func damagedCache() throws {
    for seed in 1...5 { try addRecording(UInt64(seed)) }
    try addRecording(6, ends: false)
    _ = try adopt()
    let cache = directory.bytes(of: ".known")
    #expect(cache.count == 6 * 8)
    let zeros = [UInt8](repeating: 0, count: 4096)
    for damaged in [[], Array(cache.prefix(13)), cache.map { $0 ^ 0x55 }, zeros] {
      directory.write(damaged, to: ".known")
      #expect(try adopt().cut.isEmpty)
      #expect(try adopt() == (0, []))
    }
    #expect(unlink(directory.path + "/.known") == 0)
    directory.makeDirectory(".known")
    #expect(try adopt() == (6, []))
    #expect(try adopt() == (6, []))
  }

  @Test("the cache forgets recordings that are gone")
  func bounded() throws {
    for round in 0..<8 {
      for seed in 1...20 { try addRecording(UInt64(round * 100 + seed)) }
      _ = try adopt()
      for entry in try store().list().entries { #expect(unlink(entry.path) == 0) }
    }
    try addRecording(9000)
    _ = try adopt()
    #expect(directory.bytes(of: ".known").count <= 8 * (64 + 1))
    #expect(try adopt() == (0, []))
  }

  @Test("recordings are durable before they enter the cache")
  func durable() throws {
    let entry = try addRecording(1)
    let script = FaultScript()
    _ = try Catalogue(path: directory.path, create: false, gate: script.gate).adopt()
    let operations = script.operations
    let synced = try #require(operations.firstIndex(of: .sync(entry.fileName)))
    let entered = try #require(operations.firstIndex(of: .create(".known")))
    #expect(synced < entered)
  }

  @Test("where a sync fails, the recording is checked again")
  func failedSync() throws {
    try addRecording(1)
    let gate = FaultGate { $0.operation == .sync ? .refuse(EIO) : .pass }
    for _ in 0..<2 {
      _ = try Catalogue(path: directory.path, create: false, gate: gate).adopt()
      #expect(directory.bytes(of: ".known").isEmpty)
    }
    // Of many, the file system is synced at once.
    for seed in 2...80 { try addRecording(UInt64(seed)) }
    let path = directory.path
    let whole = FaultGate { $0.operation == .sync && $0.path == path ? .refuse(EIO) : .pass }
    _ = try Catalogue(path: path, create: false, gate: whole).adopt()
    #expect(directory.bytes(of: ".known").isEmpty)
    #expect(try adopt() == (80, []))
    #expect(try adopt() == (0, []))
  }

  @Test("a cancelled check leaves the rest for the next start")
  func ended() throws {
    for seed in 1...10 { try addRecording(UInt64(seed)) }
    var left = 3
    _ = try store().adopt {
      left -= 1
      return left >= 0
    }
    #expect(try adopt() == (7, []))
  }
}
