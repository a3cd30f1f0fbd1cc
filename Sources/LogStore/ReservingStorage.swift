import Glibc

/// A log's storage that leaves a part of the file system free: reaching it is as if the disk were full.
///
/// What is free is asked for at the first bytes and after each 64 KiB, before they are appended. After the refusal
/// everything is let through, as ``LogStorage/append(_:)`` says, so that the log can be ended.
public struct ReservingStorage<Storage: LogStorage & ~Copyable>: LogStorage, ~Copyable {
  private var storage: Storage
  private let reserve: UInt64
  private let free: @Sendable () throws(StorageError) -> UInt64
  private var unasked: Int = .max
  private var isRefused = false

  /// Bytes appended between two questions.
  static var interval: Int { 64 * 1024 }

  /// `storage`, leaving `reserve` bytes free, of which `free` says how many there are.
  public init(
    _ storage: consuming Storage, reserve: UInt64,
    free: @escaping @Sendable () throws(StorageError) -> UInt64
  ) {
    self.storage = storage
    self.reserve = reserve
    self.free = free
  }

  /// The storage's.
  public var name: String { storage.name }

  /// Appends, or refuses once with ENOSPC when no more than the reserve is free.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    if !isRefused, unasked >= ReservingStorage.interval {
      if try free() <= reserve {
        isRefused = true
        throw StorageError(.write, path: name, errno: ENOSPC)
      }
      unasked = 0
    }
    try storage.append(bytes)
    if unasked < .max - bytes.count { unasked += bytes.count }
  }

  /// The storage's.
  public mutating func sync() throws(StorageError) {
    try storage.sync()
  }

  /// The storage's.
  public mutating func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    try storage.read(at: offset, into: buffer)
  }

  /// The storage's.
  public mutating func size() throws(StorageError) -> UInt64 { try storage.size() }

  /// The storage's.
  public mutating func finish() throws(StorageError) {
    try storage.finish()
  }
}
