// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import TestSupport
import Testing

@Suite("A copy from elsewhere", .excludesProgramStarts)
struct PartialCopyTests {
  let directory = TemporaryDirectory()
  let id: RecordingID
  let log: [UInt8]
  var partial: String { ".part-\(id)" }
  var unsynced: String { ".unsynced-\(id)" }

  init() throws {
    let origin = TemporaryDirectory()
    let recording = ExampleRecording(in: try Catalogue(path: origin.path), syncs: 3)
    let entry = try #require(recording.entry)
    id = ExampleLog.description().id
    log = origin.bytes(of: entry.fileName)
  }

  private func store(_ script: FaultScript = FaultScript()) throws -> Catalogue {
    try Catalogue(path: directory.path + "/store", create: true, gate: script.gate)
  }

  /// A pull: resumes the partial copy, brings the rest, and publishes it.
  private func bring(into store: Catalogue) throws -> CatalogueEntry {
    if let here = try store.entry(of: id) {
      #expect(try store.secure(here))
      return here
    }
    var copy = try store.partialCopy(of: id)
    let begin = Int(copy.byteCount)
    try log[begin...].withUnsafeBytes { try copy.append($0) }
    let whole = WholeCopy(copy, number: 1, start: 0)
    try StoreIndex(store).publish([whole])
    return try whole.result.get()
  }

  private func names() -> [String] {
    directory.names(in: "store").filter { ![".lock", ".trash"].contains($0) }
  }

  @Test(
    "a recording that a pull reports as here survives a power loss, whichever earlier call failed")
  func everyFault() throws {
    let free = FaultScript()
    let name = try bring(into: store(free)).fileName
    // Its length is with its name on some cards, which is durable last.
    #expect(
      free.operations.suffix(3) == [.rename(partial, to: name), .sync(name), .sync("store")])
    let count = free.calls.count
    try #require(count > 10)
    var failures = 0
    for index in 0..<count {
      // A kill during a failing sync of the directory is not tested: no name records it.
      let isLast = index == count - 1
      for plan in [FaultScript.Plan.once(index, errno: EIO)]
        + (isLast ? [] : [.from(index, errno: EIO)])
      {
        let directory = TemporaryDirectory()
        let script = FaultScript(plan)
        let path = directory.path + "/store"
        var entry: CatalogueEntry?
        // The first pull fails, or is killed there; the next ones find a card that works again.
        for _ in 0..<3 where entry == nil {
          do {
            entry = try bring(into: Catalogue(path: path, create: true, gate: script.gate))
          } catch {
            failures += 1
            script.change(to: .none)
          }
        }
        let name = try #require(entry, "\(plan)").fileName
        #expect(directory.bytes(of: "store/\(name)") == log, "\(plan)")
        var disk = SimulatedDisk()
        for operation in script.operations { disk.perform(operation) }
        // The worst case: only what is known to be durable survives.
        #expect(disk.crashed(surviving: [])[name] == log, "\(plan)")
      }
    }
    #expect(failures > count)
  }

  @Test(
    "a copy whose sync failed starts over, even if its program was killed before it could report that"
  )
  func begunAnew() throws {
    let script = FaultScript()
    do {
      var copy = try store(script).partialCopy(of: id)
      try log.withUnsafeBytes { try copy.append($0) }
      try copy.sync()
      #expect(names() == [partial])
      // From the sync on no call reaches the disk, as after a kill.
      script.change(to: .from(script.calls.count + 1, errno: EIO))
      #expect(throws: StorageError.self) { try copy.sync() }
      #expect(names() == [unsynced])
    }
    #expect(names() == [unsynced])
    let copy = try store().partialCopy(of: id)
    #expect(copy.byteCount == 0)
    #expect(names() == [partial])
  }

  @Test("a copy whose sync failed is removed with its program")
  func goes() throws {
    let script = FaultScript()
    do {
      var copy = try store(script).partialCopy(of: id)
      try log.withUnsafeBytes { try copy.append($0) }
      script.change(to: .once(script.calls.count + 1, errno: EIO))
      #expect(throws: StorageError.self) { try copy.sync() }
    }
    #expect(names().isEmpty)
  }

  @Test("a durable copy that gets no name is kept with every byte for the next attempt")
  func nameless() throws {
    let path = directory.path + "/store"
    _ = try store()
    let partial = partial
    let refusing = FaultGate { call in
      guard call.operation == .lock, call.path.hasSuffix(".lock") else { return .pass }
      // A kill while it waits leaves the same.
      #expect(TemporaryDirectory.names(at: path).contains(partial))
      return .refuse(EWOULDBLOCK)
    }
    #expect(throws: CatalogueError.self) {
      try bring(into: Catalogue(path: path, create: false, gate: refusing))
    }
    #expect(names() == [partial])
    #expect(directory.bytes(of: "store/\(partial)") == log)
    #expect(try bring(into: store()).number == 1)
  }

  @Test("no program resumes a copy that another is receiving or syncing")
  func locked() throws {
    let store = try store()
    let copy = try store.partialCopy(of: id)
    #expect(throws: CatalogueError.self) { _ = try store.partialCopy(of: id) }
    rename(directory.path + "/store/\(partial)", directory.path + "/store/\(unsynced)")
    #expect(throws: CatalogueError.self) { _ = try store.partialCopy(of: id) }
    #expect(names() == [unsynced])
    _ = consume copy
  }

  @Test("a copy without a byte leaves nothing")
  func empty() throws {
    do {
      var copy = try store().partialCopy(of: id)
      #expect(names() == [partial])
      try log.withUnsafeBytes { try copy.append($0) }
      try copy.cut(to: 0)
    }
    #expect(names().isEmpty)
    do {
      var copy = try store().partialCopy(of: id)
      try log[..<100].withUnsafeBytes { try copy.append($0) }
    }
    #expect(names() == [partial])
  }

  @Test("before a recording that was here is freed elsewhere, it and its name are synced")
  func secured() throws {
    let entry = try bring(into: store())
    let script = FaultScript()
    let again = try store(script)
    #expect(try again.secure(entry))
    #expect(script.operations == [.sync(entry.fileName), .sync("store")])
    for index in 0..<2 {
      let sync = FaultGate { call in
        guard call.operation == .sync else { return .pass }
        return call.path.hasSuffix("store") == (index == 1) ? .refuse(EIO) : .pass
      }
      let store = try Catalogue(path: directory.path + "/store", create: false, gate: sync)
      #expect(throws: CatalogueError.self) { _ = try store.secure(entry) }
    }
  }

  @Test("the names above a new store are synced, until it is known that they are")
  func parents() throws {
    let path = directory.path + "/a/b/store"
    let synced: (FaultScript.Plan) -> [DiskOperation]? = { plan in
      let script = FaultScript(plan)
      do {
        _ = try Catalogue(path: path, create: true, gate: script.gate)
      } catch {
        return nil
      }
      return script.operations
    }
    // The first attempt dies after the directories.
    var call = 0
    while synced(.from(call, errno: EIO)) == nil, directory.names(in: "a/b").isEmpty { call += 1 }
    let operations = try #require(synced(.none))
    #expect(Array(operations.prefix(2)) == [.sync("b"), .sync("a")])
    _ = ExampleRecording(in: try Catalogue(path: path), syncs: 1)
    #expect(synced(.none) == [])
  }

  @Test("a restored recording has its new name before it loses the old one")
  func restored() throws {
    let entry = try bring(into: store())
    let script = FaultScript()
    let store = try store(script)
    try store.restore(try store.remove(entry, now: ExampleRecording.time()))
    #expect(script.operations.suffix(2) == [.sync("store"), .sync(".trash")])
  }

  @Test("no pull gets a recording freed while another one relies on it or got no answer")
  func relied() throws {
    let store = try store()
    let entry = try bring(into: store)
    do {
      let hold = try store.rely(on: entry, id, by: "one")
      let isRepeated = hold.isRepeated
      #expect(!isRepeated)
      #expect(throws: CatalogueError.isLive(file: entry.path)) {
        try store.free(entry, id, now: ExampleRecording.time())
      }
      _ = consume hold
    }
    for (route, wasAsked) in [("one", true), ("other", false), ("one", true)] {
      #expect(try store.rely(on: entry, id, by: route).isRepeated == wasAsked)
    }
    #expect(try store.marks().routes == [id: ["one", "other"]])
    // Each answer is of its own far end.
    for route in ["other", "one"] {
      let refusal = sentence { try store.free(entry, id, now: ExampleRecording.time()) }
      #expect(refusal.contains("or delete \(store.path)/.freeing-\(id) when"))
      try store.relyNoMore(on: id, by: route)
    }
    try store.free(entry, id, now: ExampleRecording.time())
    #expect(throws: CatalogueError.self) { _ = try store.rely(on: entry, id, by: "one") }
    #expect(!directory.names(in: "store").contains(".freeing-\(id)"))
  }

  @Test("a mark for which the disk has no room does not count")
  func noRoomForMark() throws {
    let entry = try bring(into: try store())
    let full = try store(FaultScript(.full(at: 0)))
    #expect(throws: CatalogueError.self) { _ = try full.rely(on: entry, id, by: "one") }
    #expect(!directory.names(in: "store").contains(".freeing-\(id)"))
  }
}

@Suite("Leftover copies", .excludesProgramStarts)
struct LeftoverTests {
  let directory = TemporaryDirectory()
  let id = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"

  /// The clock's reading some hours from now.
  private func now(days: Int64 = 0, hours: Int64 = 0, isSynchronised: Bool = true) -> WallTime {
    WallTime(
      nanoseconds: (Int64(time(nil)) + (24 * days + hours) * 3600) * 1_000_000_000,
      isSynchronised: isSynchronised)
  }

  private func write(_ names: String...) {
    for name in names { directory.write([1, 2, 3], to: name) }
  }

  @Test("they are listed with their state; other names are not")
  func listed() throws {
    write(".part-\(id)", ".unsynced-\(id)", ".aside-\(id)-1", ".aside-\(id)-12", ".freeing-\(id)")
    write(
      ".part-1", ".part-\(id)-1", ".aside-\(id)", ".aside-\(id)-", ".aside-\(id)-x", ".new-\(id)")
    let found = try Catalogue(path: directory.path).leftovers()
    #expect(
      found.map(\.fileName) == [
        ".aside-\(id)-1", ".aside-\(id)-12", ".freeing-\(id)", ".part-\(id)", ".unsynced-\(id)",
      ])
    #expect(found.map(\.state) == [.aside, .aside, .freeing, .partial, .unsynced])
    #expect(found.allSatisfy { $0.byteCount == 3 && "\($0.id)" == id })
    #expect(found.allSatisfy { abs($0.changed - Int64(time(nil))) < 600 })
  }

  @Test("they expire 30 days after a sweep has seen them unchanged, unless a program is using them")
  func expired() throws {
    write(".part-\(id)", ".aside-\(id)-1", "notes")
    let store = try Catalogue(path: directory.path)
    // By a clock that may show anything nothing ages, and what was written by it is dated first.
    #expect(try store.expireLeftovers(now: now(days: 400, isSynchronised: false)).isEmpty)
    #expect(try store.expireLeftovers(now: now(days: 31)).isEmpty)
    #expect(try store.expireLeftovers(now: now(days: 61, hours: -1)).isEmpty)
    do {
      let copy = try store.partialCopy(of: try #require(RecordingID(id)))
      #expect(copy.byteCount == 3)
      #expect(try store.expireLeftovers(now: now(days: 62)) == [".aside-\(id)-1"])
    }
    #expect(try store.expireLeftovers(now: now(days: 62)) == [".part-\(id)"])
    #expect(directory.names(in: "") == ["notes"])
  }

  @Test("one that cannot be deleted stops no other one, and no recording")
  func stubborn() throws {
    directory.makeDirectory(".aside-\(id)-1")
    symlink("/nowhere", directory.path + "/.aside-\(id)-2")
    write(".part-\(id)")
    let store = try Catalogue(path: directory.path)
    #expect(try store.expireLeftovers(now: now()).isEmpty)
    #expect(try store.expireLeftovers(now: now(days: 31)) == [".part-\(id)"])
  }
}
