// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import Text

/// The messages in a chunk of MCAP, as this program writes them, in the file's order.
///
///     Chunk     times │ size │ sum of the bytes │ "lz4" │ frame        Message   channel │ sequence │ 2 times │ CDR
///     CDR       0x00010000 │ seconds │ nanoseconds │ doubles, or a line: level, padding, name, text, …
struct MCAPMessages {
  enum Topic: String {
    case imu = "/imu", temperature = "/imu/temperature", gaps = "/imu/gaps", marks = "/imu/marks"
    case other
  }

  struct Message {
    let topic: Topic
    let sequence: UInt32
    /// Nanoseconds.
    let time: UInt64
    /// What follows the stamp.
    fileprivate let content: ByteReader

    func double(_ place: Int) throws(ImportError) -> Double {
      guard content.rest.count >= 8 * place + 8 else { throw content.wrong() }
      return content.rest.withUnsafeBytes {
        Double(
          bitPattern: UInt64(
            littleEndian: $0.loadUnaligned(fromByteOffset: 8 * place, as: UInt64.self)))
      }
    }

    /// The text of a line of a log, which follows its level and its name.
    func line() throws(ImportError) -> String {
      var reader = content
      _ = try reader.part(4)
      let name = try reader.counted().rest.count
      _ = try reader.part(UInt64(-name & 3))
      // It ends with a zero.
      let text = try reader.counted().rest
      guard text.last == 0 else { throw reader.wrong() }
      return String(decoding: text.dropLast(), as: UTF8.self)
    }

    /// The gap of a line such as `3 ticks missing: bus error (errno 5)`.
    func gap() throws(ImportError) -> Gap {
      let line = try line()
      guard let (count, rest) = line.parts(around: " tick"), let count = UInt64(count), count > 0,
        let cause = GapCause.allCases.first(where: { rest.parts(around: $0.phrase) != nil })
      else { throw content.wrong("a gap has no cause that is known") }
      let code = rest.parts(around: " (errno ").flatMap { Int32($0.after.dropLast()) } ?? 0
      return Gap(firstTick: 0, count: count, cause: cause, code: code)
    }
  }

  /// Where an `Imu` has its values, by channel from ax to gz.
  static let imuPlaces = [26, 27, 28, 14, 15, 16]

  /// The topics by the numbers of their channels.
  private var topics: [UInt16: Topic] = [:]
  private var reader = ByteReader([], of: "")

  /// Unpacks the next chunk, after all messages of the last one were taken.
  mutating func take(_ record: ByteReader) throws(ImportError) {
    var chunk = record
    _ = try chunk.part(16)
    let (size, sum) = (try chunk.integer(UInt64.self), try chunk.integer(UInt32.self))
    let packing = try chunk.counted().text
    let packed = try chunk.part(chunk.integer())
    guard packing == "lz4" || packing.isEmpty else {
      throw chunk.wrong("it is packed by \(Plain.text(packing)), which this program does not write")
    }
    let bytes = packing.isEmpty ? Array(packed.rest) : try LZ4Block.unpack(packed, to: size)
    guard bytes.count == size, CRC32(bytes).value == sum else {
      throw chunk.wrong("the bytes of a chunk do not have its size or its checksum")
    }
    reader = ByteReader(bytes[...], of: record.file)
  }

  /// The next message of the chunk; `nil` after the last one.
  mutating func next() throws(ImportError) -> Message? {
    while !reader.isAtEnd {
      let kind = try reader.integer(UInt8.self)
      var record = try reader.part(reader.integer())
      guard kind == 0x04 || kind == 0x05 else { continue }
      let channel = try record.integer(UInt16.self)
      guard kind == 0x05 else {
        _ = try record.integer(UInt16.self)
        topics[channel] = Topic(rawValue: try record.counted().text) ?? .other
        continue
      }
      let (sequence, time) = (try record.integer(UInt32.self), try record.integer(UInt64.self))
      _ = try record.part(8)
      guard try record.integer(UInt32.self) == 0x0100 else {
        throw record.wrong("a message is not in little-endian CDR")
      }
      _ = try record.part(8)
      let topic = topics[channel] ?? .other
      return Message(topic: topic, sequence: sequence, time: time, content: record)
    }
    return nil
  }
}

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
