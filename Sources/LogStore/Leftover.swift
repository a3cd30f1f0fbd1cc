import Glibc
public import IMUModel

/// A copy of a recording from elsewhere that did not become a recording of the store.
public struct Leftover: Equatable, Sendable {
  /// What it is.
  public enum State: String, CaseIterable, Sendable {
    /// The beginning of a copy, which the next pull goes on with.
    case partial
    /// What had come of a recording that was changed at its origin since; no pull goes on with it.
    case aside
    /// A copy whose sync failed or was interrupted; the next pull begins anew.
    case unsynced
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
    let states: [(String, State)] = [
      (PartialCopy.prefix, .partial), (PartialCopy.unsyncedPrefix, .unsynced),
      (Leftover.asidePrefix, .aside),
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
      for name in try files.names(in: path).sorted() {
        guard var leftover = Leftover(fileName: name) else { continue }
        // One that went meanwhile is none any more.
        guard let facts = try files.facts(path(of: name)) else { continue }
        leftover.byteCount = facts.byteCount
        leftover.changed = facts.changed
        leftovers.append(leftover)
      }
      return leftovers
    }
  }

  /// Deletes copies that have not changed for 30 days and that no program is at.
  ///
  /// What was written while the clock was not set is dated `now`, and thus stays for another 30 days. What cannot be
  /// looked at or deleted stays and costs no other one.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Returns: Names of the files that were deleted.
  @discardableResult
  public func expireLeftovers(now: Int64) throws(CatalogueError) -> [String] {
    let seconds = UTCStamp(nanoseconds: now).seconds
    return try leftovers().filter { leftover in
      do {
        return try expire(leftover, now: seconds)
      } catch {
        return false
      }
    }.map(\.fileName)
  }

  private func expire(_ leftover: Leftover, now: Int64) throws(StorageError) -> Bool {
    let path = path(of: leftover.fileName)
    let isCredible = leftover.changed >= Catalogue.earliestCredible
    guard !isCredible || now - leftover.changed >= Catalogue.trashAgeLimit else { return false }
    let file = try files.open(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    guard try file.lock(exclusive: true, wait: false), try file.isNamed() else { return false }
    guard isCredible else {
      if now >= Catalogue.earliestCredible { try file.date(seconds: now) }
      return false
    }
    try files.remove(path)
    return true
  }
}
