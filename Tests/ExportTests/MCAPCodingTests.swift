// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Files
import LogStoreTesting
import TestSupport
import Testing

@testable import Export

@Suite("Frames of LZ4 and sums of CRC-32")
struct MCAPCodingTests {
  private func frame(_ bytes: [UInt8]) -> [UInt8] {
    LZ4Frame.encode(bytes)
  }

  @Test("a repeated word is one match, with the end of a block as literals")
  func repetition() {
    #expect(
      frame(Array(String(repeating: "abc", count: 8).utf8)) == [
        0x04, 0x22, 0x4D, 0x18, 0x60, 0x70, 0x73, 0x0C, 0x00, 0x00, 0x00, 0x3C, 0x61, 0x62, 0x63,
        0x03, 0x00, 0x50, 0x62, 0x63, 0x61, 0x62, 0x63, 0x00, 0x00, 0x00, 0x00,
      ])
  }

  @Test("a frame gives its content back, whatever its length and its repetitions")
  func lengths() throws {
    var generator = SeededGenerator(seed: 11)
    for count in Array(1...90) + [254, 255, 256, 269, 270, 271, 285, 524, 525, 4095, 65551] {
      for letters in [1, 2, 4, 256] as [UInt64] {
        let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() % letters) }
        let packed = frame(bytes)
        #expect(try MCAPFile.lz4(packed) == bytes, "\(count) bytes of \(letters)")
        #expect(packed.count <= count + 15)
      }
    }
  }

  @Test(
    "matches reach back 65 535 bytes and no further", arguments: [65_534, 65_535, 65_536, 65_537])
  func offsets(_ distance: Int) throws {
    var generator = SeededGenerator(seed: 12)
    let word = (0..<64).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    // Zeros between leave the table alone, so that nothing else limits the match.
    let bytes = word + [UInt8](repeating: 0, count: distance - 64) + word + [1, 2, 3, 4, 5, 6]
    let packed = frame(bytes)
    #expect(try MCAPFile.lz4(packed) == bytes)
    #expect((packed.count < 64 + 257 + 64) == (distance <= 65_535), "\(packed.count)")
  }

  @Test("literals and matches of many lengths are written whole")
  func runs() throws {
    var generator = SeededGenerator(seed: 13)
    var bytes: [UInt8] = []
    for literals in [0, 1, 14, 15, 16, 269, 270, 271, 600] {
      for match in [4, 5, 18, 19, 20, 272, 273, 274, 274, 1000] {
        bytes += (0..<literals).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: generator.next()), count: match)
      }
    }
    #expect(try MCAPFile.lz4(frame(bytes)) == bytes)
  }

  @Test("a match grows back to where it begins, and its end is found again")
  func growth() throws {
    // The four bytes before the last are in the table from the first match's end alone.
    var generator = SeededGenerator(seed: 15)
    let word = (0..<40).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let other = (0..<10).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let bytes = word + other + word + other.reversed() + word[30...] + [UInt8](1...12)
    #expect(try MCAPFile.lz4(frame(bytes)) == bytes)
    // Head and end 15, literals 40 + 10 + 10 + 12 with 4 bytes for their tokens and lengths, and two matches.
    #expect(frame(bytes).count <= 15 + 72 + 4 + 2 * 5)
  }

  @Test("a match begins in the twelfth byte from the end, and none after it", arguments: [4, 5])
  func lastMatch(literals: Int) throws {
    var generator = SeededGenerator(seed: 16)
    let word = (0..<16).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let bytes = word + word.prefix(7) + (0..<literals).map { UInt8($0) }
    #expect(try MCAPFile.lz4(frame(bytes)) == bytes)
    // Two tokens, a length and an offset are 5 bytes for the 7 of the match; without it all is stored.
    #expect(frame(bytes).count == 15 + bytes.count - (literals == 5 ? 2 : 0))
  }

  @Test("what cannot be compressed is stored")
  func stored() throws {
    var generator = SeededGenerator(seed: 14)
    let bytes = (0..<3000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let packed = frame(bytes)
    #expect(packed.count == 3000 + 15)
    #expect(packed[7..<11].elementsEqual([0xB8, 0x0B, 0x00, 0x80]))
    #expect(try MCAPFile.lz4(packed) == bytes)
  }

  #if compiler(>=6.2)
    @Test("nothing, and more than a frame holds, trap")
    func trapsBeyondLimits() async {
      await #expect(processExitsWith: .failure) {
        _ = LZ4Frame.encode([])
      }
      await #expect(processExitsWith: .failure) {
        _ = LZ4Frame.encode([UInt8](repeating: 0, count: 4 * 1024 * 1024 + 1))
      }
    }
  #endif

  @Test("the sum is zlib's, in any pieces")
  func sums() {
    func sum(_ parts: [[UInt8]]) -> UInt32 {
      var sum = CRC32()
      for part in parts { sum.add(part) }
      return sum.value
    }
    #expect(sum([Array("123456789".utf8)]) == 0xCBF4_3926)
    #expect(sum([]) == 0)
    let bytes = (0..<400).map { UInt8($0 * 37 & 255) }
    for cut in 0...400 {
      #expect(sum([Array(bytes[..<cut]), Array(bytes[cut...])]) == MCAPFile.crc(bytes[...]))
    }
  }

  @Test("the sum is the same by instruction and by table for all lengths and alignments")
  func instructionEqualsTable() {
    let bytes = (0..<230).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
    bytes.withUnsafeBytes { buffer in
      for start in 0..<17 {
        for count in 0...(buffer.count - start) {
          let part = UnsafeRawBufferPointer(rebasing: buffer[start..<(start + count)])
          #expect(
            imulog_crc32(0xDEAD_BEEF, part.baseAddress, count)
              == imulog_crc32_portable(0xDEAD_BEEF, part.baseAddress, count))
        }
      }
    }
  }
}
