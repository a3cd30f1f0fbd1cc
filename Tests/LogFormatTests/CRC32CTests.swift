// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Testing

@Suite("CRC-32C")
struct CRC32CTests {
  @Test("has the check value of the standard, by instruction and by table")
  func checkValue() {
    let digits = Array("123456789".utf8)
    #expect(imulog_crc32c(0, digits, digits.count) == 0xE306_9283)
    #expect(imulog_crc32c_portable(0, digits, digits.count) == 0xE306_9283)
  }

  @Test("is the same by instruction and by table for all lengths and alignments")
  func instructionEqualsTable() {
    let bytes = (0..<80).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
    bytes.withUnsafeBytes { buffer in
      for start in 0..<8 {
        for count in 0...(buffer.count - start) {
          let piece = UnsafeRawBufferPointer(rebasing: buffer[start..<(start + count)])
          #expect(
            imulog_crc32c(0xDEAD_BEEF, piece.baseAddress, count)
              == imulog_crc32c_portable(0xDEAD_BEEF, piece.baseAddress, count))
        }
      }
    }
  }

  @Test("of nothing is the previous value")
  func nothing() {
    #expect(imulog_crc32c(7, nil, 0) == 7)
    #expect(imulog_crc32c_portable(7, nil, 0) == 7)
  }
}
