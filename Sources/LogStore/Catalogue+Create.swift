// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
public import IMUModel
import LogFormat

/// A recording that is being written: its file, with a durable header in it, and its lock.
///
/// The lock marks the recording as live for others. It is held until the last owner of the storage releases it.
public struct LiveRecording: ~Copyable {
  /// The recording in its store.
  public let entry: CatalogueEntry
  /// The header that was written: as given, with the number in this store.
  public let description: RecordingDescription
  /// Where the pages after the header go.
  package var storage: FileStorage

  /// Hands over the storage, which from now on writes past the page cache.
  public consuming func takeStorage() -> FileStorage {
    var storage = storage
    storage.bypassCache()
    return storage
  }
}

extension Catalogue {
  /// Begins a recording: assigns the next number, durably, and writes the header durably.
  ///
  /// A step that fails leaves nothing in the store. Numbers are assigned under a lock and never twice, even after the newest
  /// recording was removed; the number of a recording that could not be made may be skipped.
  ///
  /// - Parameters:
  ///   - description: The header; its number is ignored.
  ///   - wall: Nanoseconds since 1970, for the file's name.
  public func create(
    _ description: RecordingDescription, wall: Int64
  ) throws(CatalogueError) -> LiveRecording {
    try begin(description, wall: wall, firstPage: nil, isListed: true)
  }

  /// Begins a recording made elsewhere: unlisted until ``publish(_:)``, and gone after a kill or a power loss.
  ///
  /// - Parameter firstPage: The first page of a log to copy as it is, whose header keeps its number because the checks in
  ///   the page depend on it; `nil` to write a header for this store.
  public func createUnlisted(
    _ description: RecordingDescription, wall: Int64, firstPage: [UInt8]? = nil
  ) throws(CatalogueError) -> LiveRecording {
    try begin(description, wall: wall, firstPage: firstPage, isListed: false)
  }

  private func begin(
    _ description: RecordingDescription, wall: Int64, firstPage: [UInt8]?, isListed: Bool
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
      // Before the file, which may preallocate the last space.
      try lock.write(number: entry.number, in: self)
      guard isListed else {
        // The name of an unfinished import reserves its number.
        return try makeFile(holding: header, at: path(of: Catalogue.unfinishedPrefix + name.text))
      }
      let temporary = path(of: "\(Catalogue.temporaryPrefix)\(description.id)")
      var storage = try makeFile(holding: header, at: temporary)
      try rename(&storage, to: entry.path)
      return storage
    }
    _ = consume lock
    return LiveRecording(entry: entry, description: description, storage: storage)
  }

  private func makeFile(
    holding header: [UInt8], at path: String
  ) throws(StorageError) -> FileStorage {
    var storage = try FileStorage(creating: path, gate: files.gate)
    do throws(StorageError) {
      try belonging().apply(to: storage.file, .reading)
      guard try storage.file.lock(exclusive: true) else {
        throw StorageError(.lock, path: path, errno: EWOULDBLOCK)
      }
      try header.withBytes { bytes throws(StorageError) in try storage.append(bytes) }
      try storage.sync()
    } catch {
      withdraw(path)
      throw error
    }
    return storage
  }

  private func rename(_ storage: inout FileStorage, to final: String) throws(StorageError) {
    var name = storage.name
    do {
      try files.rename(name, toFree: final)
      name = final
      storage.wasRenamed(to: final)
      // On FAT a name carries the file's length and place; the new name gets them when the file is synced, not with the
      // directory. Until then a power loss leaves an empty file.
      try storage.sync()
      try files.syncDirectory(path)
    } catch {
      withdraw(name)
      throw error
    }
  }

  /// Finishes the file of ``createUnlisted(_:wall:firstPage:)`` and lists it, complete and durable, or not at all.
  public func publish(_ live: consuming LiveRecording) throws(CatalogueError) -> CatalogueEntry {
    let entry = live.entry
    let id = live.description.id
    var storage = live.storage
    do throws(CatalogueError) {
      // Before the lock: a long recording may still have to reach the card.
      try wrapped { () throws(StorageError) in try storage.finish() }
      // Held so that no other program lists the same recording.
      let lock = try wrapped { () throws(StorageError) in try numberLock() }
      if let there = try self.entry(of: id) { throw .present(id: "\(id)", number: there.number) }
      try wrapped { () throws(StorageError) in try rename(&storage, to: entry.path) }
      _ = consume lock
    } catch {
      withdraw(storage.name)
      throw error
    }
    return entry
  }

  /// Removes the file of ``createUnlisted(_:wall:firstPage:)``; its number is not assigned again.
  public func abandon(_ live: consuming LiveRecording) throws(CatalogueError) {
    let name = live.storage.name
    _ = try wrapped { () throws(StorageError) in try files.remove(name) }
  }

  /// Removes all of a recording that was begun and is not wanted, not even keeping it in the trash.
  ///
  /// - Parameter entry: The entry of a ``LiveRecording`` of this program.
  public func discard(_ entry: CatalogueEntry) throws(CatalogueError) {
    try wrapped { () throws(StorageError) in
      try files.remove(entry.path)
      try files.syncDirectory(path)
    }
  }

  /// Removes the file of a recording that could not be created. If that fails, the next start sweeps a temporary file; one
  /// with its final name is a recording without samples.
  private func withdraw(_ name: String) {
    do { try files.remove(name) } catch { return }
  }
}
