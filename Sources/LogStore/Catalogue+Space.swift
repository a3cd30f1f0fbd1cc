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
  /// Bytes of what could be deleted and would free nothing, because another program has it open.
  public var inUse: UInt64 = 0
  /// Bytes of what was deleted that did not come free, although no program was seen to have it open; not 0 when
  /// nothing more was deleted for that reason.
  public var unreleased: UInt64 = 0
  /// Numbers of recordings of the trash that were deleted for good.
  public var deletedFromTrash: [UInt32] = []
  /// Numbers of recordings that were deleted for good, the oldest first.
  public var deleted: [UInt32] = []

  /// How many recordings were deleted for good.
  public var deletedCount: Int { deleted.count + deletedFromTrash.count }
}

extension Catalogue {
  /// Bytes that this user may still write to the store's file system.
  public func freeByteCount() throws(StorageError) -> UInt64 {
    try room().free
  }

  /// Bytes that this user may still write to the store's file system, and how many of them copies from elsewhere leave to
  /// others: a sixty-fourth of it, at most 64 MiB. The C function is `statvfs`.
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
  /// nothing: links, and files that another program has open or that have another name elsewhere. Where the kernel does
  /// not say whether a program has it open, a recording goes after all others of its kind. When something cannot be
  /// deleted after all, all is planned anew. When deleting frees less than it should (the file system keeps snapshots),
  /// it ends there; one recording of which it was not known does not end it.
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

  /// Deletes one recording, the first that ``makeRoom(for:deletesOldest:)`` would, because the file system refused bytes
  /// or files although some are free: it has no inode left, or this user's quota is used up. Of a quota, only what
  /// this user owns counts.
  ///
  /// - Returns: What came of it; ``Room/deletedCount`` is 0 when there was nothing that could help.
  public func makeRoom(
    after error: StorageError, deletesOldest: Bool
  ) throws(StorageError) -> Room {
    var room = Room(free: try freeByteCount())
    guard [ENOSPC, EDQUOT].contains(error.errno) else { return room }
    var hopeless: Set<String> = []
    while room.deletedCount == 0,
      let victim = try deletions(
        for: 1, deletesOldest: deletesOldest, ofThisUser: error.errno == EDQUOT, besides: hopeless
      ).victims.first
    {
      try noteNumbers([victim])
      if delete(victim) { room.note(victim) } else { hopeless.insert(victim.entry.fileName) }
    }
    room.free = try freeByteCount()
    return room
  }

  /// Whether `wanted` bytes would be free if the trash and all recordings went that may be deleted.
  public func wouldFit(_ wanted: UInt64) throws(StorageError) -> Bool {
    let free = try freeByteCount()
    guard free < wanted else { return true }
    return try deletions(for: wanted - free, deletesOldest: true, besides: []).byteCount
      >= wanted - free
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
    /// Bytes of the recording that some program had open after all, which could not be known.
    var mistaken: UInt64?
    while room.free < wanted {
      let missing = wanted - room.free
      let plan = try deletions(for: missing, deletesOldest: deletesOldest, besides: hopeless)
      let gained = room.free - min(before, room.free)
      let isVain = freed > 2 * gained + Catalogue.slack
      guard plan.byteCount >= missing, !isVain else {
        room.unreleased = (mistaken ?? 0) + (isVain ? freed - min(freed, gained) : 0)
        // Of the plan that was enough, there may be more.
        let rest =
          isVain ? try deletions(for: .max, deletesOldest: deletesOldest, besides: hopeless) : plan
        room.inTrash = rest.victims.reduce(0) { $0 + ($1.isTrashed ? $1.byteCount : 0) }
        room.inRecordings = rest.byteCount - room.inTrash
        room.inUse = rest.inUse
        return room
      }
      try noteNumbers(plan.victims)
      for victim in plan.victims where room.free < wanted {
        guard delete(victim) else {
          // What is left may not be enough any more.
          hopeless.insert(victim.entry.fileName)
          room.free = try measure()
          break
        }
        room.note(victim)
        let last = room.free
        room.free = try measure()
        if !victim.isKnown, mistaken == nil, room.free - min(last, room.free) < victim.byteCount / 2
        {
          // What is left may not be enough any more. A second one that frees nothing counts: it is the file system.
          mistaken = victim.byteCount
          break
        }
        freed += victim.byteCount
        if freed > 2 * (room.free - min(before, room.free)) + Catalogue.slack { break }
      }
    }
    room.isEnough = true
    return room
  }

  /// Bytes by which what is free may fall short of what was deleted, half of it aside: others write meanwhile.
  private static var slack: UInt64 { 4 << 20 }

  /// A recording that may be deleted for good, and the bytes which that frees.
  fileprivate struct Deletion {
    let entry: CatalogueEntry
    let isTrashed: Bool
    let byteCount: UInt64
    /// Whether it is known that no program has it open.
    let isKnown: Bool
  }

  /// What may be deleted, in that order.
  private struct Plan {
    var victims: [Deletion] = []
    /// Bytes that all of it frees.
    var byteCount: UInt64 = 0
    /// Bytes of what was passed over because another program has it open.
    var inUse: UInt64 = 0

    mutating func add(_ victim: Deletion) {
      victims.append(victim)
      byteCount += victim.byteCount
    }
  }

  /// What to delete so that `missing` bytes become free; all that may go when it is less.
  ///
  /// - Parameter ofThisUser: Whether only files of this user go.
  private func deletions(
    for missing: UInt64, deletesOldest: Bool, ofThisUser: Bool = false,
    besides hopeless: Set<String>
  ) throws(StorageError) -> Plan {
    var plan = Plan()
    func add(_ entries: [CatalogueEntry], in directory: String, isTrashed: Bool) {
      guard files.mayChangeNames(in: directory) else { return }
      var unknown: [Deletion] = []
      for entry in entries where plan.byteCount < missing && !hopeless.contains(entry.fileName) {
        let byteCount = releasedByteCount(entry, in: directory, ofThisUser: ofThisUser)
        guard byteCount > 0 else { continue }
        let found = use(of: entry)
        let victim = Deletion(
          entry: entry, isTrashed: isTrashed, byteCount: byteCount, isKnown: found == .none)
        switch found {
        case .written: continue
        case .open: plan.inUse += byteCount
        case .unreadable where !isTrashed: continue
        case .unknown, .unreadable: unknown.append(victim)
        case .none: plan.add(victim)
        }
      }
      for victim in unknown where plan.byteCount < missing { plan.add(victim) }
    }
    do {
      let trash = try trashContents()
      add(trash.map(\.recording.entry), in: path(of: Catalogue.trashName), isTrashed: true)
    } catch {
      // What cannot be read, or is no directory of the store's own, makes no room and keeps no other from it. The sweep
      // before each take reports it.
    }
    if deletesOldest, plan.byteCount < missing {
      let names = try files.names(in: path)
      add(Catalogue.entries(names, in: path).reversed(), in: path, isTrashed: false)
    }
    return plan
  }

  /// Bytes that deleting a file frees; 0 when it frees none or may not be deleted.
  private func releasedByteCount(
    _ entry: CatalogueEntry, in directory: String, ofThisUser: Bool
  ) -> UInt64 {
    do {
      let status = try files.status(entry.path, followsLink: false)
      guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1, !files.isFixed(entry.path)
      else { return 0 }
      let parent = try files.status(directory)
      let user = geteuid()
      if ofThisUser, status.st_uid != user { return 0 }
      // In a sticky directory only the owners of the file and of the directory remove a name.
      if parent.st_mode & S_ISVTX != 0, ![0, status.st_uid, parent.st_uid].contains(user) {
        return 0
      }
      return UInt64(clamping: status.st_blocks) * 512
    } catch {
      return 0
    }
  }

  /// What other programs do with a recording; `unknown` when the kernel does not say whether one has it open.
  private enum Use { case none, written, open, unknown, unreadable }

  private func use(of entry: CatalogueEntry) -> Use {
    do {
      let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
      guard try file.lock(exclusive: false) else { return .written }
      do { return try file.isOpenElsewhere() ? .open : .none } catch { return .unknown }
    } catch {
      return .unreadable
    }
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
    if !victim.isTrashed {
      let found = use(of: victim.entry)
      guard found == .none || (found == .unknown && !victim.isKnown) else { return false }
    }
    do {
      guard victim.isTrashed else { return try files.remove(victim.entry.path) }
      return try files.remove(victim.entry.nameInTrash, in: try openTrash())
    } catch {
      return false
    }
  }
}

extension Room {
  fileprivate mutating func note(_ victim: Catalogue.Deletion) {
    if victim.isTrashed {
      deletedFromTrash.append(victim.entry.number)
    } else {
      deleted.append(victim.entry.number)
    }
  }
}
