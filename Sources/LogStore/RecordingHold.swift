import Glibc
public import IMUModel

/// A recording that is not moved to the trash as long as this lives.
public struct RecordingHold: ~Copyable {
  let file: OpenFile
  /// Whether the mark was there before: then an earlier request may be unanswered and still be carried out.
  public let wasMarked: Bool
}

/// A recording on which a pull relies while it asks another machine to free its own.
///
/// Where both are one file, because both ends have the same store, its owner would lose the only copy. A lock protects
/// it from other programs as long as the pull lives. The request may outlive the pull: therefore a mark,
/// `DIR/.freeing-UUID`, is there from before the request until no request is unanswered, and whoever carries the request
/// out finds it in the store where the recording is.
extension Catalogue {
  static let freeingPrefix = ".freeing-"

  /// Marks a recording, and keeps it from being moved to the trash, as if a program were writing it, while the result
  /// lives.
  ///
  /// - Throws: ``CatalogueError/storage(_:)`` with EWOULDBLOCK when a program reads whether it is being written, or
  ///   writes it.
  public func rely(
    on entry: CatalogueEntry, _ id: RecordingID
  ) throws(CatalogueError) -> RecordingHold {
    try wrapped { () throws(StorageError) in
      let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | linkFlag)
      guard try file.lock(exclusive: true) else {
        throw StorageError(.lock, path: entry.path, errno: EWOULDBLOCK)
      }
      // What was moved to the trash before it was locked is no copy to rely on.
      guard try file.isNamed() else {
        throw StorageError(.open, path: entry.path, errno: ENOENT)
      }
      let wasMarked = try files.facts(freeingPath(id)) != nil
      // The write dates the mark anew, so that it does not expire under this request.
      if let mark = try ownFile("\(Catalogue.freeingPrefix)\(id)") { try mark.truncate(to: 0) }
      return RecordingHold(file: file, wasMarked: wasMarked)
    }
  }

  /// Removes the mark of a recording: no request is unanswered.
  public func relyNoMore(on id: RecordingID) throws(CatalogueError) {
    _ = try wrapped { () throws(StorageError) in try files.remove(freeingPath(id)) }
  }

  /// Looks whether a pull relies on a recording here.
  ///
  /// - Throws: ``CatalogueError/isRelied(mark:)`` when one does, or did and had no answer.
  public func makeSure(noPullReliesOn id: RecordingID) throws(CatalogueError) {
    let path = freeingPath(id)
    let isMarked = try wrapped { () throws(StorageError) in try files.facts(path) != nil }
    if isMarked { throw .isRelied(mark: path) }
  }

  /// Moves a recording to the trash for a pull that has a copy, as ``remove(_:now:)``; no pull can come to rely on it
  /// meanwhile.
  ///
  /// - Throws: ``CatalogueError/isRelied(mark:)`` when a pull relies on it.
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

  private func freeingPath(_ id: RecordingID) -> String {
    path(of: "\(Catalogue.freeingPrefix)\(id)")
  }
}
