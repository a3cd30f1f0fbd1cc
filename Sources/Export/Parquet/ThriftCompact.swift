// SPDX-License-Identifier: Apache-2.0

/// A value in Thrift's compact protocol, the form of a Parquet file's headers and footer.
///
///     structure: field's step │ type, value │ … │ 0        list: count │ type, values
struct Thrift: ExpressibleByDictionaryLiteral {
  private let type: UInt8
  let bytes: [UInt8]

  private init(type: UInt8, _ bytes: [UInt8]) { (self.type, self.bytes) = (type, bytes) }

  /// A structure: fields in order of their numbers, which rise by at most 15; what is `nil` is left out.
  init(dictionaryLiteral fields: (Int, Thrift?)...) {
    var (bytes, last): ([UInt8], Int) = ([], 0)
    for case (let field, let value?) in fields {
      bytes.append(UInt8(field - last) << 4 | value.type)
      bytes += value.bytes
      last = field
    }
    self.init(type: 12, bytes + [0])
  }

  static func flag(_ isTrue: Bool) -> Thrift { Thrift(type: isTrue ? 1 : 2, []) }
  static func byte(_ value: UInt8) -> Thrift { Thrift(type: 3, [value]) }
  static func int32(_ value: Int) -> Thrift { Thrift(type: 5, [UInt8](folded: Int64(value))) }
  static func int64(_ value: Int) -> Thrift { Thrift(type: 6, [UInt8](folded: Int64(value))) }
  static func text(_ text: String) -> Thrift { .bytes(Array(text.utf8)) }
  static func bytes(_ bytes: [UInt8]) -> Thrift {
    Thrift(type: 8, [UInt8](varint: UInt64(bytes.count)) + bytes)
  }

  static func list(_ values: [Thrift]) -> Thrift {
    let head = [UInt8(min(values.count, 15)) << 4 | (values.first?.type ?? 12)]
    let count = values.count < 15 ? [] : [UInt8](varint: UInt64(values.count))
    return Thrift(type: 9, head + count + values.flatMap(\.bytes))
  }
}

extension [UInt8] {
  /// Seven bits a byte, the lowest first, with the top bit set in all but the last.
  init(varint value: UInt64) {
    self = []
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// The same of 0, 1, 2, 3 for 0, -1, 1, -2: small magnitudes of both signs are short.
  init(folded value: Int64) { self.init(varint: UInt64(bitPattern: value << 1 ^ value >> 63)) }
}
