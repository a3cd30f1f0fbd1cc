import Glibc
public import IMUModel

/// A recording that is not moved to the trash as long as this lives.
public struct RecordingHold: ~Copyable {
  let file: OpenFile
}

/// A recording on which a pull relies while it asks another machine to free its own.
///
/// Where both are one file, because both ends have the same store, its owner would lose the only copy. A lock protects
/// it from other programs as long as the pull lives. The request may outlive the pull: therefore a mark,
/// `DIR/.freeing-UUID`, is there from before the request until its answer, and whoever carries the request out finds it
/// in the store where the recording is.
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
      _ = try ownFile("\(Catalogue.freeingPrefix)\(id)")
      return RecordingHold(file: file)
    }
  }

  /// Removes the mark of a recording: the request was answered.
  public func relyNoMore(on id: RecordingID) throws(CatalogueError) {
    _ = try wrapped { () throws(StorageError) in try files.remove(freeingPath(id)) }
  }

  /// The mark of a recording whose original is being freed; `nil` when there is none.
  public func mark(of id: RecordingID) throws(CatalogueError) -> String? {
    let path = freeingPath(id)
    return try wrapped { () throws(StorageError) in try files.facts(path) == nil ? nil : path }
  }

  private func freeingPath(_ id: RecordingID) -> String {
    path(of: "\(Catalogue.freeingPrefix)\(id)")
  }
}
