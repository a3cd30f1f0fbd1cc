import Glibc
public import IMUModel

/// A recording in the trash of a store.
public struct TrashedRecording: Hashable, Sendable {
  /// The file, which can be read as any recording's.
  public let entry: CatalogueEntry
  /// Seconds since 1970 at which it was removed; `nil` when the clock was not synchronised then.
  public let removedSeconds: Int64?
  /// The name that it had in the store.
  let formerName: String

  /// Seconds since 1970 from which on it is deleted for good; `nil` when it is not known yet.
  public var dueSeconds: Int64? { removedSeconds.map { $0 + Catalogue.trashAgeLimit } }
}

extension CatalogueEntry {
  /// The name that what is in the trash has there.
  var nameInTrash: String { String(fileName.dropFirst(Catalogue.trashName.count + 1)) }
}

extension Catalogue {
  static let trashName = ".trash"
  static let stampMark: Character = "~"
  /// Follows the stamp of what was removed by a clock that was not synchronised: it gives an order, and no age.
  static let undatedMark = "-undated"

  /// Seconds that a removed recording stays in the trash: 30 days.
  public static let trashAgeLimit: Int64 = 30 * 24 * 3600

  /// Moves a recording to the trash, whence it goes at the first sweep after 30 days. They begin when the clock is
  /// synchronised, at the first removal or sweep then if it is not yet.
  ///
  /// - Parameters:
  ///   - entry: A recording that no program is writing, or ``CatalogueError/isLive(file:)`` is thrown. Of a link, the
  ///     link goes and not the file.
  ///   - now: The time of the removal.
  /// - Returns: The recording in the trash.
  @discardableResult
  public func remove(
    _ entry: CatalogueEntry, now: WallTime
  ) throws(CatalogueError) -> TrashedRecording {
    let isRemoved = try wrapped { () throws(StorageError) in
      guard !(try isHeld(entry)) else { return false }
      try makeOwnDirectory(Catalogue.trashName)
      return true
    }
    guard isRemoved else { throw .isLive(file: entry.path) }
    let name: String
    do {
      let trash = try openTrash()
      name = try move(
        entry.fileName, in: try openStore(), to: trash, as: entry.fileName, now,
        removalStamp(now, trash))
    } catch {
      guard error.isForbidden, files.mayChangeNames(in: path) else { throw .storage(error) }
      throw .trashForbidden(path: path)
    }
    try syncMove(to: path(of: Catalogue.trashName), from: path, "in the trash", entry)
    guard let (trashed, _) = trashed(name) else {
      preconditionFailure("a name that was just made is one of the trash")
    }
    return trashed
  }

  /// The stamp of what is removed at `now`, later than all that was removed before: a clock that is not synchronised
  /// may be behind the one by which that was dated, or have been ahead of this one.
  private func removalStamp(
    _ now: WallTime, _ trash: borrowing OpenFile
  ) throws(StorageError) -> UTCStamp {
    guard now.isCredible else {
      // No name has room for a later one than those of the last year.
      let newest = contents(try files.names(in: trash)).last {
        $0.stamp.seconds < UTCStamp.lastYear
      }
      return max(now.stamp, UTCStamp(seconds: (newest?.stamp.seconds ?? .min) + 1))
    }
    // What cannot be renamed is said by the sweep.
    var failures: [StorageError] = []
    let before = UTCStamp(seconds: now.stamp.seconds - 1)
    date(
      contents(try files.names(in: trash)).map(\.recording), in: trash, until: before, now: now,
      &failures)
    return now.stamp
  }

  /// Makes a recording's move durable.
  ///
  /// - Parameter place: Where it is now.
  func syncMove(
    to new: String, from old: String, _ place: String, _ entry: CatalogueEntry
  ) throws(CatalogueError) {
    do {
      try files.syncDirectory(new)
      try files.syncDirectory(old)
    } catch {
      throw .moveNotDurable(number: entry.number, place: place, error)
    }
  }

  /// A recording in the trash and its stamp, by its name there; `nil` for names of another form, which are not this
  /// program's.
  private func trashed(_ text: String) -> (recording: TrashedRecording, stamp: UTCStamp)? {
    guard let mark = text.lastIndex(of: Catalogue.stampMark),
      let name = RecordingName(text[..<mark])
    else { return nil }
    var date = text[text.index(after: mark)...]
    let isDated = !date.hasSuffix(Catalogue.undatedMark)
    if !isDated { date.removeLast(Catalogue.undatedMark.count) }
    guard let stamp = UTCStamp(date) else { return nil }
    let isCredible = isDated && stamp.seconds >= WallTime.earliestCredible
    let recording = TrashedRecording(
      entry: CatalogueEntry(name, file: "\(Catalogue.trashName)/\(text)", in: path),
      removedSeconds: isCredible ? stamp.seconds : nil, formerName: String(text[..<mark]))
    return (recording, stamp)
  }

  /// Whether a program is writing the recording, or holds it. What is no file, and a link that leads nowhere, no one
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
    return found.reversed().map(\.recording)
  }

  /// What the trash holds with the dates that the names say, credible or not, the one that was removed first first;
  /// names of another form are not this program's, and stay.
  func trashContents() throws(StorageError) -> [(recording: TrashedRecording, stamp: UTCStamp)] {
    contents(try trashNames())
  }

  private func contents(_ names: [String]) -> [(recording: TrashedRecording, stamp: UTCStamp)] {
    names.compactMap(trashed).sorted {
      ($0.stamp.seconds, $0.recording.entry.number, $0.recording.entry.fileName)
        < ($1.stamp.seconds, $1.recording.entry.number, $1.recording.entry.fileName)
    }
  }

  /// Deletes from the trash what has been there for 30 days or more.
  ///
  /// A clock that is not synchronised gives no age: by it nothing goes. What was removed while it was not is dated by
  /// the first removal or sweep at which it is, and thus stays for another 30 days. What cannot be deleted stays, and stops
  /// nothing.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - ofAnyAge: Whether everything goes, however short it was there.
  /// - Returns: Names that the recordings had which were deleted; and what failed.
  @discardableResult
  public func emptyTrash(
    now: WallTime, ofAnyAge: Bool = false
  ) -> (deleted: [String], failures: [StorageError]) {
    var failures: [StorageError] = []
    do throws(StorageError) {
      // Held from the list to the last deletion: a link that takes the trash's name meanwhile leads nowhere.
      let trash = try openTrash()
      var due = contents(try files.names(in: trash)).map(\.recording)
      if !ofAnyAge {
        guard now.isCredible else { return ([], []) }
        let all = due
        due = all.filter { $0.dueSeconds.map { $0 <= now.stamp.seconds } ?? false }
        date(all, in: trash, until: now.stamp, now: now, &failures)
      }
      return (delete(due, in: trash, &failures), failures)
    } catch {
      return ([], error.isMissing ? [] : [error])
    }
  }

  /// Gives a date to those of the trash that were removed while the clock was not synchronised: `end` to the last one,
  /// and to each before it a second less, so that they keep their order.
  private func date(
    _ contents: [TrashedRecording], in trash: borrowing OpenFile, until end: UTCStamp,
    now: WallTime, _ failures: inout [StorageError]
  ) {
    let undated = contents.filter { $0.removedSeconds == nil }
    for (age, recording) in undated.reversed().enumerated() {
      do {
        _ = try move(
          recording.entry.nameInTrash, in: trash, to: trash, as: recording.formerName, now,
          UTCStamp(seconds: end.seconds - Int64(age)))
      } catch {
        failures.append(error)
      }
    }
  }

  /// Gives a file a name in the trash that is free; that name. It says when the recording was removed, so that copying
  /// the trash keeps its age: the second of `first`, or the next one at which no recording of this name was removed.
  private func move(
    _ old: String, in directory: borrowing OpenFile, to trash: borrowing OpenFile, as name: String,
    _ now: WallTime, _ first: UTCStamp
  ) throws(StorageError) -> String {
    var stamp = first
    while true {
      let mark = now.isCredible ? "" : Catalogue.undatedMark
      let new = "\(name)\(Catalogue.stampMark)\(stamp.text)\(mark)"
      do {
        try files.rename(old, in: directory, toFree: new, in: trash)
        return new
      } catch {
        guard error.errno == EEXIST else { throw error }
        stamp = UTCStamp(seconds: stamp.seconds + 1)
      }
    }
  }

  /// Deletes recordings of the trash for good, after their numbers were noted; the names that they had. On a full disk
  /// there may be no room for that note: then the names that are left say which numbers were given.
  private func delete(
    _ recordings: [TrashedRecording], in trash: borrowing OpenFile,
    _ failures: inout [StorageError]
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
        try files.remove(recording.entry.nameInTrash, in: trash)
        deleted.append(recording.formerName)
      } catch {
        failures.append(error)
      }
    }
    return deleted
  }

  func trashNames() throws(StorageError) -> [String] {
    do {
      return try files.names(in: try openTrash())
    } catch {
      if error.isMissing { return [] }
      throw error
    }
  }

  /// The trash, to work in it whatever has its path meanwhile.
  ///
  /// - Throws: ENOTDIR when the trash is no directory of the store's own: what a link leads to may be the trash of
  ///   another store.
  func openTrash() throws(StorageError) -> OpenFile {
    try files.open(path(of: Catalogue.trashName), flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  /// The store's directory.
  func openStore() throws(StorageError) -> OpenFile {
    try files.open(path, flags: O_RDONLY | O_DIRECTORY)
  }

  static func withoutStamp(_ file: String) -> Substring {
    file.prefix { $0 != stampMark }
  }
}

extension Catalogue {
  /// The recording in the trash that a user means by `text`: as ``entry(for:)``, and `latest` is the one that was
  /// removed last.
  ///
  /// A recording that is there twice, because it came again after it was removed, is the one that was removed last.
  public func trashedRecording(for text: String) throws(CatalogueError) -> TrashedRecording {
    let trashed = try trashed()
    if RecordingReference(text).isLatest, let last = trashed.first { return last }
    var names: Set<String> = []
    let distinct = trashed.filter { names.insert($0.formerName).inserted }
    let entry = try choose(
      text, from: Catalogue.newestFirst(distinct.map(\.entry)),
      place: path(of: Catalogue.trashName), listing: "imulog list --trash", nothing: "it is empty")
    guard let match = distinct.first(where: { $0.entry == entry }) else {
      preconditionFailure("an entry of the list was chosen")
    }
    return match
  }

  /// Brings a recording back from the trash, under its number, or under the next one where another recording has that
  /// meanwhile.
  ///
  /// - Returns: The recording in the store.
  /// - Throws: ``CatalogueError/present(id:number:)`` when the store has the same recording;
  ///   ``CatalogueError/notFound(id:path:existing:)`` when it has left the trash.
  @discardableResult
  public func restore(_ trashed: TrashedRecording) throws(CatalogueError) -> CatalogueEntry {
    let lock = try wrapped { () throws(StorageError) in try numberLock() }
    return try restore(trashed, lock)
  }

  /// - Parameter lock: Held, so that no other program gets the number, or brings the same recording, meanwhile.
  private func restore(
    _ trashed: TrashedRecording, _ lock: borrowing NumberLock
  ) throws(CatalogueError) -> CatalogueEntry {
    if let id = identity(of: trashed.entry), let there = try entry(of: id) {
      throw .present(id: "\(id)", number: there.number)
    }
    let taken = try wrapped { () throws(StorageError) in try numbersHere() }
    var name = trashed.entry.name
    if taken.contains(name.number) {
      name.number = try nextNumber(lock)
      do {
        try lock.write(number: name.number, in: self)
      } catch {
        throw .storage(error)
      }
    }
    let entry = CatalogueEntry(name, in: path)
    do {
      try files.rename(
        trashed.entry.nameInTrash, in: try openTrash(), toFree: entry.fileName, in: try openStore())
    } catch {
      if error.isMissing {
        throw .notFound(
          id: "\(trashed.entry.number)", path: path(of: Catalogue.trashName),
          existing: "it was deleted for good, or brought back already")
      }
      guard error.isForbidden, files.mayChangeNames(in: path) else { throw .storage(error) }
      throw .trashForbidden(path: path)
    }
    // The new name first: between the two the recording has both names, and never none.
    try syncMove(
      to: path, from: path(of: Catalogue.trashName), "back as \(entry.number)", trashed.entry)
    return entry
  }
}
