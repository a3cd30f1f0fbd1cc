// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import IMUModel
import LogStore
import LogStoreTesting
import Synchronization
import TestSupport
import Testing

@Suite("The index of a store", .excludesProgramStarts)
struct StoreIndexTests {
  private let directory = TemporaryDirectory()
  private let id = ExampleLog.description().id
  private let log: [UInt8]

  init() throws {
    log = try ExampleLog(ticks: 10, flushEvery: 10).bytes
  }

  @Test(
    "follows the changes of other programs, without reading the directory again after many queries",
    arguments: [0, 100])
  func changes(looks: Int) throws {
    let listings = FaultScript()
    let index = try StoreIndex(Catalogue(path: directory.path, create: true, gate: listings.gate))
    for _ in 0..<looks { _ = try index.taken(of: []) }
    let before = listings.calls.count { $0 == .list }
    #expect(try index.entry(of: id) == nil)
    directory.write(log, to: ExampleLog.fileName(7, of: id))
    #expect(try index.entry(of: id)?.number == 7)
    let taken = try index.taken(of: [6, 7, 8])
    #expect(taken.those == [7] && taken.highest == 7)
    let other = try Catalogue(path: directory.path)
    let entry = try #require(try other.list().entries.first)
    let removed = try other.remove(entry, now: ExampleRecording.time())
    #expect(try index.entry(of: id) == nil)
    // A recording in the trash keeps its number.
    #expect(try index.taken(of: [7]).those == [7])
    try other.restore(removed)
    #expect(try index.entry(of: id)?.number == 7)
    directory.write([1], to: ".part-x")
    #expect(try index.entry(of: id)?.number == 7)
    #expect((listings.calls.count { $0 == .list } == before) == (looks > 0))
  }

  @Test(
    "a failed reading is repeated at the next query, and nothing counts as missing",
    arguments: 0..<120)
  func unread(looks: Int) throws {
    directory.write(log, to: ExampleLog.fileName(7, of: id))
    let isFailing = Mutex(false)
    let gate = FaultGate { call in
      call.operation == .list && isFailing.withLock { $0 } ? .refuse(EMFILE) : .pass
    }
    let index = try StoreIndex(Catalogue(path: directory.path, create: false, gate: gate))
    for _ in 0..<looks { _ = try index.taken(of: []) }
    isFailing.withLock { $0 = true }
    // Either it is known without a look, or the look fails.
    do { #expect(try index.entry(of: id)?.number == 7) } catch {}
    isFailing.withLock { $0 = false }
    #expect(try index.entry(of: id)?.number == 7)
    #expect(try index.taken(of: [7]).those == [7])
  }

  @Test(
    "a directory that replaces the store is read, even while the old one is watched",
    arguments: [0, 100])
  func replaced(looks: Int) throws {
    let index = try StoreIndex(Catalogue(path: directory.path + "/store", create: true))
    for _ in 0..<looks { _ = try index.taken(of: []) }
    directory.makeDirectory("other")
    directory.write(log, to: "other/" + ExampleLog.fileName(7, of: id))
    let path = directory.path
    #expect(rename(path + "/store", path + "/away") == 0)
    #expect(throws: CatalogueError.self) { try index.taken(of: []) }
    #expect(rename(path + "/other", path + "/store") == 0)
    #expect(try index.taken(of: [7]).those == [7])
    directory.write(log, to: "store/" + ExampleLog.fileName(9, of: id))
    directory.write(log, to: "away/" + ExampleLog.fileName(8, of: id))
    #expect(try index.taken(of: [7, 8, 9]).those == [7, 9])
  }

  @Test("a copy gets the next number when another program took its own meanwhile")
  func numbers() throws {
    let index = try StoreIndex(Catalogue(path: directory.path, create: true))
    var copy = try index.catalogue.partialCopy(of: id)
    try log.withUnsafeBytes { try copy.append($0) }
    directory.write(log, to: ExampleLog.fileName(3, of: RecordingID(high: 1, low: 2)))
    let whole = WholeCopy(copy, number: 3, start: 0)
    index.publish([whole])
    #expect(try whole.result.get().number == 4)
  }

  @Test("many copies at once become recordings with the numbers that they should have")
  func many() throws {
    let index = try StoreIndex(Catalogue(path: directory.path, create: true))
    var copies: [WholeCopy] = []
    for number in 1...40 {
      var copy = try index.catalogue.partialCopy(
        of: RecordingID(high: UInt64(number) << 32, low: 1))
      try log.withUnsafeBytes { try copy.append($0) }
      copies.append(WholeCopy(copy, number: UInt32(number), start: 0))
    }
    index.publish(copies)
    for (number, copy) in zip(UInt32(1)..., copies) {
      #expect(try copy.result.get().number == number)
    }
    #expect(try index.catalogue.list().entries.count == 40)
    #expect(directory.names(in: "").allSatisfy { !$0.hasPrefix(".unsynced") })
  }
}
