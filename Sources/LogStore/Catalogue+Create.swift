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
  /// A step that fails leaves nothing in the store. Numbers are assigned under a lock and never twice, even after the newest
  /// recording was removed; a number whose recording could not be made may be skipped.
  ///
  /// - Parameters:
  ///   - description: The header; its number is ignored.
  ///   - wall: Nanoseconds since 1970, for the file's name.
  public func create(
    _ description: RecordingDescription, wall: Int64
  ) throws(CatalogueError) -> LiveRecording {
    try begin(description, wall: wall, firstPage: nil, isListed: true)
  }

  /// Begins a recording that was made elsewhere: it is unlisted until ``publish(_:)``, and gone after a kill or a power
  /// loss.
  ///
  /// - Parameter firstPage: The first page of a log made elsewhere, to be copied as it is: the checks in it continue from
  ///   the header's bytes, so the header keeps its number there. `nil` to write a header for this store.
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
      // Before the file, whose preallocated space may be the last there is.
      try lock.write(number: entry.number, in: self)
      guard isListed else {
        // The name of an incomplete import reserves the number.
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

  /// Makes a locked file with a durable header, or nothing.
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

  /// Finishes the file of ``createUnlisted(_:wall:firstPage:)`` and lists it: complete and durable, or not at all.
  public func publish(_ live: consuming LiveRecording) throws(CatalogueError) -> CatalogueEntry {
    let entry = live.entry
    let id = live.description.id
    var storage = live.storage
    do throws(CatalogueError) {
      // Before the lock: all of a long recording may still have to reach the card.
      try wrapped { () throws(StorageError) in try storage.finish() }
      // Held so that no other program lists the same recording meanwhile.
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
