// SPDX-License-Identifier: Apache-2.0

public import Files
import LogFormat

/// Storage of one log's bytes: append at the end, read anywhere, rewrite nowhere.
///
///     0            length                        size
///     |  appended  | preallocated zeros (0 or more)|
///
/// Storage may hold more bytes than were appended: zeros, until ``finish()`` cuts them off.
public protocol LogStorage: ~Copyable {
  /// Its name in messages, a path.
  var name: String { get }

  /// Writes `bytes` after those appended before; they are durable after the next ``sync()``.
  ///
  /// An error with ``StorageError/isFull`` means that the bytes were refused and the spare is now open: the same bytes, and
  /// the few that end the log, can be appended once more if they fit the spare.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError)

  /// Reserves a spare again after room was made; the next refusal opens it again.
  mutating func closeSpare()

  /// Makes everything appended durable.
  mutating func sync() throws(StorageError)

  /// Fills `buffer` from `offset` on; returns how many bytes there were, 0 at the end of the storage.
  mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int

  /// Bytes that can be read, preallocated zeros included.
  mutating func size() throws(StorageError) -> UInt64

  /// The first byte from `offset` on that may not be in a hole; `nil` when there is none. A hole reads as zeros and may be
  /// far longer than any disk.
  mutating func nextData(from offset: UInt64) throws(StorageError) -> UInt64?

  /// Cuts off preallocated zeros and makes everything durable. Nothing is appended afterwards.
  mutating func finish() throws(StorageError)
}

/// A killed program leaves a few MiB of zeros at most. These are read, so that cutting or skipping them does not depend on
/// the file system's answer about holes.
enum ZeroRun {
  /// Bytes of zeros that are read before the file system is asked for holes.
  static let longestRead: UInt64 = 64 << 20
  /// Bytes between two checks whether to continue.
  static let stride: UInt64 = 1 << 20
}

extension LogStorage where Self: ~Copyable {
  /// Does nothing: for storage without a spare.
  public mutating func closeSpare() {}

  /// `offset`: for storage without known holes.
  public mutating func nextData(from offset: UInt64) throws(StorageError) -> UInt64? { offset }

  /// Bytes without the pages of zeros at the end, which were never written or are a hole. Only whole pages: a log may well
  /// end in zero bytes.
  ///
  /// - Parameter check: Called before each MiB of zeros that is read; may throw to stop.
  public mutating func writtenByteCount(
    check: () throws(StorageError) -> Void = { () throws(StorageError) in }
  ) throws(StorageError) -> UInt64 {
    let pageSize = UInt64(LogFormat.pageSize)
    let page = PageMemory()
    var end = try size()
    var zeros: UInt64 = 0
    while end > 0 {
      if zeros.isMultiple(of: ZeroRun.stride) { try check() }
      if zeros == ZeroRun.longestRead {
        zeros = 0
        end = try dataEnd(before: end)
        continue
      }
      guard try isZeroPage(endingAt: end, page) else { return end }
      end = (end - 1) / pageSize * pageSize
      zeros += pageSize
    }
    return 0
  }

  /// Whether the page that ends at `end`, which is above 0, is all zeros.
  mutating func isZeroPage(
    endingAt end: UInt64, _ page: borrowing PageMemory
  ) throws(StorageError) -> Bool {
    let begin = (end - 1) / UInt64(LogFormat.pageSize) * UInt64(LogFormat.pageSize)
    // Another program may have cut the file: what is not there is not written.
    let count = try read(
      at: begin, into: UnsafeMutableRawBufferPointer(rebasing: page.bytes[..<Int(end - begin)]))
    return page.prefix(count).isZero
  }

  /// The end of the last page before `limit` with a byte that is not in a hole; 0 when there is none.
  private mutating func dataEnd(before limit: UInt64) throws(StorageError) -> UInt64 {
    let pageSize = UInt64(LogFormat.pageSize)
    // Bisects for the page from which on there is no data up to the limit.
    var low: UInt64 = 0
    var high = (limit + pageSize - 1) / pageSize
    while low < high {
      let middle = low + (high - low) / 2
      if let data = try nextData(from: middle * pageSize), data < limit {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return min(low * pageSize, limit)
  }
}
