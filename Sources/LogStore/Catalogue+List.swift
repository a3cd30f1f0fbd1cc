import Glibc

extension Catalogue {
  /// What a store holds.
  public struct Listing: Equatable, Sendable {
    /// Recordings, newest (highest number) first.
    public var entries: [CatalogueEntry]
    /// Names of files that end in `.imulog` and were not made by a store; they can be read by path.
    public var strangers: [String]
  }

  /// Recordings, newest first. Reads the directory and no file, so a damaged or foreign file
  /// hinders nothing.
  public func list() throws(CatalogueError) -> Listing {
    let names = try wrapped { () throws(StorageError) in try files.names(in: path) }
    let strangers = names.filter {
      $0.hasSuffix(RecordingName.suffix) && !$0.hasPrefix(".") && RecordingName($0) == nil
    }
    return Listing(entries: Catalogue.entries(names, in: path), strangers: strangers.sorted())
  }

  /// The recordings among the names in a directory, newest first.
  static func entries(_ names: [String], in path: String) -> [CatalogueEntry] {
    newestFirst(
      names.compactMap { file in
        RecordingName(file).map { CatalogueEntry($0, file: file, in: path) }
      })
  }

  /// Sorts by number, and by name where two have the same. Only numbers and places are moved about, because
  /// entries own memory.
  static func newestFirst(_ entries: [CatalogueEntry]) -> [CatalogueEntry] {
    var keys = entries.indices.map { UInt64(entries[$0].number) << 32 | UInt64($0) }
    keys.sort(by: >)
    var sorted = keys.map { entries[Int($0 & 0xFFFF_FFFF)] }
    var first = 0
    while first < keys.count {
      var end = first + 1
      while end < keys.count, keys[end] >> 32 == keys[first] >> 32 { end += 1 }
      if end - first > 1 { sorted[first..<end].sort { $0.fileName > $1.fileName } }
      first = end
    }
    return sorted
  }

  /// Opens a recording for reading.
  public func reader(of entry: CatalogueEntry) throws(LogError) -> LogReader<FileStorage> {
    let storage: FileStorage
    do {
      storage = try self.storage(of: entry)
    } catch {
      throw .storage(error)
    }
    return try LogReader(storage)
  }

  /// The file of a recording, for reading.
  ///
  /// Where links are not followed, one is refused as ELOOP.
  public func storage(of entry: CatalogueEntry) throws(StorageError) -> FileStorage {
    try FileStorage(reading: entry.path, flags: linkFlag, gate: files.gate)
  }

  /// What a list says of a recording: its first and last page hold it of a complete one.
  public func summary(of entry: CatalogueEntry) throws(LogError) -> LogSummary {
    var reader = try reader(of: entry)
    return try reader.summary { () throws(LogError) in
      do throws(StorageError) {
        return try isLive(entry)
      } catch {
        throw .storage(error)
      }
    }
  }

  /// Whether a program is writing the recording: its writer has the file locked. The kernel does not say what for a file
  /// is locked: one that another program keeps locked exclusively reads as being written.
  public func isLive(_ entry: CatalogueEntry) throws(StorageError) -> Bool {
    let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | linkFlag)
    return !(try file.lock(exclusive: false))
  }
}
