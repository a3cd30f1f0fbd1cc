// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Testing

/// Pages put together by hand from the specification, bit by bit, without the encoder.
@Suite("A page made by hand")
struct HandmadePageTests {
  private var description: RecordingDescription {
    var description = RecordingDescription.example
    description.id = RecordingID(high: 0x0102_0304_0000_0000, low: 0)
    description.channels = ChannelSet(rawValue: 1)
    description.timeUnit = 1_000_000
    return description
  }

  /// The specification's example.
  private let example: [UInt8] = [
    0x89, 0x49, 0x4d, 0x01, 0x01, 0x02, 0x03, 0x04, 0x01, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x80, 0xbd, 0x51, 0x2a, 0x00, 0x00, 0x00, 0x00, 0xc1, 0xf3, 0xbc, 0x8c,
    0x08, 0x10, 0x00, 0x60, 0x00, 0xcd, 0x00, 0x32, 0x02, 0x8b, 0x89, 0x76, 0x3e, 0x8c,
  ]

  /// The samples of a page with the given sequence, as (tick, milliseconds, ax).
  private func samples(_ page: [UInt8], sequence: UInt32) throws -> [[Int64]] {
    var decoder = PageDecoder(description)
    var block = SampleBlock()
    _ = try page.withUnsafeBytes { try decoder.begin(page: $0, sequence: sequence) }
    var samples: [[Int64]] = []
    while let record = try decoder.next(into: &block) {
      guard record == .samples else { continue }
      for index in 0..<block.count {
        let (tick, time, sample) = block[index]
        samples.append([Int64(tick), time / 1_000_000, Int64(sample.ax)])
      }
    }
    return samples
  }

  /// A page with one samples chunk of these bits.
  private func samples(_ bits: String) throws -> [[Int64]] {
    var page = TestPage(description, sequence: 0)
    page.add(kind: 1, bytes(bits))
    return try samples(page.bytes, sequence: 0)
  }

  private func bytes(_ bits: String) -> [UInt8] {
    HandmadeLog.Chunk(kind: 1, body: bits, length: nil, times: nil).bytes
  }

  @Test("as in the specification gives the specified samples")
  func specificationExample() throws {
    #expect(
      try samples(example, sequence: 1)
        == [[7, 710, 100], [8, 811, 101], [9, 911, 103], [10, 1010, 102]])
  }

  @Test("with constants, an offset tick, steps and a repeat")
  func ticksAndRepeats() throws {
    let found = try samples(
      // 3 samples; offset of 2 (w = 2), steps with k = 0: 0 and 3 ticks skipped; the third is a repeat.
      "0 0000000010 1 1 1 00  000001 10  000000 1 0001  001"
        // Times: constant, a value of its own: 4. ax: constant, a value of its own: −2.
        + "1 0000 1" + String(repeating: "0", count: 61) + "100"
        + "1 0000 1 1111111111111110")
    #expect(found == [[2, 204, -2], [3, 304, -2], [7, 704, -2]])
  }

  @Test("with every fixed order, wasted bits, an offset, an escape and a written parameter index")
  func predictors() throws {
    // Times are constant at the value from the page header, 0.
    let times = "1 0000 0"
    // Order 0, offset 3 (folded 6 in 3 bits), k = 0 (index 1, difference −4): first 10, residuals 1, −1.
    #expect(
      try samples(
        "0 0000000010 000 00" + times + "1 0001 0 1 0010 110 0000000000001010 00000001 001 01"
      )
      .map { $0[2] } == [10, 4, 2])
    // Order 2, wasted bits 1: 10, then 1 step of order 1, then of order 2; values are halved: 5, 7, 8.
    #expect(
      try samples(
        "0 0000000010 000 00" + times + "1 0011 1 0001 0 0000000000001010 00000001 00001 01"
      )
      .map { $0[2] } == [10, 14, 16])
    // Order 3: 1, 1 + 1, 2·2 − 1 + 1 = 4, 3·4 − 3·2 + 1 + 0 = 7.
    #expect(
      try samples("0 0000000011 000 00" + times + "1 0100 0 0 0000000000000001 00000001 001 001 1")
        .map { $0[2] } == [1, 2, 4, 7])
    // Order 1, index 16 written after 15 zeros (k = 15), an escape: code 65535 is −32768.
    #expect(
      try samples(
        "0 0000000010 000 00" + times + "0 0000000000000001 000000000000000 0010000"
          + "1 000000000000010" + "00000000000000000000 1111111111111111"
      ).map { $0[2] } == [1, 2, -32766])
  }

  @Test("with as many samples as fit gives them all, block by block")
  func largestPage() throws {
    var page = TestPage(description, sequence: 1)
    // 1024 samples, all constant: times as before the page, ax at −1. Then the same in five bits a chunk.
    page.add(kind: 1, bytes("0 1111111111 000 00 1 0000 0 1 0000 1 1111111111111111"))
    while page.bytes.count + 7 <= 4096 { page.add(kind: 1, [0b1000_0000]) }
    var decoder = PageDecoder(description)
    var block = SampleBlock()
    _ = try page.bytes.withUnsafeBytes { try decoder.begin(page: $0, sequence: 1) }
    var (count, next) = (0, UInt64(0))
    while try decoder.next(into: &block) == .samples {
      let isInOrder = block.ticks.first == next
      #expect(isInOrder)
      count += block.count
      next += UInt64(block.count)
    }
    #expect(count == 579 * 1024)
  }

  @Test("with a linear predictor")
  func linear() throws {
    // Order 2, weights 3 and −1 in 3 bits, shift 1. 8; order 1 while one is known: 8 + 2 = 10;
    // (3·10 − 8) >> 1 = 11, + 0; (3·11 − 10) >> 1 = 11, − 1.
    #expect(
      try samples(
        "0 0000000011 000 00 1 0000 0" + "1 0110 0 0 0010 0001 011 111"
          + "0000000000001000 00000001 00001 1 01"
      ).map { $0[2] } == [8, 10, 11, 10])
  }

  @Test(
    "that breaks a rule is refused though its check is right",
    arguments: [
      ("as before, and nothing was", "1 0 0000000"),
      ("reserved bits", "0 0000000000 000 01 1 0000 0 1 0000 1 0000000000000001"),
      ("an unknown method", "0 0000000000 000 00 1 1101 0 0 0000"),
      ("a linear predictor of times", "0 0000000000 000 00 1 0101 0 0 0000 0000 0"),
      ("a lattice of times", "0 0000000000 000 00 1 0010 1 000000 00000 000001 000000 0"),
      (
        "a lattice with a step below 1",
        "0 0000000000 000 00 1 0000 0 1 0010 1 0000 00001 0000001 0000000 0"
      ),
      (
        "a lattice with 25 bits of fraction",
        "0 0000000000 000 00 1 0000 0 1 0010 1 0000 11001 1" + String(repeating: "0", count: 60)
      ),
      ("a repeat of nothing", "0 0000000000 001 00 1"),
      ("a constant like nothing", "0 0000000000 000 00 1 0000 0 1 0000 0"),
      ("a parameter index below 0", "0 0000000000 000 00 0 000000000001 1"),
      ("a parameter index above 64", "0 0000000000 000 00 0 000000000000000 1000001 1"),
      ("weights of 13 bits", "0 0000000000 000 00 1 0000 0 1 0101 0 0 1100 0000 0000000000000"),
      ("a tick of 2⁶³", "0 0000000000 100 00 111111 1" + String(repeating: "0", count: 63)),
      ("a body of one byte", "0 0000000"),
      ("partitions of an unknown length", "0 0000010001 000 00 0 111"),
    ])
  func refused(what: String, bits: String) {
    // Zeros after it, so that nothing is refused for want of bits; they are readable as values.
    let zeros = bits.count < 10 ? "" : String(repeating: "0", count: 400)
    #expect(throws: FormatError.self, "\(what)") { try samples(bits + zeros) }
  }
}
