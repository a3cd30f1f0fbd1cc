// SPDX-License-Identifier: Apache-2.0

/// Unpacks a frame of LZ4 with one block and no checksums, as this program writes them;
/// <https://github.com/lz4/lz4/tree/dev/doc>.
///
///     frame      magic │ version 1, no checksums │ up to 4 MiB │ header's checksum │ size │ block │ 0
///     sequence   token: literals, match − 4 │ more literals │ literals │ offset │ more match
enum LZ4Block {
  static let limit = 4 * 1024 * 1024
  private static let head: [UInt8] = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x70, 0x73]

  /// The bytes of a frame, which are so many.
  static func unpack(_ frame: ByteReader, to size: UInt64) throws(ImportError) -> [UInt8] {
    var reader = frame
    guard size <= UInt64(limit), try reader.part(7).rest.elementsEqual(head) else {
      throw reader.wrong("it is packed as this program does not pack")
    }
    let length = try reader.integer(UInt32.self)
    let block = try reader.part(UInt64(length & 0x7FFF_FFFF))
    guard try reader.integer(UInt32.self) == 0, reader.isAtEnd else { throw reader.wrong() }
    let bytes = length >> 31 == 0 ? try sequences(block, Int(size)) : Array(block.rest)
    guard bytes.count == Int(size) else { throw reader.wrong() }
    return bytes
  }

  private static func sequences(_ block: ByteReader, _ size: Int) throws(ImportError) -> [UInt8] {
    var (reader, output) = (block, [UInt8]())
    output.reserveCapacity(size)
    while true {
      let token = try reader.integer(UInt8.self)
      output += try reader.part(length(token >> 4, &reader)).rest
      guard output.count <= size else { throw reader.wrong() }
      if reader.isAtEnd { return output }
      let offset = Int(try reader.integer(UInt16.self))
      let count = try length(token & 15, &reader) + 4
      guard offset > 0, offset <= output.count, count <= UInt64(size - output.count) else {
        throw reader.wrong()
      }
      // One by one: a match may reach into itself.
      for place in output.count - offset..<output.count - offset + Int(count) {
        output.append(output[place])
      }
    }
  }

  private static func length(_ short: UInt8, _ reader: inout ByteReader) throws(ImportError)
    -> UInt64
  {
    var length = UInt64(short)
    guard short == 15 else { return length }
    while true {
      let byte = try reader.integer(UInt8.self)
      length += UInt64(byte)
      if byte < 255 { return length }
    }
  }
}
