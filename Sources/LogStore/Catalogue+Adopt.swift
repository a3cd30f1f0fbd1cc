import Glibc
public import IMUModel
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
  /// Recordings that no program is writing lose the zeros that were made ahead, to the end of the last
  /// page with anything in it; no other byte is touched. They have no end and are summarised as
  /// recovered. Files that were being created or imported are deleted. What cannot be put in order is left for
  /// the next start.
  ///
  /// Cost: a `stat` of each recording, and a look into those that were made or changed since the last call.
  ///
  /// - Parameter isWanted: Asked before each look into a recording, and before each MiB of zeros at its end; `false`
  ///   leaves the rest for the next call.
  /// - Returns: The recordings that were cut.
  /// - Throws: ``CatalogueError/storage(_:)`` when the directory cannot be listed.
  public func adopt(
    while isWanted: () -> Bool = { true }
  ) throws(CatalogueError) -> [Adoption] {
    let names = try wrapped { () throws(StorageError) in try files.names(in: path) }
    guard files.mayChangeNames(in: path) else { return [] }
    shareOwnFiles(names)
    sweep(names.filter(Catalogue.isTemporary))
    let known = KnownRecordings(in: self)
    var adoptions: [Adoption] = []
    var confirmed: [UInt64] = []
    var fresh: [UInt64] = []
    for entry in Catalogue.entries(names, in: path) {
      do {
        // What a link leads to is not the store's, nor is a file that has a name elsewhere, too.
        let status = try files.status(entry.path, followsLink: false)
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { continue }
        let key = KnownRecordings.key(entry.fileName, status)
        if known.contains(key) {
          confirmed.append(key)
          continue
        }
        guard isWanted() else { continue }
        let (whole, cut) = try trim(
          entry, isAlone: fresh.count < Catalogue.mostSyncs, while: isWanted)
        if cut > 0 { adoptions.append(Adoption(entry: entry, cutByteCount: cut)) }
        if let whole { fresh.append(whole) }
      } catch {
        continue
      }
    }
    if fresh.count > Catalogue.mostSyncs, !isSynced() { fresh = [] }
    known.add(fresh, confirmed: confirmed, in: self)
    return adoptions
  }

  /// Recordings that are made durable one by one; of more, the file system is.
  private static var mostSyncs: Int { 64 }

  private func isSynced() -> Bool {
    do {
      try files.open(path, flags: O_RDONLY | O_DIRECTORY).syncFileSystem()
      return true
    } catch {
      return false
    }
  }

  /// Lets those use lock and trash who may change the store, if they are this user's to share: an earlier version of
  /// the program made them for their owner alone.
  private func shareOwnFiles(_ names: [String]) {
    do {
      if names.contains(Catalogue.trashName) { try makeOwnDirectory(Catalogue.trashName) }
      if names.contains(Catalogue.lockName) {
        if try ownFile(Catalogue.lockName) == nil { try replaceLock() }
      }
    } catch {
      // Whoever needs them says what stands against it.
      return
    }
  }

  private static func isTemporary(_ name: String) -> Bool {
    name.hasPrefix(temporaryPrefix) || name.hasPrefix(unfinishedPrefix)
  }

  /// Deletes temporary files that no program is writing. Whoever creates a recording holds the lock of numbers for as
  /// long as its file is temporary, and whoever imports one locks its file under that lock: so under it, what is not
  /// locked is left over. What cannot be deleted is left.
  private func sweep(_ temporary: [String]) {
    guard !temporary.isEmpty else { return }
    do {
      let lock = try numberLock()
      for name in temporary {
        do {
          if name.hasPrefix(Catalogue.unfinishedPrefix) {
            let file = try files.open(path(of: name), flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
            guard try file.lock(exclusive: true) else { continue }
          }
          try files.remove(path(of: name))
        } catch {
          continue
        }
      }
      _ = consume lock
    } catch {
      return
    }
  }

  /// Cuts pages of zeros from the end of a log that no program is writing; any other file stays what it is, whatever
  /// its name, and is not looked through.
  ///
  /// - Parameters:
  ///   - isAlone: Whether to make the file durable that needs no cut.
  ///   - isWanted: Asked before each MiB of zeros.
  /// - Returns: Its key, when nothing is left to do to it; and how many bytes went.
  private func trim(
    _ entry: CatalogueEntry, isAlone: Bool, while isWanted: () -> Bool
  ) throws(StorageError) -> (whole: UInt64?, cut: UInt64) {
    do {
      let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
      // One that is being written may look whole for a moment, on a full disk.
      guard try file.lock(exclusive: false) else { return (nil, 0) }
      let status = try file.status()
      // The cheap question first: a recording that was ended has no page of zeros at its end.
      let size = UInt64(clamping: status.st_size)
      var log = FileStorage(file, length: size)
      guard size > UInt64(LogFormat.pageSize), try log.isZeroPage(endingAt: size, PageMemory()) else {
        if isAlone { try log.file.sync() }
        return (KnownRecordings.key(entry.fileName, status), 0)
      }
      guard try Catalogue.isLog(log.file) else { return (nil, 0) }
    }
    let file = try files.open(entry.path, flags: O_RDWR | O_NONBLOCK | O_NOFOLLOW)
    guard try file.lock(exclusive: true) else { return (nil, 0) }
    // Asked of the open file: the name may have been given to another one meanwhile.
    let status = try file.status()
    guard status.st_nlink == 1 else { return (nil, 0) }
    let length = try file.regularFileSize()
    // A log of a later version is the program's that knows it, which may find zeros to cut.
    guard try Catalogue.isLog(file) else { return (nil, 0) }
    var log = FileStorage(file, length: length)
    let written = try log.writtenByteCount { () throws(StorageError) in
      guard isWanted() else { throw StorageError(.read, path: entry.path, errno: EINTR) }
    }
    if written < length { try log.file.truncate(to: written) }
    try log.file.sync()
    return (KnownRecordings.key(entry.fileName, try log.file.status()), length - written)
  }

  /// Whether one of the first two pages is a page of a log: the first may be damaged.
  private static func isLog(_ file: borrowing OpenFile) throws(StorageError) -> Bool {
    let pageSize = LogFormat.pageSize
    var pages = [UInt8](repeating: 0, count: 2 * pageSize)
    let count = try pages.withMutableBytes { buffer throws(StorageError) in
      try file.read(at: 0, into: buffer)
    }
    return [0, pageSize].contains { begin in
      pages[..<count].dropFirst(begin).withUnsafeBytes { page in
        do {
          _ = try PageHeader(decoding: page)
          return true
        } catch {
          // A log of a later version is left to the program that knows it.
          return false
        }
      }
    }
  }
}

/// What a store needs now and then.
extension Catalogue {
  /// Puts the store in order: adopts what was cut off, and deletes what has been in the trash for 30 days. What fails
  /// is reported, and stops nothing: a recording can be made all the same.
  ///
  /// - Parameters:
  ///   - now: The time, by which what is in the trash ages.
  ///   - isWanted: Asked before each recording that is looked into.
  ///   - report: Gets a sentence for each failure.
  public func tidy(
    now: WallTime, while isWanted: () -> Bool = { true }, report: (String) -> Void
  ) {
    adopt(while: isWanted, report: report)
    sweep(now: now, report: report)
  }

  /// The part of ``tidy(now:while:report:)`` that looks into recordings, of which there may be many.
  public func adopt(while isWanted: () -> Bool, report: (String) -> Void) {
    do {
      _ = try adopt(while: isWanted)
    } catch {
      report("recordings that were cut off could not be looked for: \(error)")
    }
  }

  /// The part that frees space.
  public func sweep(now: WallTime, report: (String) -> Void) {
    do {
      _ = try expireLeftovers(now: now)
    } catch {
      report("copies that were not continued for 30 days could not be looked for: \(error)")
    }
    let failures = emptyTrash(now: now).failures
    guard let first = failures.first else { return }
    let more = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
    report(
      "not all could be deleted of what has been in the trash for 30 days: \(first)\(more)")
  }
}
