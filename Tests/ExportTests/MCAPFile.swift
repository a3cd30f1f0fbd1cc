// SPDX-License-Identifier: Apache-2.0

import Export
import Testing

/// A reader of MCAP and LZ4 frames for the tests, written from their specifications. It follows every index and checks
/// every sum, and throws where one is wrong.
struct MCAPFile {
  struct Message: Equatable {
    var topic: String
    var sequence: UInt32
    var time: UInt64
    var published: UInt64
    /// The content.
    var data: [UInt8]
  }

  struct Chunk {
    var times: ClosedRange<UInt64>
    var size: Int
  }

  struct Fault: Error {
    var what: String
    init(_ what: String) { self.what = what }
  }

  private(set) var profile = ""
  /// In the order of the file.
  private(set) var messages: [Message] = []
  private(set) var chunks: [Chunk] = []
  /// Names and definitions of the topics' schemas, as the summary has them.
  private(set) var topics: [String: (schema: String, definition: String)] = [:]
  private(set) var metadata: [String: [String: String]] = [:]

  private var schemas: [UInt16: (String, String)] = [:]
  private var channels: [UInt16: (schema: UInt16, topic: String)] = [:]

  private static let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]

  init(_ bytes: [UInt8]) throws {
    let end = bytes.count - 8
    guard bytes.starts(with: MCAPFile.magic), bytes[end...].elementsEqual(MCAPFile.magic) else {
      throw Fault("no magic")
    }
    var footer = Cursor(bytes, end - 29)
    guard try footer.u8() == 2, try footer.u64() == 20 else { throw Fault("no footer") }
    let (summary, offsets) = (Int(try footer.u64()), Int(try footer.u64()))
    guard try footer.u32() == MCAPFile.crc(bytes[summary..<end - 4]) else {
      throw Fault("summary's sum")
    }
    var cursor = Cursor(bytes, 8)
    var indexed = 0
    while cursor.place < summary {
      var record = try cursor.record()
      switch record.opcode {
      case 0x01: profile = try record.string()
      case 0x06: indexed = try addChunk(&record)
      case 0x07: try addIndex(&record, of: &indexed)
      case 0x0C: metadata[try record.string()] = try record.map()
      case 0x0F:
        guard try record.u32() == 0 else { throw Fault("data's sum") }
        guard cursor.place == summary else { throw Fault("something after the data's end") }
      default: throw Fault("record \(record.opcode) among the data")
      }
    }
    try readSummary(bytes, summary..<offsets, groups: offsets..<end - 29)
  }

  private var chunkRecords: [UInt8] = []
  private var chunkOffsets: [(record: Int, size: Int)] = []

  private mutating func addChunk(_ record: inout Cursor) throws -> Int {
    chunkOffsets.append((record.place - 9, record.end - record.place + 9))
    let (first, last, size) = (try record.u64(), try record.u64(), Int(try record.u64()))
    let sum = try record.u32()
    guard try record.string() == "lz4" else { throw Fault("compression") }
    let packed = try record.bytes(Int(record.u64()))
    chunkRecords = try MCAPFile.lz4(packed)
    guard chunkRecords.count == size, sum == MCAPFile.crc(chunkRecords[...]) else {
      throw Fault("chunk's size or sum")
    }
    chunks.append(Chunk(times: first...last, size: size))
    var (cursor, count) = (Cursor(chunkRecords, 0), 0)
    while cursor.place < size {
      var record = try cursor.record()
      switch record.opcode {
      case 0x03:
        let id = try record.u16()
        let name = try record.string()
        guard try record.string() == "ros2msg" else { throw Fault("schema's encoding") }
        schemas[id] = (name, try record.string())
      case 0x04:
        let (id, schema, topic) = (try record.u16(), try record.u16(), try record.string())
        guard try record.string() == "cdr", try record.map().isEmpty, schemas[schema] != nil else {
          throw Fault("channel \(topic)")
        }
        channels[id] = (schema, topic)
      case 0x05:
        let message = try message(&record)
        guard first...last ~= message.time else { throw Fault("a time outside of the chunk's") }
        messages.append(message)
        count += 1
      default: throw Fault("record \(record.opcode) in a chunk")
      }
    }
    return count
  }

  private func message(_ record: inout Cursor) throws -> Message {
    guard let channel = channels[try record.u16()] else { throw Fault("no such channel") }
    let (sequence, time, published) = (try record.u32(), try record.u64(), try record.u64())
    return Message(
      topic: channel.topic, sequence: sequence, time: time, published: published,
      data: try record.bytes(record.end - record.place))
  }

  private func addIndex(_ record: inout Cursor, of count: inout Int) throws {
    let channel = try record.u16()
    guard Int(try record.u32()) == record.end - record.place else { throw Fault("index's size") }
    while record.place < record.end {
      let (time, offset) = (try record.u64(), Int(try record.u64()))
      var cursor = Cursor(chunkRecords, offset)
      var found = try cursor.record()
      guard found.opcode == 5, try found.u16() == channel else { throw Fault("no message there") }
      found.place += 4
      guard try found.u64() == time else { throw Fault("another time there") }
      count -= 1
    }
    guard count >= 0 else { throw Fault("more indexes than messages") }
  }

  private mutating func readSummary(_ bytes: [UInt8], _ summary: Range<Int>, groups: Range<Int>)
    throws
  {
    var cursor = Cursor(bytes, summary.lowerBound)
    var (starts, opcodes): ([Int], [UInt8]) = ([], [])
    var indexes = 0
    while cursor.place < summary.upperBound {
      let start = cursor.place
      var record = try cursor.record()
      if opcodes.last != record.opcode {
        opcodes.append(record.opcode)
        starts.append(start)
      }
      switch record.opcode {
      case 0x03:
        let id = try record.u16()
        let name = try record.string()
        _ = try record.string()
        guard try schemas[id] ?? ("", "") == (name, record.string()) else {
          throw Fault("another schema")
        }
      case 0x04:
        let (id, schema, topic) = (try record.u16(), try record.u16(), try record.string())
        guard let known = channels[id], known == (schema, topic), let layout = schemas[schema]
        else { throw Fault("another channel") }
        topics[topic] = layout
      case 0x0B: try checkStatistics(&record)
      case 0x08:
        try checkChunkIndex(&record, bytes, chunkOffsets[indexes], chunks[indexes])
        indexes += 1
      case 0x0D:
        var found = Cursor(bytes, Int(try record.u64()))
        let size = Int(try record.u64())
        var metadata = try found.record()
        guard metadata.opcode == 0x0C, metadata.end - metadata.place + 9 == size,
          try metadata.string() == record.string()
        else { throw Fault("no metadata there") }
      default: throw Fault("record \(record.opcode) in the summary")
      }
    }
    guard indexes == chunks.count, topics.count == channels.count else { throw Fault("too few") }
    var offsets = Cursor(bytes, groups.lowerBound)
    for (index, start) in starts.enumerated() {
      var record = try offsets.record()
      let end = index + 1 < starts.count ? starts[index + 1] : summary.upperBound
      guard record.opcode == 0x0E, try record.u8() == opcodes[index],
        try record.u64() == UInt64(start), try record.u64() == UInt64(end - start)
      else { throw Fault("group \(index)") }
    }
    guard offsets.place == groups.upperBound else { throw Fault("groups too many") }
  }

  private func checkStatistics(_ record: inout Cursor) throws {
    let times = messages.map(\.time)
    guard try record.u64() == UInt64(messages.count), try record.u16() == UInt16(schemas.count),
      try record.u32() == UInt32(channels.count), try record.u32() == 0,
      try record.u32() == UInt32(metadata.count), try record.u32() == UInt32(chunks.count),
      try record.u64() == times.min() ?? 0, try record.u64() == times.max() ?? 0,
      Int(try record.u32()) == 10 * channels.count
    else { throw Fault("statistics") }
    while record.place < record.end {
      let (id, count) = (try record.u16(), try record.u64())
      guard let topic = channels[id]?.topic,
        messages.filter({ $0.topic == topic }).count == Int(count)
      else { throw Fault("count of channel \(id)") }
    }
  }

  private func checkChunkIndex(
    _ record: inout Cursor, _ bytes: [UInt8], _ place: (record: Int, size: Int), _ chunk: Chunk
  ) throws {
    guard try record.u64() == chunk.times.lowerBound, try record.u64() == chunk.times.upperBound,
      try record.u64() == UInt64(place.record), try record.u64() == UInt64(place.size)
    else { throw Fault("chunk's index") }
    let end = try Int(record.u32()) + record.place
    var next = place.record + place.size
    while record.place < end {
      let channel = try record.u16()
      var index = Cursor(bytes, Int(try record.u64()))
      guard index.place == next else { throw Fault("message index elsewhere") }
      var found = try index.record()
      guard found.opcode == 7, try found.u16() == channel else { throw Fault("message index") }
      next = index.place
    }
    guard try record.u64() == UInt64(next - place.record - place.size),
      try record.string() == "lz4", try record.u64() > 0, try record.u64() == UInt64(chunk.size)
    else { throw Fault("chunk's index") }
  }

  /// The content of a frame of one block or more.
  static func lz4(_ frame: [UInt8]) throws -> [UInt8] {
    var cursor = Cursor(frame, 0)
    guard try cursor.u32() == 0x184D_2204, try cursor.bytes(3) == [0x60, 0x70, 0x73] else {
      throw Fault("frame's head")
    }
    var content: [UInt8] = []
    while case let word = try cursor.u32(), word != 0 {
      let block = try cursor.bytes(Int(word & 0x7FFF_FFFF))
      content += word >> 31 == 1 ? block : try lz4(block: block)
    }
    guard cursor.place == frame.count else { throw Fault("something after the frame") }
    return content
  }

  private static func lz4(block: [UInt8]) throws -> [UInt8] {
    var cursor = Cursor(block, 0)
    var content: [UInt8] = []
    var lastMatch = 0
    func length(_ first: UInt8) throws -> Int {
      var length = Int(first)
      guard first == 15 else { return length }
      repeat { length += Int(try cursor.u8()) } while block[cursor.place - 1] == 255
      return length
    }
    while true {
      let token = try cursor.u8()
      let literals = try cursor.bytes(length(token >> 4))
      content += literals
      guard cursor.place < block.count else {
        // The rules for the end of a block, by which decoders copy more than they should.
        guard lastMatch == 0 || literals.count >= 5 && content.count - lastMatch >= 12 else {
          throw Fault("a match too near to the end")
        }
        return content
      }
      let offset = Int(try cursor.u16())
      guard offset > 0, offset <= content.count else { throw Fault("an offset of \(offset)") }
      lastMatch = content.count
      for _ in 0..<(try length(token & 15) + 4) { content.append(content[content.count - offset]) }
    }
  }

  /// A bit at a time, as the definition has it.
  static func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var state: UInt32 = .max
    for byte in bytes {
      state ^= UInt32(byte)
      for _ in 0..<8 { state = state >> 1 ^ (state & 1) * 0xEDB8_8320 }
    }
    return ~state
  }

  /// Reads little-endian numbers.
  struct Cursor {
    let source: [UInt8]
    var place: Int
    var end: Int
    var opcode: UInt8 = 0

    init(_ source: [UInt8], _ place: Int) {
      (self.source, self.place, end) = (source, place, source.count)
    }

    mutating func bytes(_ count: Int) throws -> [UInt8] {
      guard count >= 0, place >= 0, count <= end - place else {
        throw Fault("\(count) bytes at \(place)")
      }
      defer { place += count }
      return Array(source[place..<place + count])
    }

    /// The next record's content.
    mutating func record() throws -> Cursor {
      var record = self
      record.opcode = try u8()
      let count = Int(try u64())
      record.place = place
      _ = try bytes(count)
      record.end = place
      return record
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) throws -> Number {
      try bytes(MemoryLayout<Number>.size).reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func u8() throws -> UInt8 { try bytes(1)[0] }
    mutating func u16() throws -> UInt16 { try number(UInt16.self) }
    mutating func u32() throws -> UInt32 { try number(UInt32.self) }
    mutating func u64() throws -> UInt64 { try number(UInt64.self) }
    mutating func double() throws -> Double { Double(bitPattern: try u64()) }

    mutating func string() throws -> String {
      String(decoding: try bytes(Int(u32())), as: UTF8.self)
    }

    mutating func map() throws -> [String: String] {
      var map: [String: String] = [:]
      let end = Int(try u32()) + place
      while place < end { map[try string()] = try string() }
      return map
    }
  }
}

// Contents in CDR, decoded as its rules say: aligned from byte 4 on.
extension MCAPFile {
  struct Imu: Equatable {
    /// Orientation's, rates' and accelerations'.
    var covariances: [[Double]] = []
    var values: [Double] = []

    /// Decodes CDR as its rules say, aligned from byte 4 on.
    init(_ data: [UInt8]) throws {
      var cursor = Cursor(data, 4)
      _ = try (cursor.u32(), cursor.u32(), cursor.string())
      func doubles(_ count: Int) throws -> [Double] {
        cursor.place += (8 - (cursor.place - 4) % 8) % 8
        return try (0..<count).map { _ in try cursor.double() }
      }
      _ = try doubles(4)
      covariances.append(try doubles(9))
      let rates = try doubles(3)
      covariances.append(try doubles(9))
      values = try doubles(3) + rates
      covariances.append(try doubles(9))
      #expect(cursor.place == data.count)
    }
  }

  struct Line: Equatable {
    var time: UInt64
    var level: UInt8
    var name: String
    var text: String

    init(time: UInt64, level: UInt8, name: String, text: String) {
      (self.time, self.level, self.name, self.text) = (time, level, name, text)
    }

    init(_ message: Message) throws {
      var cursor = Cursor(message.data, 4)
      let stamp = UInt64(try cursor.u32()) * 1_000_000_000 + UInt64(try cursor.u32())
      #expect(stamp == message.time && stamp == message.published)
      (time, level) = (stamp, try cursor.u8())
      func string() throws -> String {
        cursor.place += (4 - cursor.place % 4) % 4
        return String(
          try #require(
            try cursor.string().split(
              separator: "\0", maxSplits: 1, omittingEmptySubsequences: false
            ).first))
      }
      (name, text) = (try string(), try string())
      #expect(try string() == "" && string() == "")
      cursor.place += (4 - cursor.place % 4) % 4
      #expect(try cursor.u32() == 0 && cursor.place == message.data.count)
    }
  }
}

extension MCAPFile {
  static func export(
    _ bytes: [UInt8], _ options: ExportOptions = ExportOptions(format: .mcap)
  ) throws -> (file: MCAPFile, report: Exporter.Report) {
    let (data, report) = try TestLog.data(bytes, options)
    return (try MCAPFile(data), report)
  }

  static func export(_ log: TestLog, _ channels: ExportChannels? = nil) throws -> MCAPFile {
    try export(log.bytes(), ExportOptions(format: .mcap, channels: channels)).file
  }
}
