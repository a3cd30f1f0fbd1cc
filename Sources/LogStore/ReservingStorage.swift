// SPDX-License-Identifier: Apache-2.0

public import Files
import Glibc

/// A log's storage that leaves part of the file system free, and has room made when there is none.
///
/// Free space is checked before the first bytes and every 64 KiB, and once more when only the reserve is left; if that does
/// not help, the disk counts as full. Bytes that the storage itself refuses, because others were faster or the user's quota
/// is used up, are tried once more if room could be made. After a refusal everything passes, as ``LogStorage/append(_:)``
/// requires, so that the log can be ended.
public struct ReservingStorage<Storage: LogStorage & ~Copyable>: LogStorage, ~Copyable {
  private var storage: Storage
  private let reserve: UInt64
  private let free: @Sendable (_ isLast: Bool) throws(StorageError) -> UInt64
  private let makeRoom: @Sendable (StorageError) -> Bool
  private var unasked: Int = .max
  private var isRefused = false

  /// Bytes appended between two checks.
  static var interval: Int { 64 * 1024 }

  /// - Parameters:
  ///   - reserve: Bytes to leave free.
  ///   - free: Returns the free bytes, after making room if it can. With `isLast` it may wait for others.
  ///   - makeRoom: Makes room for bytes that were refused with this error, for which ``StorageError/isFull`` holds; `false`
  ///     when it cannot. Called once for the same bytes.
  public init(
    _ storage: consuming Storage, reserve: UInt64,
    free: @escaping @Sendable (_ isLast: Bool) throws(StorageError) -> UInt64,
    makeRoom: @escaping @Sendable (StorageError) -> Bool
  ) {
    self.storage = storage
    self.reserve = reserve
    self.free = free
    self.makeRoom = makeRoom
  }

  /// The storage's.
  public var name: String { storage.name }

  /// Appends, or refuses once when no more than the reserve is free, or no room can be made.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard !isRefused else { return try storage.append(bytes) }
    do throws(StorageError) {
      if unasked >= ReservingStorage.interval {
        var isFree = try free(false) > reserve
        if !isFree { isFree = try free(true) > reserve }
        guard isFree else { throw StorageError(.reserve, path: name, errno: ENOSPC) }
        unasked = 0
      }
      try appendOrMakeRoom(bytes)
      unasked += bytes.count
    } catch {
      isRefused = error.isFull
      throw error
    }
  }

  private mutating func appendOrMakeRoom(
    _ bytes: UnsafeRawBufferPointer
  ) throws(StorageError) {
    do throws(StorageError) {
      try storage.append(bytes)
    } catch {
      guard error.isFull, makeRoom(error) else { throw error }
      storage.closeSpare()
      try storage.append(bytes)
    }
  }

  /// The storage's.
  public mutating func sync() throws(StorageError) { try storage.sync() }

  /// The storage's.
  public mutating func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    try storage.read(at: offset, into: buffer)
  }

  /// The storage's.
  public mutating func size() throws(StorageError) -> UInt64 { try storage.size() }

  /// The storage's.
  public mutating func finish() throws(StorageError) { try storage.finish() }
}
