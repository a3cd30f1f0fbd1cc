import Glibc
public import IMUModel
import LogFormat

/// A recording that is being written: its file, with the header in it and durable, and its lock.
///
/// The lock, by which others see that the recording is live, is held until the storage is closed,
/// which happens when its last owner lets go of it.
public struct LiveRecording: ~Copyable {
  /// The recording in its store.
  public let entry: CatalogueEntry
  /// The header that was written: the description asked for, with the number in this store.
  public let description: RecordingDescription
  /// Where the pages behind the header go.
  package var storage: FileStorage

  /// Gives the storage away, which then writes past the page cache.
  public consuming func takeStorage() -> FileStorage {
    var storage = storage
    storage.bypassCache()
    return storage
  }
}

extension Catalogue {
  /// Begins a recording: gives it the next number, writes its header and makes both durable.
  ///
  /// The file gets its final name when the header is safe in it. When a step fails, nothing is left
  /// behind. Numbers are given away under a lock and are never given twice, not even after the
  /// newest recording was removed; one whose recording could not be made may be skipped.
  ///
  /// - Parameters:
  ///   - description: The header; its number is ignored.
  ///   - wall: Nanoseconds since 1970, for the file's name.
  ///   - firstPage: The first page of a log made elsewhere, to be copied as it is: checks of what follows the
  ///     header in it rest on the header's bytes, so the header keeps the number that it had there. `nil` to
  ///     write a header of this store.
  public func create(
    _ description: RecordingDescription, wall: Int64, firstPage: [UInt8]? = nil
  ) throws(CatalogueError) -> LiveRecording {
    let lock = try wrapped { () throws(StorageError) in try numberLock() }
    var description = description
    description.number = try nextNumber(lock)
    let header: [UInt8]
    do {
      if let firstPage { header = firstPage } else { header = try encodeHeader(description) }
    } catch {
      throw .log(.description(error))
    }
    let name = RecordingName(
      number: description.number, start: UTCStamp(nanoseconds: wall), id: description.id)
    let entry = CatalogueEntry(name, in: path)
    let storage = try wrapped { () throws(StorageError) in
      try place(header, as: entry, temporary: "\(Catalogue.temporaryPrefix)\(description.id)", lock)
    }
    return LiveRecording(entry: entry, description: description, storage: storage)
  }

  /// Makes a file with a header in it under its final name, or nothing.
  private func place(
    _ header: [UInt8], as entry: CatalogueEntry, temporary: String, _ lock: borrowing NumberLock
  ) throws(StorageError) -> FileStorage {
    // Before the file, because the space made ahead in it may be the last that there is.
    try lock.write(number: entry.number)
    let temporary = path(of: temporary)
    var storage = try FileStorage(creating: temporary, gate: files.gate)
    do {
      try fill(&storage, with: header)
      try files.rename(temporary, to: entry.path)
      storage.wasRenamed(to: entry.path)
      // On FAT a name carries the file's length and place; the new one gets them when the file is
      // synced, not with the directory. Until then a power cut leaves an empty file.
      try storage.sync()
      try files.syncDirectory(path)
    } catch {
      withdraw(temporary, entry.path)
      throw error
    }
    return storage
  }

  private func fill(_ storage: inout FileStorage, with header: [UInt8]) throws(StorageError) {
    guard try storage.lock(exclusive: true) else {
      throw StorageError(.lock, path: storage.name, errno: EWOULDBLOCK)
    }
    try header.withBytes { bytes throws(StorageError) in try storage.append(bytes) }
    try storage.sync()
  }

  /// Takes a recording away that was begun and is not wanted: nothing of it stays, not even in the
  /// trash.
  ///
  /// - Parameter entry: The entry of a ``LiveRecording`` of this program.
  public func discard(_ entry: CatalogueEntry) throws(CatalogueError) {
    try wrapped { () throws(StorageError) in
      try files.remove(entry.path)
      try files.syncDirectory(path)
    }
  }

  /// Takes both names of a recording that was not created. What cannot be removed under a temporary
  /// name is swept at the next start; a file under its final name is, at worst, a recording without
  /// samples.
  private func withdraw(_ names: String...) {
    for name in names {
      do { try files.remove(name) } catch { continue }
    }
  }

  // MARK: Numbers

  /// The highest number ever given in this store lies in the lock's file, because the recording
  /// that had it may have left the trash. Without the file the numbers of the recordings are all
  /// that is known.
  private func nextNumber(_ lock: borrowing NumberLock) throws(CatalogueError) -> UInt32 {
    var highest: UInt32 = 0
    do {
      for file in try files.names(in: path) + trashNames() {
        if let name = RecordingName(Catalogue.withoutStamp(file)) {
          highest = max(highest, name.number)
        }
      }
      highest = max(highest, try lock.number())
    } catch {
      throw .storage(error)
    }
    guard highest < .max else { throw .outOfNumbers(path: path) }
    return highest + 1
  }

  func numberLock() throws(StorageError) -> NumberLock {
    let file = try files.open(path(of: Catalogue.lockName), flags: O_RDWR | O_CREAT)
    return try NumberLock(file)
  }
}

/// The lock under which numbers are given away, held as long as this value lives.
struct NumberLock: ~Copyable {
  private let file: OpenFile

  /// Waits for the lock: others hold it for one sync.
  init(_ file: consuming OpenFile) throws(StorageError) {
    _ = try file.lock(exclusive: true, wait: true)
    self.file = file
  }

  /// The number written last; 0 when there is none.
  func number() throws(StorageError) -> UInt32 {
    var bytes = [UInt8](repeating: 0, count: 11)
    let count = try bytes.withMutableBytes { buffer throws(StorageError) in
      try file.read(at: 0, into: buffer)
    }
    let digits = bytes[..<count].prefix { $0 &- 48 < 10 }
    return UInt32(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  func write(number: UInt32) throws(StorageError) {
    let text = Array("\(digits(number, 10))\n".utf8)
    try text.withBytes { bytes throws(StorageError) in try file.write(bytes, at: 0) }
  }
}
