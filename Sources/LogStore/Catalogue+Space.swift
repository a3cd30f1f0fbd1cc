// SPDX-License-Identifier: Apache-2.0

public import Files
import Glibc

/// The result of making room.
public struct Room: Equatable, Sendable {
  /// Bytes that are free now.
  public var free: UInt64
  /// Whether that is enough.
  public var isEnough = false
  /// Bytes that deleting the trash would free; it stays because that is not enough.
  public var inTrash: UInt64 = 0
  /// The same for recordings that may be deleted.
  public var inRecordings: UInt64 = 0
  /// Bytes of files whose deletion would free nothing, because another program has them open.
  public var inUse: UInt64 = 0
  /// Bytes of deleted files that did not become free, although no program was known to have them open; if not 0, deleting
  /// stopped for this reason.
  public var unreleased: UInt64 = 0
  /// Numbers of the recordings deleted from the trash.
  public var deletedFromTrash: [UInt32] = []
  /// Numbers of the other deleted recordings, oldest first.
  public var deleted: [UInt32] = []

  /// How many recordings were deleted for good.
  public var deletedCount: Int { deleted.count + deletedFromTrash.count }
}

extension Catalogue {
  /// Bytes that this user may still write to the store's file system.
  public func freeByteCount() throws(StorageError) -> UInt64 { try room().free }

  /// The same, and how many copies from elsewhere leave free: 1/64 of the file system, at most 64 MiB. C: `statvfs`.
  public func room() throws(StorageError) -> (free: UInt64, reserve: UInt64) {
    var status = statvfs()
    while statvfs(path, &status) != 0 {
      guard errno == EINTR else { throw StorageError(.open, path: path, errno: errno) }
    }
    let size = UInt64(status.f_blocks) * UInt64(status.f_frsize)
    return (UInt64(status.f_bavail) * UInt64(status.f_frsize), min(64 << 20, size / 64))
  }

  /// Deletes recordings from the trash, those removed first, and then the oldest recordings, until `wanted` bytes are
  /// free; deletes nothing when that would not be enough.
  ///
  /// It keeps live recordings, files that cannot be deleted, and those that would free nothing: links, and files that are
  /// open, or have another name, elsewhere. If the kernel does not report whether a recording is open, it goes last of its
  /// kind. When deleting frees less than it should, as with snapshots of the file system, it stops.
  ///
  /// - Parameter deletesOldest: Whether recordings may go, and not only the trash.
  public func makeRoom(
    for wanted: UInt64, deletesOldest: Bool
  ) throws(StorageError) -> Room {
    try makeRoom(for: wanted, deletesOldest: deletesOldest) { () throws(StorageError) in
      try freeByteCount()
    }
  }

  /// Deletes one recording, the first that ``makeRoom(for:deletesOldest:)`` would, because the file system refused bytes
  /// although some are free: no inode is left, or this user's quota is used up. For a quota, only this user's files count.
  ///
  /// - Returns: The result, whose ``Room/deletedCount`` is 0 when nothing could help.
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
      if delete(victim) {
        room[keyPath: victim.list].append(victim.entry.number)
      } else {
        hopeless.insert(victim.entry.fileName)
      }
    }
    room.free = try freeByteCount()
    return room
  }

  /// Whether `wanted` bytes would be free without the trash and all recordings that may be deleted.
  public func wouldFit(_ wanted: UInt64) throws(StorageError) -> Bool {
    let free = try freeByteCount()
    guard free < wanted else { return true }
    return try deletions(for: wanted - free, deletesOldest: true, besides: []).byteCount
      >= wanted - free
  }

  package func makeRoom(
    for wanted: UInt64, deletesOldest: Bool, measure: () throws(StorageError) -> UInt64
  ) throws(StorageError) -> Room {
    var room = Room(free: try measure())
    let before = room.free
    /// Bytes that the deletions should have freed.
    var freed: UInt64 = 0
    var hopeless: Set<String> = []
    /// Bytes of a recording that was open after all, which could not be known.
    var mistaken: UInt64?
    while room.free < wanted {
      let missing = wanted - room.free
      let plan = try deletions(for: missing, deletesOldest: deletesOldest, besides: hopeless)
      let gained = room.free - min(before, room.free)
      let isVain = freed > 2 * gained + Catalogue.slack
      guard plan.byteCount >= missing, !isVain else {
        room.unreleased = (mistaken ?? 0) + (isVain ? freed - min(freed, gained) : 0)
        // More than the plan may be there.
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
          // The rest may not be enough any more.
          hopeless.insert(victim.entry.fileName)
          room.free = try measure()
          break
        }
        room[keyPath: victim.list].append(victim.entry.number)
        let last = room.free
        room.free = try measure()
        if !victim.isKnown, mistaken == nil, room.free - min(last, room.free) < victim.byteCount / 2
        {
          // The rest may not be enough any more. A second one that frees nothing counts as the file system's doing.
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

  /// Bytes by which the gain may fall short of half of what was deleted: others write meanwhile.
  private static var slack: UInt64 { 4 << 20 }

  /// A recording that may be deleted, and the bytes that frees.
  private struct Deletion {
    let entry: CatalogueEntry
    let isTrashed: Bool
    let byteCount: UInt64
    /// Whether it is known that no program has it open.
    let isKnown: Bool

    var list: WritableKeyPath<Room, [UInt32]> { isTrashed ? \.deletedFromTrash : \.deleted }
  }

  /// The recordings to delete, in order.
  private struct Plan {
    var victims: [Deletion] = []
    /// Bytes that all of them free.
    var byteCount: UInt64 = 0
    /// Bytes of files skipped because another program has them open.
    var inUse: UInt64 = 0

    mutating func add(_ victim: Deletion) {
      victims.append(victim)
      byteCount += victim.byteCount
    }
  }

  /// The deletions that free `missing` bytes, or all possible ones when these free less.
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
      add(trash.map(\.entry), in: path(of: Catalogue.trashName), isTrashed: true)
    } catch {
      // A trash that cannot be read, or is not the store's own, makes no room. The sweep before each recording reports it.
    }
    if deletesOldest, plan.byteCount < missing {
      let names = try files.names(in: path)
      add(Catalogue.entries(names, in: path).reversed(), in: path, isTrashed: false)
    }
    return plan
  }

  /// Bytes that deleting a file frees; 0 when it may not be deleted or frees none.
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
      // In a sticky directory only the owners of file and directory may remove a name.
      if parent.st_mode & S_ISVTX != 0, ![0, status.st_uid, parent.st_uid].contains(user) {
        return 0
      }
      return UInt64(clamping: status.st_blocks) * 512
    } catch {
      return 0
    }
  }

  /// What other programs do with a recording; `unknown` when the kernel does not report whether it is open.
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

  /// Keeps the numbers of what is about to be deleted from being assigned again. A full disk may lack room for that; then
  /// the remaining names show the assigned numbers.
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
      if let id = identity(of: victim.entry) { try noteExpiry(ofLabels: id) }
    } catch {
      // Without room for the mark the labels stay.
    }
    do {
      return victim.isTrashed
        ? try files.remove(victim.entry.nameInTrash, in: try openTrash())
        : try files.remove(victim.entry.path)
    } catch {
      return false
    }
  }
}
