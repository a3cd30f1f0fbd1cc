// SPDX-License-Identifier: Apache-2.0

/// A value of Thrift's compact protocol.
indirect enum Thrift: Equatable {
  case flag(Bool)
  case number(Int64)
  case bytes([UInt8])
  case list([Thrift])
  case structure([Int: Thrift])

  subscript(_ field: Int) -> Thrift {
    get throws {
      guard case .structure(let fields) = self, let value = fields[field] else {
        throw ParquetReader.Broken(what: "no field \(field)")
      }
      return value
    }
  }

  func has(_ field: Int) -> Bool {
    if case .structure(let fields) = self { fields[field] != nil } else { false }
  }

  var integer: Int {
    get throws {
      guard case .number(let value) = self else { throw ParquetReader.Broken(what: "no integer") }
      return Int(value)
    }
  }

  var elements: [Thrift] {
    get throws {
      guard case .list(let values) = self else { throw ParquetReader.Broken(what: "no list") }
      return values
    }
  }

  var bytes: [UInt8] {
    get throws {
      guard case .bytes(let value) = self else { throw ParquetReader.Broken(what: "no bytes") }
      return value
    }
  }

  var text: String { get throws { String(decoding: try bytes, as: UTF8.self) } }
}

/// Reads Thrift's compact protocol.
struct ThriftCursor {
  private let input: [UInt8]
  private(set) var offset: Int

  init(_ input: [UInt8], at offset: Int) {
    (self.input, self.offset) = (input, offset)
  }

  mutating func skip(_ count: Int) { offset += count }

  private mutating func byte() throws -> UInt8 {
    guard input.indices.contains(offset) else {
      throw ParquetReader.Broken(what: "the input ends at \(offset)")
    }
    offset += 1
    return input[offset - 1]
  }

  mutating func varint() throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0 as UInt64, to: 70, by: 7) {
      let next = try byte()
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
    }
    throw ParquetReader.Broken(what: "a varint of more than ten bytes")
  }

  mutating func zigzag() throws -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func structure() throws -> Thrift {
    var fields: [Int: Thrift] = [:]
    var field = 0
    while true {
      let head = try byte()
      if head == 0 { return .structure(fields) }
      field = head >> 4 == 0 ? Int(try zigzag()) : field + Int(head >> 4)
      let type = head & 15
      fields[field] = type < 3 ? .flag(type == 1) : try value(type)
    }
  }

  private mutating func value(_ type: UInt8) throws -> Thrift {
    switch type {
    case 3: return .number(Int64(Int8(bitPattern: try byte())))
    case 4, 5, 6: return .number(try zigzag())
    case 8:
      let count = Int(try varint())
      return .bytes(try (0..<count).map { _ in try byte() })
    case 9:
      let head = try byte()
      let count = head >> 4 == 15 ? Int(try varint()) : Int(head >> 4)
      return .list(try (0..<count).map { _ in try value(head & 15) })
    case 12: return try structure()
    default: throw ParquetReader.Broken(what: "type \(type)")
    }
  }
}

/// Reads the body of a data page.
struct PageCursor {
  private let input: [UInt8]
  private var offset = 0
  private(set) var widest = 0

  init(_ input: [UInt8]) {
    self.input = input
  }

  var isAtEnd: Bool { offset == input.count }

  private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
    guard offset + count <= input.count else { throw ParquetReader.Broken(what: "a short page") }
    offset += count
    return input[(offset - count)..<offset]
  }

  private mutating func word(_ count: Int) throws -> UInt64 {
    try take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func varint() throws -> UInt64 {
    var cursor = ThriftCursor(input, at: offset)
    defer { offset = cursor.offset }
    return try cursor.varint()
  }

  private mutating func zigzag() throws -> Int64 {
    var cursor = ThriftCursor(input, at: offset)
    defer { offset = cursor.offset }
    return try cursor.zigzag()
  }

  /// Definition levels of an optional column: the hybrid of runs and bit-packed groups, one bit wide.
  mutating func levels(_ count: Int) throws -> [Bool] {
    let end = try Int(word(4)) + offset
    var levels: [Bool] = []
    while offset < end {
      let head = try varint()
      if head & 1 == 0 {
        let level = try word(1)
        levels += Array(repeating: level == 1, count: Int(head >> 1))
      } else {
        for byte in try take(Int(head >> 1)) { levels += (0..<8).map { byte >> $0 & 1 == 1 } }
      }
    }
    guard offset == end, levels.count >= count else { throw ParquetReader.Broken(what: "levels") }
    return Array(levels.prefix(count))
  }

  /// RLE_DICTIONARY: a byte with the width, and the hybrid of runs and bit-packed groups, of which only runs are read.
  mutating func indices(_ count: Int, of most: Int) throws -> [Int] {
    let width = Int(try word(1))
    var indices: [Int] = []
    while offset < input.count {
      let head = try varint()
      guard head & 1 == 0, head > 0 else { throw ParquetReader.Broken(what: "a bit-packed group") }
      let index = Int(try word((width + 7) / 8))
      guard index < most, index >> width == 0 else { throw ParquetReader.Broken(what: "an index") }
      indices += Array(repeating: index, count: Int(head >> 1))
    }
    guard indices.count == count else { throw ParquetReader.Broken(what: "indices") }
    return indices
  }

  mutating func values(_ count: Int, type: Int, encoding: Int) throws -> [ParquetReader.Cell] {
    switch (encoding, type) {
    case (0, 1):
      return try (0..<count).map { _ in
        .integer(Int64(Int32(bitPattern: UInt32(try word(4)))))
      }
    case (0, 2):
      return try (0..<count).map { _ in .integer(Int64(bitPattern: try word(8))) }
    case (0, 4):
      return try (0..<count).map { _ in .double(Double(Float(bitPattern: UInt32(try word(4))))) }
    case (0, 5):
      return try (0..<count).map { _ in .double(Double(bitPattern: try word(8))) }
    case (0, 6):
      return try (0..<count).map { _ in
        let length = Int(try word(4))
        return .text(String(decoding: try take(length), as: UTF8.self))
      }
    case (5, 1): return try packed(count).map { .integer(Int64(Int32(truncatingIfNeeded: $0))) }
    case (5, 2): return try packed(count).map { .integer($0) }
    default: throw ParquetReader.Broken(what: "encoding \(encoding) of type \(type)")
    }
  }

  /// DELTA_BINARY_PACKED.
  private mutating func packed(_ count: Int) throws -> [Int64] {
    let (block, miniblocks, total) = try (Int(varint()), Int(varint()), Int(varint()))
    guard block % 128 == 0, block / miniblocks % 32 == 0, total == count else {
      throw ParquetReader.Broken(what: "the head of packed values")
    }
    var values = [try zigzag()]
    while values.count < total {
      let least = try zigzag()
      for width in try Array(take(miniblocks)) where values.count < total {
        widest = max(widest, Int(width))
        let bytes = Array(try take(block / miniblocks * Int(width) / 8))
        for index in 0..<block / miniblocks where values.count < total {
          var difference: UInt64 = 0
          for bit in 0..<Int(width) {
            let place = index * Int(width) + bit
            difference |= UInt64(bytes[place / 8] >> (place % 8) & 1) << UInt64(bit)
          }
          values.append(values[values.count - 1] &+ least &+ Int64(bitPattern: difference))
        }
      }
    }
    return Array(values.prefix(total))
  }
}
