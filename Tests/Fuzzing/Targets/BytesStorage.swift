// SPDX-License-Identifier: Apache-2.0

import Files
import LogStore

/// A log in the caller's memory, read without a copy of the whole.
///
/// Safe as long as the bytes live: a fuzz target uses it within one call.
struct BytesStorage: LogStorage, ~Copyable {
  let bytes: UnsafeRawBufferPointer
  var name: String { "fuzz" }

  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    throw StorageError(.write, path: name, errno: 9)
  }

  mutating func sync() throws(StorageError) {}

  mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    guard offset < UInt64(bytes.count) else { return 0 }
    let part = bytes[Int(offset)...].prefix(buffer.count)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
    return part.count
  }

  mutating func size() throws(StorageError) -> UInt64 { UInt64(bytes.count) }

  mutating func finish() throws(StorageError) {}
}
