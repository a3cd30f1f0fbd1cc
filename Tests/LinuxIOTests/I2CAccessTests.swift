// SPDX-License-Identifier: Apache-2.0

import LinuxIO
import Testing

@Suite("The access to chips")
struct I2CAccessTests {
  @Test("is plain I2C where available, SMBus where both of its calls are, else none")
  func everyCombination() {
    for bits in 0..<8 {
      var functions: I2CFunctions = []
      if bits & 1 != 0 { functions.insert(.plainI2C) }
      if bits & 2 != 0 { functions.insert(.smbusReadI2CBlock) }
      if bits & 4 != 0 { functions.insert(.smbusWriteByteData) }
      let expected: I2CAccess? = bits & 1 != 0 ? .combined : bits == 6 ? .smbusBlocks : nil
      #expect(I2CAccess(functions) == expected, "bits \(bits)")
    }
  }

  @Test(
    "is right for known adapters",
    arguments: [
      (0x0EFF_000D, .combined),  // i2c-bcm2835: I2C and emulated SMBus
      (0x0EFF_0009, .combined),  // i2c-designware
      (0x0C1F_0000, .smbusBlocks),  // an SMBus controller with I2C blocks
      (0x001F_0000, nil),  // an SMBus controller without them
      (0, nil),
    ] as [(UInt64, I2CAccess?)])
  func fieldMasks(mask: UInt64, expected: I2CAccess?) {
    #expect(I2CAccess(I2CFunctions(rawValue: mask)) == expected)
  }
}

@Suite("A burst over SMBus")
struct SMBusPiecesTests {
  @Test("is cut into whole blocks of 32 bytes and a rest, without a hole")
  func everyLength() {
    for total in 0...256 {
      let pieces = Array(SMBusPieces(total: total))
      var offset = 0
      for piece in pieces {
        #expect(piece.offset == offset)
        #expect((1...32).contains(piece.count))
        offset += piece.count
      }
      #expect(offset == total)
      #expect(pieces.dropLast().allSatisfy { $0.count == 32 })
    }
  }
}
