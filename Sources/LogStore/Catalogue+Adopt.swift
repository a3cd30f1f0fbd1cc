// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
public import IMUModel
import LogFormat

extension Catalogue {
  /// Puts the store in order after a kill or a power loss; called at each start of a writer.
  ///
  /// Recordings that no program is writing lose the pages of preallocated zeros at their end, and nothing else. Files that
  /// were being created or imported are deleted. What cannot be put in order is left for the next start. Cost: a `stat` of
  /// each recording, and a check of new or changed ones.
  ///
  /// - Parameter isWanted: Called before each check of a recording, and before each MiB of zeros; `false` leaves the rest
  ///   for the next call.
  /// - Returns: The recordings that were cut, and the bytes of zeros taken off.
  /// - Throws: ``CatalogueError/storage(_:)`` when the directory cannot be listed.
  public func adopt(
    while isWanted: () -> Bool = { true }
  ) throws(CatalogueError) -> [(entry: CatalogueEntry, cutByteCount: UInt64)] {
    let names = try wrapped { () throws(StorageError) in try files.names(in: path) }
    guard files.mayChangeNames(in: path) else { return [] }
    shareOwnFiles(names)
    sweep(
      names.filter {
        $0.hasPrefix(Catalogue.temporaryPrefix) || $0.hasPrefix(Catalogue.unfinishedPrefix)
      })
    let known = KnownRecordings(in: self)
    var adoptions: [(entry: CatalogueEntry, cutByteCount: UInt64)] = []
    var confirmed: [UInt64] = []
    var fresh: [UInt64] = []
    for entry in Catalogue.entries(names, in: path) {
      do {
        // A link's target, or a file that also has a name elsewhere, does not belong to the store.
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
        if cut > 0 { adoptions.append((entry, cut)) }
        if let whole { fresh.append(whole) }
      } catch {
        continue
      }
    }
    if fresh.count > Catalogue.mostSyncs {
      do {
        try files.open(path, flags: O_RDONLY | O_DIRECTORY).syncFileSystem()
      } catch {
        fresh = []
      }
    }
    known.add(fresh, confirmed: confirmed, in: self)
    return adoptions
  }

  /// Up to this many recordings are synced one by one; for more, the whole file system is.
  private static var mostSyncs: Int { 64 }

  /// Shares this user's lock and trash with everyone who may change the store: an earlier version of imulog did not.
  private func shareOwnFiles(_ names: [String]) {
    do {
      if names.contains(Catalogue.trashName) { try makeOwnDirectory(Catalogue.trashName) }
      if names.contains(Catalogue.lockName) {
        if try ownFile(Catalogue.lockName) == nil { try replaceLock() }
      }
    } catch {
      // A later call that needs them reports why they cannot be used.
    }
  }

  /// Deletes temporary files that no program is writing, under the number lock: whoever creates a recording holds that lock
  /// while its file is temporary, and whoever imports locks the file under it, so an unlocked file is left over.
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
      // The next start tries again.
    }
  }

  /// Cuts pages of zeros from the end of a log that no program is writing; other files are neither changed nor searched.
  ///
  /// - Parameters:
  ///   - isAlone: Whether to sync a file that needs no cut.
  ///   - isWanted: Called before each MiB of zeros.
  /// - Returns: The recording's key when nothing is left to do, and how many bytes were cut.
  private func trim(
    _ entry: CatalogueEntry, isAlone: Bool, while isWanted: () -> Bool
  ) throws(StorageError) -> (whole: UInt64?, cut: UInt64) {
    do {
      let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
      // A live recording may look complete for a moment, on a full disk.
      guard try file.lock(exclusive: false) else { return (nil, 0) }
      let status = try file.status()
      // The cheap question first: a recording that was ended has no zeros at its end.
      let size = UInt64(clamping: status.st_size)
      var log = FileStorage(file, length: size)
      guard size > UInt64(LogFormat.pageSize), try log.isZeroPage(endingAt: size, PageMemory())
      else {
        if isAlone { try log.file.sync() }
        return (KnownRecordings.key(entry.fileName, status), 0)
      }
      guard try Catalogue.isLog(log.file) else { return (nil, 0) }
    }
    let file = try files.open(entry.path, flags: O_RDWR | O_NONBLOCK | O_NOFOLLOW)
    guard try file.lock(exclusive: true) else { return (nil, 0) }
    // From the open file: the name may stand for another one by now.
    let status = try file.status()
    guard status.st_nlink == 1 else { return (nil, 0) }
    let length = try file.regularFileSize()
    // A later version's log is left to a program that knows it.
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
    let pages = try file.beginning(2 * LogFormat.pageSize)
    return [0, LogFormat.pageSize].contains { begin in
      pages.dropFirst(begin).withUnsafeBytes { isPage($0) }
    }
  }
}

/// Whether the bytes begin with a page header of this version.
func isPage(_ bytes: UnsafeRawBufferPointer) -> Bool {
  do {
    _ = try PageHeader(decoding: bytes)
    return true
  } catch {
    return false
  }
}

/// Maintenance of a store.
extension Catalogue {
  /// Adopts recordings as ``adopt(while:)``, and deletes what has been in the trash for 30 days at `now`. Failures are
  /// reported, each in a sentence, and stop nothing: a recording can be made all the same.
  public func tidy(
    now: WallTime, while isWanted: () -> Bool = { true }, report: (String) -> Void
  ) {
    do {
      _ = try adopt(while: isWanted)
    } catch {
      report("cannot look for recordings that were cut off: \(error)")
    }
    sweep(now: now, report: report)
  }

  /// The part of ``tidy(now:while:report:)`` that frees space.
  public func sweep(now: WallTime, report: (String) -> Void) {
    do {
      _ = try expireLeftovers(now: now)
    } catch {
      report("cannot look for what was left unchanged for 30 days: \(error)")
    }
    let failures = emptyTrash(now: now).failures
    guard let first = failures.first else { return }
    let more = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
    report("cannot delete all that has been in the trash for 30 days: \(first)\(more)")
  }
}
