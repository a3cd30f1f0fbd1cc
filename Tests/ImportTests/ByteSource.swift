// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Import

/// Bytes in memory as a file to import, read in pieces of any size.
final class ByteSource: SeekableSource {
  let name: String
  private let bytes: [UInt8]
  private let piece: Int
  private var offset = 0

  init(_ bytes: [UInt8], name: String = "file", piece: Int = .max) {
    (self.bytes, self.name, self.piece) = (bytes, name, piece)
  }

  convenience init(_ text: String, piece: Int = .max) { self.init(Array(text.utf8), piece: piece) }

  var size: UInt64 { UInt64(bytes.count) }
  func another() -> ByteSource { ByteSource(bytes, name: name, piece: piece) }
  func seek(to offset: UInt64) { self.offset = Int(min(offset, size)) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    let count = min(buffer.count, bytes.count - offset, piece)
    buffer.copyBytes(from: bytes[offset..<offset + count])
    offset += count
    return count
  }
}
