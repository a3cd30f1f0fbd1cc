// SPDX-License-Identifier: Apache-2.0

/// A value in Thrift's compact protocol, as a Parquet file's headers and footer have it.
///
///     structure: field's step │ type, value │ … │ 0        list: count │ type, values
enum ThriftValue {
  case number(Int64), bytes(ByteReader), list([ThriftValue])
  /// Numbers of fields and values, in the file's order.
  case structure([(field: Int64, value: ThriftValue)])

  init(_ reader: inout ByteReader, depth: Int = 0) throws(ImportError) {
    var (fields, number): ([(Int64, ThriftValue)], Int64) = ([], 0)
    while case let head = try reader.integer(UInt8.self), head != 0 {
      let step = Int64(head >> 4)
      number = step > 0 ? number + step : try reader.folded()
      guard number.magnitude < 1 << 15 else { throw reader.wrong() }
      // True and false are types of fields.
      let isFlag = 1...2 ~= head & 15
      let value =
        isFlag ? .number(Int64(2 - (head & 15))) : try ThriftValue(&reader, head & 15, depth)
      fields.append((number, value))
    }
    self = .structure(fields)
  }

  private init(_ reader: inout ByteReader, _ type: UInt8, _ depth: Int) throws(ImportError) {
    // Headers and footers have at most 7 structures and lists in each other.
    guard depth < 16 else { throw reader.wrong() }
    switch type {
    case 1, 2, 3: self = .number(Int64(try reader.integer(Int8.self)))
    case 4, 5, 6: self = .number(try reader.folded())
    case 8: self = .bytes(try reader.part(try reader.varint()))
    case 9, 10:
      let head = try reader.integer(UInt8.self)
      let count = head >> 4 < 15 ? UInt64(head >> 4) : try reader.varint()
      // Each element has a byte at least.
      guard count <= UInt64(reader.rest.count) else { throw reader.wrong() }
      var values: [ThriftValue] = []
      for _ in 0..<count { values.append(try ThriftValue(&reader, head & 15, depth + 1)) }
      self = .list(values)
    case 12: self = try ThriftValue(&reader, depth: depth + 1)
    default: throw reader.wrong()
    }
  }

  /// A field of a structure; `nil` of one that is not there, or of another value.
  subscript(field: Int64) -> ThriftValue? {
    guard case .structure(let fields) = self else { return nil }
    return fields.first { $0.field == field }?.value
  }

  var number: Int64? { if case .number(let number) = self { number } else { nil } }
  var list: [ThriftValue]? { if case .list(let list) = self { list } else { nil } }
  var text: String? { if case .bytes(let bytes) = self { bytes.text } else { nil } }
}
