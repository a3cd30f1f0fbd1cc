// SPDX-License-Identifier: Apache-2.0

public import Files
public import LogStore

extension LogStorage where Self: ~Copyable {
  /// Appends an array.
  public mutating func append(_ bytes: [UInt8]) throws(StorageError) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    try append(UnsafeRawBufferPointer(copy))
  }

  /// Everything that can be read, from the beginning to the end.
  public mutating func readAll() throws(StorageError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(try size()), alignment: 1)
    defer { buffer.deallocate() }
    let count = try read(at: 0, into: buffer)
    return Array(buffer[..<count])
  }
}

extension FlushQueue {
  /// Queues an array.
  public func put(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { put($0) }
  }
}
