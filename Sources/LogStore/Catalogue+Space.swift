import Glibc

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

  /// Deletes the trash, and then the oldest recordings, until `wanted` bytes are free.
  ///
  /// Recordings that somebody is writing stay, and so does what cannot be deleted.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Returns: The numbers of the recordings that went; and whether there is room now.
  public func makeRoom(
    for wanted: UInt64, now: Int64
  ) throws(CatalogueError) -> (deleted: [UInt32], isRoomy: Bool) {
    let free = { () throws(CatalogueError) in
      try wrapped { () throws(StorageError) in try freeByteCount() }
    }
    if try free() >= wanted { return ([], true) }
    try emptyTrash(now: now, ofAnyAge: true)
    var deleted: [UInt32] = []
    for entry in try list().entries.reversed() {
      if try free() >= wanted { return (deleted, true) }
      do {
        try remove(entry, now: now)
      } catch .isLive {
        continue
      }
      try emptyTrash(now: now, ofAnyAge: true)
      deleted.append(entry.number)
    }
    return (deleted, try free() >= wanted)
  }
}
