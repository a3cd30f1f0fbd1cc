// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
import LogStore
import LogStoreTesting
import Testing

@Suite("A file that is gone from its path, or cut, while it is written")
struct GoneTests {
  let directory = TemporaryDirectory()
  var store: String { directory.path + "/store" }
  var path: String { store + "/log" }

  /// The way in which it is lost.
  enum Way: CaseIterable {
    /// The file is deleted.
    case deleted
    /// Another file takes its name.
    case displaced
    /// Another program cuts all of it.
    case emptied
    /// Another program cuts a part of it.
    case cut
    /// Its directory gets another name.
    case moved
    /// Its directory gets another name, and a copy of it takes the old one.
    case replaced
    /// A part of the path becomes a file.
    case buried

    func perform(_ directory: TemporaryDirectory) {
      let store = directory.path + "/store"
      switch self {
      case .deleted: unlink(store + "/log")
      case .displaced:
        directory.write(directory.bytes(of: "store/log"), to: "other")
        rename(directory.path + "/other", store + "/log")
      case .emptied: truncate(store + "/log", 0)
      case .cut: truncate(store + "/log", 4096)
      case .moved: rename(store, directory.path + "/moved")
      case .replaced:
        rename(store, directory.path + "/moved")
        directory.makeDirectory("store")
        directory.write(directory.bytes(of: "moved/log"), to: "store/log")
      case .buried:
        rename(store, directory.path + "/moved")
        directory.write([], to: "store")
      }
    }
  }

  @Test(
    "is reported by the next sync, by the end, and where space is made", arguments: Way.allCases)
  func told(_ way: Way) throws {
    directory.makeDirectory("store")
    var storage = try FileStorage(creating: path)
    try storage.append([UInt8](repeating: 1, count: 100))
    try storage.sync()
    way.perform(directory)
    let gone = StorageError(.find, path: path, errno: ESTALE)
    #expect(gone.isGone)
    // Within the space that was made, bytes go where they went.
    try storage.append([2])
    #expect(throws: gone) { try storage.sync() }
    #expect(throws: gone) { try storage.append([UInt8](repeating: 3, count: 64 * 1024)) }
    #expect(throws: gone) { try storage.finish() }
  }

  @Test("while it is there, nothing is reported, whatever path leads to its directory")
  func links() throws {
    directory.makeDirectory("store")
    let link = directory.path + "/link"
    symlink(store, link)
    var storage = try FileStorage(creating: link + "/log")
    try storage.append([1])
    try storage.sync()
    try storage.finish()
    #expect(directory.bytes(of: "store/log") == [1])
  }

  @Test("ends the flusher with an error, and a log that was moved still gets its end")
  func movedLogIsWhole() throws {
    directory.makeDirectory("store")
    let queue = FlushQueue()
    var storage = try FileStorage(creating: path)
    var stopped: StorageError?
    #expect(queue.put([1, 2, 3]))
    step(queue, &storage, &stopped)
    Way.moved.perform(directory)
    queue.requestSync()
    step(queue, &storage, &stopped)
    #expect(queue.failure?.isGone == true)
    #expect(queue.put([4, 5]))
    queue.close()
    let result = queue.flusherLoop(&storage, clock: SteppingClock(step: 1))
    #expect(result?.isGone == true)
    #expect(directory.bytes(of: "moved/log") == [1, 2, 3, 4, 5])
  }

  private func step(
    _ queue: FlushQueue, _ storage: inout FileStorage, _ stopped: inout StorageError?
  ) {
    _ = queue.flusherStep(&storage, clock: SteppingClock(step: 1), &stopped, waits: false)
  }
}
