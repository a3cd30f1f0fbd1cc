// SPDX-License-Identifier: Apache-2.0

import Files
import LogStore

/// A log in memory.
struct ArrayStorage: LogStorage, ~Copyable {
  /// How often it was read, for a test that has given the storage away.
  final class Reads {
    var count = 0
  }

  let name: String
  let reads = Reads()
  private var bytes: [UInt8]

  init(_ bytes: [UInt8], name: String = "test.imulog") {
    self.bytes = bytes
    self.name = name
  }

  mutating func append(_ more: UnsafeRawBufferPointer) throws(StorageError) {
    bytes.append(contentsOf: more)
  }

  mutating func sync() throws(StorageError) {}

  mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    reads.count += 1
    guard offset < UInt64(bytes.count) else { return 0 }
    let count = min(buffer.count, bytes.count - Int(offset))
    buffer.copyBytes(from: bytes[Int(offset)..<(Int(offset) + count)])
    return count
  }

  mutating func size() throws(StorageError) -> UInt64 { UInt64(bytes.count) }

  mutating func finish() throws(StorageError) {}
}
