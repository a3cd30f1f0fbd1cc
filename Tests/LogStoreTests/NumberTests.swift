// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LogStore
import LogStoreTesting
import TestSupport
import Testing

@Suite("Numbers are never assigned twice", .excludesProgramStarts)
struct NumberTests {
  /// How a recording comes into a store.
  enum Way: CaseIterable {
    case recorded, imported, pulled
  }

  /// Makes a recording; its number.
  @discardableResult
  private func make(_ way: Way, in store: Catalogue, seed: UInt64) throws -> UInt32 {
    let description = ExampleLog.description(seed)
    switch way {
    case .recorded: return try store.create(description, wall: ExampleRecording.wall).entry.number
    case .imported:
      return try store.publish(
        try store.createUnlisted(description, wall: ExampleRecording.wall)
      ).number
    case .pulled:
      var copy = try store.partialCopy(of: description.id)
      let bytes = try ExampleLog(ticks: 20, description: description).bytes
      try bytes.withUnsafeBytes { try copy.append($0) }
      let whole = WholeCopy(copy, number: 5, start: 0)
      try StoreIndex(store).publish([whole])
      return try whole.result.get().number
    }
  }

  /// The number in a lock's file.
  private func number(_ bytes: [UInt8]?) -> UInt32 {
    UInt32(String(decoding: (bytes ?? []).prefix { $0 != 10 }, as: UTF8.self)) ?? 0
  }

  @Test(
    "a number is durable before a file has it, however the recording is made",
    arguments: Way.allCases)
  func durable(way: Way) throws {
    let directory = TemporaryDirectory(inMemory: true)
    let script = FaultScript()
    let store = try Catalogue(path: directory.path, create: true, gate: script.gate)
    let numbers = [try make(way, in: store, seed: 1), try make(way, in: store, seed: 2)]
    var disk = SimulatedDisk()
    var used: UInt32 = 0
    var checked = 0
    for operation in script.operations {
      // A name or a header may carry the number from here on.
      switch operation {
      case .create(let name) where name.hasPrefix(".new-") || name.hasPrefix(".import-"),
        .rename(_, to: let name) where name.hasSuffix(".imulog"):
        used = max(used, name.hasPrefix(".new-") ? used + 1 : number(of: name))
        // No pending write survives.
        #expect(number(disk.crashed(surviving: [])[".lock"]) >= used, "\(operation)")
        checked += 1
      default: break
      }
      disk.perform(operation)
    }
    #expect(checked == (way == .pulled ? 2 : 4))
    #expect(number(disk.crashed(surviving: [])[".lock"]) == numbers[1])
  }

  @Test("a number is durable before its last file is deleted, though the lock had no durable name")
  func durableAtDeletion() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let script = FaultScript()
    let store = try Catalogue(path: directory.path, create: true, gate: script.gate)
    for seed in 1...2 { try make(.recorded, in: store, seed: UInt64(seed)) }
    try store.remove(try store.entry(for: "2"), now: ExampleRecording.time())
    let before = script.operations.count
    _ = store.emptyTrash(now: ExampleRecording.time(), ofAnyAge: true)
    // A program put the lock there, and ended before it synced the directory.
    var disk = SimulatedDisk()
    disk.perform(.create(".lock"))
    var numbers: [UInt32] = []
    for operation in script.operations.dropFirst(before) {
      if case .remove(let name) = operation, name.hasPrefix("000002-") {
        numbers.append(number(disk.crashed(surviving: [])[".lock"]))
      }
      disk.perform(operation)
    }
    #expect(numbers == [2])
  }

  private func number(of name: String) -> UInt32 {
    let digits = name.drop { !$0.isNumber }.prefix { $0.isNumber }
    return UInt32(digits) ?? 0
  }

  @Test("an import that loses power at any point is complete or absent")
  func importedOrNot() throws {
    let directory = TemporaryDirectory(inMemory: true)
    let script = FaultScript()
    let store = try Catalogue(path: directory.path, create: true, gate: script.gate)
    var live = try store.createUnlisted(ExampleLog.description(), wall: ExampleRecording.wall)
    #expect(try store.list().entries.isEmpty)
    let log = try ExampleLog(ticks: 400, description: live.description)
    try log.bytes[log.headerByteCount...].withUnsafeBytes { try live.storage.append($0) }
    let entry = try store.publish(live)
    #expect(directory.bytes(of: entry.fileName) == log.bytes)
    #expect(try store.summary(of: entry).isComplete)
    var disk = SimulatedDisk()
    var counts = [0, 0]
    for operation in script.operations {
      disk.perform(operation)
      let pending = disk.pending
      let survivals: [[SimulatedDisk.Effect]] =
        [[], pending.flatMap(\.effects)]
        + pending.indices.flatMap { index in
          let others = pending.indices.filter { $0 != index }.flatMap { pending[$0].effects }
          return [pending[index].effects, others] + pending[index].effects.map { [$0] }
        }
      for survivors in survivals {
        for isGrown in [false, true] {
          let image = disk.crashed(surviving: survivors, isGrown: isGrown)
          counts[try check(image, log.bytes)] += 1
        }
      }
    }
    #expect(counts[0] > 10 && counts[1] > 1)
  }

  /// How many recordings there are after a loss of power.
  private func check(_ image: SimulatedDisk.Image, _ whole: [UInt8]) throws -> Int {
    let directory = TemporaryDirectory(inMemory: true)
    for (name, bytes) in image { directory.write(bytes, to: name) }
    let store = try Catalogue(path: directory.path)
    _ = try store.adopt()
    let entries = try store.list().entries
    for entry in entries { #expect(directory.bytes(of: entry.fileName) == whole) }
    #expect(directory.names().filter { ![".lock", ".known"].contains($0) }.count == entries.count)
    return entries.count
  }

  @Test("a running import is not swept, one whose program is gone is")
  func sweep() throws {
    let directory = TemporaryDirectory()
    let store = try Catalogue(path: directory.path)
    do {
      let live = try store.createUnlisted(ExampleLog.description(), wall: ExampleRecording.wall)
      _ = try store.adopt()
      #expect(directory.names().filter { $0.hasPrefix(".import-") }.count == 1)
      // Its number is taken.
      #expect(try make(.recorded, in: store, seed: 2) == 2)
      _ = consume live
    }
    _ = try store.adopt()
    #expect(directory.names().filter { $0.hasPrefix(".import-") }.isEmpty)
    #expect(try make(.recorded, in: store, seed: 3) == 3)
  }

  /// A store of two recordings, of which a third was deleted for good.
  private func storeOfDeleted(_ directory: TemporaryDirectory) throws -> Catalogue {
    let store = try Catalogue(path: directory.path)
    for seed in 1...3 { try make(.recorded, in: store, seed: UInt64(seed)) }
    try store.remove(try store.entry(for: "3"), now: ExampleRecording.time())
    #expect(store.emptyTrash(now: ExampleRecording.time(), ofAnyAge: true).deleted.count == 1)
    return store
  }

  /// How many were deleted is not known any more.
  private func expectLeap(_ store: Catalogue, _ comment: Comment) throws {
    #expect(try make(.recorded, in: store, seed: 4) == 1003, comment)
    #expect(try make(.imported, in: store, seed: 5) == 1004, comment)
  }

  @Test("anything but a file in place of the lock is moved aside, and no number is assigned twice")
  func oddLock() throws {
    let makers: [(String) -> Int32] = [
      { mkdir($0, 0o755) }, { mkfifo($0, 0o644) }, { symlink("/nowhere", $0) },
    ]
    for (index, make) in makers.enumerated() {
      let directory = TemporaryDirectory()
      let store = try storeOfDeleted(directory)
      #expect(unlink(directory.path + "/.lock") == 0)
      #expect(make(directory.path + "/.lock") == 0)
      try expectLeap(store, "\(index)")
    }
  }

  @Test("a lock without a valid number is rewritten, and no number is assigned twice")
  func garbledLock() throws {
    for contents in [
      "99999999999\n", "4294967296\n", "000000000", "nonsense", "0000000003\n4", "\n",
    ] {
      let directory = TemporaryDirectory()
      let store = try storeOfDeleted(directory)
      directory.write(Array(contents.utf8), to: ".lock")
      try expectLeap(store, "\(contents)")
    }
  }

  @Test(
    "a lock that another program holds is waited for until the patience runs out, and its holder is named"
  )
  func heldLock() throws {
    let directory = TemporaryDirectory()
    var store = try Catalogue(path: directory.path)
    store.lockPatience = 0
    #expect(try make(.recorded, in: store, seed: 1) == 1)
    let holder = open(directory.path + "/.lock", O_RDONLY | O_CLOEXEC)
    #expect(flock(holder, LOCK_EX) == 0)
    for way in [Way.recorded, .imported] {
      do {
        try make(way, in: store, seed: 2)
        Issue.record("the lock was taken twice")
      } catch CatalogueError.storage(let error) {
        #expect(error.operation == .lock && error.errno == EWOULDBLOCK)
        #expect(error.description.contains(".lock: process \(getpid()) ("))
      }
    }
    #expect(directory.names().filter { $0.hasPrefix(".import-") }.isEmpty)
    #expect(store.emptyTrash(now: ExampleRecording.time(), ofAnyAge: true).failures.isEmpty)
    close(holder)
    #expect(try make(.recorded, in: store, seed: 2) == 2)
  }

  @Test("an import is on the disk before it waits for the lock that all others need")
  func finishedBeforeLock() throws {
    let directory = TemporaryDirectory()
    let script = FaultScript()
    let store = try Catalogue(path: directory.path, create: false, gate: script.gate)
    let live = try store.createUnlisted(ExampleLog.description(), wall: ExampleRecording.wall)
    let before = script.calls.count
    _ = try store.publish(live)
    let calls = script.calls.dropFirst(before)
    #expect(try #require(calls.firstIndex(of: .truncate)) < #require(calls.firstIndex(of: .lock)))
    #expect(calls[..<(try #require(calls.firstIndex(of: .lock)))].contains(.sync))
  }

  @Test("the same log imported twice at the same time is in the store once")
  func twice() throws {
    let directory = TemporaryDirectory()
    let store = try Catalogue(path: directory.path)
    let one = try store.createUnlisted(ExampleLog.description(), wall: ExampleRecording.wall)
    let two = try store.createUnlisted(ExampleLog.description(), wall: ExampleRecording.wall)
    #expect(try store.publish(one).number == 1)
    do {
      _ = try store.publish(two)
      Issue.record("the second was to be refused")
    } catch {
      #expect(error == .present(id: "\(ExampleLog.description().id)", number: 1))
    }
    #expect(directory.names().filter { $0.hasPrefix(".import-") }.isEmpty)
  }
}
