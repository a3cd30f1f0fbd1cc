// SPDX-License-Identifier: Apache-2.0

import Files

/// Makes a file of MCAP as its readers want it: messages of ROS 2 in compressed chunks, indexes of them, and a summary;
/// <https://mcap.dev/spec>.
///
///     magic │ Header │ (Chunk │ MessageIndex…)… │ Metadata… │ DataEnd │
///     Schema… │ Channel… │ Statistics │ ChunkIndex… │ MetadataIndex… │ SummaryOffset… │ Footer │ magic
///
/// Schema and channel come before a topic's first message, and again in the summary. Memory is some chunks, and about 96
/// bytes for each one made: chunks become larger when there are many, so that ten million messages need 0.6 MB of these
/// and a thousand million 11 MB, once more while the summary is made.
struct MCAPWriter {
  /// Bytes that were made and not yet taken.
  private var output: [UInt8]
  /// Bytes that were taken.
  private var taken: UInt64 = 0
  private var chunk: [UInt8] = []
  /// The times of the chunk's messages, and of all.
  private var (times, allTimes) = (MCAPTimes(), MCAPTimes())
  /// The sensor of a take whose messages are added, and its first place among the topics of all.
  private var sensor: String?
  private var base = 0
  private var frame = ROSContent.frame("imu")
  /// The messages so far, by topic.
  private var counts = ROSTopic.allCases.map { _ in 0 as UInt64 }
  /// By topic, the time and the place of each message in the chunk, in the file's order of bytes.
  private var indexes = ROSTopic.allCases.map { _ in [UInt64]() }
  private var chunkCount: UInt32 = 0
  /// The summary's records, by their kind.
  private var summary: [MCAPRecord: [UInt8]] = [:]

  private static let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]

  init(library: String) {
    output = MCAPWriter.magic + MCAPRecord.header.bytes(.text("ros2"), .text(library))
  }

  /// What is added from now on is of another sensor of a take, or of its first.
  mutating func begin(sensor name: String) {
    if sensor != nil {
      declareIMU()
      base = counts.count
      counts += ROSTopic.allCases.map { _ in 0 }
      indexes += ROSTopic.allCases.map { _ in [] }
    }
    (sensor, frame) = (name, ROSContent.frame(name))
  }

  /// Programs list the topic of an empty recording, too.
  private mutating func declareIMU() { if counts[place(of: .imu)] == 0 { declare(.imu) } }

  private func place(of topic: ROSTopic) -> Int { base + topic.rawValue }

  /// The number in the file of a topic at a place.
  private static func number(_ place: Int) -> UInt16 { UInt16(place + 1) }

  /// The most bytes of a chunk before it is compressed, after so many chunks.
  static func chunkSize(after count: UInt32) -> Int {
    512 * 1024 << min(count / 16384, 3)
  }

  /// The bytes made since the last call.
  mutating func take() -> [UInt8] {
    defer { (taken, output) = (offset, []) }
    return output
  }

  private var offset: UInt64 { taken + UInt64(output.count) }

  /// Adds a message.
  ///
  /// - Parameters:
  ///   - time: Nanoseconds since 1970, of at most 32 bits of seconds: the message's, and its stamp.
  ///   - published: When it was published; `nil` for that time, too.
  ///   - content: What follows the stamp and the frame.
  mutating func add<Word: BitwiseCopyable>(
    _ topic: ROSTopic, _ sequence: UInt32, at time: UInt64, publishedAt published: UInt64? = nil,
    _ content: [Word]
  ) {
    let place = place(of: topic)
    if counts[place] == 0 { declare(topic) }
    let size = content.count * MemoryLayout<Word>.stride
    let length = 34 + (topic.hasFrame ? frame.count : 0) + size
    makeRoom(9 + length)
    indexes[place].append(time.littleEndian)
    indexes[place].append(UInt64(chunk.count).littleEndian)
    counts[place] += 1
    times.add(time)
    allTimes.add(time)
    chunk.append(MCAPRecord.message.rawValue)
    chunk.append(littleEndian: UInt64(length))
    chunk.append(littleEndian: MCAPWriter.number(place))
    chunk.append(littleEndian: sequence)
    chunk.append(littleEndian: time)
    chunk.append(littleEndian: published ?? time)
    // CDR's sign of little-endian, and the stamp.
    let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
    chunk.append(littleEndian: 0x0000_0100 as UInt32)
    chunk.append(littleEndian: rest << 32 | seconds)
    if topic.hasFrame { chunk += frame }
    content.withUnsafeBytes { chunk.append(contentsOf: $0) }
  }

  /// Makes everything after the messages, with a record of names and texts; nothing may follow.
  mutating func finish(metadata name: String, _ texts: [(name: String, text: String)]) {
    declareIMU()
    endChunk()
    let map = texts.flatMap { .text($0.name) + .text($0.text) }
    let metadata = MCAPRecord.metadata.bytes(.text(name), .list(map))
    summary[.metadataIndex] = MCAPRecord.metadataIndex.bytes(
      .number(offset), .number(UInt64(metadata.count)), .text(name))
    output += metadata
    // No sum of all data: chunks and summary have theirs, and reading everything again takes a twentieth more time.
    output += MCAPRecord.dataEnd.bytes(.number(0 as UInt32))
    let topics = ROSTopic.allCases.count
    let used = counts.indices.filter { $0 % topics == ROSTopic.imu.rawValue || counts[$0] > 0 }
    let ofTopics = used.flatMap { .number(MCAPWriter.number($0)) + .number(counts[$0]) }
    summary[.statistics] = MCAPRecord.statistics.bytes(
      .number(counts.reduce(0, +)), .number(UInt16(used.count)),
      .number(UInt32(used.count)), .number(0 as UInt32), .number(1 as UInt32),
      .number(chunkCount), allTimes.fields, .list(ofTopics))
    let start = offset
    var (sum, ending) = (CRC32(), [UInt8]())
    for kind in [.schema, .channel, .statistics, .chunkIndex, .metadataIndex] as [MCAPRecord] {
      guard let group = summary[kind] else { continue }
      ending += MCAPRecord.summaryOffset.bytes(
        .number(kind.rawValue), .number(offset), .number(UInt64(group.count)))
      sum.add(group)
      output += group
    }
    // The sum is of all before it.
    let footer = MCAPRecord.footer.bytes(.number(start), .number(offset), .number(0 as UInt32))
    ending += footer.dropLast(4)
    sum.add(ending)
    ending.append(littleEndian: sum.value)
    output += ending + MCAPWriter.magic
  }

  /// Puts a topic and its schema into the chunk, and into the summary.
  private mutating func declare(_ topic: ROSTopic) {
    let (id, layout) = ([UInt8].number(MCAPWriter.number(place(of: topic))), topic.layout)
    let definition = layout.parts.joined(separator: ROSTopic.separator) + "\n"
    let schema = MCAPRecord.schema.bytes(
      id, .text(layout.name), .text("ros2msg"), .text(definition))
    let channel = MCAPRecord.channel.bytes(
      id, id, .text(topic.name(of: sensor)), .text("cdr"), .list([]))
    makeRoom(schema.count + channel.count)
    chunk += schema + channel
    summary[.schema, default: []] += schema
    summary[.channel, default: []] += channel
  }

  private mutating func makeRoom(_ count: Int) {
    if chunk.count + count > MCAPWriter.chunkSize(after: chunkCount) { endChunk() }
  }

  /// Makes a record of the chunk, if anything is in it, and the indexes of its messages.
  private mutating func endChunk() {
    guard !chunk.isEmpty else { return }
    let sum = CRC32(chunk)
    let packed = LZ4Frame.encode(chunk)
    let (size, packedSize) = (UInt64(chunk.count), UInt64(packed.count))
    let start = offset
    output += MCAPRecord.chunk.bytes(
      times.fields, .number(size), .number(sum.value), .text("lz4"), .number(packedSize), packed)
    let end = offset
    var places: [UInt8] = []
    for place in indexes.indices where !indexes[place].isEmpty {
      let number = [UInt8].number(MCAPWriter.number(place))
      places += number + .number(offset)
      let index = indexes[place].withUnsafeBytes { Array($0) }
      output += MCAPRecord.messageIndex.bytes(number, .list(index))
      indexes[place].removeAll(keepingCapacity: true)
    }
    summary[.chunkIndex, default: []] += MCAPRecord.chunkIndex.bytes(
      times.fields, .number(start), .number(end - start), .list(places), .number(offset - end),
      .text("lz4"), .number(packedSize), .number(size))
    times = MCAPTimes()
    chunk.removeAll(keepingCapacity: true)
    chunkCount += 1
  }
}

private enum MCAPRecord: UInt8 {
  case header = 0x01
  case footer, schema, channel, message, chunk, messageIndex, chunkIndex
  case statistics = 0x0B
  case metadata, metadataIndex, summaryOffset, dataEnd

  /// A record of this kind: the length of the fields in 8 bytes, and the fields.
  func bytes(_ fields: [UInt8]...) -> [UInt8] {
    let length = fields.reduce(0) { $0 + $1.count }
    return fields.reduce(into: [rawValue] + .number(UInt64(length))) { $0 += $1 }
  }
}

/// The first time and the last one of messages; 0 of none.
private struct MCAPTimes {
  private var (first, last) = (UInt64.max, UInt64.min)

  mutating func add(_ time: UInt64) { (first, last) = (min(first, time), max(last, time)) }

  var fields: [UInt8] { .number(min(first, last)) + .number(last) }
}

extension [UInt8] {
  /// The lowest byte first.
  fileprivate static func number(_ value: some FixedWidthInteger) -> [UInt8] {
    Swift.withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  /// An array or a map: its length in bytes, and its elements.
  fileprivate static func list(_ elements: [UInt8]) -> [UInt8] {
    number(UInt32(elements.count)) + elements
  }

  fileprivate static func text(_ text: String) -> [UInt8] { list(Array(text.utf8)) }
}
