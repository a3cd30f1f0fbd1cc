// SPDX-License-Identifier: Apache-2.0

/// A value in Thrift's compact protocol, of which a Parquet file's headers and footer are made.
///
///     structure: field's step │ type, value │ … │ 0        list: count │ type, values
enum Thrift: ExpressibleByDictionaryLiteral, Sendable {
  case flag(Bool)
  case byte(UInt8)
  case int32(Int)
  case int64(Int64)
  case bytes([UInt8])
  /// Of one type.
  case list([Thrift])
  /// In order of their numbers, which rise by at most 15; what is `nil` is left out.
  case structure([(field: Int, value: Thrift?)])
  /// A structure's bytes.
  case encoded([UInt8])

  init(dictionaryLiteral fields: (Int, Thrift?)...) {
    self = .structure(fields.map { ($0, $1) })
  }

  static func text(_ text: String) -> Thrift { .bytes(Array(text.utf8)) }

  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    switch self {
    case .flag: break
    case .byte(let value): bytes = [value]
    case .int32(let value): bytes.append(varint: Thrift.zigzag(Int64(value)))
    case .int64(let value): bytes.append(varint: Thrift.zigzag(value))
    case .bytes(let value):
      bytes.append(varint: UInt64(value.count))
      bytes += value
    case .list(let values):
      bytes.append(UInt8(min(values.count, 15)) << 4 | (values.first?.type ?? 12))
      if values.count >= 15 { bytes.append(varint: UInt64(values.count)) }
      for value in values { bytes += value.encoded }
    case .structure(let fields):
      var last = 0
      for (field, value) in fields {
        guard let value else { continue }
        bytes.append(UInt8(field - last) << 4 | value.type)
        bytes += value.encoded
        last = field
      }
      bytes.append(0)
    case .encoded(let value): bytes = value
    }
    return bytes
  }

  private var type: UInt8 {
    switch self {
    case .flag(let isTrue): isTrue ? 1 : 2
    case .byte: 3
    case .int32: 5
    case .int64: 6
    case .bytes: 8
    case .list: 9
    case .structure, .encoded: 12
    }
  }

  /// Small magnitudes of both signs as small numbers: 0, -1, 1, -2 become 0, 1, 2, 3.
  static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }
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
