/// Reads numbers from the front of a body, checking each.
struct ByteCursor {
  /// Safe: every access is within the buffer, whose owner outlives the cursor's use.
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  /// A cursor at the beginning of `bytes`.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Bytes not read yet.
  var remaining: Int { bytes.count - offset }

  /// The next byte.
  mutating func byte() throws(MalformedChunk) -> UInt8 {
    guard remaining >= 1 else { throw .exhausted }
    offset += 1
    return bytes[offset - 1]
  }

  /// The next eight bytes as a little-endian number.
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

  /// The next `count` bytes.
  mutating func bytes(_ count: UInt64) throws(MalformedChunk) -> UnsafeRawBufferPointer {
    guard count <= UInt64(remaining) else { throw .exhausted }
    offset += Int(count)
    return UnsafeRawBufferPointer(rebasing: bytes[(offset - Int(count))..<offset])
  }
}
