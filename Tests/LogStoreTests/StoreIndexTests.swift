import IMUModel
import LogStore
import LogStoreTesting
import TestScheduling
import Testing

@Suite("The index of a store", .excludesProgramStarts)
struct StoreIndexTests {
  let directory = TemporaryDirectory()

  private func name(_ number: Int, _ id: RecordingID) -> String {
    let digits = String(repeating: "0", count: 6 - "\(number)".count) + "\(number)"
    return "\(digits)-20261121T023807Z-\(id.description.prefix(8)).imulog"
  }

  @Test(
    "follows what others make, remove and rename; asked often, it does not read the directory again for that",
    arguments: [0, 100])
  func changes(looks: Int) throws {
    let log = try ExampleLog(ticks: 10, flushEvery: 10).bytes
    let id = ExampleLog.description().id
    let listings = FaultScript()
    let index = try StoreIndex(
      Catalogue(path: directory.path, create: true, gate: listings.gate))
    for _ in 0..<looks { _ = try index.taken(of: []) }
    let before = listings.calls.count { $0 == .list }
    #expect(try index.entry(of: id) == nil)
    directory.write(log, to: name(7, id))
    #expect(try index.entry(of: id)?.number == 7)
    let taken = try index.taken(of: [6, 7, 8])
    #expect(taken.those == [7] && taken.highest == 7)
    let other = try Catalogue(path: directory.path)
    let entry = try #require(try other.list().entries.first)
    let removed = try other.remove(entry, now: ExampleTake.time())
    #expect(try index.entry(of: id) == nil)
    // A recording in the trash keeps its number.
    #expect(try index.taken(of: [7]).those == [7])
    try other.restore(removed)
    #expect(try index.entry(of: id)?.number == 7)
    directory.write([1], to: ".part-x")
    #expect(try index.entry(of: id)?.number == 7)
    #expect((listings.calls.count { $0 == .list } == before) == (looks > 0))
  }

  @Test("a copy gets the next number when another program took its own meanwhile")
  func numbers() throws {
    let log = try ExampleLog(ticks: 10, flushEvery: 10).bytes
    let id = ExampleLog.description().id
    let index = try StoreIndex(Catalogue(path: directory.path, create: true))
    var copy = try index.catalogue.partialCopy(of: id)
    try log.withUnsafeBytes { try copy.append($0) }
    directory.write(log, to: name(3, RecordingID(high: 1, low: 2)))
    let whole = WholeCopy(copy, number: 3, start: 0)
    index.publish([whole])
    #expect(try whole.result.get().number == 4)
  }

  @Test("many copies at once become recordings with the numbers that they should have")
  func many() throws {
    let index = try StoreIndex(Catalogue(path: directory.path, create: true))
    let log = try ExampleLog(ticks: 10, flushEvery: 10).bytes
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
