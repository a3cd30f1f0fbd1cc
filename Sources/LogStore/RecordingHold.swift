// SPDX-License-Identifier: Apache-2.0

public import Files
import Glibc
public import IMUModel

/// Keeps a recording from being moved to the trash as long as this value exists.
public struct RecordingHold: ~Copyable {
  let file: OpenFile
  /// Whether an earlier request by the same route may be unanswered and still be carried out.
  public let isRepeated: Bool
}

/// A recording on which a pull relies while it asks another machine to free its own.
///
/// If both ends have the same store, both recordings are one file, and its owner would lose the only copy. A lock protects
/// it from other programs while the pull runs. The request may outlive the pull, so a mark, `DIR/.freeing-UUID`, exists from
/// before the request until no request is unanswered; a far end that carries out a request finds it in its store.
///
/// The mark has a line for each far end with a request that may be unanswered: its route, the words by which it is reached.
/// An answer removes only its own route: it proves nothing about another machine. The same words may lead to another store
/// later, so after a repeated request only the answer that the recording is in the trash there removes the route. Otherwise
/// the mark expires like other leftovers.
extension Catalogue {
  static let freeingPrefix = ".freeing-"

  /// Marks a recording and, while the result exists, keeps it from being moved to the trash, as if it were being written.
  ///
  /// - Parameter route: How the far end is reached, without a line feed.
  /// - Throws: ``CatalogueError/storage(_:)`` with EWOULDBLOCK while a program writes it, or checks whether one does.
  public func rely(
    on entry: CatalogueEntry, _ id: RecordingID, by route: String
  ) throws(CatalogueError) -> RecordingHold {
    try wrapped { () throws(StorageError) in
      let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | linkFlag)
      guard try file.lock(exclusive: true) else {
        throw StorageError(.lock, path: entry.path, errno: EWOULDBLOCK)
      }
      // It may have been moved to the trash before it was locked.
      guard try file.isNamed() else {
        throw StorageError(.open, path: entry.path, errno: ENOENT)
      }
      let before = try changeMark(of: id) { $0.contains(route) ? $0 : $0 + [route] }
      return RecordingHold(file: file, isRepeated: before.contains(route))
    }
  }

  /// Removes a route, whose requests are all answered, from the mark of a recording.
  public func relyNoMore(on id: RecordingID, by route: String) throws(CatalogueError) {
    try wrapped { () throws(StorageError) in
      _ = try changeMark(of: id) { $0.filter { $0 != route } }
    }
  }

  /// The routes of each mark, and why some marks cannot be read.
  public func marks() throws(CatalogueError) -> (
    routes: [RecordingID: [String]], failures: [StorageError]
  ) {
    var routes: [RecordingID: [String]] = [:]
    var failures: [StorageError] = []
    for leftover in try leftovers() where leftover.state == .freeing {
      do throws(StorageError) {
        let path = path(of: leftover.fileName)
        let file = try files.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        routes[leftover.id] = try Catalogue.routes(file)
      } catch {
        if !error.isMissing { failures.append(error) }
      }
    }
    return (routes, failures)
  }

  /// Throws while a pull relies on a recording here, or did and had no answer.
  public func makeSure(noPullReliesOn id: RecordingID) throws(CatalogueError) {
    let path = freeingPath(id)
    let isMarked = try wrapped { () throws(StorageError) in try files.facts(path) != nil }
    guard isMarked else { return }
    throw .refused(
      "a pull relies on this very recording, as when both ends have one store; else run that pull again, with "
        + "--then-free, or delete \(path) when neither it nor its far end is at work any more",
      .noPermission)
  }

  /// Moves a recording to the trash for a pull that has a copy, as ``remove(_:now:)``, unless a pull relies on it; none can
  /// begin to do so meanwhile.
  public func free(
    _ entry: CatalogueEntry, _ id: RecordingID, now: WallTime
  ) throws(CatalogueError) {
    let file = try wrapped { () throws(StorageError) -> OpenFile? in
      let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | linkFlag)
      guard try file.lock(exclusive: false) else { return nil }
      return file
    }
    guard let file else { throw .isLive(file: entry.path) }
    try makeSure(noPullReliesOn: id)
    try remove(entry, now: now)
    // The lock lasts until here.
    _ = consume file
  }

  /// Changes the routes of a mark, under its lock; a mark without routes is removed. Returns those that it had before.
  ///
  /// It is written in place, so that it always exists, and only when it changes: a repeated request does not renew its date,
  /// so that a mark without an answer expires.
  private func changeMark(
    of id: RecordingID, _ change: ([String]) -> [String]
  ) throws(StorageError) -> [String] {
    while true {
      guard let file = try ownFile("\(Catalogue.freeingPrefix)\(id)") else {
        throw StorageError(.open, path: freeingPath(id), errno: EEXIST)
      }
      try file.waitForLock(patience: lockPatience)
      guard try file.isNamed() else { continue }
      let before = try Catalogue.routes(file)
      let after = change(before)
      guard after.isEmpty || after != before else { return before }
      let bytes = Array(after.map { $0 + "\n" }.joined().utf8)
      guard !bytes.isEmpty else {
        try files.remove(file.path)
        return before
      }
      do throws(StorageError) {
        try bytes.withBytes { bytes throws(StorageError) in try file.write(bytes, at: 0) }
        try file.truncate(to: UInt64(bytes.count))
      } catch {
        // On a full disk: a mark without a route protects from nothing.
        if before.isEmpty { try files.remove(file.path) }
        throw error
      }
      return before
    }
  }

  private static func routes(_ file: borrowing OpenFile) throws(StorageError) -> [String] {
    // The routes of one recording take far less.
    let bytes = try file.beginning(1 << 20)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { "\($0)" }
  }

  private func freeingPath(_ id: RecordingID) -> String {
    path(of: "\(Catalogue.freeingPrefix)\(id)")
  }
}
