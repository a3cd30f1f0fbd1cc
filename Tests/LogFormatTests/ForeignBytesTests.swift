// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import TestSupport
import Testing

@Suite("Bytes that are not of this log are never data")
struct ForeignBytesTests {
  private func reason(_ page: [UInt8], sequence: UInt32 = 5) -> FormatError.Reason? {
    var decoder = PageDecoder(.example)
    do {
      _ = try page.withUnsafeBytes { try decoder.begin(page: $0, sequence: sequence) }
      return nil
    } catch {
      return (error as? FormatError)?.reason
    }
  }

  @Test("zeros, garbage, and pages of another recording or place are distinguished")
  func wholePages() {
    #expect(reason(Array(repeating: 0, count: 4096)) == .notWritten)
    #expect(reason(Array(repeating: 0xFF, count: 4096)) == .notALog)
    var other = RecordingDescription.example
    other.id = RecordingID(high: 1 << 32, low: 0)
    #expect(reason(TestPage(other, sequence: 5).bytes) == .otherRecording)
    #expect(reason(TestPage(.example, sequence: 4).bytes) == .misplaced(found: 4))
    #expect(reason(TestPage(.example, sequence: 5).bytes) == nil)
  }

  @Test("a chunk is valid only after the chunks that it was written after")
  func movedChunks() throws {
    let log = try encode([
      .mark(Mark(time: 1)), .mark(Mark(time: 2)), .mark(Mark(time: 3)),
    ])
    let header = try encodeHeader(.example).count
    // Three marks of the same length; the second one is taken out, so that the third moves up.
    let size = (log.count - header) / 3
    let moved = Array(log[..<(header + size)] + log[(header + 2 * size)...])
    let content = LogContent(decoding: moved, .example)
    #expect(content.others == [.mark(Mark(time: 1))])
    #expect(content.damage.map(\.reason) == [.damagedChunk])
  }

  @Test("bytes after the last chunk of a page are damage, not data")
  func bytesBehindLastChunk() {
    var page = TestPage(.example, sequence: 0)
    page.add(kind: 3, [2, 0])
    let zeros = [UInt8](repeating: 0, count: 4096 - page.bytes.count)
    #expect(LogContent(decoding: page.bytes + zeros, .example).damage.isEmpty)
    for offset in [0, 1, 2, 3, 100, zeros.count - 1] {
      var bytes = page.bytes + zeros
      bytes[page.bytes.count + offset] = 1
      let content = LogContent(decoding: bytes, .example)
      #expect(content.others == [.mark(Mark(time: 1))])
      #expect(content.damage.count == 1, "offset \(offset)")
    }
  }

  @Test(
    "every body that is cut short is refused though its check is right",
    arguments: 0..<12 as Range<UInt64>)
  func cutBodies(seed: UInt64) throws {
    let recording = RandomRecording(seed: seed)
    let events =
      recording.events.filter { $0 != .end(.example) } + [
        .record(TickRecord(Gap(firstTick: 1 << 50, count: 300, cause: .busError, code: 121))),
        .mark(Mark(time: 1 << 40, label: "label")), .end(.example),
      ]
    // What is carried over from chunk to chunk must be right, so all chunks before stay in the page.
    var before = TestPage(recording.description, sequence: 0)
    var found = LogContent(decoding: before.bytes, recording.description)
    for chunk in TestPage.chunks(of: try encode(events, recording.description)).prefix(60) {
      guard chunk.page == 0 else { break }
      for count in stride(from: 0, to: chunk.body.count, by: chunk.body.count / 9 + 1) {
        guard chunk.kind != 7 else { continue }
        var page = before
        page.add(kind: chunk.kind, Array(chunk.body.prefix(count)))
        let content = LogContent(decoding: page.bytes, recording.description)
        #expect(content.samples == found.samples && content.others == found.others)
        #expect(content.damage.count == 1, "kind \(chunk.kind), \(count) bytes")
      }
      before.add(kind: chunk.kind, chunk.body)
      found = LogContent(decoding: before.bytes, recording.description)
      #expect(found.damage.isEmpty)
    }
  }

  @Test("a gap that ends beyond tick 2⁶³, and counts that overflow, are damage")
  func outOfRange() {
    // Varints of 2⁶³ and of 2⁶⁰.
    let half = [UInt8](repeating: 0x80, count: 9) + [1]
    let large = [UInt8](repeating: 0x80, count: 8) + [0x10]
    let bodies: [(kind: UInt8, body: [UInt8])] = [
      (2, [1, 2] + half + [1, 0]), (5, half + [1, 0]), (6, [1] + large + [0, 0, 0, 0, 0, 0, 0, 0]),
      (3, half + [0x80, 0x80]), (2, [1, 2] + [UInt8](repeating: 0xFF, count: 10) + [1, 1, 0]),
    ]
    for (kind, body) in bodies {
      var page = TestPage(.example, sequence: 0)
      page.add(kind: kind, body)
      let content = LogContent(decoding: page.bytes, .example)
      #expect(content.others.isEmpty && content.damage.count == 1, "kind \(kind)")
    }
    var page = TestPage(.example, sequence: 0)
    page.add(kind: 2, [1, 0] + half + [1, 0])
    let whole = Gap(firstTick: 0, count: 1 << 63, cause: .missed)
    #expect(LogContent(decoding: page.bytes, .example).others == [.gap(whole)])
  }

  @Test("random bodies with right checks trap nowhere", arguments: 0..<3000 as Range<UInt64>)
  func garbageBodies(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var page = TestPage(
      .example, sequence: 0,
      firstTick: generator.next() >> UInt64.random(in: 0..<64, using: &generator),
      firstTime: Int64(bitPattern: generator.next()))
    while page.bytes.count < 3000 {
      let count = Int.random(in: 0...60, using: &generator)
      // Few bits set make long codes, many make short ones.
      let density = UInt8.random(in: .min ... .max, using: &generator)
      let body = (0..<count).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
          & (Bool.random(using: &generator) ? density : .max)
      }
      page.add(kind: UInt8.random(in: 1...6, using: &generator), body)
    }
    let content = LogContent(decoding: page.bytes, .example)
    #expect(content.samples.allSatisfy { $0.tick < 1 << 63 }, "seed \(seed)")
    #expect(content.gaps.allSatisfy { $0.firstTick <= (1 << 63) - $0.count }, "seed \(seed)")
  }
}
