// SPDX-License-Identifier: Apache-2.0

/// Bytes of a file read one after the other, each checked to be there. Numbers have the lowest byte first.
struct ByteReader {
  let file: String
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>, of file: String) { (rest, self.file) = (bytes, file) }

  var isAtEnd: Bool { rest.isEmpty }

  /// The error of bytes that end too early, or are not what they should be.
  func wrong(_ problem: String = "it is damaged") -> ImportError { .damaged(file, problem) }

  mutating func part(_ count: UInt64) throws(ImportError) -> ByteReader {
    guard count <= UInt64(rest.count) else { throw wrong() }
    defer { rest = rest.dropFirst(Int(count)) }
    return ByteReader(rest.prefix(Int(count)), of: file)
  }

  mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(
    _ kind: Number.Type = Number.self
  )
    throws(ImportError) -> Number
  {
    guard rest.count >= Number.bitWidth / 8 else { throw wrong() }
    defer { rest = rest.dropFirst(Number.bitWidth / 8) }
    return Number(littleEndian: rest.withUnsafeBytes { $0.loadUnaligned(as: Number.self) })
  }

  /// What follows its length in four bytes.
  mutating func counted() throws(ImportError) -> ByteReader {
    try part(UInt64(integer(UInt32.self)))
  }

  /// Seven bits a byte, the lowest first, with the top bit set in all but the last.
  mutating func varint() throws(ImportError) -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = try integer(UInt8.self)
      guard shift < 63 || byte <= 1 else { throw wrong() }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
  }

  /// The same of 0, 1, 2, 3 for 0, -1, 1, -2.
  mutating func folded() throws(ImportError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  var text: String { String(decoding: rest, as: UTF8.self) }
}

extension ImportError {
  /// The error of a binary that is not as its program writes it.
  static func damaged(_ file: String, _ problem: String) -> ImportError {
    ImportError(file, problem, remedy: "fetch it, or export it, again")
  }
}

extension SeekableSource {
  /// Bytes from a place on, as many as there are.
  func bytes(at offset: UInt64, _ count: UInt64) throws(ImportError) -> [UInt8] {
    try seek(to: offset)
    return try bytes(Int(clamping: count))
  }

  /// The same for reading, all of them.
  func reader(at offset: UInt64, _ count: UInt64) throws(ImportError) -> ByteReader {
    guard offset <= size, count <= size - offset else {
      throw .damaged(name, "it is cut off")
    }
    return ByteReader(try bytes(at: offset, count)[...], of: name)
  }
}
