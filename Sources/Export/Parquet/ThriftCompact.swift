// SPDX-License-Identifier: Apache-2.0

/// Writes a structure in Thrift's compact protocol, of which a Parquet file's headers and footer are made.
struct ThriftWriter {
  /// The types of fields and of a list's elements.
  enum Kind: UInt8 {
    case int16 = 4
    case int32 = 5
    case int64 = 6
    case bytes = 8
    case structure = 12
  }

  private var bytes: [UInt8] = []
  private var lastField = 0

  /// The bytes of a structure, its end included. Fields are in order of their numbers.
  static func structure(_ fields: (inout ThriftWriter) -> Void) -> [UInt8] {
    var writer = ThriftWriter()
    fields(&writer)
    return writer.bytes + [0]
  }

  mutating func integer(_ field: Int, _ value: Int64, _ kind: Kind = .int32) {
    begin(field, kind.rawValue)
    bytes.append(varint: ThriftWriter.zigzag(value))
  }

  mutating func byte(_ field: Int, _ value: UInt8) {
    begin(field, 3)
    bytes.append(value)
  }

  mutating func flag(_ field: Int, _ value: Bool) {
    begin(field, value ? 1 : 2)
  }

  mutating func bytes(_ field: Int, _ value: some Collection<UInt8>) {
    begin(field, Kind.bytes.rawValue)
    bytes += ThriftWriter.element(value)
  }

  mutating func structure(_ field: Int, _ fields: (inout ThriftWriter) -> Void) {
    begin(field, Kind.structure.rawValue)
    bytes += ThriftWriter.structure(fields)
  }

  /// A list of `count` elements, which are encoded already.
  mutating func list(_ field: Int, of kind: Kind, _ count: Int, _ elements: [UInt8]) {
    begin(field, 9)
    bytes.append(UInt8(min(count, 15)) << 4 | kind.rawValue)
    if count >= 15 { bytes.append(varint: UInt64(count)) }
    bytes += elements
  }

  /// Bytes as an element of a list.
  static func element(_ value: some Collection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(value.count))
    return bytes + value
  }

  /// Small magnitudes of both signs as small numbers: 0, -1, 1, -2 become 0, 1, 2, 3.
  static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

  private mutating func begin(_ field: Int, _ type: UInt8) {
    precondition((1...15).contains(field - lastField), "fields rise by at most 15")
    bytes.append(UInt8(field - lastField) << 4 | type)
    lastField = field
  }
}

extension [UInt8] {
  /// Appends seven bits a byte, the lowest first, with the top bit set in all but the last.
  mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends an integer's bytes, the lowest first.
  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
