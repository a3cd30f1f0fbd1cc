import Glibc
public import IMUModel

/// A copy of a recording from elsewhere that did not become a recording of the store, or its mark.
public struct Leftover: Equatable, Sendable {
  /// What it is.
  public enum State: String, CaseIterable, Sendable {
    /// The beginning of a copy, which the next pull continues.
    case partial
    /// What had come of a recording that was changed at its origin since; no pull continues it.
    case aside
    /// A copy whose sync failed or was interrupted; the next pull begins anew.
    case unsynced
    /// No copy but the mark of one: a pull had no answer when it asked another machine to free the original.
    case freeing
  }

  /// The recording that it was to be.
  public let id: RecordingID
  /// What it is.
  public let state: State
  /// The file's name in the store.
  public let fileName: String
  /// Its length in bytes.
  public internal(set) var byteCount: UInt64 = 0
  /// Seconds since 1970 at which it was last written or renamed.
  public internal(set) var changed: Int64 = 0

  /// Seconds since 1970 from which on it is deleted, unless a program is at it.
  public var expires: Int64 { changed + Catalogue.trashAgeLimit }

  static let asidePrefix = ".aside-"

  /// What a file's name says; `nil` when it is none of these.
  init?(fileName: String) {
    guard fileName.hasPrefix(".") else { return nil }
    let states: [(String, State)] = [
      (PartialCopy.prefix, .partial), (PartialCopy.unsyncedPrefix, .unsynced),
      (Leftover.asidePrefix, .aside), (Catalogue.freeingPrefix, .freeing),
    ]
    guard let (prefix, state) = states.first(where: { fileName.hasPrefix($0.0) }) else {
      return nil
    }
    let rest = fileName.utf8.dropFirst(prefix.utf8.count)
    guard let id = RecordingID(Substring(rest.prefix(36))) else { return nil }
    let count = rest.dropFirst(36)
    let isNumbered =
      count.count > 1 && count.first == UInt8(ascii: "-")
      && count.dropFirst().allSatisfy { $0 &- 48 < 10 }
    guard state == .aside ? isNumbered : count.isEmpty else { return nil }
    self.id = id
    self.state = state
    self.fileName = fileName
  }
}

extension Catalogue {
  /// Copies that did not become recordings, by name. Those that a program is at are among them.
  public func leftovers() throws(CatalogueError) -> [Leftover] {
    try wrapped { () throws(StorageError) in
      var leftovers: [Leftover] = []
      // Of many recordings few names are sorted.
      for var leftover in try files.names(in: path).compactMap({ Leftover(fileName: $0) })
        .sorted(by: { $0.fileName < $1.fileName })
      {
        // One that went meanwhile is none any more.
        guard let facts = try files.facts(path(of: leftover.fileName)) else { continue }
        leftover.byteCount = facts.byteCount
        leftover.changed = facts.changed
        leftovers.append(leftover)
      }
      return leftovers
    }
  }

  /// Deletes copies that have not changed for 30 days and that no program is at.
  ///
  /// A clock that is not synchronised gives no age, neither here nor when they were written: the first call with one
  /// that is dates them, and counts from there. What cannot be looked at or deleted stays and costs no other one.
  ///
  /// - Parameter now: The time.
  /// - Returns: Names of the files that were deleted.
  @discardableResult
  public func expireLeftovers(now: WallTime) throws(CatalogueError) -> [String] {
    guard now.isCredible else { return [] }
    return try leftovers().filter { leftover in
      do {
        return try expire(leftover, now: now.stamp.seconds)
      } catch {
        return false
      }
    }.map(\.fileName)
  }

  private func expire(_ leftover: Leftover, now: Int64) throws(StorageError) -> Bool {
    let path = path(of: leftover.fileName)
    let file = try files.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard try file.lock(exclusive: true), try file.isNamed() else { return false }
    // A date to the second was given here: a write leaves nanoseconds, where the file system has them.
    let status = try file.status()
    if status.st_mtim.tv_nsec != 0 {
      do {
        try file.date(seconds: now)
        return false
      } catch {
        // Of another user's, the date that it has is all that there is.
        guard error.isForbidden else { throw error }
      }
    }
    // It may have been written since it was listed.
    let changed = Int64(max(status.st_mtim.tv_sec, status.st_ctim.tv_sec))
    guard now - changed >= Catalogue.trashAgeLimit else { return false }
    try files.remove(path)
    return true
  }
}
