import Glibc
public import IMUModel

extension Catalogue {
  /// The beginning of a copy: what an earlier attempt has left, or an empty file. What an earlier attempt could not
  /// sync is removed.
  ///
  /// - Throws: ``CatalogueError/storage(_:)`` with EWOULDBLOCK when another program is at it.
  public func partialCopy(of id: RecordingID) throws(CatalogueError) -> PartialCopy {
    try wrapped { () throws(StorageError) in
      let unsynced = path(of: "\(PartialCopy.unsyncedPrefix)\(id)")
      if let file = try lockedFile(unsynced, flags: O_RDONLY) { try files.remove(file.path) }
      let partial = path(of: "\(PartialCopy.prefix)\(id)")
      while true {
        if let file = try partialFile(partial) { return try PartialCopy(id, file, in: self) }
      }
    }
  }

  /// Opens the beginning of a copy, or makes it, and locks it; `nil` when it is to be tried again.
  ///
  /// What this user may not continue, and a file with another name elsewhere, whose contents are not the store's, is
  /// removed where names may be changed.
  private func partialFile(_ path: String) throws(StorageError) -> OpenFile? {
    let belonging = try belonging()
    do throws(StorageError) {
      if let file = try lockedFile(path, flags: O_RDWR) {
        if belonging.isOwn(try file.status()) { return file }
        try files.remove(path)
        return nil
      }
    } catch {
      guard [EACCES, ELOOP].contains(error.errno), files.mayChangeNames(in: self.path) else {
        throw error
      }
      try files.remove(path)
    }
    do throws(StorageError) {
      guard let file = try lockedFile(path, flags: O_RDWR | O_CREAT | O_EXCL) else { return nil }
      try belonging.apply(to: file, .changing)
      return file
    } catch {
      if error.errno == EEXIST { return nil }
      throw error
    }
  }

  /// Removes a copy whose recording is here: no machine offers it again, and none would be continued.
  ///
  /// Only the store's own file goes, which has another name nowhere and no other bytes than the recording. All else stays
  /// as it is: nothing proves that it is of no use.
  ///
  /// - Throws: ``CatalogueError/storage(_:)`` with EWOULDBLOCK when another program is at it.
  public func drop(_ leftover: Leftover, of entry: CatalogueEntry) throws(CatalogueError) {
    let path = path(of: leftover.fileName)
    let file = try wrapped { () throws(StorageError) -> OpenFile? in
      guard let file = try lockedFile(path, flags: O_RDONLY) else { return nil }
      guard try belonging().isOwn(try file.status()) else { return nil }
      return file
    }
    guard let file else { return }
    guard try isBeginning(file, of: entry) else { return }
    _ = try wrapped { () throws(StorageError) in try files.remove(path) }
    // The lock lasts until here.
    _ = consume file
  }

  private func isBeginning(
    _ file: borrowing OpenFile, of entry: CatalogueEntry
  ) throws(CatalogueError) -> Bool {
    var theirs = [UInt8](repeating: 0, count: 1 << 16)
    var ours = theirs
    var offset: UInt64 = 0
    do throws(LogError) {
      var source = try copySource(of: entry)
      while true {
        let count: Int
        do throws(StorageError) {
          count = try theirs.withMutableBytes { buffer throws(StorageError) in
            try file.read(at: offset, into: buffer)
          }
        } catch {
          throw .storage(error)
        }
        guard count > 0 else { return true }
        guard offset + UInt64(count) <= source.byteCount else { return false }
        try ours.withMutableBytes { buffer throws(LogError) in
          try source.read(
            at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        }
        guard theirs[..<count] == ours[..<count] else { return false }
        offset += UInt64(count)
      }
    } catch {
      throw .log(error)
    }
  }

  /// Opens a file and locks it; `nil` when it is missing, or had another name or none by the time it was locked.
  ///
  /// - Throws: EWOULDBLOCK when another program has it locked.
  private func lockedFile(_ path: String, flags: Int32) throws(StorageError) -> OpenFile? {
    let file: OpenFile
    do {
      file = try files.open(path, flags: flags | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
    guard try file.lock(exclusive: true) else {
      throw StorageError(.lock, path: path, errno: EWOULDBLOCK)
    }
    guard try file.isNamed() else { return nil }
    return file
  }

  /// Makes a recording and its name durable, whoever wrote it, and lets what is read of it from now on come from the
  /// medium.
  ///
  /// An earlier sync of it may have failed, after which the kernel has pages of it that are not on the medium.
  ///
  /// - Returns: `false` for a link: the name that it leads to may not be durable, or be another store's.
  public func secure(_ entry: CatalogueEntry) throws(CatalogueError) -> Bool {
    try wrapped { () throws(StorageError) in
      guard try files.status(entry.path, followsLink: false).st_mode & S_IFMT != S_IFLNK else {
        return false
      }
      let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
      try file.sync()
      try file.forgetCached()
      try files.syncDirectory(path)
      return true
    }
  }

  /// Gives a copy that is not continued a name of its own, `DIR/.aside-UUID-N`, so that it is neither lost nor used.
  ///
  /// - Returns: The path that it has now.
  public func setAside(_ copy: consuming PartialCopy) throws(CatalogueError) -> String {
    var copy = copy
    return try wrapped { () throws(StorageError) in
      var count = 1
      while true {
        do throws(StorageError) {
          try copy.rename(toFree: path(of: "\(Leftover.asidePrefix)\(copy.id)-\(count)"))
          break
        } catch {
          guard error.errno == EEXIST else { throw error }
          count += 1
        }
      }
      try files.syncDirectory(path)
      return copy.name
    }
  }
}
