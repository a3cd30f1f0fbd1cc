import Glibc

/// What came of making room.
public struct Room: Equatable, Sendable {
  /// Bytes that are free now.
  public var free: UInt64
  /// Whether that is enough.
  public var isEnough = false
  /// Bytes that could be made free by deleting what is in the trash, and was left there because it is not enough.
  public var inTrash: UInt64 = 0
  /// The same of the recordings, where they may be deleted.
  public var inRecordings: UInt64 = 0
  /// Numbers of recordings of the trash that were deleted for good.
  public var deletedFromTrash: [UInt32] = []
  /// Numbers of recordings that were deleted for good, the oldest first.
  public var deleted: [UInt32] = []
}

extension Catalogue {
  /// Bytes that this user may still write to the store's file system. The C function is `statvfs`.
  public func freeByteCount() throws(StorageError) -> UInt64 {
    var status = statvfs()
    while statvfs(path, &status) != 0 {
      guard errno == EINTR else { throw StorageError(.open, path: path, errno: errno) }
    }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }

  /// Bytes that this user may still write to the store's file system, and how many of them copies from elsewhere leave to
  /// others: a sixty-fourth of it, at most 64 MiB.
  public func room() throws(StorageError) -> (free: UInt64, reserve: UInt64) {
    var status = statvfs()
    while statvfs(path, &status) != 0 {
      guard errno == EINTR else { throw StorageError(.open, path: path, errno: errno) }
    }
    let size = UInt64(status.f_blocks) * UInt64(status.f_frsize)
    return (UInt64(status.f_bavail) * UInt64(status.f_frsize), min(64 << 20, size / 64))
  }

  /// Deletes recordings from the trash, those first that were removed first, and then the oldest recordings, until
  /// `wanted` bytes are free; nothing at all when that would not be enough.
  ///
  /// Recordings that a program is writing stay, and so does what cannot be opened or deleted, and what would free
  /// nothing: links, and files with another name elsewhere. When deleting frees less than it should (another program
  /// has the file open, the file system keeps snapshots), it ends there.
  ///
  /// Cost: a look at each recording of the trash, and at the oldest recordings as far as they are needed.
  ///
  /// - Parameters:
  ///   - wanted: Bytes.
  ///   - deletesOldest: Whether recordings may go, and not only the trash.
  public func makeRoom(
    for wanted: UInt64, deletesOldest: Bool
  ) throws(StorageError) -> Room {
    try makeRoom(for: wanted, deletesOldest: deletesOldest) { () throws(StorageError) in
      try freeByteCount()
    }
  }

  /// Whether `wanted` bytes would be free if the trash and all recordings went that may be deleted.
  public func wouldFit(_ wanted: UInt64) throws(StorageError) -> Bool {
    let free = try freeByteCount()
    guard free < wanted else { return true }
    let plan = try deletions(for: wanted - free, deletesOldest: true, besides: [])
    return plan.reduce(0) { $0 + $1.byteCount } >= wanted - free
  }

  /// - Parameter measure: What is free.
  package func makeRoom(
    for wanted: UInt64, deletesOldest: Bool, measure: () throws(StorageError) -> UInt64
  ) throws(StorageError) -> Room {
    var room = Room(free: try measure())
    let before = room.free
    /// What was deleted should have freed so much.
    var freed: UInt64 = 0
    var hopeless: Set<String> = []
    while room.free < wanted {
      let missing = wanted - room.free
      let plan = try deletions(for: missing, deletesOldest: deletesOldest, besides: hopeless)
      let planned = plan.reduce(0) { $0 + $1.byteCount }
      guard planned >= missing, freed <= 2 * (room.free - min(before, room.free)) + Catalogue.slack
      else {
        room.inTrash = plan.reduce(0) { $0 + ($1.isTrashed ? $1.byteCount : 0) }
        room.inRecordings = planned - room.inTrash
        return room
      }
      try noteNumbers(plan)
      for victim in plan where room.free < wanted {
        guard freed <= 2 * (room.free - min(before, room.free)) + Catalogue.slack else { break }
        guard delete(victim) else {
          hopeless.insert(victim.entry.fileName)
          continue
        }
        freed += victim.byteCount
        if victim.isTrashed {
          room.deletedFromTrash.append(victim.entry.number)
        } else {
          room.deleted.append(victim.entry.number)
        }
        room.free = try measure()
      }
    }
    room.isEnough = true
    return room
  }

  /// Bytes by which what is free may fall short of what was deleted, half of it aside: others write meanwhile.
  private static var slack: UInt64 { 4 << 20 }

  /// A recording that may be deleted for good, and the bytes which that frees.
  private struct Deletion {
    let entry: CatalogueEntry
    let isTrashed: Bool
    let byteCount: UInt64
  }

  /// What to delete so that `missing` bytes become free, in that order; all that may go when it is less.
  private func deletions(
    for missing: UInt64, deletesOldest: Bool, besides hopeless: Set<String>
  ) throws(StorageError) -> [Deletion] {
    var plan: [Deletion] = []
    var sum: UInt64 = 0
    func add(_ entries: [CatalogueEntry], in directory: String, isTrashed: Bool) {
      guard files.mayChangeNames(in: directory) else { return }
      for entry in entries where sum < missing && !hopeless.contains(entry.fileName) {
        let byteCount = releasedByteCount(entry, in: directory)
        guard byteCount > 0, isTrashed || isIdle(entry) else { continue }
        plan.append(Deletion(entry: entry, isTrashed: isTrashed, byteCount: byteCount))
        sum += byteCount
      }
    }
    if files.mayChangeNames(in: path(of: Catalogue.trashName)) {
      let trash = try trashContents().sorted { $0.stamp < $1.stamp }
      add(trash.map(\.recording.entry), in: path(of: Catalogue.trashName), isTrashed: true)
    }
    if deletesOldest, sum < missing {
      let names = try files.names(in: path)
      add(Catalogue.entries(names, in: path).reversed(), in: path, isTrashed: false)
    }
    return plan
  }

  /// Bytes that deleting a file frees; 0 when it frees none or may not be deleted.
  private func releasedByteCount(_ entry: CatalogueEntry, in directory: String) -> UInt64 {
    do {
      let status = try files.status(entry.path, followsLink: false)
      guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { return 0 }
      let parent = try files.status(directory)
      let user = geteuid()
      // In a sticky directory only the owners of the file and of the directory remove a name.
      if parent.st_mode & S_ISVTX != 0, ![0, status.st_uid, parent.st_uid].contains(user) {
        return 0
      }
      return UInt64(clamping: status.st_blocks) * 512
    } catch {
      return 0
    }
  }

  /// Whether it is certain that no program writes the recording.
  private func isIdle(_ entry: CatalogueEntry) -> Bool {
    do { return try !isLive(entry) } catch { return false }
  }

  /// What is about to go has numbers that must not be given again. On a full disk that note may need the room that is
  /// about to be made: then it is the names that are left that say which numbers were given.
  private func noteNumbers(_ plan: [Deletion]) throws(StorageError) {
    guard let highest = plan.map(\.entry.number).max() else { return }
    do {
      try keepNumber(highest)
    } catch {
      guard error.isFull else { throw error }
    }
  }

  private func delete(_ victim: Deletion) -> Bool {
    guard victim.isTrashed || isIdle(victim.entry) else { return false }
    do {
      try files.remove(victim.entry.path)
      return true
    } catch {
      return false
    }
  }
}
