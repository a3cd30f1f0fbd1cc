// SPDX-License-Identifier: Apache-2.0

public import Files
import Glibc
public import LogStore
import Synchronization

/// The disk of a ``MemoryStorage``, which outlives it. Fails on request.
public final class MemoryDisk: Sendable {
  /// The disk's contents and its operations.
  public struct State: Sendable {
    /// Everything appended.
    public var bytes: [UInt8] = []
    /// Whether the storage was finished.
    public var isFinished = false
    /// Operations so far, in order.
    public var operations: [StorageError.Operation] = []
    /// Bytes that were read.
    public var readByteCount = 0
    /// Zeros that a reader sees after the bytes until the storage is finished.
    public var preallocated = 0
    /// Bytes that fit, spare included.
    public var capacity = Int.max
    /// Bytes of the capacity that are kept for the end.
    public var spare = FileStorage.spareByteCount
    var isSpareOpen = false
    /// Which operation fails, counted from 0, and how.
    public var failure: (index: Int, errno: Int32)?
  }

  private let state: Mutex<State>

  /// An empty disk.
  public init(_ configure: (inout State) -> Void = { _ in }) {
    var state = State()
    configure(&state)
    self.state = Mutex(state)
  }

  /// A disk with a finished file on it.
  public convenience init(holding bytes: [UInt8], preallocated: Int = 0) {
    self.init {
      $0.bytes = bytes
      $0.preallocated = preallocated
    }
  }

  /// A copy of the disk's contents.
  public var snapshot: State { state.withLock { $0 } }

  /// Everything appended.
  public var bytes: [UInt8] { snapshot.bytes }

  /// Flips one bit of the disk's contents.
  public func flip(bit: Int, of byte: Int) {
    state.withLock { $0.bytes[byte] ^= 1 << bit }
  }

  func change<Result: Sendable>(
    _ operation: StorageError.Operation, _ body: @Sendable (inout State) -> Result
  ) throws(StorageError) -> Result {
    let outcome = state.withLock { state -> Swift.Result<Result, StorageError> in
      let index = state.operations.count
      state.operations.append(operation)
      if let failure = state.failure, index == failure.index {
        return .failure(StorageError(operation, path: "memory", errno: failure.errno))
      }
      return .success(body(&state))
    }
    return try outcome.get()
  }
}

/// A log in memory: the second storage, for tests.
public struct MemoryStorage: LogStorage, ~Copyable {
  private let disk: MemoryDisk

  /// A storage that appends to `disk` and reads from it.
  public init(_ disk: MemoryDisk) {
    self.disk = disk
  }

  /// `memory`.
  public var name: String { "memory" }

  /// Writes at the end, unless the disk is full or fails.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let copy = Array(bytes)
    let isTaken = try disk.change(.write) { state in
      let kept = state.isSpareOpen ? 0 : state.spare
      guard state.bytes.count + copy.count <= state.capacity - kept else {
        state.isSpareOpen = true
        return false
      }
      state.bytes += copy
      return true
    }
    if !isTaken { throw StorageError(.write, path: "memory", errno: ENOSPC) }
  }

  /// Fails where the disk is to; all appended bytes are durable anyhow.
  public mutating func sync() throws(StorageError) { try disk.change(.sync) { _ in } }

  /// Reads bytes, and zeros made ahead after them.
  public mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    let wanted = buffer.count
    let found = try disk.change(.read) { state in
      let size = state.bytes.count + state.preallocated
      let begin = min(Int(clamping: offset), size)
      let count = min(wanted, size - begin)
      var data = Array(state.bytes.dropFirst(begin).prefix(count))
      if data.count < count { data += [UInt8](repeating: 0, count: count - data.count) }
      state.readByteCount += count
      return data
    }
    UnsafeMutableRawBufferPointer(rebasing: buffer[..<found.count]).copyBytes(from: found)
    return found.count
  }

  /// Bytes and zeros made ahead.
  public mutating func size() throws(StorageError) -> UInt64 {
    try disk.change(.read) { UInt64($0.bytes.count + $0.preallocated) }
  }

  /// Drops zeros made ahead.
  public mutating func finish() throws(StorageError) {
    try disk.change(.truncate) { state in
      state.preallocated = 0
      state.isFinished = true
    }
  }
}
