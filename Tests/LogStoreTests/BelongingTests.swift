import Glibc
import IMUModel
import LogStore
import LogStoreTesting
import TestScheduling
import Testing

@Suite(
  "What root makes belongs to the store's owner", .excludesProgramStarts,
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

  /// Does everything that makes a file in a store.
  private func work(_ store: Catalogue) throws {
    for seed in 1...3 {
      _ = ExampleTake(in: store, syncs: 1, description: ExampleLog.description(UInt64(seed)))
    }
    _ = try store.publish(
      try store.createUnlisted(ExampleLog.description(4), wall: ExampleTake.wall))
    _ = try store.partialCopy(of: ExampleLog.description(5).id)
    try store.remove(try store.entry(for: "1"), now: ExampleTake.time())
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
      let status = status(name)
      #expect(status.st_uid == user && status.st_gid == group, "\(name)")
      // Nobody gains anything where the group has no say.
      #expect(status.st_mode & 0o022 == 0, "\(name)")
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
      let status = status(name)
      #expect(status.st_uid == user && status.st_gid == group, "\(name)")
      let wanted: mode_t =
        name.hasSuffix(".trash") ? 0o070 : [".lock", ".known"].contains(name) ? 0o060 : 0o040
      #expect(status.st_mode & 0o070 == wanted, "\(name)")
      #expect(status.st_mode & 0o007 == 0, "\(name)")
    }
    #expect(status(".trash").st_mode & S_ISGID != 0)
  }

  @Test("a new store belongs to the owner of the directory above it, and so do those between")
  func newStore() throws {
    #expect(chown(directory.path, user, group) == 0)
    try work(try Catalogue(path: directory.path + "/a/b/c", create: true))
    for name in ["a", "a/b", "a/b/c", "a/b/c/.lock", "a/b/c/.trash"] {
      #expect(status(name).st_uid == user && status(name).st_gid == group, "\(name)")
    }
  }

  @Test("what an earlier root left is given back: lock and trash")
  func repaired() throws {
    let store = try Catalogue(path: directory.path)
    try work(store)
    #expect(chown(directory.path, user, group) == 0)
    _ = try store.adopt()
    for name in [".lock", ".trash"] {
      #expect(status(name).st_uid == user && status(name).st_gid == group, "\(name)")
    }
  }

  @Test("a link in the place of the lock is not followed")
  func link() throws {
    directory.write([1], to: "precious")
    #expect(symlink("precious", directory.path + "/.lock") == 0)
    #expect(chown(directory.path, user, group) == 0)
    let take = ExampleTake(in: try Catalogue(path: directory.path))
    #expect(take.failure != nil)
    #expect(status("precious").st_uid == 0)
    #expect(directory.bytes(of: "precious") == [1])
  }
}
