// SPDX-License-Identifier: Apache-2.0

public import Files
public import LogStore

/// An event elsewhere while a flusher uses its storage.
public protocol StorageWitness: AnyObject {
  /// An append, a sync or the end is about to begin.
  func willOperate()
  /// A sync is done, and the flusher has not noticed yet.
  func didSync()
  /// The storage failed, and the flusher has not noticed yet.
  func didFail(_ error: StorageError)
  /// Whether the storage is finished with the recording; a program that was killed does not.
  var finishes: Bool { get }
}

/// A storage whose operations let a witness act in between: a flusher's loop and the thread that
/// feeds it, played by one thread, in the same order each time.
public struct WatchedStorage<Base: LogStorage & ~Copyable>: LogStorage, ~Copyable {
  private var base: Base
  private let witness: any StorageWitness

  /// A storage in front of `base`.
  public init(_ base: consuming Base, witness: any StorageWitness) {
    self.base = base
    self.witness = witness
  }

  /// The name of the storage underneath.
  public var name: String { base.name }

  /// Appends.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    witness.willOperate()
    do {
      try base.append(bytes)
    } catch {
      witness.didFail(error)
      throw error
    }
  }

  /// Syncs.
  public mutating func sync() throws(StorageError) {
    witness.willOperate()
    do {
      try base.sync()
    } catch {
      witness.didFail(error)
      throw error
    }
    witness.didSync()
  }

  /// Reads.
  public mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    try base.read(at: offset, into: buffer)
  }

  /// The size of the storage underneath.
  public mutating func size() throws(StorageError) -> UInt64 { try base.size() }

  /// Finishes, unless the witness says that the program was killed.
  public mutating func finish() throws(StorageError) {
    witness.willOperate()
    guard witness.finishes else { return }
    do {
      try base.finish()
    } catch {
      witness.didFail(error)
      throw error
    }
  }
}
