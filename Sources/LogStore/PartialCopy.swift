// SPDX-License-Identifier: Apache-2.0

public import Files
import Glibc
public import IMUModel
import LogFormat

/// A log from elsewhere that is not complete here yet.
///
///     DIR/.part-1b4e28ba-2fa1-41d2-883f-0016d3cca427       while it is received
///     DIR/.unsynced-1b4e28ba-2fa1-41d2-883f-0016d3cca427   from before its sync until the sync has succeeded
///
/// It outlives its program, and the next one resumes it. While a value exists, no other program can use the same copy. An
/// empty copy is removed with its value.
///
/// After a failed sync the kernel may hold pages that read as written and count as clean but are not on the medium; the next
/// sync succeeds (fsync(2), NOTES). Therefore the name changes before each sync and back after it: an unlocked file with the
/// second name had a sync that failed or never returned, and the copy starts over.
public struct PartialCopy: LogStorage, ~Copyable {
  /// Which recording it is a copy of.
  public let id: RecordingID
  /// The file's path.
  public var name: String { file.path }
  /// Bytes received so far.
  public private(set) var byteCount: UInt64
  private var begun: UInt64
  private var file: OpenFile
  private let files: FileSystem
  private let partialPath: String
  private let unsyncedPath: String

  static let prefix = ".part-"
  static let unsyncedPrefix = ".unsynced-"

  init(_ id: RecordingID, _ file: consuming OpenFile, in store: Catalogue) throws(StorageError) {
    byteCount = try file.regularFileSize()
    begun = byteCount
    self.id = id
    files = store.files
    partialPath = file.path
    unsyncedPath = store.path(of: "\(PartialCopy.unsyncedPrefix)\(id)")
    self.file = file
  }

  deinit {
    let isUseless = file.path == unsyncedPath || file.path == partialPath && byteCount == 0
    guard isUseless else { return }
    // If this fails, the next copy of the recording removes it, or it expires.
    do { try files.remove(file.path) } catch { return }
  }

  /// Bytes that are sent to the medium at a time while more are received.
  private static let stride: UInt64 = 4 << 20

  /// Writes at the end.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try file.write(bytes, at: byteCount)
    byteCount += UInt64(bytes.count)
    // The last page is still written to.
    let whole = byteCount & ~4095
    guard whole >= begun + PartialCopy.stride else { return }
    file.beginWriting(begun..<whole)
    begun = whole
  }

  /// Drops everything after `length` bytes.
  public mutating func cut(to length: UInt64) throws(StorageError) {
    try file.truncate(to: length)
    byteCount = length
    begun = min(begun, length)
  }

  /// Reads anywhere.
  public mutating func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    try file.read(at: offset, into: buffer)
  }

  /// ``byteCount``.
  public mutating func size() throws(StorageError) -> UInt64 { byteCount }

  /// The C function is `lseek`.
  public mutating func nextData(from offset: UInt64) throws(StorageError) -> UInt64? {
    try file.nextData(from: offset)
  }

  /// Makes it durable; after a failure none of it is used. C: `fsync`.
  public mutating func sync() throws(StorageError) {
    try doubt()
    try file.sync()
    try rename(to: partialPath)
  }

  /// As ``sync()``: no space is preallocated.
  public mutating func finish() throws(StorageError) { try sync() }

  /// Makes it durable under its final name, but for the directory: FAT keeps a file's length with its name.
  func seal() throws(StorageError) {
    let mode = try file.status().st_mode & 0o7777
    if mode & S_IWGRP != 0 {
      // The group may read a recording but not write it. Another member's file is theirs to change.
      do {
        try file.setPermissions(mode & ~S_IWGRP)
      } catch {
        guard error.isForbidden else { throw error }
      }
    }
    try file.sync()
  }

  /// Gives it the second name: under a final name it would pass for a recording.
  mutating func doubt() throws(StorageError) { try rename(to: unsyncedPath) }

  private mutating func rename(to path: String) throws(StorageError) {
    try files.rename(file.path, to: path)
    file.path = path
  }

  mutating func rename(toFree path: String) throws(StorageError) {
    try files.rename(file.path, toFree: path)
    file.path = path
  }
}

extension Catalogue {
  /// The partial copy that an earlier attempt left, or an empty one. Removes a copy that could not be synced.
  ///
  /// - Throws: ``CatalogueError/storage(_:)`` with EWOULDBLOCK while another program uses it.
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

  /// Opens or makes a partial copy and locks it; `nil` when the caller must try again. A copy that this user may not
  /// continue, or that is not the store's own, is removed where this user may change names.
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

  /// Removes a partial copy whose recording is here, if it is the store's own file with only bytes of the recording:
  /// anything else may be needed.
  ///
  /// - Throws: ``CatalogueError/storage(_:)`` with EWOULDBLOCK while another program uses it.
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
        let count = try theirs.withMutableBytes { buffer throws(LogError) in
          try LogError.wrapped { () throws(StorageError) in
            try file.read(at: offset, into: buffer)
          }
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

  /// Opens a file and locks it; `nil` when it is missing, or was renamed or removed before the lock. Throws EWOULDBLOCK when
  /// another program has it locked.
  private func lockedFile(_ path: String, flags: Int32) throws(StorageError) -> OpenFile? {
    let found = try StorageError.unlessMissing { () throws(StorageError) in
      try files.open(path, flags: flags | O_NOFOLLOW | O_NONBLOCK)
    }
    guard let file = found else { return nil }
    guard try file.lock(exclusive: true) else {
      throw StorageError(.lock, path: path, errno: EWOULDBLOCK)
    }
    guard try file.isNamed() else { return nil }
    return file
  }

  /// Makes a recording and its name durable, and drops it from the cache, so that it is then read from the medium: after a
  /// failed sync the kernel may hold pages that are not on the medium.
  ///
  /// - Returns: `false` for a link, whose target's name may not be durable, or belong to another store.
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

  /// Renames an abandoned copy to `DIR/.aside-UUID-N`, so that it is kept but never resumed; returns its path.
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
