// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import LogStore
import LogStoreTesting
import Synchronization
import Testing
import TestSupport

/// Other programs act between two calls of one that works on a store.
@Suite(
  "Names that are taken, or change their meaning, at the last moment", .excludesProgramStarts)
struct TakenNameTests {
  private let directory = TemporaryDirectory()
  private let now = ExampleRecording.time()

  /// A store in which another program takes the first name that a file is to get, just before it gets it.
  ///
  /// - Parameter isKnown: Whether the file system refuses a taken name; else it says that it cannot.
  private func store(isKnown: Bool) throws -> Catalogue {
    let isTaken = Mutex(false)
    let directory = self.directory
    let gate = FaultGate { call in
      guard call.operation == .rename else { return .pass }
      let isFirst = isTaken.withLock { isTaken in
        defer { isTaken = true }
        return !isTaken
      }
      if isFirst {
        directory.write([1, 2, 3], to: String(call.newPath.dropFirst(directory.path.count + 1)))
      }
      return isFirst && !isKnown ? .refuse(EINVAL) : .pass
    }
    return try Catalogue(path: directory.path, create: false, gate: gate)
  }

  /// Files with the bytes of the other program.
  private func taken(in folder: String = "") -> [String] {
    directory.names(in: folder).filter { directory.bytes(of: "\(folder)/\($0)") == [1, 2, 3] }
  }

  private func expectTaken(_ body: () throws -> Void) throws {
    do {
      try body()
      Issue.record("it was to fail")
    } catch let CatalogueError.storage(error) {
      #expect(error.errno == EEXIST)
    }
  }

  @Test("a new recording replaces no file and leaves none behind", arguments: [true, false])
  func create(isKnown: Bool) throws {
    let store = try store(isKnown: isKnown)
    try expectTaken { _ = try store.create(ExampleLog.description(1), wall: ExampleRecording.wall) }
    #expect(taken().count == 1)
    #expect(directory.names().filter { $0 != ".lock" } == taken())
    #expect(
      try store.create(ExampleLog.description(1), wall: ExampleRecording.wall).entry.number == 2)
  }

  @Test("an imported one does neither", arguments: [true, false])
  func publish(isKnown: Bool) throws {
    let store = try store(isKnown: isKnown)
    try expectTaken {
      _ = try store.publish(
        try store.createUnlisted(ExampleLog.description(1), wall: ExampleRecording.wall))
    }
    #expect(taken().count == 1)
    #expect(directory.names().filter { $0 != ".lock" } == taken())
  }

  @Test("a restored one stays in the trash", arguments: [true, false])
  func restore(isKnown: Bool) throws {
    let clean = try Catalogue(path: directory.path)
    let entry = try #require(ExampleRecording(in: clean).entry)
    let trashed = try clean.remove(entry, now: now)
    let store = try store(isKnown: isKnown)
    try expectTaken { try store.restore(trashed) }
    #expect(taken() == [entry.fileName])
    #expect(directory.names(in: ".trash").count == 1)
  }

  @Test("in the trash and beside a copy the next free name is used", arguments: [true, false])
  func next(isKnown: Bool) throws {
    let clean = try Catalogue(path: directory.path)
    let entry = try #require(ExampleRecording(in: clean).entry)
    try store(isKnown: isKnown).remove(entry, now: now)
    #expect(taken(in: ".trash").count == 1)
    #expect(directory.names(in: ".trash").count == 2)
    var copy = try store(isKnown: isKnown).partialCopy(of: ExampleLog.description(2).id)
    try [7].withUnsafeBytes { try copy.append($0) }
    _ = consume copy
    let store = try store(isKnown: isKnown)
    let aside = try store.setAside(try store.partialCopy(of: ExampleLog.description(2).id))
    #expect(aside.hasSuffix("-2"))
    #expect(taken().count == 1)
  }

  @Test("a link that replaces the listed trash loses nothing", arguments: [false, true])
  func swappedTrash(makesRoom: Bool) throws {
    let (other, path) = (TemporaryDirectory(), directory.path)
    for place in [directory, other] {
      let store = try Catalogue(path: place.path)
      try store.remove(try #require(ExampleRecording(in: store).entry), now: now)
    }
    let trash = directory.names(in: ".trash")
    #expect(trash == other.names(in: ".trash"))
    let gate = FaultGate { call in
      // The number is noted between the list and the deletion.
      if call.operation == .write {
        rename(path + "/.trash", path + "/.trash-old")
        symlink(other.path + "/.trash", path + "/.trash")
      }
      return .pass
    }
    let store = try Catalogue(path: path, create: false, gate: gate)
    if makesRoom {
      let full = StorageError(.write, path: path, errno: ENOSPC)
      // Planned again, the file with the trash's name is found not to be one.
      #expect(try store.makeRoom(after: full, deletesOldest: false).deletedCount == 0)
    } else {
      #expect(store.emptyTrash(now: now, ofAnyAge: true).deleted.count == 1)
      #expect(directory.names(in: ".trash-old").isEmpty)
    }
    #expect(other.names(in: ".trash") == trash)
  }
}
