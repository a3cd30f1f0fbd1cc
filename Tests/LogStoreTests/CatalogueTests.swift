// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Files
import Glibc
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Testing
import TestSupport

@Suite("Catalogue", .excludesProgramStarts)
struct CatalogueTests {
  let directory = TemporaryDirectory()

  func store() throws -> Catalogue { try Catalogue(path: directory.path) }

  /// Recordings with UUIDs that begin with the given digits.
  func fill(_ prefixes: [String]) throws -> [CatalogueEntry] {
    let store = try store()
    return try prefixes.map { prefix in
      var description = ExampleLog.description()
      description.id = try #require(RecordingID(prefix + "-2fa1-41d2-883f-0016d3cca427"))
      let recording = ExampleRecording(in: store, syncs: 1, description: description)
      return try #require(recording.entry)
    }
  }

  @Test("recordings are listed newest first, by number, without opening a file")
  func list() throws {
    for index in 1...12 {
      _ = ExampleRecording(
        in: try store(), syncs: 1, description: ExampleLog.description(UInt64(index)))
    }
    let script = FaultScript()
    let listing = try Catalogue(path: directory.path, create: false, gate: script.gate).list()
    #expect(listing.entries.map(\.number) == (1...12).reversed())
    #expect(listing.strangers.isEmpty)
    #expect(script.calls == [.open, .list])
  }

  @Test("a summary of a complete recording reads its first and last page, however long it is")
  func summaryReads() throws {
    let recording = ExampleRecording(in: try store(), syncs: 30, samplesPerSync: 100)
    let entry = try #require(recording.entry)
    let script = FaultScript()
    let store = try Catalogue(path: directory.path, create: false, gate: script.gate)
    let summary = try store.summary(of: entry)
    #expect(summary.sampleCount == 3000)
    #expect(summary.byteCount > 40_000)
    // The header, both pages (the last is short, which a second read finds), and the file's status
    // twice.
    #expect(script.calls.filter { $0 == .read }.count == 6)
  }

  @Test("the quick summary equals the one from the whole log")
  func summaries() throws {
    for (ticks, ends) in [(0, true), (5, true), (300, true), (2000, true), (300, false)] {
      let log = try ExampleLog(ticks: UInt64(ticks), ends: ends)
      var reader = try LogReader(MemoryStorage(MemoryDisk(holding: log.bytes)))
      let quick = try reader.summary()
      let full = try reader.account().summary
      for summary in [quick, full] {
        #expect(summary.state == (ends ? .complete : .recovered))
        #expect(summary.tally == log.tally && summary.tickCount == UInt64(ticks))
      }
      #expect(quick.duration == Int64(ticks) * 100_000_000)
      #expect(quick.clock == full.clock)
      #expect(quick.clock?.isSynchronised == true)
      #expect(quick.end == log.end)
      #expect(quick.missingTickCount == UInt64(ticks) - log.tally.sampled)
      #expect(full.damageCount == 0)
    }
  }

  @Test("foreign and damaged files do no harm to the list and are reported as such")
  func foreignFiles() throws {
    let entry = try fill(["1b4e28ba"])[0]
    let good = directory.bytes(of: entry.fileName)
    var damaged = good
    damaged[40] ^= 1
    directory.write([1, 2, 3], to: "holiday.imulog")
    directory.write(Array("PNG and so on".utf8), to: ExampleLog.fileName(7))
    directory.write(damaged, to: ExampleLog.fileName(8))
    directory.write([], to: ExampleLog.fileName(9))
    directory.write(good, to: "notes.txt")
    // A colon follows 9.
    directory.write(good, to: "00000:-20261121T023807Z-deadbeef.imulog")
    let store = try store()
    let listing = try store.list()
    #expect(listing.entries.map(\.number) == [9, 8, 7, 1])
    #expect(
      listing.strangers.sorted() == ["00000:-20261121T023807Z-deadbeef.imulog", "holiday.imulog"])
    var kinds: [String] = []
    for entry in listing.entries {
      do {
        _ = try store.summary(of: entry)
        kinds.append("sound")
      } catch {
        switch error {
        case .foreign(let name, let found):
          #expect(name == entry.path)
          kinds.append(found)
        case .damagedHeader(_, let offset, _): kinds.append("damaged at \(offset)")
        default: Issue.record("\(error)")
        }
        #expect(error.description.contains(entry.path))
      }
    }
    #expect(
      kinds == [
        "is empty", "damaged at 32", "begins with the bytes 50 4e 47 20 61 6e 64 20", "sound",
      ])
  }

  @Test("a recording is found by number, as the latest, and by the beginning of its UUID")
  func lookup() throws {
    let entries = try fill(["1b4e28ba", "1b4e2fff", "77777777", "aaaaaaaa", "aaaaaaaa"])
    let store = try store()
    #expect(try store.entry(for: "2") == entries[1])
    #expect(try store.entry(for: "000002") == entries[1])
    #expect(try store.entry(for: "latest") == entries[4])
    #expect(try store.entry(for: "1b4e28") == entries[0])
    #expect(try store.entry(for: "1B4E2F") == entries[1])
    #expect(throws: CatalogueError.self) { try store.entry(for: "77") }
    #expect(try store.entry(for: "77777777") == entries[2])
    #expect(try store.entry(for: "1b4e28ba-2fa1-41d2-883f-0016d3cca427") == entries[0])
    #expect(try store.entry(for: "1b4e28ba2fa141") == entries[0])
  }

  @Test("an ID that means several recordings, or none, is refused with the recordings there are")
  func lookupErrors() throws {
    let store = try store()
    func expectNone(_ id: String, _ existing: String) {
      #expect(
        throws: CatalogueError.notFound(id: id, path: directory.path, existing: existing)
      ) { try store.entry(for: id) }
    }
    expectNone("latest", "the store is empty")
    _ = try fill(["1b4e28ba", "1b4e2fff", "77777777"])
    let words = "1b4e2 could be any of 2 (1b4e2fff), 1 (1b4e28ba); give more digits"
    #expect(throws: CatalogueError.refused(words, .usage)) { try store.entry(for: "1b4e2") }
    for id in ["4", "0", "", "-1", "xyz", "1b4e28bb", "1b4e28ba-2fa1-41d2-883f-0016d3cca428", "+1"]
    {
      expectNone(id, "there are 3, from 1 to 3 (77777777); `imulog list` shows them")
    }
  }

  @Test("a store that is missing, or a file, or below a file, is refused with the remedy")
  func badStores() throws {
    directory.write([1], to: "file")
    func failure(_ path: String, create: Bool) -> CatalogueError? {
      do {
        _ = try Catalogue(path: path, create: create)
        return nil
      } catch {
        return error
      }
    }
    let missing = directory.path + "/a/b/c"
    #expect(failure(missing, create: false) == .missing(path: missing))
    #expect(failure(missing + "//", create: true) == nil)
    #expect(failure(missing, create: false) == nil)
    let file = directory.path + "/file"
    for create in [true, false] {
      #expect(failure(file, create: create) == .notADirectory(path: file))
      guard case .storage(let error) = failure(file + "/store", create: create) else {
        Issue.record("a store below a file was taken")
        continue
      }
      #expect(error.errno == ENOTDIR)
      #expect(error.description.contains("--store"))
    }
  }

  @Test(
    "a store that may not be written to is readable, and refuses a recording",
    arguments: [EROFS, EACCES])
  func readOnly(errno: Int32) throws {
    let entry = try fill(["1b4e28ba"])[0]
    let before = directory.names()
    let forbidden: [StorageError.Operation] = [.write, .rename, .remove, .lock, .makeDirectory]
    let gate = FaultGate { forbidden.contains($0.operation) ? .refuse(errno) : .pass }
    let store = try Catalogue(path: directory.path, create: true, gate: gate)
    let recording = ExampleRecording(in: store)
    guard case .storage(let error) = recording.failure else {
      Issue.record("\(String(describing: recording.failure))")
      return
    }
    #expect(error.isForbidden)
    #expect(!error.remedy.isEmpty)
    #expect(directory.names() == before)
    #expect(try store.summary(of: entry).isComplete)
  }

  @Test(
    "a directory without write permission refuses a recording and stays as it is",
    .disabled(if: geteuid() == 0, "root may write everywhere"))
  func permissions() throws {
    #expect(chmod(directory.path, 0o500) == 0)
    defer { chmod(directory.path, 0o700) }
    let recording = ExampleRecording(in: try store())
    guard case .storage(let error) = recording.failure else {
      Issue.record("\(String(describing: recording.failure))")
      return
    }
    #expect(error.errno == EACCES)
    #expect(directory.names().isEmpty)
  }

  @Test("two catalogues of one store never assign the same number, even concurrently")
  func numbers() throws {
    let path = directory.path
    // Without suspending: see `ExcludesProgramStarts`.
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      do {
        let store = try Catalogue(path: path)
        for index in 0..<8 {
          let seed = UInt64(worker * 100 + index)
          let recording = ExampleRecording(
            in: store, syncs: 1, description: ExampleLog.description(seed))
          #expect(recording.failure == nil)
        }
      } catch {
        Issue.record("\(error)")
      }
    }
    let entries = try store().list().entries
    #expect(entries.map(\.number) == (1...32).reversed())
    for entry in entries {
      let number = try store().reader(of: entry).description.number
      #expect(number == entry.number)
    }
  }

  @Test(
    "the number of a removed recording is never assigned again, even after the trash is emptied")
  func numbersAfterRemoval() throws {
    let store = try store()
    let entries = try fill(["1b4e28ba", "1b4e2fff"])
    try store.remove(entries[1], now: ExampleRecording.time())
    #expect(try fill(["77777777"])[0].number == 3)
    try store.remove(try store.entry(for: "3"), now: ExampleRecording.time())
    #expect(store.emptyTrash(now: ExampleRecording.time(days: 40)).deleted.count == 2)
    #expect(try fill(["88888888"])[0].number == 4)
    // Without the lock's file, only the recordings show which numbers were assigned.
    #expect(unlink(directory.path + "/.lock") == 0)
    #expect(try fill(["99999999"])[0].number == 5)
  }

  @Test("a recording is live while its writer holds it, and is neither removed nor adopted then")
  func live() throws {
    let store = try store()
    do {
      let live = try store.create(ExampleLog.description(), wall: ExampleRecording.wall)
      let entry = live.entry
      #expect(try store.isLive(entry))
      #expect(try store.summary(of: entry).state == .live)
      #expect(try store.adopt().isEmpty)
      #expect(directory.bytes(of: entry.fileName).count == 32 * 1024)
      #expect(throws: CatalogueError.isLive(file: entry.path)) {
        try store.remove(entry, now: ExampleRecording.time())
      }
      _ = consume live
    }
    let entry = try store.entry(for: "latest")
    #expect(try !store.isLive(entry))
    #expect(try store.summary(of: entry).state == .recovered)
  }

  @Test("a killed recording is adopted: cut to its last page, with every synced sample")
  func adopt() throws {
    let store = try store()
    for (syncs, samples) in [(0, 0), (3, 15), (40, 200)] {
      let recording = ExampleRecording(in: store, syncs: syncs, ends: false)
      let entry = try #require(recording.entry)
      let before = directory.bytes(of: entry.fileName)
      let adoptions = try store.adopt()
      #expect(adoptions.map(\.entry) == [entry])
      let after = directory.bytes(of: entry.fileName)
      #expect(after.count == 4096 * ((samples * 20 + 400) / 4096 + 1) || after.count % 4096 == 0)
      #expect(after.count < before.count)
      #expect(Array(before[..<after.count]) == after)
      #expect(before[after.count...].allSatisfy { $0 == 0 })
      #expect(UInt64(before.count - after.count) == adoptions[0].cutByteCount)
      let summary = try store.summary(of: entry)
      #expect(summary.state == .recovered)
      #expect(summary.sampleCount == UInt64(samples))
      #expect(summary.damageCount == 0)
      #expect(try store.adopt().isEmpty)
    }
  }

  @Test("adopting leaves complete, foreign and empty files alone")
  func adoptOthers() throws {
    _ = try fill(["1b4e28ba"])
    directory.write([], to: ExampleLog.fileName(8))
    directory.write([UInt8](repeating: 7, count: 9000), to: ExampleLog.fileName(9))
    let names = directory.names()
    let before = names.map { directory.bytes(of: $0) }
    #expect(try store().adopt().isEmpty)
    #expect(directory.names().filter { $0 != ".known" } == names)
    #expect(names.map { directory.bytes(of: $0) } == before)
  }

  @Test("a description too long for a header is refused, and leaves no file")
  func longDescription() throws {
    var description = ExampleLog.description()
    description.host = String(repeating: "x", count: 5000)
    let store = try store()
    let error = #expect(throws: CatalogueError.self) { _ = try store.create(description, wall: 0) }
    guard case .log(.description(let reason)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.description.contains("too long"))
    #expect(try store.list().entries.isEmpty)
  }

  @Test(
    "names carry the second of the start in UTC",
    arguments: [
      (0, "19700101T000000Z"), (-1, "19691231T235959Z"),
      (951_782_399_999_999_999, "20000228T235959Z"),
      (951_782_400_000_000_000, "20000229T000000Z"),
      (1_709_251_199_000_000_000, "20240229T235959Z"),
      (4_107_542_400_000_000_000, "21000301T000000Z"), (ExampleRecording.wall, "20261121T023807Z"),
    ] as [(Int64, String)])
  func dates(wall: Int64, text: String) throws {
    let live = try store().create(ExampleLog.description(), wall: wall)
    #expect(live.entry.fileName.contains("-\(text)-"))
    #expect(live.entry.startSeconds == (wall >= 0 ? wall / 1_000_000_000 : -1))
    // A name is read as it was written.
    #expect(try store().list().entries.map(\.fileName) == [live.entry.fileName])
  }
}

/// The sentence of the error that `work` throws; empty without one.
func sentence(_ work: () throws -> Void) -> String {
  do {
    try work()
    return ""
  } catch {
    return "\(error)"
  }
}
