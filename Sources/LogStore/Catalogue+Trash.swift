import Glibc
import IMUModel

/// A recording in the trash of a store.
public struct TrashedRecording: Hashable, Sendable {
  /// The file, which can be read as any recording's.
  public let entry: CatalogueEntry
  /// Seconds since 1970 at which it was removed; `nil` when the clock was not set then.
  public let removedSeconds: Int64?
  /// The name that it had in the store.
  let formerName: String

  /// Seconds since 1970 from which on it is deleted for good; `nil` when it is not known yet.
  public var dueSeconds: Int64? { removedSeconds.map { $0 + Catalogue.trashAgeLimit } }
}

extension Catalogue {
  static let trashName = ".trash"
  static let stampMark: Character = "~"

  /// Seconds that a removed recording stays in the trash: 30 days.
  public static let trashAgeLimit: Int64 = 30 * 24 * 3600

  /// 2026-01-01: a clock that shows less was never set, so a stamp by it tells no age.
  static let earliestCredible: Int64 = 1_767_225_600

  /// Moves a recording to the trash, whence it goes at the first sweep after 30 days.
  ///
  /// - Parameters:
  ///   - entry: A recording that no program is writing, or ``CatalogueError/isLive(file:)`` is thrown. Of a link, the
  ///     link goes and not the file.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: The recording in the trash.
  @discardableResult
  public func remove(
    _ entry: CatalogueEntry, now: Int64
  ) throws(CatalogueError) -> TrashedRecording {
    let isRemoved = try wrapped { () throws(StorageError) in
      guard !(try isHeld(entry)) else { return false }
      try makeOwnDirectory(Catalogue.trashName)
      return true
    }
    guard isRemoved else { throw .isLive(file: entry.path) }
    let stamp: UTCStamp
    let file: String
    do {
      stamp = try unusedStamp(entry.fileName, now: now)
      file = trashName(entry.fileName, stamp)
      try files.rename(entry.path, to: path(of: file))
      try files.syncDirectory(path(of: Catalogue.trashName))
      try files.syncDirectory(path)
    } catch {
      guard error.isForbidden, files.mayChangeNames(in: path) else { throw .storage(error) }
      throw .trashForbidden(path: path)
    }
    return trashed(file, entry.name, stamp, formerName: entry.fileName)
  }

  private func trashed(
    _ file: String, _ name: RecordingName, _ stamp: UTCStamp, formerName: String
  ) -> TrashedRecording {
    TrashedRecording(
      entry: CatalogueEntry(name, file: file, in: path),
      removedSeconds: stamp.seconds >= Catalogue.earliestCredible ? stamp.seconds : nil,
      formerName: formerName)
  }

  /// Whether a program is writing the recording, or holds it. What is no file, and a link that leads nowhere, nobody
  /// writes.
  private func isHeld(_ entry: CatalogueEntry) throws(StorageError) -> Bool {
    let status = try files.status(entry.path, followsLink: false)
    switch status.st_mode & S_IFMT {
    case S_IFREG: return try isLive(entry)
    case S_IFDIR: throw StorageError(.rename, path: entry.path, errno: EISDIR)
    default: return false
    }
  }

  /// Recordings in the trash, the one that was removed last first. Reads the directory and no file.
  public func trashed() throws(CatalogueError) -> [TrashedRecording] {
    let found = try wrapped { () throws(StorageError) in try trashContents() }
    return found.sorted {
      ($0.stamp.seconds, $0.recording.entry.number, $0.recording.entry.fileName)
        > ($1.stamp.seconds, $1.recording.entry.number, $1.recording.entry.fileName)
    }.map(\.recording)
  }

  /// What the trash holds with the dates that the names say, credible or not; names of another form are not this
  /// program's, and stay.
  func trashContents() throws(StorageError) -> [(recording: TrashedRecording, stamp: UTCStamp)] {
    try trashNames().compactMap { file in
      guard let mark = file.lastIndex(of: Catalogue.stampMark),
        let stamp = UTCStamp(file[file.index(after: mark)...]),
        let name = RecordingName(file[..<mark])
      else { return nil }
      let recording = trashed(
        "\(Catalogue.trashName)/\(file)", name, stamp, formerName: String(file[..<mark]))
      return (recording, stamp)
    }
  }

  /// Deletes from the trash what has been there for 30 days or more.
  ///
  /// What was removed while the clock was not set is dated `now`, and thus stays for another 30 days. What cannot be
  /// deleted stays, and stops nothing.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds since 1970.
  ///   - ofAnyAge: Whether everything goes, however short it was there.
  /// - Returns: Names that the recordings had which were deleted; and what failed.
  @discardableResult
  public func emptyTrash(
    now: Int64, ofAnyAge: Bool = false
  ) -> (deleted: [String], failures: [StorageError]) {
    var failures: [StorageError] = []
    var due: [TrashedRecording] = []
    do {
      for (recording, stamp) in try trashContents() {
        let age = UTCStamp(nanoseconds: now).seconds - stamp.seconds
        if ofAnyAge || (recording.removedSeconds != nil && age >= Catalogue.trashAgeLimit) {
          due.append(recording)
        } else if recording.removedSeconds == nil {
          date(recording, now: now, &failures)
        }
      }
    } catch {
      failures.append(error)
    }
    return (delete(due, &failures), failures)
  }

  /// Gives a recording that was removed while the clock was not set a date, if it is set now.
  private func date(_ recording: TrashedRecording, now: Int64, _ failures: inout [StorageError]) {
    guard UTCStamp(nanoseconds: now).seconds >= Catalogue.earliestCredible else { return }
    do {
      let stamp = try unusedStamp(recording.formerName, now: now)
      try files.rename(recording.entry.path, to: path(of: trashName(recording.formerName, stamp)))
    } catch {
      failures.append(error)
    }
  }

  /// The second of `now`, or the next one at which no recording of this name was removed: a rename to a name that is
  /// there would delete what has it.
  private func unusedStamp(_ name: String, now: Int64) throws(StorageError) -> UTCStamp {
    var stamp = UTCStamp(nanoseconds: now)
    while try files.facts(path(of: trashName(name, stamp))) != nil {
      stamp = UTCStamp(seconds: stamp.seconds + 1)
    }
    return stamp
  }

  /// Deletes recordings of the trash for good, after their numbers were noted; the names that they had. On a full disk
  /// there may be no room for that note: then the names that are left say which numbers were given.
  private func delete(
    _ recordings: [TrashedRecording], _ failures: inout [StorageError]
  ) -> [String] {
    guard let highest = recordings.map(\.entry.number).max() else { return [] }
    var deleted: [String] = []
    do {
      try keepNumber(highest)
    } catch {
      failures.append(error)
      guard error.isFull else { return [] }
    }
    for recording in recordings {
      do {
        try files.remove(recording.entry.path)
        deleted.append(recording.formerName)
      } catch {
        failures.append(error)
      }
    }
    return deleted
  }

  /// A removed recording's name says when it was removed, so that copying the trash keeps its age.
  private func trashName(_ name: String, _ stamp: UTCStamp) -> String {
    "\(Catalogue.trashName)/\(name)\(Catalogue.stampMark)\(stamp.text)"
  }

  /// - Throws: ENOTDIR when the trash is no directory of the store's own: what a link leads to may be the trash of
  ///   another store.
  func trashNames() throws(StorageError) -> [String] {
    let trash = path(of: Catalogue.trashName)
    do {
      let isDirectory = try files.status(trash, followsLink: false).st_mode & S_IFMT == S_IFDIR
      if isDirectory { return try files.names(in: trash) }
    } catch {
      if error.isMissing { return [] }
      throw error
    }
    throw StorageError(.open, path: trash, errno: ENOTDIR)
  }

  static func withoutStamp(_ file: String) -> Substring {
    file.prefix { $0 != stampMark }
  }
}
