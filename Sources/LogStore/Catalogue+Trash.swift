import Glibc
import IMUModel

extension Catalogue {
  static let trashName = ".trash"
  static let stampMark: Character = "~"

  /// Seconds that a removed recording stays in the trash: 30 days.
  public static let trashAgeLimit: Int64 = 30 * 24 * 3600

  /// 2026-01-01: a clock that shows less was never set, so a stamp by it tells no age.
  static let earliestCredible: Int64 = 1_767_225_600

  /// Moves a recording to the trash, whence it goes at the first ``emptyTrash(now:)`` after 30
  /// days.
  ///
  /// - Parameters:
  ///   - entry: A recording that nobody is writing, or ``CatalogueError/isLive(file:)`` is thrown.
  ///   - now: Nanoseconds since 1970.
  public func remove(_ entry: CatalogueEntry, now: Int64) throws(CatalogueError) {
    let isRemoved = try wrapped { () throws(StorageError) in
      guard !(try isLive(entry)) else { return false }
      try files.makeDirectory(path(of: Catalogue.trashName))
      try files.rename(entry.path, to: trashPath(entry.fileName, now: now))
      try files.syncDirectory(path(of: Catalogue.trashName))
      try files.syncDirectory(path)
      return true
    }
    if !isRemoved { throw .isLive(file: entry.path) }
  }

  /// Brings a recording back from the trash, under the name that it had.
  ///
  /// - Throws: ``CatalogueError/notFound(id:path:existing:)`` when it is not in the trash, or something has its
  ///   name meanwhile.
  public func restore(_ entry: CatalogueEntry) throws(CatalogueError) {
    let newest = try wrapped { () throws(StorageError) in
      try trashNames().filter { Catalogue.withoutStamp($0) == entry.fileName }.max()
    }
    guard let newest else {
      throw .notFound(
        id: "\(entry.number)", path: path(of: Catalogue.trashName),
        existing: "it was deleted for good, or brought back already")
    }
    guard try !list().entries.contains(entry) else {
      throw .notFound(
        id: "\(entry.number)", path: path(of: Catalogue.trashName),
        existing: "the store has it, and it stays as it is")
    }
    try wrapped { () throws(StorageError) in
      try files.rename(path(of: "\(Catalogue.trashName)/\(newest)"), to: entry.path)
      // The new name first: between the two the recording has both names, and never none.
      try files.syncDirectory(path)
      try files.syncDirectory(path(of: Catalogue.trashName))
    }
  }

  /// Deletes what has been in the trash for 30 days or more.
  ///
  /// What was removed while the clock was not set is dated `now`, and thus stays for another 30
  /// days.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds since 1970.
  ///   - ofAnyAge: Whether everything goes, however short it was there.
  /// - Returns: Names of the recordings that were deleted.
  @discardableResult
  public func emptyTrash(now: Int64, ofAnyAge: Bool = false) throws(CatalogueError) -> [String] {
    var deleted: [String] = []
    do {
      for file in try trashNames() {
        guard let mark = file.lastIndex(of: Catalogue.stampMark),
          let stamp = UTCStamp(file[file.index(after: mark)...])
        else { continue }
        let name = String(file[..<mark])
        let trashed = path(of: "\(Catalogue.trashName)/\(file)")
        let age = UTCStamp(nanoseconds: now).seconds - stamp.seconds
        let isCredible = stamp.seconds >= Catalogue.earliestCredible
        if !isCredible, !ofAnyAge {
          try files.rename(trashed, to: trashPath(name, now: now))
        } else if ofAnyAge || age >= Catalogue.trashAgeLimit {
          try files.remove(trashed)
          deleted.append(name)
        }
      }
    } catch {
      throw .storage(error)
    }
    return deleted
  }

  /// A removed recording's name says when it was removed, so that copying the trash keeps its age.
  private func trashPath(_ name: String, now: Int64) -> String {
    let stamp = UTCStamp(nanoseconds: now).text
    return path(of: "\(Catalogue.trashName)/\(name)\(Catalogue.stampMark)\(stamp)")
  }

  func trashNames() throws(StorageError) -> [String] {
    do {
      return try files.names(in: path(of: Catalogue.trashName))
    } catch {
      if error.isMissing { return [] }
      throw error
    }
  }

  static func withoutStamp(_ file: String) -> Substring {
    file.prefix { $0 != stampMark }
  }
}
