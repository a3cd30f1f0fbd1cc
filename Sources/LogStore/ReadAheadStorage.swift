// SPDX-License-Identifier: Apache-2.0

package import Files
import LogFormat

/// A log's storage read in large pieces, each once, for a reader and a copy.
///
///     storage ──► piece of 64 KiB ──► pages for a reader
///                                └──► the copy
package struct ReadAheadStorage<Base: LogStorage & ~Copyable>: LogStorage, ~Copyable {
  private static var pageCount: Int { 16 }

  private var base: Base
  private let memory: PageMemory
  /// Bytes of the piece, and where it begins.
  private var count: Int
  private var begin: UInt64

  /// Reads the first piece of `base`.
  package init(_ base: consuming Base) throws(StorageError) {
    // Nothing is set before the read succeeds: Swift 6.0 cannot undo half an initialiser.
    var base = base
    let memory = PageMemory(pages: ReadAheadStorage.pageCount)
    let count = try base.read(at: 0, into: memory.bytes)
    self.base = base
    self.memory = memory
    self.count = count
    begin = 0
  }

  /// The bytes of the piece; valid until the next one is loaded.
  var piece: UnsafeRawBufferPointer { memory.prefix(count) }

  /// The log's first page, or what there is of it; valid while the first piece is loaded.
  package var firstPage: [UInt8] { Array(piece.prefix(LogFormat.pageSize)) }

  /// Loads the piece that begins at `offset`, unless it is loaded; returns its bytes.
  mutating func load(at offset: UInt64) throws(StorageError) -> Int {
    guard offset != begin else { return count }
    count = try base.read(at: offset, into: memory.bytes)
    begin = offset
    return count
  }

  package var name: String { base.name }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try base.append(bytes)
  }

  package mutating func sync() throws(StorageError) { try base.sync() }

  package mutating func read(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    guard offset >= begin, offset - begin < UInt64(count),
      buffer.count <= count - Int(offset - begin)
    else {
      return try base.read(at: offset, into: buffer)
    }
    let first = Int(offset - begin)
    buffer.copyMemory(
      from: UnsafeRawBufferPointer(rebasing: piece[first..<first + buffer.count]))
    return buffer.count
  }

  package mutating func size() throws(StorageError) -> UInt64 { try base.size() }

  package mutating func nextData(from offset: UInt64) throws(StorageError) -> UInt64? {
    try base.nextData(from: offset)
  }

  package mutating func finish() throws(StorageError) { try base.finish() }
}

extension LogReader where Storage: ~Copyable {
  /// Copies everything after the first page, which the copy has already, except pages of zeros at the end, and accounts
  /// for the log on the way. Damaged parts are copied too: every reader finds the same damage in the copy.
  ///
  /// - Throws: ``LogError/storage(_:)`` of either storage.
  package mutating func copy<Base: LogStorage & ~Copyable, Target: LogStorage & ~Copyable>(
    to target: inout Target
  ) throws(LogError) -> Account where Storage == ReadAheadStorage<Base> {
    rewind()
    var account = Account(description)
    account.byteCount = try byteCount()
    let end = try writtenByteCount()
    var copied = UInt64(LogFormat.pageSize)
    var offset: UInt64 = 0
    while offset < end {
      let limit: UInt64
      do throws(StorageError) {
        let count = try storage.load(at: offset)
        // Another program cut the file meanwhile.
        guard count > 0 else { break }
        limit = min(offset + UInt64(count), end)
        if limit > copied {
          let bytes = storage.piece[Int(copied - offset)..<Int(limit - offset)]
          try target.append(UnsafeRawBufferPointer(rebasing: bytes))
          copied = limit
        }
      } catch {
        throw .storage(error)
      }
      while let item = try next(within: limit) { account.add(item, from: self) }
      offset = limit
    }
    while let item = try next() { account.add(item, from: self) }
    account.finish(self)
    return account
  }
}
