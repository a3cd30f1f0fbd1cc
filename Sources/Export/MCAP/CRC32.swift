// SPDX-License-Identifier: Apache-2.0

/// The CRC-32 of zlib, PNG and MCAP: polynomial 04C11DB7 reflected; that of `123456789` is CBF43926.
struct CRC32 {
  private var state: UInt32 = 0xFFFF_FFFF

  /// The sum of all bytes so far.
  var value: UInt32 { ~state }

  /// Sixteen tables of 256: what a byte followed by 0 to 15 zeros does to the state.
  private static let tables: [UInt32] = {
    var tables = (0..<256).map { (byte: UInt32) in
      (0..<8).reduce(byte) { state, _ in state & 1 == 1 ? state >> 1 ^ 0xEDB8_8320 : state >> 1 }
    }
    for index in 256..<4096 {
      let before = tables[index - 256]
      tables.append(before >> 8 ^ tables[Int(before & 255)])
    }
    return tables
  }()

  /// Adds bytes, sixteen at a time.
  mutating func add(_ bytes: [UInt8]) {
    var (state, place) = (state, 0)
    CRC32.tables.withUnsafeBufferPointer { tables in
      bytes.withUnsafeBytes { bytes in
        while place &+ 16 <= bytes.count {
          let low = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
          let high = bytes.loadUnaligned(fromByteOffset: place &+ 8, as: UInt64.self).littleEndian
          // What does not wait for the sixteen bytes before comes first.
          var next: UInt32 = 0
          // Safe: a byte, and the number of one of 16 tables.
          for byte in 0..<8 { next ^= tables[(7 &- byte) &* 256 &+ CRC32.byte(byte, of: high)] }
          for byte in 4..<8 { next ^= tables[(15 &- byte) &* 256 &+ CRC32.byte(byte, of: low)] }
          let first = low ^ UInt64(state)
          for byte in 0..<4 { next ^= tables[(15 &- byte) &* 256 &+ CRC32.byte(byte, of: first)] }
          state = next
          place &+= 16
        }
        while place < bytes.count {
          state = state >> 8 ^ tables[Int((state ^ UInt32(bytes[place])) & 255)]
          place &+= 1
        }
      }
    }
    self.state = state
  }

  @inline(__always)
  private static func byte(_ index: Int, of word: UInt64) -> Int {
    Int(truncatingIfNeeded: word &>> UInt64(8 &* index) & 255)
  }
}
