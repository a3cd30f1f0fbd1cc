// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
public import IMUModel
import Synchronization

/// The recordings of a store by identity, and the numbers in use, for frequent queries.
///
/// Each query reads the directory until that has cost a good part of what a watch costs: at its end the kernel waits 15 to
/// 20 ms until no processor uses it any more (`synchronize_srcu`). From then on the kernel reports which names come and go
/// (inotify(7)), so that a query costs as much in a store of 10,000 recordings as in an empty one. The directory is read
/// again where the kernel reports nothing or lost events, and where another directory has the store's path.
public final class StoreIndex: Sendable {
  /// The store.
  public let catalogue: Catalogue
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var entries: [String: [CatalogueEntry]] = [:]
    /// Numbers of recordings that are or were here or in the trash.
    var taken: Set<UInt32> = []
    var highest: UInt32 = 0
    var watch = DirectoryChanges()
    /// The directory that was last read to its end; `nil` after a failure.
    var directory: [UInt64]?
    /// The cost of reading the directory so far, in recordings of about 2 µs each.
    var cost = 0

    mutating func occupy(_ number: UInt32) {
      taken.insert(number)
      highest = max(highest, number)
    }
  }

  /// The ``State/cost`` from which on the directory is watched.
  private static let bearable = 1000
  /// The cost of opening the directory and the trash.
  private static let opening = 20

  /// Reads the store's directory and its trash.
  public init(_ catalogue: Catalogue) throws(CatalogueError) {
    self.catalogue = catalogue
    var state = State()
    // A large directory is watched at once, or it would be read twice. Its size is a hint: 64 bytes a name with what file
    // systems keep with it.
    let status = try StoreIndex.status(catalogue)
    state.cost = Int(status.st_size / 64)
    try StoreIndex.read(catalogue, StoreIndex.identity(status), into: &state)
    self.state = Mutex(state)
  }

  /// The recording with this identity; `nil` when it is not here.
  public func entry(of id: RecordingID) throws(CatalogueError) -> CatalogueEntry? {
    let candidates = try current { $0.entries[id.namePrefix] ?? [] }
    return catalogue.entry(of: id, among: candidates)
  }

  /// Those of `numbers` that a recording here or in the trash has or had, and the highest number in use.
  public func taken(
    of numbers: [UInt32]
  ) throws(CatalogueError) -> (those: Set<UInt32>, highest: UInt32) {
    try current { state in
      (Set(numbers.filter { state.taken.contains($0) }), state.highest)
    }
  }

  /// Whether no recording has or had the number. Called under the number lock.
  func isFree(_ number: UInt32) throws(CatalogueError) -> Bool {
    try current { !$0.taken.contains(number) }
  }

  func highest() throws(CatalogueError) -> UInt32 { try current { $0.highest } }

  private func current<Result>(_ body: (inout State) -> Result) throws(CatalogueError) -> Result {
    let outcome = state.withLock { state -> Swift.Result<Result, CatalogueError> in
      do throws(CatalogueError) {
        try refresh(&state)
        return .success(body(&state))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  private func refresh(_ state: inout State) throws(CatalogueError) {
    let directory = StoreIndex.identity(try StoreIndex.status(catalogue))
    guard directory == state.directory, let changes = state.watch.next() else {
      return try StoreIndex.read(catalogue, directory, into: &state)
    }
    for change in changes {
      // An import reserves its number from its start.
      if change.name.hasPrefix(Catalogue.unfinishedPrefix),
        let name = RecordingName(change.name.dropFirst(Catalogue.unfinishedPrefix.count))
      {
        state.occupy(name.number)
      }
      guard let name = RecordingName(change.name) else { continue }
      let entry = CatalogueEntry(name, file: change.name, in: catalogue.path)
      state.entries[name.prefix]?.removeAll { $0 == entry }
      if change.isThere { StoreIndex.add(entry, to: &state) }
    }
  }

  private static func identity(_ status: stat) -> [UInt64] {
    [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  private static func status(_ catalogue: Catalogue) throws(CatalogueError) -> stat {
    try catalogue.wrapped { () throws(StorageError) in try catalogue.files.status(catalogue.path) }
  }

  /// - Parameter directory: The one that had the store's path just before.
  private static func read(
    _ catalogue: Catalogue, _ directory: [UInt64], into state: inout State
  ) throws(CatalogueError) {
    state.directory = nil
    // In this order: changes during the reading are reported afterwards.
    if state.cost >= bearable { state.watch.begin(catalogue.path) }
    state.entries = [:]
    let entries = try catalogue.list().entries
    state.cost += opening + entries.count
    for entry in entries { add(entry, to: &state) }
    let numbers = try catalogue.wrapped { () throws(StorageError) in try catalogue.numbersInUse() }
    for number in numbers { state.occupy(number) }
    state.directory = directory
  }

  private static func add(_ entry: CatalogueEntry, to state: inout State) {
    state.entries[entry.idPrefix, default: []].append(entry)
    state.occupy(entry.number)
  }
}

/// Names that came and went in a directory, as the kernel reports them.
struct DirectoryChanges: ~Copyable {
  private var descriptor: Int32 = -1
  private var isWatching = false

  private static let there = UInt32(IN_CREATE | IN_MOVED_TO)
  private static let gone = UInt32(IN_DELETE | IN_MOVED_FROM)

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Watches this directory instead of any earlier one.
  mutating func begin(_ path: String) {
    if descriptor >= 0 { close(descriptor) }
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    let events = DirectoryChanges.there | DirectoryChanges.gone
    isWatching = descriptor >= 0 && inotify_add_watch(descriptor, path, events) >= 0
  }

  /// The changes since the last call, oldest first; `nil` when they are not known.
  func next() -> [(name: String, isThere: Bool)]? {
    guard isWatching else { return nil }
    var changes: [(name: String, isThere: Bool)] = []
    var isKnown = true
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 8)
    // Safe: the buffer is this function's own, and only bytes that the kernel wrote are read: whole events, each followed
    // by as many bytes of its name as it states, the last of them zero.
    defer { buffer.deallocate() }
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        return isKnown ? changes : nil
      }
      var offset = 0
      while offset < count {
        let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        let begin = offset + MemoryLayout<inotify_event>.size
        offset = begin + Int(event.len)
        let name = buffer[begin..<offset].prefix { $0 != 0 }
        if event.mask & (DirectoryChanges.there | DirectoryChanges.gone) == 0 { isKnown = false }
        changes.append(
          (String(decoding: name, as: UTF8.self), event.mask & DirectoryChanges.there != 0))
      }
    }
  }
}
