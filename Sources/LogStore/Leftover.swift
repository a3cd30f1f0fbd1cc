// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
public import IMUModel

/// A copy from elsewhere that did not become a recording of the store, or a mark.
public struct Leftover: Equatable, Sendable {
  /// The kinds.
  public enum State: String, CaseIterable, Sendable {
    /// A partial copy, which the next pull resumes.
    case partial
    /// A partial copy whose original changed since; no pull resumes it.
    case aside
    /// A copy whose sync failed or was interrupted; the next pull starts over.
    case unsynced
    /// A mark: a pull got no answer when it asked another machine to free the original.
    case freeing
    /// A mark: the recording was deleted to make room, and its labels expire with the mark.
    case deleted
  }

  /// The recording that it was to become.
  public let id: RecordingID
  /// Its kind.
  public let state: State
  /// The file's name in the store.
  public let fileName: String
  /// Its length in bytes.
  public internal(set) var byteCount: UInt64 = 0
  /// When it was last written or renamed, in seconds since 1970.
  public internal(set) var changed: Int64 = 0

  /// When it expires unless in use, in seconds since 1970.
  public var expires: Int64 {
    // A file may have any time.
    let (time, isBeyond) = changed.addingReportingOverflow(Catalogue.trashAgeLimit)
    return isBeyond ? .max : time
  }

  static let asidePrefix = ".aside-"
  static let deletedPrefix = ".deleted-"

  static let prefixes: [(text: String, state: State)] = [
    (PartialCopy.prefix, .partial), (PartialCopy.unsyncedPrefix, .unsynced),
    (Leftover.asidePrefix, .aside), (Catalogue.freeingPrefix, .freeing),
    (Leftover.deletedPrefix, .deleted),
  ]

  /// The leftover with this file name; `nil` for other names.
  init?(fileName: String) {
    // Most names begin with a digit, and need no search.
    guard fileName.hasPrefix("."),
      let (prefix, state) = Leftover.prefixes.first(where: { fileName.hasPrefix($0.text) })
    else { return nil }
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
  /// All leftovers by name, including those in use.
  public func leftovers() throws(CatalogueError) -> [Leftover] {
    try wrapped { () throws(StorageError) in
      var leftovers: [Leftover] = []
      // Sorts only the few names that are leftovers.
      for var leftover in try files.names(in: path).compactMap({ Leftover(fileName: $0) })
        .sorted(by: { $0.fileName < $1.fileName })
      {
        // Skips one that was removed meanwhile.
        guard let facts = try files.facts(path(of: leftover.fileName)) else { continue }
        leftover.byteCount = facts.byteCount
        leftover.changed = facts.changed
        leftovers.append(leftover)
      }
      return leftovers
    }
  }

  /// Deletes leftovers that have not changed for 30 days and that no program is using; returns their file names.
  ///
  /// An unsynchronised clock gives no age, neither now nor when they were written: the first call with a synchronised clock
  /// dates them and counts from there. What cannot be read or deleted stays.
  @discardableResult
  public func expireLeftovers(now: WallTime) throws(CatalogueError) -> [String] {
    guard now.isCredible else { return [] }
    return try leftovers().filter { leftover in
      do {
        // A recording that is back keeps its labels.
        let isBack = try leftover.state == .deleted && entry(of: leftover.id) != nil
        return try isBack
          ? files.remove(path(of: leftover.fileName))
          : expire(leftover, now: now.stamp.seconds)
      } catch {
        return false
      }
    }.map(\.fileName)
  }

  private func expire(_ leftover: Leftover, now: Int64) throws(StorageError) -> Bool {
    let path = path(of: leftover.fileName)
    let file = try files.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard try file.lock(exclusive: true), try file.isNamed() else { return false }
    // A date in whole seconds was set here: a write leaves nanoseconds, where the file system has them.
    let status = try file.status()
    if status.st_mtim.tv_nsec != 0 {
      do {
        try file.date(seconds: now)
        return false
      } catch {
        // Another user's file keeps the date that it has.
        guard error.isForbidden else { throw error }
      }
    }
    // It may have been written since it was listed.
    let changed = Int64(max(status.st_mtim.tv_sec, status.st_ctim.tv_sec))
    guard now - changed >= Catalogue.trashAgeLimit else { return false }
    if leftover.state == .deleted { try forgetLabels(of: leftover.id) }
    try files.remove(path)
    return true
  }
}
