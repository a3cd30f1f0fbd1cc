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
        if let file = try lockedFile(partial, flags: O_RDWR | O_CREAT) {
          return try PartialCopy(id, file, in: self)
        }
      }
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
    guard try file.lock(exclusive: true, wait: false) else {
      throw StorageError(.lock, path: path, errno: EWOULDBLOCK)
    }
    guard try file.isNamed() else { return nil }
    return file
  }

  /// Makes a copy that is whole a recording of this store: durable, and under its final name.
  ///
  /// - Parameters:
  ///   - number: The number that it should have. Where another recording here or in the trash has it, it gets the
  ///     next one that was never given.
  ///   - start: Seconds since 1970 at which it began, for the file's name.
  public func publish(
    _ copy: consuming PartialCopy, number: UInt32, start: Int64
  ) throws(CatalogueError) -> CatalogueEntry {
    var copy = copy
    if let there = try entry(of: copy.id) {
      // The same recording, whole: this copy of it is of no use any more.
      try wrapped { () throws(StorageError) in try files.remove(copy.name) }
      throw .present(id: "\(copy.id)", number: there.number)
    }
    let lock = try wrapped { () throws(StorageError) in try numberLock() }
    let name = RecordingName(
      number: try freeNumber(number, lock), start: UTCStamp(seconds: start), id: copy.id)
    let entry = CatalogueEntry(name, in: path)
    try wrapped { () throws(StorageError) in try copy.settle(as: entry.path, in: self) }
    return entry
  }

  /// Makes a recording and its name durable, whoever wrote it, and lets what is read of it from now on come from the
  /// medium.
  ///
  /// An earlier sync of it may have failed, after which the kernel has pages of it that are not on the medium.
  public func secure(_ entry: CatalogueEntry) throws(CatalogueError) {
    try wrapped { () throws(StorageError) in
      let file = try files.open(entry.path, flags: O_RDONLY | O_NONBLOCK | linkFlag)
      try file.sync()
      try file.forgetCached()
      try files.syncDirectory(path)
    }
  }

  /// Gives a copy that does not go on a name of its own, `DIR/.aside-UUID-N`, so that it is neither lost nor gone on with.
  ///
  /// - Returns: The path that it has now.
  public func setAside(_ copy: consuming PartialCopy) throws(CatalogueError) -> String {
    var copy = copy
    var count = 1
    while access(path(of: "\(Leftover.asidePrefix)\(copy.id)-\(count)"), F_OK) == 0 { count += 1 }
    let aside = path(of: "\(Leftover.asidePrefix)\(copy.id)-\(count)")
    try wrapped { () throws(StorageError) in
      try copy.rename(to: aside)
      try files.syncDirectory(path)
    }
    return aside
  }

  /// The wanted number, or the next one that was never given; to be called under the lock of numbers.
  private func freeNumber(_ wanted: UInt32, _ lock: borrowing NumberLock) throws(CatalogueError)
    -> UInt32
  {
    var taken: Set<UInt32> = []
    try wrapped { () throws(StorageError) in
      for file in try files.names(in: path) + trashNames() {
        if let name = RecordingName(Catalogue.withoutStamp(file)) { taken.insert(name.number) }
      }
    }
    let highest = try wrapped { () throws(StorageError) in
      max(taken.max() ?? 0, try lock.number())
    }
    // A number far from all others would use up those between: it is kept up to six digits.
    if (1...999_999).contains(wanted), !taken.contains(wanted) {
      if wanted > highest {
        try wrapped { () throws(StorageError) in try lock.write(number: wanted) }
      }
      return wanted
    }
    guard highest < .max else { throw .outOfNumbers(path: path) }
    try wrapped { () throws(StorageError) in try lock.write(number: highest + 1) }
    return highest + 1
  }
}
