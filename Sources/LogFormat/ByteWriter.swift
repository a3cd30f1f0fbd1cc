/// Writes a small body: the counterpart of ``ByteCursor``. Traps when the buffer is full.
struct ByteWriter {
  private let bytes: UnsafeMutableRawBufferPointer
  /// Bytes written.
  private(set) var count = 0

  /// A writer to the beginning of `bytes`.
  init(_ bytes: UnsafeMutableRawBufferPointer) {
    self.bytes = bytes
  }

  /// Appends a byte.
  mutating func write(_ byte: UInt8) {
    bytes[count] = byte
    count += 1
  }

  /// Appends eight bytes, little-endian.
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
