// SPDX-License-Identifier: Apache-2.0

import Files
import Glibc
public import IMUModel
import LogFormat

/// A recording that is being copied to elsewhere, perhaps while it is written.
public struct CopySource: ~Copyable {
  /// Its header.
  public let description: RecordingDescription
  /// `live`, `complete` or `recovered`, at the last ``update()``.
  public private(set) var state: LogSummary.State = .live
  /// Bytes from the first one on that are final.
  public private(set) var byteCount: UInt64 = 0
  private let entry: CatalogueEntry
  private let catalogue: Catalogue
  private var storage: FileStorage
  private var check: PageCheck

  fileprivate init(
    _ entry: CatalogueEntry, in catalogue: Catalogue, _ description: RecordingDescription,
    _ storage: consuming FileStorage
  ) {
    self.description = description
    self.entry = entry
    self.catalogue = catalogue
    self.storage = storage
    check = PageCheck(description)
  }

  /// Finds its present state and length. Checks first whether a program is writing it: if none is, all bytes are there.
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
    let count = try LogError.wrapped { () throws(StorageError) in
      try storage.read(at: offset, into: buffer)
    }
    // Another program cut it.
    if count < buffer.count { throw .storage(StorageError(.read, path: entry.path, errno: EIO)) }
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
  /// The take that it belongs to.
  public let take: TakePlace?
  /// The sensor's name in the take.
  public let sensorName: String
}

extension Catalogue {
  /// The state of a recording; `nil` while a program is writing it, which is checked first. Reads the first and last page.
  public func standing(of entry: CatalogueEntry) throws(LogError) -> CopyStanding? {
    let isWritten = try LogError.wrapped { () throws(StorageError) in try isLive(entry) }
    guard !isWritten else { return nil }
    var reader = try reader(of: entry)
    let byteCount = try reader.writtenByteCount()
    return CopyStanding(
      id: reader.description.id, state: try reader.hasEnd() ? .complete : .recovered,
      byteCount: byteCount, take: reader.description.take,
      sensorName: reader.description.sensorName)
  }

  /// A recording to be copied, in its present state.
  public func copySource(of entry: CatalogueEntry) throws(LogError) -> CopySource {
    let description = try reader(of: entry).description
    let storage = try LogError.wrapped { () throws(StorageError) in try self.storage(of: entry) }
    var source = CopySource(entry, in: self, description, storage)
    try source.update()
    return source
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

  /// The identity in a recording's header; `nil` when it cannot be read.
  public func identity(of entry: CatalogueEntry) -> RecordingID? { description(of: entry)?.id }
}
