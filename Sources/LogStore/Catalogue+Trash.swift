// SPDX-License-Identifier: Apache-2.0

public import Files
import Glibc
public import IMUModel

/// A recording in the trash of a store.
public struct TrashedRecording: Hashable, Sendable {
  /// The file, which can be read like any recording.
  public let entry: CatalogueEntry
  /// Its name in the store.
  let formerName: String
  /// The date in its name.
  fileprivate let stamp: UTCStamp
  /// Whether the stamp is of a synchronised clock.
  fileprivate let isDated: Bool

  /// When it was removed, in seconds since 1970; `nil` when the clock was not synchronised then.
  public var removedSeconds: Int64? {
    isDated && stamp.seconds >= WallTime.earliestCredible ? stamp.seconds : nil
  }

  /// When it is due for deletion, in seconds since 1970; `nil` while unknown.
  public var dueSeconds: Int64? { removedSeconds.map { $0 + Catalogue.trashAgeLimit } }
}

extension CatalogueEntry {
  var nameInTrash: String { String(fileName.dropFirst(Catalogue.trashName.count + 1)) }
}

extension Catalogue {
  static let trashName = ".trash"
  static let stampMark: Character = "~"
  /// Follows a stamp of an unsynchronised clock, which gives an order but no age.
  static let undatedMark = "-undated"

  /// Seconds that a removed recording stays in the trash: 30 days.
  public static let trashAgeLimit: Int64 = 30 * 24 * 3600

  /// Moves a recording to the trash, where the first sweep after 30 days deletes it. If the clock is not synchronised, the
  /// 30 days begin at the first removal or sweep with a synchronised one. Of a link, only the link is moved.
  ///
  /// - Throws: ``CatalogueError/isLive(file:)`` while a program writes the recording.
  @discardableResult
  public func remove(
    _ entry: CatalogueEntry, now: WallTime
  ) throws(CatalogueError) -> TrashedRecording {
    let isHeld = try wrapped { () throws(StorageError) in try self.isHeld(entry) }
    guard !isHeld else { throw .isLive(file: entry.path) }
    try wrapped { () throws(StorageError) in try makeOwnDirectory(Catalogue.trashName) }
    let name: String
    do {
      let trash = try openTrash()
      name = try move(
        entry.fileName, in: try openStore(), to: trash, as: entry.fileName, now,
        removalStamp(now, trash))
    } catch {
      throw refusal(error)
    }
    try syncMove(to: path(of: Catalogue.trashName), from: path, "in the trash", entry)
    guard let trashed = trashed(name) else {
      preconditionFailure("a name that was just made is one of the trash")
    }
    return trashed
  }

  /// The stamp for a removal at `now`, later than all earlier ones: an unsynchronised clock may be behind the clock of
  /// earlier stamps, and that clock may have been ahead.
  private func removalStamp(
    _ now: WallTime, _ trash: borrowing OpenFile
  ) throws(StorageError) -> UTCStamp {
    guard now.isCredible else {
      // Stamps of the last year leave no room for later ones.
      let newest = try contents(of: trash).last { $0.stamp.seconds < UTCStamp.lastYear }
      return max(now.stamp, UTCStamp(seconds: (newest?.stamp.seconds ?? .min) + 1))
    }
    // The sweep reports what cannot be renamed.
    var failures: [StorageError] = []
    let before = UTCStamp(seconds: now.stamp.seconds - 1)
    date(try contents(of: trash), in: trash, until: before, now: now, &failures)
    return now.stamp
  }

  /// Makes a recording's move to `place`, a clause, durable.
  func syncMove(
    to new: String, from old: String, _ place: String, _ entry: CatalogueEntry
  ) throws(CatalogueError) {
    do {
      try files.syncDirectory(new)
      try files.syncDirectory(old)
    } catch {
      throw .refused(
        "recording \(entry.number) is \(place), and a loss of power may undo that: \(error)",
        error.exitStatus)
    }
  }

  /// Why a name could not move to or from the trash.
  private func refusal(_ error: StorageError) -> CatalogueError {
    guard error.isForbidden, files.mayChangeNames(in: path) else { return .storage(error) }
    return .refused(
      "the trash of \(path) is another user's; give it back with "
        + "`sudo chown -R --reference=\(path) \(path)/.trash`", .noPermission)
  }

  /// A recording in the trash by its name there; `nil` for other programs' names.
  private func trashed(_ text: String) -> TrashedRecording? {
    guard let mark = text.lastIndex(of: Catalogue.stampMark),
      let name = RecordingName(text[..<mark])
    else { return nil }
    var date = text[text.index(after: mark)...]
    let isDated = !date.hasSuffix(Catalogue.undatedMark)
    if !isDated { date.removeLast(Catalogue.undatedMark.count) }
    guard let stamp = UTCStamp(utf8: date.utf8) else { return nil }
    return TrashedRecording(
      entry: CatalogueEntry(name, file: "\(Catalogue.trashName)/\(text)", in: path),
      formerName: String(text[..<mark]), stamp: stamp, isDated: isDated)
  }

  /// Whether a program is writing or holding the recording. Links and special files are never written.
  private func isHeld(_ entry: CatalogueEntry) throws(StorageError) -> Bool {
    let status = try files.status(entry.path, followsLink: false)
    switch status.st_mode & S_IFMT {
    case S_IFREG: return try isLive(entry)
    case S_IFDIR: throw StorageError(.rename, path: entry.path, errno: EISDIR)
    default: return false
    }
  }

  /// Recordings in the trash, last removed first. Reads the directory and no file.
  public func trashed() throws(CatalogueError) -> [TrashedRecording] {
    try wrapped { () throws(StorageError) in try trashContents() }.reversed()
  }

  /// The recordings in the trash, first removed first by their stamps, credible or not.
  func trashContents() throws(StorageError) -> [TrashedRecording] {
    try StorageError.unlessMissing { () throws(StorageError) in
      try contents(of: try openTrash())
    } ?? []
  }

  private func contents(
    of trash: borrowing OpenFile
  ) throws(StorageError) -> [TrashedRecording] {
    try files.names(in: trash).compactMap(trashed).sorted {
      ($0.stamp.seconds, $0.entry.number, $0.entry.fileName)
        < ($1.stamp.seconds, $1.entry.number, $1.entry.fileName)
    }
  }

  /// Deletes recordings that have been in the trash for 30 days or more.
  ///
  /// An unsynchronised clock gives no age, so nothing is deleted by it. A recording removed under such a clock is dated by
  /// the first removal or sweep with a synchronised one, and stays for another 30 days. What cannot be deleted stays.
  ///
  /// - Returns: The former names of the deleted recordings, and the failures.
  @discardableResult
  public func emptyTrash(
    now: WallTime, ofAnyAge: Bool = false
  ) -> (deleted: [String], failures: [StorageError]) {
    var failures: [StorageError] = []
    do throws(StorageError) {
      // Open from the listing to the last deletion, so that a link put in its place has no effect.
      let trash = try openTrash()
      var due = try contents(of: trash)
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

  /// Dates recordings that were removed under an unsynchronised clock: the last one gets `end`, each one before it a second
  /// less, which keeps their order.
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

  /// Moves a file to a free name in the trash, which it returns. The name holds the time of removal, so that a copy of the
  /// trash keeps its age: the second `first`, or the next at which no recording of this name was removed.
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

  /// Deletes recordings from the trash for good, after noting their numbers; returns their former names. A full disk may
  /// lack room for the note; then the remaining names show the assigned numbers.
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
        let id = identity(of: recording.entry)
        try files.remove(recording.entry.nameInTrash, in: trash)
        deleted.append(recording.formerName)
        if let id { try forgetLabels(of: id) }
      } catch {
        failures.append(error)
      }
    }
    return deleted
  }

  func trashNames() throws(StorageError) -> [String] {
    try StorageError.unlessMissing { () throws(StorageError) in
      try files.names(in: try openTrash())
    } ?? []
  }

  /// The trash, open, so that work in it does not depend on its path.
  ///
  /// - Throws: ENOTDIR when it is not the store's own directory: a link may lead to another store's trash.
  func openTrash() throws(StorageError) -> OpenFile {
    try files.open(path(of: Catalogue.trashName), flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  func openStore() throws(StorageError) -> OpenFile {
    try files.open(path, flags: O_RDONLY | O_DIRECTORY)
  }

  static func withoutStamp(_ file: String) -> Substring {
    file.prefix { $0 != stampMark }
  }

  /// The recording in the trash that a user means by `text`, as ``entry(for:)``; `latest` is the last one removed. Of
  /// several removals of one recording, which was fetched again in between, the last is meant.
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

  /// Restores a recording from the trash under its number, or under the next one if another recording has that.
  ///
  /// - Throws: ``CatalogueError/present(id:number:)`` when the store has the same recording;
  ///   ``CatalogueError/notFound(id:path:existing:)`` when it has left the trash.
  @discardableResult
  public func restore(_ trashed: TrashedRecording) throws(CatalogueError) -> CatalogueEntry {
    // Held so that no other program assigns the number or restores the same recording.
    let lock = try wrapped { () throws(StorageError) in try numberLock() }
    if let id = identity(of: trashed.entry), let there = try entry(of: id) {
      throw .present(id: "\(id)", number: there.number)
    }
    let taken = try wrapped { () throws(StorageError) in try numbersHere() }
    var name = trashed.entry.name
    if taken.contains(name.number) {
      let number = try nextNumber(lock)
      try wrapped { () throws(StorageError) in try lock.write(number: number, in: self) }
      name.number = number
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
      throw refusal(error)
    }
    // The new name first: in between the recording has both names, never none.
    try syncMove(
      to: path, from: path(of: Catalogue.trashName), "back as \(entry.number)", trashed.entry)
    _ = consume lock
    return entry
  }
}
