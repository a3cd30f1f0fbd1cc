// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogStore
import LogStoreTesting
import TestSupport
import Testing

@Suite(
  "Files that root makes belong to the store's owner", .excludesProgramStarts,
  .enabled(if: geteuid() == 0, "only root can give files away"))
struct BelongingTests {
  private let directory = TemporaryDirectory()
  private let user: uid_t = 4001
  private let group: gid_t = 4002

  private func status(_ name: String) -> stat {
    var status = stat()
    #expect(lstat("\(directory.path)/\(name)", &status) == 0, "\(name)")
    return status
  }

  private func expectOwned(_ name: String) {
    let status = status(name)
    #expect(status.st_uid == user && status.st_gid == group, "\(name)")
  }

  /// Does everything that makes a file in a store.
  private func work(_ store: Catalogue) throws {
    for seed in 1...3 {
      _ = ExampleRecording(in: store, syncs: 1, description: ExampleLog.description(UInt64(seed)))
    }
    _ = try store.publish(
      try store.createUnlisted(ExampleLog.description(4), wall: ExampleRecording.wall))
    _ = try store.partialCopy(of: ExampleLog.description(5).id)
    let oldest = try #require(try store.list().entries.last)
    try store.remove(oldest, now: ExampleRecording.time())
    _ = try store.adopt()
  }

  private var files: [String] {
    let top = directory.names()
    let trash = directory.names(in: ".trash").map { ".trash/" + $0 }
    return top + trash
  }

  @Test("in a store of another user: recordings, imports, copies, lock, trash and cache")
  func anothersStore() throws {
    #expect(chown(directory.path, user, group) == 0)
    try work(try Catalogue(path: directory.path))
    #expect(files.count == 7)
    for name in files {
      expectOwned(name)
      // No one gains anything where the group has no say.
      #expect(status(name).st_mode & 0o022 == 0, "\(name)")
    }
  }

  @Test("in a store that a group shares, the group changes lock and trash and reads recordings")
  func sharedStore() throws {
    let mask = umask(0o077)
    defer { umask(mask) }
    #expect(chown(directory.path, user, group) == 0)
    #expect(chmod(directory.path, 0o2770) == 0)
    try work(try Catalogue(path: directory.path))
    for name in files {
      expectOwned(name)
      let wanted: mode_t =
        name.hasSuffix(".trash") ? 0o070 : [".lock", ".known"].contains(name) ? 0o060 : 0o040
      #expect(status(name).st_mode & 0o077 == wanted, "\(name)")
    }
    #expect(status(".trash").st_mode & S_ISGID != 0)
  }

  @Test("a new store belongs to the owner of the directory above it, and so do those between")
  func newStore() throws {
    #expect(chown(directory.path, user, group) == 0)
    try work(try Catalogue(path: directory.path + "/a/b/c", create: true))
    for name in ["a", "a/b", "a/b/c", "a/b/c/.lock", "a/b/c/.trash"] { expectOwned(name) }
  }

  @Test("lock and trash that root made are given back")
  func repaired() throws {
    let store = try Catalogue(path: directory.path)
    try work(store)
    #expect(chown(directory.path, user, group) == 0)
    _ = try store.adopt()
    for name in [".lock", ".trash"] { expectOwned(name) }
  }

  @Test(
    "a file elsewhere that a link gives the name of one of the store's stays as it is",
    arguments: [false, true])
  func foreignFile(isSymbolic: Bool) throws {
    let elsewhere = TemporaryDirectory()
    let precious = elsewhere.path + "/precious"
    let bytes = [UInt8](repeating: 7, count: 4000)
    elsewhere.write(bytes, to: "precious")
    #expect(chown(precious, 4009, 4009) == 0 && chmod(precious, 0o664) == 0)
    #expect(chown(directory.path, user, group) == 0 && chmod(directory.path, 0o2770) == 0)
    let id = ExampleLog.description(5).id
    for name in [".lock", ".known", ".part-\(id)"] {
      let path = directory.path + "/" + name
      #expect((isSymbolic ? symlink(precious, path) : link(precious, path)) == 0)
    }
    let store = try Catalogue(path: directory.path)
    do {
      var copy = try store.partialCopy(of: id)
      try [UInt8](repeating: 8, count: 9).withUnsafeBytes { try copy.append($0) }
      #expect(copy.byteCount == 9)
    }
    try work(store)
    var status = stat()
    #expect(stat(precious, &status) == 0)
    #expect(status.st_uid == 4009 && status.st_gid == 4009 && status.st_mode & 0o777 == 0o664)
    #expect(elsewhere.bytes(of: "precious") == bytes)
    #expect(self.status(".lock").st_uid == user)
  }

  @Test("every member may resume a partial copy, and none may write a complete one")
  func sharedCopy() throws {
    #expect(chown(directory.path, user, group) == 0 && chmod(directory.path, 0o2770) == 0)
    let store = try Catalogue(path: directory.path)
    let description = ExampleLog.description(5)
    var copy = try store.partialCopy(of: description.id)
    try (try ExampleLog(ticks: 20, description: description)).bytes.withUnsafeBytes {
      try copy.append($0)
    }
    #expect(status(".part-\(description.id)").st_mode & 0o060 == 0o060)
    let whole = WholeCopy(copy, number: 1, start: 0)
    try StoreIndex(store).publish([whole])
    #expect(status(try whole.result.get().fileName).st_mode & 0o060 == 0o040)
  }
}
