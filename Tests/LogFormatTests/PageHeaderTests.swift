// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Testing

@Suite("A page header")
struct PageHeaderTests {
  private static let header = PageHeader(
    recording: 0xba28_4e1b, sequence: 0x0403_0201, firstTick: 0x1817_1615_1413_1211,
    firstTime: -2)

  private func encoded() -> [UInt8] {
    var page = [UInt8](repeating: 0, count: PageHeader.size)
    var header = PageHeaderTests.header
    page.withUnsafeMutableBytes { header.encode(into: $0) }
    return page
  }

  private func error(_ page: [UInt8]) -> FormatError.Reason? {
    do {
      _ = try page.withUnsafeBytes { try PageHeader(decoding: $0) }
      return nil
    } catch {
      return (error as? FormatError)?.reason
    }
  }

  @Test("has its fields at the places of the specification, little-endian")
  func layout() {
    let expected: [UInt8] = [
      0x89, 0x49, 0x4D, 0x01, 0x1B, 0x4E, 0x28, 0xBA, 1, 2, 3, 4,
      0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
      0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]
    #expect(Array(encoded().prefix(28)) == expected)
  }

  @Test("round-trips, and identifies the recording by the first bytes of its UUID")
  func roundTrip() throws {
    let page = encoded()
    let header = try page.withUnsafeBytes { try PageHeader(decoding: $0) }
    #expect(header.recording == PageHeader.tag(of: RecordingDescription.example.id))
    #expect(header.sequence == 0x0403_0201)
    #expect(header.firstTick == 0x1817_1615_1413_1211)
    #expect(header.firstTime == -2)
  }

  @Test("with any bit flipped is an error, and never a header")
  func flippedBits() {
    for bit in 0..<(8 * PageHeader.size) {
      var page = encoded()
      page[bit / 8] ^= 1 << (bit % 8)
      #expect(error(page) == (bit < 24 ? .notALog : .damagedPageHeader), "bit \(bit)")
    }
  }

  @Test("cut short, of zeros, or of a later version is distinguished")
  func otherErrors() {
    #expect(error([]) == .notWritten)
    #expect(error(Array(repeating: 0, count: 31)) == .notWritten)
    #expect(error(Array(repeating: 0, count: 4096)) == .notWritten)
    for count in 1..<PageHeader.size { #expect(error(Array(encoded().prefix(count))) == .cutShort) }
    #expect(error(Array(repeating: 0x5A, count: 4096)) == .notALog)
    var later = Array(encoded().prefix(28))
    later[3] = 2
    #expect(error(withCheck(later)) == .unsupportedVersion(2))
  }

  private func withCheck(_ bytes: [UInt8]) -> [UInt8] {
    // Feeding a CRC its own register makes it a number that a reader accepts: computed bit by bit.
    var state: UInt32 = .max
    for byte in bytes {
      state ^= UInt32(byte)
      for _ in 0..<8 { state = state >> 1 ^ (state & 1 == 1 ? 0x82F6_3B78 : 0) }
    }
    return bytes + (0..<4).map { UInt8(truncatingIfNeeded: ~state >> (8 * $0)) }
  }
}
