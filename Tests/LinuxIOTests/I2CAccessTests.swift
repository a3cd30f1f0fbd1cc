// SPDX-License-Identifier: Apache-2.0

@testable import LinuxIO
import Testing

@Suite("The access to chips")
struct I2CAccessTests {
  @Test("is plain I2C where available, SMBus where both of its calls are, else none")
  func everyCombination() {
    for bits in 0..<8 {
      let functions: UInt64 =
        (bits & 1 != 0 ? 0x0000_0001 : 0) | (bits & 2 != 0 ? 0x0400_0000 : 0)
        | (bits & 4 != 0 ? 0x0010_0000 : 0)
      let expected: I2CAccess? = bits & 1 != 0 ? .combined : bits == 6 ? .smbusBlocks : nil
      #expect(I2CAccess(functions: functions) == expected, "bits \(bits)")
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
    #expect(I2CAccess(functions: mask) == expected)
  }
}
