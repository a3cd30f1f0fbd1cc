import Glibc
import LogFormat

extension Catalogue {
  /// A recording whose writer went without ending it, and what was done about it.
  public struct Adoption: Equatable, Sendable {
    /// The recording.
    public var entry: CatalogueEntry
    /// Bytes of zeros made ahead that were cut off.
    public var cutByteCount: UInt64
  }

  /// Puts the store in order after a kill or a loss of power; to be called at each start of a
  /// writer.
  ///
  /// Recordings that nobody is writing lose the zeros that were made ahead, to the end of the last
  /// page with anything in it; no other byte is touched. They have no end and are summarised as
  /// recovered. Files that were being created are deleted. What cannot be put in order is left for
  /// the next start.
  ///
  /// - Returns: The recordings that were cut.
  public func adopt() throws(CatalogueError) -> [Adoption] {
    try wrapped { () throws(StorageError) in try sweep() }
    var adoptions: [Adoption] = []
    for entry in try list().entries {
      do {
        let cut = try trim(entry.path)
        if cut > 0 { adoptions.append(Adoption(entry: entry, cutByteCount: cut)) }
      } catch {
        continue
      }
    }
    return adoptions
  }

  /// Deletes temporary files. Whoever creates a recording holds the lock of numbers for as long as
  /// its file is temporary, so under that lock all of them are left over.
  private func sweep() throws(StorageError) {
    let temporary = try files.names(in: path).filter { $0.hasPrefix(Catalogue.temporaryPrefix) }
    if temporary.isEmpty { return }
    let lock = try numberLock()
    for name in temporary { try files.remove(path(of: name)) }
    _ = consume lock
  }

  /// Cuts pages of zeros from the end of a file that nobody is writing; says how many bytes went.
  private func trim(_ path: String) throws(StorageError) -> UInt64 {
    var length: UInt64
    do {
      let file = try files.open(path, flags: O_RDONLY)
      length = try file.regularFileSize()
      // The cheap question first: a recording that was ended has no page of zeros at its end.
      if try Catalogue.writtenLength(of: file, size: length) == length { return 0 }
    }
    let file = try files.open(path, flags: O_RDWR)
    guard try file.lock(exclusive: true, wait: false) else { return 0 }
    length = try file.regularFileSize()
    let written = try Catalogue.writtenLength(of: file, size: length)
    guard written < length else { return 0 }
    try file.truncate(to: written)
    try file.sync()
    return length - written
  }

  /// The end of the last page that is not all zeros, or the file's end within it. The header page
  /// stays.
  private static func writtenLength(of file: borrowing OpenFile, size: UInt64) throws(StorageError)
    -> UInt64
  {
    let pageSize = UInt64(LogFormat.pageSize)
    var page = [UInt8](repeating: 0, count: LogFormat.pageSize)
    var end = size
    while end > pageSize {
      let begin = (end - 1) / pageSize * pageSize
      let count = try page.withMutableBytes { buffer throws(StorageError) in
        try file.read(at: begin, into: buffer)
      }
      if page[..<count].contains(where: { $0 != 0 }) { return end }
      end = begin
    }
    return end
  }
}
