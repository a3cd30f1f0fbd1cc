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
}
