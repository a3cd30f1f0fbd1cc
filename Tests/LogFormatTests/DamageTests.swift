// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import TestSupport
import Testing

@Suite("A damaged log")
struct DamageTests {
  /// A log with a flush after each few events, and where its chunks end.
  private struct Log {
    let bytes: [UInt8]
    let content: LogContent
    /// For each chunk after the header: its page, where it ends in the log, and the items up to there.
    private(set) var ends: [(page: Int, end: Int, samples: Int, others: Int)] = []

    init(samples: UInt64) throws {
      var generator = SeededGenerator(seed: 7)
      var events: [LogEvent] = []
      for tick in 0..<samples {
        let wild = Int16.random(in: .min ... .max, using: &generator)
        events.append(.record(sample(tick, ax: wild, gz: wild / 2)))
        if tick % 17 == 3 { events.append(.flush) }
        if tick % 50 == 5 { events.append(.mark(Mark(time: Int64(tick), label: "here"))) }
        if tick % 60 == 9 {
          events.append(.record(TickRecord(Gap(firstTick: tick, count: 1, cause: .stale))))
        }
      }
      events.append(.end(.example))
      bytes = try encode(events)
      content = try LogContent(decoding: bytes)
      #expect(content == LogContent(of: events, .example))
      try findEnds()
    }

    /// Decodes the log up to the end of each chunk: the result must be a prefix of the whole.
    private mutating func findEnds() throws {
      var offset = 0
      var page = -1
      for chunk in TestPage.chunks(of: bytes) {
        if chunk.page != page {
          page = chunk.page
          offset = page * 4096 + PageHeader.size
        }
        offset += chunk.body.count + 6
        let part = LogContent(decoding: Array(bytes[..<offset]), .example)
        #expect(part.damage.isEmpty)
        ends.append((page, offset, part.samples.count, part.others.count))
      }
      #expect(ends.count > 5 && offset == bytes.count)
    }

    /// The content up to the last chunk that ends at or before `offset`.
    func found(before offset: Int) -> (samples: Int, others: Int) {
      let last = ends.last { $0.end <= offset }
      return (last?.samples ?? 0, last?.others ?? 0)
    }
  }

  /// One page with every byte and bit tried; two pages with a sample of them.
  private static let sizes: [(samples: UInt64, stride: Int)] = [(40, 1), (900, 11)]

  @Test(
    "cut at any byte yields everything before the cut chunk, and nothing else",
    arguments: sizes)
  func cutAnywhere(samples: UInt64, stride step: Int) throws {
    let log = try Log(samples: samples)
    for count in stride(from: 0, through: log.bytes.count, by: step) {
      let part = LogContent(decoding: Array(log.bytes[..<count]), .example)
      let (samples, others) = log.found(before: count)
      #expect(part.samples == Array(log.content.samples.prefix(samples)), "cut at \(count)")
      #expect(part.others == Array(log.content.others.prefix(others)), "cut at \(count)")
    }
  }

  @Test(
    "with any bit flipped loses that chunk and its followers in the page, and nothing else",
    arguments: sizes)
  func flipAnywhere(samples: UInt64, stride step: Int) throws {
    let log = try Log(samples: samples)
    for bit in stride(from: 0, to: 8 * log.bytes.count, by: step == 1 ? 1 : 8 * step + 1) {
      let byte = bit / 8
      var bytes = log.bytes
      bytes[byte] ^= 0x80 >> UInt8(bit % 8)
      let found = LogContent(decoding: bytes, .example)
      let before = log.found(before: byte)
      let after = log.found(before: (byte / 4096 + 1) * 4096)
      var samples = log.content.samples
      samples.removeSubrange(before.samples..<after.samples)
      var others = log.content.others
      others.removeSubrange(before.others..<after.others)
      #expect(found.samples == samples, "bit \(bit)")
      #expect(found.others == others, "bit \(bit)")
      #expect(found.damage.count == 1, "bit \(bit)")
    }
  }

  @Test("reports where the intact part of the damaged page ends")
  func offsetOfDamage() throws {
    var page = TestPage(.example, sequence: 1)
    page.add(kind: 3, [2, 0])
    let end = page.bytes.count
    page.add(kind: 3, [4, 0])
    var bytes = page.bytes
    bytes[end + 3] ^= 1
    var decoder = PageDecoder(.example)
    var block = SampleBlock()
    _ = try bytes.withUnsafeBytes { try decoder.begin(page: $0, sequence: 1) }
    #expect(decoder.offset == PageHeader.size)
    #expect(try decoder.next(into: &block) == .mark(Mark(time: 1)))
    #expect(throws: FormatError(.damagedChunk, offset: end)) { try decoder.next(into: &block) }
    #expect(decoder.offset == end)
    #expect(try decoder.next(into: &block) == nil)
  }
}
