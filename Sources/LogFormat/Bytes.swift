// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc

/// Reads and checks numbers from the front of a body.
struct ByteCursor {
  /// Safe: every access is within the buffer, whose owner outlives the cursor's use.
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var remaining: Int { bytes.count - offset }

  mutating func byte() throws(MalformedChunk) -> UInt8 {
    guard remaining >= 1 else { throw .exhausted }
    offset += 1
    return bytes[offset - 1]
  }

  /// A little-endian number.
  mutating func int64() throws(MalformedChunk) -> Int64 {
    guard remaining >= 8 else { throw .exhausted }
    offset += 8
    return bytes.littleEndian(at: offset - 8)
  }

  /// A number in groups of seven bits, the lowest first; all bytes but the last have the top bit set.
  mutating func varint() throws(MalformedChunk) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      let group = UInt64(byte & 0x7F)
      guard shift < 63 || (shift == 63 && group <= 1) else { throw .badNumber }
      value |= group << shift
      if byte & 0x80 == 0 { return value }
      shift += 7
    }
  }

  /// A signed number, folded (0, −1, 1, −2, …) and written as a varint.
  mutating func signedVarint() throws(MalformedChunk) -> Int64 {
    RiceCode.unfold(try varint(), as: Int64.self)
  }

  mutating func bytes(_ count: UInt64) throws(MalformedChunk) -> UnsafeRawBufferPointer {
    guard count <= UInt64(remaining) else { throw .exhausted }
    offset += Int(count)
    return UnsafeRawBufferPointer(rebasing: bytes[(offset - Int(count))..<offset])
  }
}

/// Writes a small body: the counterpart of ``ByteCursor``. Traps when the buffer is full.
struct ByteWriter {
  private let bytes: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(_ bytes: UnsafeMutableRawBufferPointer) {
    self.bytes = bytes
  }

  mutating func write(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }

  mutating func replace(at index: Int, with byte: UInt8) {
    precondition(index < count, "no such byte was written")
    bytes[index] = byte
  }

  mutating func write(int64 value: Int64) {
    bytes.storeLittleEndian(value, at: count)
    count += 8
  }

  /// Appends a number in groups of seven bits, the lowest first.
  mutating func write(varint value: UInt64) {
    var rest = value
    while rest > 0x7F {
      write(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    write(UInt8(rest))
  }

  /// Bytes that ``write(varint:)`` takes: one for each seven bits.
  static func size(varint value: UInt64) -> Int {
    (UInt64.bitWidth - (value | 1).leadingZeroBitCount + 6) / 7
  }

  /// Appends a signed number, folded, in groups of seven bits.
  mutating func write(signedVarint value: Int64) {
    write(varint: UInt64(RiceCode.fold(value)))
  }

  /// Appends the UTF-8 of `text`, after its length.
  mutating func write(_ text: String) {
    write(varint: UInt64(text.utf8.count))
    for byte in text.utf8 { write(byte) }
  }
}

extension UnsafeRawBufferPointer {
  /// The little-endian integer at `offset`, at any alignment; traps when it is not within the buffer.
  func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: T.Type = T.self
  ) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  /// Whether every byte is zero: in a log, nothing was written there. True of no bytes.
  package var isZero: Bool {
    guard let baseAddress, !isEmpty else { return true }
    // Safe: both ranges of count - 1 bytes lie inside the buffer. Each byte equals the next, and the first is 0.
    return self[0] == 0 && memcmp(baseAddress, baseAddress + 1, count - 1) == 0
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Stores `value` little-endian at `offset`, at any alignment; traps when it is not within the buffer.
  func storeLittleEndian<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
  }
}

/// CRC-32C of `bytes`, continuing from `previous` (0 at the beginning).
///
/// Safe: the C function reads exactly `count` bytes from the buffer's base, and nothing when the base is nil.
@inline(__always)
func crc32c(_ previous: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
  imulog_crc32c(previous, bytes.baseAddress, bytes.count)
}
