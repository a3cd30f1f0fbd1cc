// SPDX-License-Identifier: Apache-2.0

/// A column of a row group of Parquet, as this program writes it: data pages of version 1 without compression;
/// <https://github.com/apache/parquet-format>.
///
///     page: header │ which rows have a value │ values        chunk: page │ page │ …
///     texts: page with each text once │ page: header │ which rows have one │ so many times text 3, so many times text 0, …
struct ParquetChunk {
  /// Numbers of parquet.thrift.
  enum Kind: Int64 { case int32 = 1, int64 = 2, double = 5, text = 6 }

  /// The values by row: integers, patterns of doubles, or places in ``texts``; and whether rows have one.
  private var numbers: [Int64] = []
  private var arePresent: [Bool] = []
  private var texts: [String] = []

  func number(_ row: Int) -> Int64? {
    arePresent.isEmpty || arePresent[row] ? numbers[row] : nil
  }

  func text(_ row: Int) -> String? {
    number(row).flatMap { texts.indices.contains(Int($0)) ? texts[Int($0)] : nil }
  }

  init(_ chunk: ByteReader, _ kind: Kind, isOptional: Bool, rows: Int) throws(ImportError) {
    var reader = chunk
    while numbers.count < rows {
      let header = try ThriftValue(&reader)
      guard let size = header[3]?.number, size >= 0, header[2]?.number == size else {
        throw reader.other
      }
      var page = try reader.part(UInt64(size))
      switch header[1]?.number {
      case 2:
        let count = header[7]?[1]?.number ?? 0
        // Each has its length in four bytes.
        guard texts.isEmpty, (0...page.rest.count / 4).contains(Int(count)) else {
          throw page.wrong()
        }
        for _ in 0..<count { texts.append(try page.counted().text) }
      case 0:
        guard let count = header[5]?[1]?.number, count > 0, count <= rows - numbers.count,
          header[5]?[2]?.number == (kind == .text ? 8 : kind == .double ? 0 : 5)
        else { throw page.other }
        var levels: [Bool] = []
        if isOptional {
          var bytes = try page.counted()
          levels = try bytes.runs(Int(count), width: 1, below: 2).map { $0 == 1 }
          guard bytes.isAtEnd else { throw page.wrong() }
        }
        let present = isOptional ? levels.count { $0 } : Int(count)
        let values = try page.values(present, kind, texts: texts.count)
        arePresent += levels
        var next = values.makeIterator()
        numbers += isOptional ? levels.map { $0 ? next.next() ?? 0 : 0 } : values
      default: throw page.other
      }
      guard page.isAtEnd else { throw page.wrong() }
    }
    guard reader.isAtEnd else { throw reader.wrong() }
  }
}

extension ByteReader {
  fileprivate var other: ImportError { wrong("it is packed as this program does not pack") }

  fileprivate mutating func values(_ count: Int, _ kind: ParquetChunk.Kind, texts: Int)
    throws(ImportError) -> [Int64]
  {
    switch kind {
    case .text: return try runs(count, width: Int(integer(UInt8.self)), below: texts)
    case .int32, .int64: return try differences(count)
    case .double:
      guard rest.count == 8 * count else { throw wrong() }
      var values: [Int64] = []
      for _ in 0..<count { values.append(try integer()) }
      return values
    }
  }

  /// So many numbers of `width` bits, each so many times: runs alone, as this program writes them.
  fileprivate mutating func runs(_ count: Int, width: Int, below limit: Int) throws(ImportError)
    -> [Int64]
  {
    var numbers: [Int64] = []
    while numbers.count < count {
      let head = try varint()
      guard head & 1 == 0, width <= 32 else { throw other }
      var number: Int64 = 0
      for byte in 0..<(width + 7) / 8 { number |= Int64(try integer(UInt8.self)) << (8 * byte) }
      guard head > 0, head >> 1 <= UInt64(count - numbers.count), number < limit else {
        throw wrong()
      }
      numbers += repeatElement(number, count: Int(head >> 1))
    }
    return numbers
  }

  /// DELTA_BINARY_PACKED:
  ///
  ///     128 │ 4 │ count │ first value │ block │ block │ …
  ///     block: least difference │ 4 widths │ 4 × 32 differences above the least, each of a width's bits
  private mutating func differences(_ count: Int) throws(ImportError) -> [Int64] {
    guard try varint() == 128, try varint() == 4 else { throw other }
    guard try varint() == UInt64(count) else { throw wrong() }
    var last = try folded()
    var values = count > 0 ? [last] : []
    values.reserveCapacity(count)
    while values.count < count {
      let least = try folded()
      for width in try part(4).rest where values.count < count {
        guard width <= 32 else { throw other }
        var (bytes, word, waiting) = (try part(4 * UInt64(width)).rest, 0 as UInt64, 0)
        for _ in 0..<min(32, count - values.count) {
          while waiting < Int(width), let byte = bytes.popFirst() {
            word |= UInt64(byte) << UInt64(waiting)
            waiting += 8
          }
          last = last &+ least &+ Int64(word & (1 << UInt64(width) - 1))
          word >>= UInt64(width)
          waiting -= Int(width)
          values.append(last)
        }
      }
    }
    return values
  }
}

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
