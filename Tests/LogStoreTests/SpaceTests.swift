import IMUModel
import LogStore
import LogStoreTesting
import Testing

@Suite("Room for a take")
struct SpaceTests {
  private let directory = TemporaryDirectory()
  private let now = ExampleTake.wall

  private func store(with count: Int) throws -> Catalogue {
    let store = try Catalogue(path: directory.path)
    for seed in 1...count {
      _ = ExampleTake(in: store, syncs: 1, description: ExampleLog.description(UInt64(seed)))
    }
    return store
  }

  @Test("says how many bytes this user may still write")
  func free() throws {
    let free = try store(with: 1).freeByteCount()
    #expect(free > 0 && free < 1 << 60)
  }

  @Test("what fits already costs nothing, not even the trash")
  func enough() throws {
    let store = try store(with: 3)
    try store.remove(try store.entry(for: "1"), now: now)
    for wanted in [0, 1] as [UInt64] {
      let (deleted, isRoomy) = try store.makeRoom(for: wanted, now: now)
      #expect(deleted == [] && isRoomy)
    }
    #expect(try store.list().entries.map(\.number) == [3, 2])
    #expect(directory.names(in: ".trash").count == 1)
  }

  @Test("the trash goes first and then the oldest recordings, never one that is being written")
  func oldest() throws {
    let store = try store(with: 3)
    let live = try store.create(ExampleLog.description(9), wall: now)
    _ = ExampleTake(in: store, syncs: 1, description: ExampleLog.description(5))
    try store.remove(try store.entry(for: "2"), now: now)
    // More than any disk has.
    let (deleted, isRoomy) = try store.makeRoom(for: .max, now: now)
    #expect(deleted == [1, 3, 5])
    #expect(!isRoomy)
    #expect(try store.list().entries.map(\.number) == [4])
    #expect(directory.names(in: ".trash") == [])
    // Numbers go on.
    _ = consume live
    let take = ExampleTake(in: store, syncs: 1, description: ExampleLog.description(6))
    #expect(take.entry?.number == 6)
  }
}
