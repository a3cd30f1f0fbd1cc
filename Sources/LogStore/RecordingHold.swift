import Glibc

/// A recording that is not moved to the trash as long as this lives.
public struct RecordingHold: ~Copyable {
  let file: OpenFile

  /// Lets the recording go.
  public consuming func release() {}
}

extension Catalogue {
  /// Keeps a recording from being moved to the trash, as if somebody were writing it, while the result lives.
  ///
  /// - Throws: ``CatalogueError/storage(_:)`` with EWOULDBLOCK when somebody reads whether it is being written, or
  ///   writes it.
  public func hold(_ entry: CatalogueEntry) throws(CatalogueError) -> RecordingHold {
    try wrapped { () throws(StorageError) in
      let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | linkFlag)
      guard try file.lock(exclusive: true, wait: false) else {
        throw StorageError(.lock, path: entry.path, errno: EWOULDBLOCK)
      }
      return RecordingHold(file: file)
    }
  }
}
