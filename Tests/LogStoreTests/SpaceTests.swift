// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import LogStore
import LogStoreTesting
import Synchronization
import Testing
import TestSupport

@Suite("Room for a recording", .excludesProgramStarts)
struct SpaceTests {
  private let directory = TemporaryDirectory()
  private let now = ExampleRecording.time()

  private func store(with count: Int, in directory: TemporaryDirectory? = nil) throws -> Catalogue {
    let store = try Catalogue(path: (directory ?? self.directory).path)
    for seed in 1...count {
      _ = ExampleRecording(in: store, syncs: 1, description: ExampleLog.description(UInt64(seed)))
    }
    return store
  }

  private func bytes(of name: String) -> UInt64 {
    var status = stat()
    return lstat("\(directory.path)/\(name)", &status) == 0 ? UInt64(status.st_blocks) * 512 : 0
  }

  /// Everything that the store's recordings and its trash occupy.
  private var used: UInt64 {
    let names =
      directory.names().filter { $0.hasSuffix(".imulog") }
      + directory.names(in: ".trash").map { ".trash/" + $0 }
    return names.reduce(0) { $0 + bytes(of: $1) }
  }

  /// Makes room on a disk with `capacity` left for recordings and trash.
  private func makeRoom(
    _ store: Catalogue, for wanted: UInt64, capacity: UInt64, deletesOldest: Bool = true
  ) throws -> Room {
    try store.makeRoom(for: wanted, deletesOldest: deletesOldest) { capacity - used }
  }

  @Test("reports how many bytes this user may still write")
  func free() throws {
    let free = try store(with: 1).freeByteCount()
    #expect(free > 0 && free < 1 << 60)
  }

  @Test("bytes that fit cost nothing, not even the trash")
  func enough() throws {
    let store = try store(with: 3)
    try store.remove(try store.entry(for: "1"), now: now)
    for wanted in [0, 1] as [UInt64] {
      let room = try store.makeRoom(for: wanted, deletesOldest: true)
      #expect(room.isEnough && room.deleted == [] && room.deletedFromTrash == [])
    }
    #expect(try store.list().entries.map(\.number) == [3, 2])
    #expect(directory.names(in: ".trash").count == 1)
  }

  @Test("when everything deletable is not enough, nothing is deleted, and its size is reported")
  func neverEnough() throws {
    let store = try store(with: 4)
    try store.remove(try store.entry(for: "2"), now: now)
    let before = directory.names() + directory.names(in: ".trash")
    let (used, free) = (used, 5000 as UInt64)
    for wanted in [used + free + 1, 1 << 40, .max] {
      let room = try makeRoom(store, for: wanted, capacity: used + free)
      #expect(!room.isEnough)
      #expect(room.deleted == [] && room.deletedFromTrash == [])
      #expect(room.free == free)
      #expect(room.inTrash + room.inRecordings == used)
      #expect(room.inTrash > 0 && room.inRecordings == 3 * room.inTrash)
    }
    #expect(directory.names() + directory.names(in: ".trash") == before)
    #expect(try !store.wouldFit(.max))
  }

  @Test("the trash goes first, then the oldest recordings, and no more of either than is needed")
  func order() throws {
    for wantedCount in 0...5 {
      let directory = TemporaryDirectory()
      let store = try store(with: 5, in: directory)
      // The one that was removed first is not the one with the lowest number.
      try store.remove(try store.entry(for: "4"), now: now)
      try store.remove(try store.entry(for: "2"), now: ExampleRecording.time(days: 1))
      var left: UInt64 = 5
      let room = try store.makeRoom(for: UInt64(wantedCount) * 4096, deletesOldest: true) {
        let here = directory.names().filter { $0.hasSuffix(".imulog") }.count
        left = UInt64(here + directory.names(in: ".trash").count)
        return (5 - left) * 4096
      }
      #expect(room.isEnough)
      #expect(room.deletedFromTrash + room.deleted == Array([4, 2, 1, 3, 5].prefix(wantedCount)))
      #expect(room.deletedFromTrash.count == min(2, wantedCount))
      #expect(left == 5 - UInt64(wantedCount))
    }
  }

  @Test("without permission to delete the oldest, only the trash makes room")
  func trashAlone() throws {
    let store = try store(with: 3)
    try store.remove(try store.entry(for: "3"), now: now)
    let capacity = used
    let one = bytes(of: ".trash/" + directory.names(in: ".trash")[0])
    let refused = try makeRoom(store, for: one + 1, capacity: capacity, deletesOldest: false)
    #expect(!refused.isEnough && refused.deletedFromTrash == [] && refused.inTrash == one)
    #expect(refused.inRecordings == 0)
    let room = try makeRoom(store, for: one, capacity: capacity, deletesOldest: false)
    #expect(room.isEnough && room.deletedFromTrash == [3] && room.deleted == [])
    #expect(try store.list().entries.map(\.number) == [2, 1])
  }

  @Test(
    "a trash that is a link, a file or a pipe makes no room and stops no recording",
    arguments: [S_IFLNK, S_IFREG, S_IFIFO])
  func strangeTrash(kind: mode_t) throws {
    let store = try store(with: 3)
    let other = TemporaryDirectory()
    let theirs = try self.store(with: 1, in: other)
    try theirs.remove(try theirs.entry(for: "1"), now: now)
    let path = "\(directory.path)/.trash"
    switch kind {
    case S_IFLNK: #expect(symlink("\(other.path)/.trash", path) == 0)
    case S_IFREG: #expect(close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o755)) == 0)
    default: #expect(mkfifo(path, 0o777) == 0)
    }
    let one = bytes(of: try store.entry(for: "1").fileName)
    // The contents of another store's trash are not part of this one.
    let room = try store.makeRoom(for: one, deletesOldest: true) {
      UInt64(3 - directory.names().count { $0.hasSuffix(".imulog") }) * one
    }
    #expect(room.isEnough && room.deleted == [1] && room.deletedFromTrash == [])
    let full = StorageError(.write, path: "log", errno: ENOSPC)
    #expect(try store.makeRoom(after: full, deletesOldest: true).deleted == [2])
    #expect(try store.makeRoom(after: full, deletesOldest: false).deletedCount == 0)
    #expect(other.names(in: ".trash").count == 1)
  }

  @Test("recordings that are live, cannot be opened or free nothing are skipped")
  func obstacles() throws {
    let store = try store(with: 1)
    let live = try store.create(ExampleLog.description(9), wall: ExampleRecording.wall)
    _ = ExampleRecording(in: store, syncs: 1, description: ExampleLog.description(5))
    func name(_ number: Int, _ stamp: String = "") -> String {
      "00000\(number)-20261121T023807Z-deadbeef.imulog\(stamp)"
    }
    // Older than everything, each in its own way undeletable or useless.
    let path = directory.path
    let stamp = "~20260401T000000Z"
    directory.makeDirectory(".trash")
    for (folder, mark) in [(path, ""), (path + "/.trash", stamp)] {
      #expect(symlink("/nowhere", "\(folder)/\(name(0, mark))") == 0)
      #expect(mkdir("\(folder)/000000-20261121T023808Z-deadbeef.imulog\(mark)", 0o755) == 0)
      #expect(mkfifo("\(folder)/000000-20261121T023809Z-deadbeef.imulog\(mark)", 0o600) == 0)
    }
    directory.write([1, 2, 3], to: "elsewhere")
    let twice = "000000-20261121T023810Z-deadbeef.imulog"
    #expect(link(path + "/elsewhere", path + "/" + twice) == 0)
    directory.write([1, 2, 3], to: ".trash/notes.txt")
    let strangers = directory.names().filter { $0.hasPrefix("000000-") }
    let usable = try ["1", "3"].reduce(0) { $0 + bytes(of: try store.entry(for: $1).fileName) }
    let capacity = used
    let refused = try makeRoom(store, for: usable + 1, capacity: capacity)
    #expect(!refused.isEnough && refused.deleted == [])
    #expect(refused.inRecordings == usable && refused.inTrash == 0)
    let room = try makeRoom(store, for: usable, capacity: capacity)
    #expect(room.isEnough && room.deleted == [1, 3])
    #expect(directory.names().filter { $0.hasPrefix("000000-") } == strangers)
    #expect(directory.names(in: ".trash").count == 4)
    #expect(try store.isLive(live.entry))
  }

  @Test("where deleting frees nothing, it stops before much is lost")
  func snapshots() throws {
    let store = try Catalogue(path: directory.path)
    for seed in 1...8 {
      let live = try store.create(ExampleLog.description(UInt64(seed)), wall: ExampleRecording.wall)
      directory.write([UInt8](repeating: 7, count: 2 << 20), to: live.entry.fileName)
    }
    let room = try store.makeRoom(for: 9 << 20, deletesOldest: true) { 0 }
    #expect(!room.isEnough)
    // 4 MiB are allowed for other programs' writes.
    #expect((1...3).contains(room.deleted.count))
    #expect(room.unreleased >= UInt64(room.deleted.count) * 2 << 20)
  }

  /// A store of large recordings; the kernel does not report whether those in `unknown` are open.
  private func largeStore(_ count: Int, unknown: ClosedRange<Int>) throws -> Catalogue {
    let clean = try Catalogue(path: directory.path)
    for seed in 1...count {
      let live = try clean.create(ExampleLog.description(UInt64(seed)), wall: ExampleRecording.wall)
      directory.write([UInt8](repeating: 7, count: 5 << 20), to: live.entry.fileName)
    }
    let names = unknown.map { "/00000\($0)-" }
    let gate = FaultGate { call in
      call.operation == .lease && names.contains { call.path.contains($0) }
        ? .refuse(EACCES) : .pass
    }
    return try Catalogue(path: directory.path, create: false, gate: gate)
  }

  /// The free bytes after so many recordings were deleted, without those that stay open.
  private func free(of count: Int, open: Set<String>) -> UInt64 {
    let here = Set(
      directory.names().filter { $0.hasSuffix(".imulog") }.map { String($0.prefix(6)) })
    return UInt64(count - here.union(open).count) * (5 << 20)
  }

  @Test("a recording that may be open elsewhere goes after all others")
  func unknownLast() throws {
    let store = try largeStore(4, unknown: 1...2)
    let room = try store.makeRoom(for: 15 << 20, deletesOldest: true) { free(of: 4, open: []) }
    #expect(room.isEnough && room.deleted == [3, 4, 1])
  }

  @Test("a single one that was open after all does not stop it")
  func unknownOpen() throws {
    let store = try largeStore(4, unknown: 1...4)
    let room = try store.makeRoom(for: 5 << 20, deletesOldest: true) {
      free(of: 4, open: ["000001"])
    }
    #expect(room.isEnough && room.deleted == [1, 2])
  }

  @Test("two of them that free nothing stop it, and the rest is reported")
  func unknownVain() throws {
    let store = try largeStore(6, unknown: 1...6)
    let room = try store.makeRoom(for: 5 << 20, deletesOldest: true) { 0 }
    #expect(!room.isEnough && room.deleted == [1, 2])
    #expect(room.unreleased == 10 << 20)
    #expect(room.inRecordings == 20 << 20)
  }

  @Test("a file that another program has open is kept: its bytes would not become free")
  func inUse() throws {
    let store = try store(with: 4)
    try store.remove(try store.entry(for: "3"), now: now)
    let trashed = ".trash/" + directory.names(in: ".trash")[0]
    let sizes = try ["1", "2", "4"].map { bytes(of: try store.entry(for: $0).fileName) }
    let inUse = sizes[0] + bytes(of: trashed)
    let open = try [trashed, store.entry(for: "1").fileName].map {
      Glibc.open("\(directory.path)/\($0)", O_RDONLY | O_CLOEXEC)
    }
    defer { for descriptor in open { close(descriptor) } }
    let capacity = used
    let refused = try makeRoom(store, for: capacity, capacity: capacity)
    #expect(!refused.isEnough && refused.deleted == [] && refused.deletedFromTrash == [])
    #expect(refused.inUse == inUse && refused.inRecordings == sizes[1] + sizes[2])
    let room = try makeRoom(store, for: sizes[1], capacity: capacity)
    #expect(room.isEnough && room.deleted == [2] && room.deletedFromTrash == [])
  }

  @Test("one that cannot be deleted after all costs no other one, unless the others are enough")
  func planAnew() throws {
    let clean = try store(with: 3)
    try clean.remove(try clean.entry(for: "1"), now: now)
    let sizes = try ["2", "3"].map { bytes(of: try clean.entry(for: $0).fileName) }
    let gate = FaultGate { call in
      call.operation == .remove && call.path.contains("/.trash/") ? .refuse(EPERM) : .pass
    }
    let store = try Catalogue(path: directory.path, create: false, gate: gate)
    let capacity = used
    let refused = try makeRoom(store, for: capacity, capacity: capacity)
    #expect(!refused.isEnough && refused.deleted == [] && refused.deletedFromTrash == [])
    #expect(refused.inTrash == 0 && refused.inRecordings == sizes[0] + sizes[1])
    let room = try makeRoom(store, for: sizes[0], capacity: capacity)
    #expect(room.isEnough && room.deleted == [2])
  }

  @Test("a failing call costs at most one more recording, and no number is assigned twice")
  func faults() throws {
    for errno in [EIO, EACCES, ENOSPC] {
      var index = 1
      while true {
        let directory = TemporaryDirectory(inMemory: true)
        let clean = try store(with: 4, in: directory)
        try clean.remove(try clean.entry(for: "4"), now: now)
        let script = FaultScript(.once(index, errno: errno))
        let store = try Catalogue(path: directory.path, create: false, gate: script.gate)
        var room: Room?
        do {
          room = try store.makeRoom(for: 8192, deletesOldest: true) {
            let here = directory.names().filter { $0.hasSuffix(".imulog") }.count
            return UInt64(4 - here - directory.names(in: ".trash").count) * 4096
          }
        } catch {
          #expect(error.errno == errno)
        }
        let left = try clean.list().entries.map(\.number)
        if let room { #expect(room.isEnough, "\(errno) at \(index)") }
        #expect(left.count >= 1, "\(errno) at \(index)")
        let next = ExampleRecording(in: clean, description: ExampleLog.description(9)).entry?.number
        #expect(next == 5, "\(errno) at \(index)")
        guard script.calls.count > index else { break }
        index += 1
      }
      #expect(index > 10)
    }
  }

  @Test("a quota that is used up while recording costs recordings in the trash, at any write")
  func quota() throws {
    var index = 0
    var wasMet = true
    while wasMet {
      let directory = TemporaryDirectory(inMemory: true)
      let clean = try store(with: 3, in: directory)
      try clean.remove(try clean.entry(for: "3"), now: now)
      // Used up from a write of the recording on, until something is deleted.
      let writes = Mutex(-1)
      let (chosen, limit) = (index, FileStorage.spareByteCount)
      let gate = FaultGate { call in
        writes.withLock { writes in
          if call.operation == .remove { writes = .min }
          guard call.operation == .write, call.path.hasSuffix(".imulog"), writes != .min else {
            return .pass
          }
          writes += 1
          return writes >= chosen ? .refuse(EDQUOT) : .pass
        }
      }
      let store = try Catalogue(path: directory.path, create: false, gate: gate)
      let live = try store.create(ExampleLog.description(9), wall: ExampleRecording.wall)
      let entry = live.entry
      var storage = ReservingStorage(live.takeStorage(), reserve: 0) {
        _ throws(StorageError) in
        try store.freeByteCount()
      } makeRoom: { error in
        do {
          return try store.makeRoom(after: error, deletesOldest: true).deletedFromTrash == [3]
        } catch {
          return false
        }
      }
      let body = (0..<10 * limit).map { UInt8(truncatingIfNeeded: $0 &* 7) | 1 }
      let queue = FlushQueue()
      #expect(queue.put(body))
      queue.close()
      #expect(queue.flusherLoop(&storage, clock: SteppingClock(step: 1)) == nil, "\(index)")
      #expect(queue.failure == nil, "\(index)")
      #expect(directory.bytes(of: entry.fileName).suffix(body.count) == body[...], "\(index)")
      wasMet = writes.withLock { $0 == .min }
      #expect(directory.names(in: ".trash").isEmpty == wasMet, "\(index)")
      #expect(try clean.list().entries.map(\.number) == [4, 2, 1], "\(index)")
      index += 1
    }
    #expect(index > 40)
  }

  @Test(
    "for a used-up quota only this user's recordings are deleted, for a full disk any",
    .enabled(if: geteuid() == 0, "only root gives files to others"))
  func quotaOfOthers() throws {
    let store = try store(with: 4)
    for number in ["1", "2"] { try store.remove(try store.entry(for: number), now: now) }
    for name in directory.names(in: ".trash") {
      #expect(chown("\(directory.path)/.trash/\(name)", 4001, 4001) == 0)
    }
    let quota = StorageError(.write, path: "log", errno: EDQUOT)
    #expect(try store.makeRoom(after: quota, deletesOldest: false).deletedCount == 0)
    #expect(try store.makeRoom(after: quota, deletesOldest: true).deleted == [3])
    let full = StorageError(.write, path: "log", errno: ENOSPC)
    #expect(try store.makeRoom(after: full, deletesOldest: false).deletedFromTrash == [1])
    let tooLarge = StorageError(.write, path: "log", errno: EFBIG)
    #expect(try store.makeRoom(after: tooLarge, deletesOldest: true).deletedCount == 0)
  }
}
