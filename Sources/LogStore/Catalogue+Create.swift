// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
public import IMUModel
import LogFormat

/// A recording that is being written: its file, with the header in it and durable, and its lock.
///
/// The lock, which marks the recording as live for others, is held until the storage is closed when its
/// last owner releases it.
public struct LiveRecording: ~Copyable {
  /// The recording in its store.
  public let entry: CatalogueEntry
  /// The header that was written: the given description with the number in this store.
  public let description: RecordingDescription
  /// Where the pages after the header go.
  package var storage: FileStorage

  /// Hands over the storage, which then writes past the page cache.
  public consuming func takeStorage() -> FileStorage {
    var storage = storage
    storage.bypassCache()
    return storage
  }
}

extension Catalogue {
  /// Begins a recording: assigns the next number, which is durable from then on, and writes its header durably.
  ///
  /// The file gets its final name once the header is durable. A step that fails leaves nothing in the store. Numbers are
  /// assigned under a lock and never twice, even after the newest recording was removed; a number whose recording could
  /// not be made may be skipped.
  ///
  /// - Parameters:
  ///   - description: The header; its number is ignored.
  ///   - wall: Nanoseconds since 1970, for the file's name.
  public func create(
    _ description: RecordingDescription, wall: Int64
  ) throws(CatalogueError) -> LiveRecording {
    let lock = try wrapped { () throws(StorageError) in try numberLock() }
    return try begin(description, wall: wall, firstPage: nil, isListed: true, lock)
  }

  /// Begins a recording that was made elsewhere: it is unlisted until ``publish(_:)``, and gone after a kill or a power
  /// loss.
  ///
  /// - Parameters:
  ///   - description: The header; its number is ignored.
  ///   - wall: Nanoseconds since 1970, for the file's name.
  ///   - firstPage: The first page of a log made elsewhere, to be copied as it is: the checks in it continue from the
  ///     header's bytes, so the header keeps its number there. `nil` to write a header for this store.
  public func createUnlisted(
    _ description: RecordingDescription, wall: Int64, firstPage: [UInt8]? = nil
  ) throws(CatalogueError) -> LiveRecording {
    let lock = try wrapped { () throws(StorageError) in try numberLock() }
    return try begin(description, wall: wall, firstPage: firstPage, isListed: false, lock)
  }

  private func begin(
    _ description: RecordingDescription, wall: Int64, firstPage: [UInt8]?, isListed: Bool,
    _ lock: borrowing NumberLock
  ) throws(CatalogueError) -> LiveRecording {
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
      // Before the file, whose preallocated space may be the last there is.
      try lock.write(number: entry.number, in: self)
      return isListed
        ? try place(header, as: entry, temporary: "\(Catalogue.temporaryPrefix)\(description.id)")
        : try makeFile(holding: header, at: unfinishedPath(of: entry))
    }
    return LiveRecording(entry: entry, description: description, storage: storage)
  }

  /// Makes a file with a header under its final name, or nothing.
  private func place(
    _ header: [UInt8], as entry: CatalogueEntry, temporary: String
  ) throws(StorageError) -> FileStorage {
    var storage = try makeFile(holding: header, at: path(of: temporary))
    try rename(&storage, to: entry.path)
    return storage
  }

  /// Makes a locked file with a durable header, or nothing.
  private func makeFile(
    holding header: [UInt8], at path: String
  ) throws(StorageError) -> FileStorage {
    var storage = try FileStorage(creating: path, gate: files.gate)
    do throws(StorageError) {
      try storage.give(to: try belonging())
      guard try storage.lock(exclusive: true) else {
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

  /// Renames a file to its final name, durably, or removes it.
  private func rename(_ storage: inout FileStorage, to final: String) throws(StorageError) {
    let temporary = storage.name
    do {
      try files.rename(temporary, toFree: final)
    } catch {
      withdraw(temporary)
      throw error
    }
    do {
      storage.wasRenamed(to: final)
      // On FAT a name carries the file's length and place; the new one gets them when the file is synced, not with the
      // directory. Until then a power loss leaves an empty file.
      try storage.sync()
      try files.syncDirectory(path)
    } catch {
      withdraw(final)
      throw error
    }
  }

  /// The path of an incomplete import; its name reserves the number.
  private func unfinishedPath(of entry: CatalogueEntry) -> String {
    path(of: "\(Catalogue.unfinishedPrefix)\(entry.fileName)")
  }

  /// Finishes the file of ``createUnlisted(_:wall:firstPage:)`` and lists it: complete and durable, or not at all.
  public func publish(_ live: consuming LiveRecording) throws(CatalogueError) -> CatalogueEntry {
    let entry = live.entry
    let id = live.description.id
    var storage = live.storage
    do throws(CatalogueError) {
      do throws(StorageError) {
        // Before the lock: all of a long recording may still have to reach the card.
        try storage.finish()
      } catch {
        throw .storage(error)
      }
      let lock = try wrapped { () throws(StorageError) in try numberLock() }
      try self.publish(&storage, as: entry, id, lock)
    } catch {
      withdraw(storage.name)
      throw error
    }
    return entry
  }

  /// - Parameter lock: Held so that no other program lists the same recording meanwhile.
  private func publish(
    _ storage: inout FileStorage, as entry: CatalogueEntry, _ id: RecordingID,
    _ lock: borrowing NumberLock
  ) throws(CatalogueError) {
    if let there = try self.entry(of: id) { throw .present(id: "\(id)", number: there.number) }
    do {
      try rename(&storage, to: entry.path)
    } catch {
      throw .storage(error)
    }
  }

  /// Removes the file of ``createUnlisted(_:wall:firstPage:)``; its number is not assigned again.
  public func abandon(_ live: consuming LiveRecording) throws(CatalogueError) {
    let name = live.storage.name
    _ = try wrapped { () throws(StorageError) in try files.remove(name) }
  }

  /// Removes a recording that was begun and is not wanted: nothing of it stays, not even in the trash.
  ///
  /// - Parameter entry: The entry of a ``LiveRecording`` of this program.
  public func discard(_ entry: CatalogueEntry) throws(CatalogueError) {
    try wrapped { () throws(StorageError) in
      try files.remove(entry.path)
      try files.syncDirectory(path)
    }
  }

  /// Removes the file of a recording that could not be created. A temporary file that cannot be removed is swept at the
  /// next start; a file under its final name is, at worst, a recording without samples.
  private func withdraw(_ name: String) {
    do { try files.remove(name) } catch { return }
  }
}
