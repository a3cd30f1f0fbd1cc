// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Import

@Suite("Bytes of Parquet and MCAP")
struct ColumnBytesTests {
  @Test("numbers of seven bits a byte are read, and refused beyond 64 bits")
  func varints() throws {
    for (bytes, value) in [
      ([0x00], 0), ([0x7F], 127), ([0x80, 0x01], 128), ([0xAC, 0x02], 300),
      (Array(repeating: 0xFF, count: 9) + [0x01], UInt64.max),
    ] as [([UInt8], UInt64)] {
      var reader = ByteReader(bytes[...], of: "f")
      #expect(try reader.varint() == value)
      #expect(reader.isAtEnd)
    }
    for bytes in [
      [0x80], Array(repeating: 0xFF, count: 10), Array(repeating: 0x80, count: 9) + [2],
    ] as [[UInt8]] {
      var reader = ByteReader(bytes[...], of: "f")
      #expect(throws: ImportError.self) { try reader.varint() }
    }
    for (byte, value) in [(0, 0), (1, -1), (2, 1), (3, -2), (127, -64)] as [(UInt8, Int64)] {
      var reader = ByteReader([byte], of: "f")
      #expect(try reader.folded() == value)
    }
  }

  @Test("structures of Thrift's compact protocol are read by the specification's examples")
  func thrift() throws {
    // 1: i32 -3, 2: "ab", 4: true, 20 (by its number): list of i64 [7, -8], 21: {1: i8 5}.
    let bytes: [UInt8] = [
      0x15, 0x05, 0x18, 0x02, 0x61, 0x62, 0x21, 0x09, 0x28, 0x26, 0x0E, 0x0F, 0x1C, 0x13, 0x05,
      0x00, 0x00,
    ]
    var reader = ByteReader(bytes[...], of: "f")
    let value = try ThriftValue(&reader)
    #expect(reader.isAtEnd)
    #expect(value[1]?.number == -3 && value[2]?.text == "ab" && value[4]?.number == 1)
    #expect(value[20]?.list?.map(\.number) == [7, -8] && value[21]?[1]?.number == 5)
    #expect(value[3] == nil)
    for length in 0..<bytes.count {
      var reader = ByteReader(bytes[..<length], of: "f")
      #expect(throws: ImportError.self) { try ThriftValue(&reader) }
    }
    // Lists in lists without end, and a list of more elements than bytes.
    for bytes in [[0x19] + Array(repeating: 0x19, count: 100), [0x19, 0xF3, 0xFF, 0xFF, 0x03]]
      as [[UInt8]]
    {
      var reader = ByteReader(bytes[...], of: "f")
      #expect(throws: ImportError.self) { try ThriftValue(&reader) }
    }
  }

  private static let head: [UInt8] = [4, 0x22, 0x4D, 0x18, 0x60, 0x70, 0x73]

  private static func frame(_ block: [UInt8], stored: Bool = false) -> [UInt8] {
    head + [UInt8(block.count & 255), UInt8(block.count >> 8), 0, stored ? 0x80 : 0] + block
      + [0, 0, 0, 0]
  }

  @Test(
    "frames of LZ4 are unpacked, a match reaching into itself too, and refused where they are damaged"
  )
  func lz4() throws {
    func unpack(_ bytes: [UInt8], _ size: UInt64) throws -> [UInt8] {
      try LZ4Block.unpack(ByteReader(bytes[...], of: "f"), to: size)
    }
    // "abc" and 9 bytes from 3 before, then "xyzab".
    let block: [UInt8] = [0x35, 0x61, 0x62, 0x63, 3, 0, 0x50] + Array("xyzab".utf8)
    let (text, frame) = (Array("abcabcabcabcxyzab".utf8), Self.frame(block))
    #expect(try unpack(frame, 17) == text)
    #expect(try unpack(Self.frame(text, stored: true), 17) == text)
    // 300 literals: 15 and 255 and 30.
    let long = [0xF0, 0xFF, 30] + (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    #expect(try unpack(Self.frame(long), 300) == Array(long.dropFirst(3)))
    var flawed: [([UInt8], UInt64)] = [
      (frame, 16), (frame, 18), (frame + [0], 17), (frame, 1 << 40),
      (Self.frame([0x1F, 0x61, 1, 0] + Array(repeating: 255, count: 90)), 17),
    ]
    // Distances of 4, before the beginning, and of 0.
    for distance in [4, 0] as [UInt8] {
      var other = block
      other[4] = distance
      flawed.append((Self.frame(other), 17))
    }
    flawed += frame.indices.map { (Array(frame.prefix($0)), 17) }
    for (bytes, size) in flawed {
      #expect(throws: ImportError.self) { try unpack(bytes, size) }
    }
  }
}
