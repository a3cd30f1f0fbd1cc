// SPDX-License-Identifier: Apache-2.0

import Files
public import IMUModel
import LogFormat

/// A recording that is being copied to elsewhere, perhaps while it is written.
public struct CopySource: ~Copyable {
  /// Its header.
  public let description: RecordingDescription
  /// Its state, `live`, `complete` or `recovered`, at the last ``update()``.
  public private(set) var state: LogSummary.State = .live
  /// Bytes from the first one on that are final.
  public private(set) var byteCount: UInt64 = 0
  private let entry: CatalogueEntry
  private let catalogue: Catalogue
  private var storage: FileStorage
  private var check: PageCheck

  private init(
    _ entry: CatalogueEntry, in catalogue: Catalogue, _ description: RecordingDescription,
    _ storage: consuming FileStorage
  ) {
    self.description = description
    self.entry = entry
    self.catalogue = catalogue
    self.storage = storage
    check = PageCheck(description)
  }

  /// A recording of a store in its present state.
  static func open(
    _ entry: CatalogueEntry, in catalogue: Catalogue
  ) throws(LogError) -> CopySource {
    let description = try catalogue.reader(of: entry).description
    let storage: FileStorage
    do {
      storage = try catalogue.storage(of: entry)
    } catch {
      throw .storage(error)
    }
    var source = CopySource(entry, in: catalogue, description, storage)
    try source.update()
    return source
  }

  /// Finds its present state and length.
  ///
  /// Checks first whether a program is writing it: if none is, all bytes are there.
  public mutating func update() throws(LogError) {
    do throws(StorageError) {
      if try catalogue.isLive(entry) {
        state = .live
        try check.advance(&storage)
        byteCount = check.finalByteCount
        return
      }
      byteCount = try storage.writtenByteCount()
    } catch {
      throw .storage(error)
    }
    var reader = try catalogue.reader(of: entry)
    state = try reader.hasEnd() ? .complete : .recovered
  }

  /// Reads bytes; traps beyond ``byteCount``.
  public mutating func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(LogError) {
    precondition(offset + UInt64(buffer.count) <= byteCount, "bytes that are not final")
    do throws(StorageError) {
      let count = try storage.read(at: offset, into: buffer)
      // Another program cut it.
      if count < buffer.count { throw StorageError(.read, path: entry.path, errno: 5) }
    } catch {
      throw .storage(error)
    }
  }
}

/// The state of a recording, for comparison with a copy of it.
public struct CopyStanding: Sendable {
  /// Its identity.
  public let id: RecordingID
  /// `complete` or `recovered`.
  public let state: LogSummary.State
  /// Its bytes, without preallocated zeros at its end.
  public let byteCount: UInt64
}

extension Catalogue {
  /// The state of a recording; `nil` while a program is writing it. Reads its first and last page.
  ///
  /// Checks first whether a program is writing it, as ``CopySource/update()`` does.
  public func standing(of entry: CatalogueEntry) throws(LogError) -> CopyStanding? {
    do throws(StorageError) {
      guard try !isLive(entry) else { return nil }
    } catch {
      throw .storage(error)
    }
    var reader = try reader(of: entry)
    let byteCount = try reader.writtenByteCount()
    return CopyStanding(
      id: reader.description.id, state: try reader.hasEnd() ? .complete : .recovered,
      byteCount: byteCount)
  }

  /// A recording to be copied.
  public func copySource(of entry: CatalogueEntry) throws(LogError) -> CopySource {
    try CopySource.open(entry, in: self)
  }

  /// The recording with this identity; `nil` when there is none.
  public func entry(of id: RecordingID) throws(CatalogueError) -> CatalogueEntry? {
    entry(of: id, among: try list().entries)
  }

  /// The one of `entries` with this identity. Reads the headers of those whose names fit.
  public func entry(of id: RecordingID, among entries: [CatalogueEntry]) -> CatalogueEntry? {
    let prefix = id.namePrefix
    return entries.first { $0.idPrefix == prefix && identity(of: $0) == id }
  }

  /// A recording's identity, as its header says; `nil` when it cannot be read.
  public func identity(of entry: CatalogueEntry) -> RecordingID? {
    do {
      return try reader(of: entry).description.id
    } catch {
      return nil
    }
  }
}
