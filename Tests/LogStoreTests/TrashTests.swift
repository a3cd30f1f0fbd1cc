// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogStore
import LogStoreTesting
import TestSupport
import Testing

@Suite("Removing and restoring", .excludesProgramStarts)
struct TrashTests {
  private let directory = TemporaryDirectory()
  private let now = ExampleRecording.time()

  private func store() throws -> Catalogue { try Catalogue(path: directory.path) }

  @discardableResult
  private func addRecording(_ store: Catalogue, _ seed: UInt64) throws -> CatalogueEntry {
    try #require(
      ExampleRecording(in: store, syncs: 1, description: ExampleLog.description(seed)).entry)
  }

  @Test("a recording comes back under its number, with every byte, and once")
  func restore() throws {
    let store = try store()
    for seed in 1...3 { try addRecording(store, UInt64(seed)) }
    let entry = try store.entry(for: "2")
    let bytes = directory.bytes(of: entry.fileName)
    let removed = try store.remove(entry, now: now)
    #expect(try store.summary(of: removed.entry).isComplete)
    #expect(removed.removedSeconds == ExampleRecording.wall / 1_000_000_000)
    #expect(removed.dueSeconds == ExampleRecording.wall / 1_000_000_000 + 30 * 86400)
    #expect(try store.trashed() == [removed] && store.list().entries.map(\.number) == [3, 1])
    let trashed = entry.fileName + "~20261121T023807Z"
    #expect(directory.names(in: ".trash") == [trashed])
    #expect(directory.bytes(of: ".trash/" + trashed) == bytes)
    #expect(try store.trashedRecording(for: "2") == removed)
    #expect(try store.trashedRecording(for: entry.idPrefix) == removed)
    #expect(try store.restore(removed) == entry)
    #expect(directory.bytes(of: entry.fileName) == bytes)
    #expect(directory.names(in: ".trash").isEmpty)
    #expect(try store.list().entries.map(\.number) == [3, 2, 1])
    let id = try store.reader(of: entry).description.id
    #expect(throws: CatalogueError.present(id: "\(id)", number: 2)) {
      // It is in the store, and a copy by hand in the trash.
      directory.write(bytes, to: ".trash/" + trashed)
      try store.restore(removed)
    }
    #expect(directory.bytes(of: entry.fileName) == bytes)
  }

  @Test(
    "a recording that another program restores during the wait for the lock is not restored twice")
  func restoredTwice() throws {
    let clean = try store()
    let entry = try addRecording(clean, 1)
    let id = try clean.reader(of: entry).description.id
    let bytes = directory.bytes(of: entry.fileName)
    let removed = try clean.remove(entry, now: now)
    let directory = directory
    let gate = FaultGate { call in
      if call.operation == .lock, call.path.hasSuffix("/.lock") {
        directory.write(bytes, to: "000002" + entry.fileName.dropFirst(6))
      }
      return .pass
    }
    let store = try Catalogue(path: directory.path, create: false, gate: gate)
    #expect(throws: CatalogueError.present(id: "\(id)", number: 2)) { try store.restore(removed) }
    #expect(try clean.list().entries.map(\.number) == [2])
  }

  @Test("a move whose sync fails is reported as done but not durable")
  func moveNotDurable() throws {
    let clean = try store()
    let entry = try addRecording(clean, 1)
    let path = directory.path
    let gate = FaultGate { call in
      call.operation == .sync && [path, path + "/.trash"].contains(call.path) ? .refuse(EIO) : .pass
    }
    let store = try Catalogue(path: path, create: false, gate: gate)
    let trash = StorageError(.sync, path: path + "/.trash", errno: EIO)
    #expect(
      sentence { try store.remove(entry, now: now) }
        == "recording 1 is in the trash, and a loss of power may undo that: \(trash)")
    let removed = try #require(try clean.trashed().first)
    let here = StorageError(.sync, path: path, errno: EIO)
    #expect(
      sentence { try store.restore(removed) }
        == "recording 1 is back as 1, and a loss of power may undo that: \(here)")
    #expect(try clean.list().entries == [entry])
  }

  @Test("where another recording has the number, it is restored under the next one")
  func numberTaken() throws {
    let store = try store()
    let first = try addRecording(store, 1)
    try addRecording(store, 2)
    let removed = try store.remove(first, now: now)
    // As a copy from elsewhere gets it.
    let other = "000001-20261121T023807Z-deadbeef.imulog"
    directory.write(try ExampleLog(ticks: 10, seed: 7).bytes, to: other)
    let back = try store.restore(removed)
    #expect(back.number == 3)
    #expect(back.idPrefix == first.idPrefix)
    #expect(try store.list().entries.map(\.number) == [3, 2, 1])
    #expect(try addRecording(store, 4).number == 4)
  }

  @Test("the last one removed is the latest, and first in the list")
  func latest() throws {
    let store = try store()
    for seed in 1...3 { try addRecording(store, UInt64(seed)) }
    for (number, age) in [("3", 1), ("1", 2), ("2", 0)] as [(String, Int64)] {
      try store.remove(try store.entry(for: number), now: ExampleRecording.time(days: age))
    }
    #expect(try store.trashed().map(\.entry.number) == [1, 3, 2])
    #expect(try store.trashedRecording(for: "latest").entry.number == 1)
    let newest = try store.trashedRecording(for: "3")
    let missing = CatalogueError.notFound(
      id: "4", path: directory.path + "/.trash",
      existing: "there are 3, from 1 to 3 (\(newest.entry.idPrefix)); "
        + "`imulog list --trash` shows them")
    #expect(throws: missing) { try store.trashedRecording(for: "4") }
  }

  @Test(
    "a clock that was not set keeps the order of removal, in the list, when making room, and once it is set",
    arguments: [-50 * 365, -40, 0, 40])
  func order(daysOff: Int64) throws {
    let store = try store()
    for seed in 1...6 { try addRecording(store, UInt64(seed)) }
    func remove(_ number: Int, _ days: Int64, isSet: Bool = true) throws {
      var clock = ExampleRecording.time(days: days)
      clock.isSynchronised = isSet
      try store.remove(try store.entry(for: "\(number)"), now: clock)
    }
    func order() throws -> [UInt32] { try store.trashed().map(\.entry.number) }
    try remove(4, 0)
    try remove(6, daysOff, isSet: false)
    try remove(3, daysOff, isSet: false)
    try remove(5, daysOff - 1, isSet: false)
    #expect(try order() == [5, 3, 6, 4])
    #expect(try store.trashedRecording(for: "latest").entry.number == 5)
    // As `rm` does: the removal, and the sweep after it at the same time.
    try remove(2, 1)
    #expect(try order() == [2, 5, 3, 6, 4])
    store.emptyTrash(now: ExampleRecording.time(days: 1))
    #expect(try order() == [2, 5, 3, 6, 4])
    try remove(1, daysOff, isSet: false)
    store.emptyTrash(now: ExampleRecording.time(days: 2))
    #expect(try order() == [1, 2, 5, 3, 6, 4])
    let room = try store.makeRoom(for: 4 * 4096, deletesOldest: false) {
      UInt64(6 - directory.names(in: ".trash").count) * 4096
    }
    #expect(room.deletedFromTrash == [4, 6, 3, 5])
  }

  @Test("a recording removed twice within a second, or before the clock was set, is kept twice")
  func removedTwice() throws {
    let store = try store()
    let unset = WallTime(nanoseconds: 5_000_000_000, isSynchronised: false)
    for (seed, clock) in [(1, now), (2, unset)] {
      let entry = try addRecording(store, UInt64(seed))
      let bytes = directory.bytes(of: entry.fileName)
      for _ in 0..<2 {
        directory.write(bytes, to: entry.fileName)
        try store.remove(entry, now: clock)
      }
    }
    #expect(try store.trashed().count == 4)
    // A start whose clock is set dates the two that have none.
    store.emptyTrash(now: now)
    #expect(try store.trashed().count == 4)
    #expect(try store.trashed().allSatisfy { $0.removedSeconds != nil })
  }

  @Test(
    "by a clock that is not synchronised nothing ages: recordings it dates stay for 30 days from the first sweep by a synchronised one",
    arguments: [-50 * 365, -40, 0, 40])
  func unsynchronised(daysOff: Int64) throws {
    let store = try store()
    var wrong = ExampleRecording.time(days: daysOff)
    wrong.isSynchronised = false
    let first = try addRecording(store, 1)
    let old = try store.remove(first, now: ExampleRecording.time(days: -29))
    let removed = try store.remove(try addRecording(store, 2), now: wrong)
    #expect(removed.removedSeconds == nil && removed.dueSeconds == nil)
    // However far it is ahead, and however often.
    wrong.nanoseconds = ExampleRecording.time(days: 4000).nanoseconds
    for _ in 0..<2 { #expect(store.emptyTrash(now: wrong).deleted.isEmpty) }
    #expect(Set(try store.trashed()) == [old, removed])
    #expect(store.emptyTrash(now: now).deleted.isEmpty)
    let dated = try #require(try store.trashed().first { $0.entry.number == 2 })
    #expect(dated.removedSeconds == ExampleRecording.wall / 1_000_000_000)
    let almost = ExampleRecording.time(days: 30, seconds: -1)
    #expect(store.emptyTrash(now: almost).deleted == [first.fileName])
    #expect(store.emptyTrash(now: ExampleRecording.time(days: 30)).deleted.count == 1)
    #expect(try store.trashed().isEmpty)
  }

  @Test("a link in place of the trash leads nowhere: nothing of another store's trash is deleted")
  func linkedTrash() throws {
    let other = TemporaryDirectory()
    let theirs = try Catalogue(path: other.path)
    for seed in 1...2 { try theirs.remove(try addRecording(theirs, UInt64(seed)), now: now) }
    #expect(symlink("\(other.path)/.trash", "\(directory.path)/.trash") == 0)
    let store = try store()
    for isAll in [false, true] {
      let (deleted, failures) = store.emptyTrash(
        now: ExampleRecording.time(days: 40), ofAnyAge: isAll)
      #expect(deleted.isEmpty)
      #expect(failures.map(\.errno) == [ENOTDIR])
    }
    #expect(try theirs.trashed().count == 2)
  }

  @Test("a file that cannot be deleted stays and is reported; the rest is deleted")
  func obstacle() throws {
    let store = try store()
    for seed in 1...3 { try addRecording(store, UInt64(seed)) }
    for number in ["1", "2", "3"] { try store.remove(try store.entry(for: number), now: now) }
    // A directory cannot be unlinked, whoever asks.
    let stuck = ".trash/000009-20261121T023807Z-deadbeef.imulog~20261121T023807Z"
    directory.makeDirectory(stuck)
    // Files with other names are the user's own, whatever date they carry.
    directory.write([1], to: ".trash/holiday~20260301T000000Z")
    let (deleted, failures) = store.emptyTrash(now: ExampleRecording.time(days: 31))
    #expect(deleted.count == 3)
    #expect(failures.map(\.operation) == [.remove])
    #expect(failures.first?.path == directory.path + "/" + stuck)
    #expect(directory.names(in: ".trash").count == 2)
    // A recording can be made all the same.
    #expect(try addRecording(store, 9).number == 10)
  }

  @Test("whichever call fails while the trash is swept, no number is assigned twice")
  func faults() throws {
    var index = 1
    while true {
      let directory = TemporaryDirectory(inMemory: true)
      let clean = try Catalogue(path: directory.path)
      for seed in 1...2 {
        _ = ExampleRecording(in: clean, syncs: 1, description: ExampleLog.description(UInt64(seed)))
      }
      // As if it had been put in by hand: the lock does not know its number.
      let log = try ExampleLog(ticks: 10, seed: 8).bytes
      directory.write(log, to: "000007-20261121T023807Z-deadbeef.imulog")
      try clean.remove(try clean.entry(for: "7"), now: now)
      let script = FaultScript(.once(index, errno: EIO))
      let store = try Catalogue(path: directory.path, create: false, gate: script.gate)
      let (deleted, failures) = store.emptyTrash(now: ExampleRecording.time(days: 31))
      #expect(deleted.count + failures.count >= 1)
      #expect(try clean.list().entries.count == 2)
      #expect(ExampleRecording(in: clean).entry?.number == 8, "call \(index)")
      guard script.calls.count > index else { break }
      index += 1
    }
    #expect(index > 5)
  }

  @Test("a dangling link can be removed; a directory named like a recording stays")
  func strangeRecordings() throws {
    let store = try store()
    let dangling = "000001-20261121T023807Z-deadbeef.imulog"
    #expect(symlink("/nowhere", "\(directory.path)/\(dangling)") == 0)
    directory.makeDirectory("000002-20261121T023807Z-deadbeef.imulog")
    #expect(mkfifo("\(directory.path)/000003-20261121T023807Z-deadbeef.imulog", 0o600) == 0)
    try store.remove(try store.entry(for: "1"), now: now)
    try store.remove(try store.entry(for: "3"), now: now)
    #expect(
      sentence { try store.remove(try store.entry(for: "2"), now: now) }.contains("is a directory"))
    #expect(try store.list().entries.map(\.number) == [2])
  }
}
