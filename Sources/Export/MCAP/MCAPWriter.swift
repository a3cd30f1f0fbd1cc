// SPDX-License-Identifier: Apache-2.0

/// Makes a file of MCAP as its readers want it: messages in compressed chunks, indexes of them, and a summary;
/// <https://mcap.dev/spec>.
///
///     magic │ Header │ (Chunk │ MessageIndex…)… │ Metadata… │ DataEnd │
///     Schema… │ Channel… │ Statistics │ ChunkIndex… │ MetadataIndex… │ SummaryOffset… │ Footer │ magic
///
/// Schema and channel are in the chunk of a topic's first message, and again in the summary. Memory is some chunks, and
/// 95 bytes for each one made: chunks become larger when there are many, so that ten million messages need 0.6 MB of
/// these and a thousand million 19 MB, once more while the summary is made.
struct MCAPWriter {
  /// Where messages of one layout are found.
  struct Topic {
    let name: String
    /// The layout's name, and its definition in ROS 2's language of messages.
    let schema: (name: String, definition: String)
  }

  /// How large chunks are before they are compressed.
  struct ChunkSizes {
    /// Bytes of the first ones.
    var first = 512 * 1024
    /// How many there are of a size before it doubles.
    var countOfEach = 16384
    /// How often it doubles.
    var doublings = 3
  }

  private struct Channel {
    let topic: Topic
    var count: UInt64 = 0
    /// Of each message in the chunk the time and the place, in the file's order of bytes.
    var index: [UInt64] = []
  }

  /// Bytes that were made and not yet taken.
  private var output = MCAPRecords()
  /// Bytes that were taken.
  private var taken: UInt64 = 0
  private var lz4 = LZ4Frame()
  private let sizes: ChunkSizes
  private var room: Int
  private var chunk: [UInt8] = []
  /// Times of the messages in the chunk, and of all.
  private var times: ClosedRange<UInt64>?
  private var allTimes: ClosedRange<UInt64>?
  private var channels: [Channel]
  private var (chunkCount, metadataCount): (UInt32, UInt32) = (0, 0)
  /// The summary's groups.
  private var (schemas, topics) = (MCAPRecords(), MCAPRecords())
  private var (chunkIndexes, metadataIndexes) = (MCAPRecords(), MCAPRecords())

  private static let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]

  /// A writer of messages with these topics, which are numbered from 1 in their order.
  init(_ topics: [Topic], profile: String, library: String, _ sizes: ChunkSizes = ChunkSizes()) {
    self.sizes = sizes
    room = sizes.first
    chunk.reserveCapacity(room)
    channels = topics.map { Channel(topic: $0) }
    output.put(MCAPWriter.magic)
    output.put(
      MCAPRecords(.header) {
        $0.put(profile)
        $0.put(library)
      })
  }

  /// Whether ``take()`` gives something.
  var hasOutput: Bool { output.count > 0 }

  /// The bytes made since the last call.
  mutating func take() -> [UInt8] {
    defer { output.removeAll() }
    taken += UInt64(output.count)
    return output.bytes
  }

  private var offset: UInt64 { taken + UInt64(output.count) }

  /// Adds a whole message record, whose times and channel are the same.
  mutating func add(_ message: [UInt8], of channel: Int, at time: UInt64) {
    if channels[channel].count == 0 { declare(channel) }
    if room - chunk.count < message.count { endChunk() }
    channels[channel].index.append(time.littleEndian)
    channels[channel].index.append(UInt64(chunk.count).littleEndian)
    channels[channel].count += 1
    chunk += message
    times = times.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
  }

  /// Adds a record of names and texts.
  mutating func add(metadata name: String, _ texts: [(name: String, text: String)]) {
    endChunk()
    let begin = offset
    output.put(
      MCAPRecords(.metadata) {
        $0.put(name)
        $0.putSized {
          for (name, text) in texts {
            $0.put(name)
            $0.put(text)
          }
        }
      })
    metadataIndexes.put(
      MCAPRecords(.metadataIndex) {
        $0.put(begin)
        $0.put(offset - begin)
        $0.put(name)
      })
    metadataCount += 1
  }

  /// Makes everything after the messages; nothing may follow.
  mutating func finish() {
    // Programs list the topic of an empty recording, too.
    if channels[0].count == 0 { declare(0) }
    endChunk()
    // No sum of all data: chunks and summary have theirs, and reading everything again takes a twentieth more time.
    output.put(MCAPRecords(.dataEnd) { $0.put(0 as UInt32) })
    var (summarySum, start) = (CRC32(), offset)
    var groups = MCAPRecords()
    let summaryStart = start
    for (opcode, records) in [
      (.schema, schemas), (.channel, topics), (.statistics, statistics),
      (.chunkIndex, chunkIndexes), (.metadataIndex, metadataIndexes),
    ] as [(MCAPRecords.Opcode, MCAPRecords)] where records.count > 0 {
      groups.put(
        MCAPRecords(.summaryOffset) {
          $0.put(opcode.rawValue)
          $0.put(start)
          $0.put(UInt64(records.count))
        })
      start += UInt64(records.count)
      summarySum.add(records.bytes)
      output.put(records)
    }
    groups.put(MCAPRecords.Opcode.footer.rawValue)
    groups.put(20 as UInt64)
    groups.put(summaryStart)
    groups.put(start)
    summarySum.add(groups.bytes)
    groups.put(summarySum.value)
    output.put(groups)
    output.put(MCAPWriter.magic)
  }

  private var statistics: MCAPRecords {
    let used = channels.indices.filter { $0 == 0 || channels[$0].count > 0 }
    return MCAPRecords(.statistics) {
      $0.put(channels.reduce(0) { $0 + $1.count })
      $0.put(UInt16(used.count))
      $0.put(UInt32(used.count))
      $0.put(0 as UInt32)
      $0.put(metadataCount)
      $0.put(chunkCount)
      $0.put(allTimes?.lowerBound ?? 0)
      $0.put(allTimes?.upperBound ?? 0)
      $0.putSized {
        for channel in used {
          $0.put(UInt16(channel + 1))
          $0.put(channels[channel].count)
        }
      }
    }
  }

  /// Puts a topic and its schema into the chunk, and into the summary.
  private mutating func declare(_ channel: Int) {
    let topic = channels[channel].topic
    let id = UInt16(channel + 1)
    let schema = MCAPRecords(.schema) {
      $0.put(id)
      $0.put(topic.schema.name)
      $0.put("ros2msg")
      $0.put(topic.schema.definition)
    }
    let description = MCAPRecords(.channel) {
      $0.put(id)
      $0.put(id)
      $0.put(topic.name)
      $0.put("cdr")
      $0.putSized { _ in }
    }
    if room - chunk.count < schema.count + description.count { endChunk() }
    chunk += schema.bytes + description.bytes
    schemas.put(schema)
    topics.put(description)
  }

  /// Makes a record of the chunk, if anything is in it, and the indexes of its messages.
  private mutating func endChunk() {
    guard !chunk.isEmpty else { return }
    var contentSum = CRC32()
    contentSum.add(chunk)
    let packed = lz4.encode(chunk)
    let (start, ends) = (offset, times ?? 0...0)
    output.put(
      MCAPRecords(.chunk) {
        $0.put(ends.lowerBound)
        $0.put(ends.upperBound)
        $0.put(UInt64(chunk.count))
        $0.put(contentSum.value)
        $0.put("lz4")
        $0.put(UInt64(packed.count))
        $0.put(packed)
      })
    let length = offset - start
    var places = MCAPRecords()
    for channel in channels.indices where !channels[channel].index.isEmpty {
      places.put(UInt16(channel + 1))
      places.put(offset)
      output.put(
        MCAPRecords(.messageIndex) {
          $0.put(UInt16(channel + 1))
          $0.putSized { $0.put(littleEndian: channels[channel].index) }
        })
      channels[channel].index.removeAll(keepingCapacity: true)
    }
    chunkIndexes.put(
      MCAPRecords(.chunkIndex) {
        $0.put(ends.lowerBound)
        $0.put(ends.upperBound)
        $0.put(start)
        $0.put(length)
        $0.putSized { $0.put(places) }
        $0.put(offset - start - length)
        $0.put("lz4")
        $0.put(UInt64(packed.count))
        $0.put(UInt64(chunk.count))
      })
    if let times {
      let all = allTimes ?? times
      allTimes =
        min(all.lowerBound, times.lowerBound)...max(all.upperBound, times.upperBound)
    }
    chunkCount += 1
    times = nil
    chunk.removeAll(keepingCapacity: true)
    room = sizes.first << min(Int(chunkCount) / sizes.countOfEach, sizes.doublings)
  }
}
