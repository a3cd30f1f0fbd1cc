// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("MPU-6050: registers")
struct MPU6050RegisterTests {
  @Test("after power-on PWR_MGMT_1 is 40, WHO_AM_I 68, and all else 0 but the factory's trim")
  func resetValues() throws {
    var bench = Bench(.mpu6050)
    for register in UInt8(0)...0x7F where register != 0x74 && !(0x0D...0x10).contains(register) {
      let value = try bench.read(register)
      let expected: UInt8 = register == 0x6B ? 0x40 : register == 0x75 ? 0x68 : 0
      #expect(value == expected, "register \(String(register, radix: 16))")
    }
    #expect(try bench.read(0x0D, count: 4) == [0x6C, 0x89, 0xB5, 0x26])
  }

  @Test("a clone answers with the identity it was given and ignores attempts to write it")
  func identityOverride() throws {
    for identity: UInt8 in [0x70, 0x71, 0x73, 0x98] {
      var bench = Bench(.mpu6050.answering(identity))
      try bench.write(0x75, 0x12)
      #expect(try bench.read(0x75) == identity)
    }
  }

  @Test("no chip acknowledges until 20 ms after power-on")
  func startUp() {
    var bench = Bench(.mpu6050, poweredOn: MonotonicTime(nanoseconds: 0))
    bench.advance(milliseconds: 19.9)
    #expect(bench.answers() == false)
    bench.advance(milliseconds: 0.1)
    #expect(bench.answers() == true)
  }

  @Test("at other addresses no chip acknowledges, and the error has the operation")
  func absentAddress() throws {
    var bench = Bench(.mpu6050)
    let other = I2CAddress(known: 0x69)
    let read = bench.failure(reading: 0x75, at: other)
    let write = bench.failure(writing: 0x6B, at: other)
    #expect(read == BusError(.noAcknowledge, .read, address: other, register: 0x75))
    #expect(write == BusError(.noAcknowledge, .write, address: other, register: 0x6B))
  }

  @Test("DEVICE_RESET restores all registers, sleep among them, and clears itself after a delay")
  func deviceReset() throws {
    var bench = try Bench.runningMPU(accelerometerRange: 3, gyroscopeRange: 3, divider: 9)
    #expect(try bench.mpuSample().az == 2048)
    try bench.write(0x6B, 0x80)
    #expect(try bench.read(0x6B) == 0xC0)
    bench.advance(milliseconds: 1)
    #expect(try bench.read(0x6B) == 0xC0)
    bench.advance(milliseconds: 5)
    #expect(try bench.read(0x6B) == 0x40)
    #expect(try bench.read(0x19, count: 4) == [0, 0, 0, 0])
    #expect(try bench.mpuSample() == RawSample())
  }

  @Test("writes during a reset are lost")
  func writeDuringReset() throws {
    var bench = try Bench.runningMPU()
    try bench.write(0x6B, 0x80)
    try bench.write(0x6B, 0x01)
    bench.advance(milliseconds: 10)
    #expect(try bench.read(0x6B) == 0x40)
  }

  @Test("output, status and reserved registers ignore writes")
  func readOnly() throws {
    var bench = Bench(.mpu6050)
    for register: UInt8 in [0x00, 0x3A, 0x3B, 0x41, 0x48, 0x50, 0x68, 0x72, 0x7F, 0x80, 0xFF] {
      try bench.write(register, 0xFF)
      #expect(try bench.read(register) == 0, "register \(String(register, radix: 16))")
    }
  }

  @Test("registers keep the bits that exist")
  func writable() throws {
    var bench = Bench(.mpu6050)
    for (register, bits) in [
      (0x05, 0), (0x06, 0xFF), (0x0B, 0xFF), (0x0C, 0), (0x0D, 0xFF), (0x0F, 0xFF), (0x10, 0x3F),
      (0x11, 0), (0x13, 0xFF), (0x18, 0xFF), (0x19, 0xFF), (0x1A, 0x7F), (0x1B, 0xFF),
      (0x1D, 0xFF), (0x23, 0xFF), (0x37, 0xFF), (0x38, 0x59), (0x6C, 0xFF),
    ] as [(UInt8, UInt8)] {
      try bench.write(register, 0xFF)
      #expect(try bench.read(register) == bits, "register \(String(register, radix: 16))")
    }
  }

  @Test("sleep freezes the outputs where they are; awake again they move on")
  func sleepFreezes() throws {
    var bench = try Bench.runningMPU(.mpu6050)
    try bench.write(0x6B, 0x41)
    let first = try bench.read(0x3A, count: 15)
    bench.advance(milliseconds: 700)
    let second = try bench.read(0x3A, count: 15)
    try bench.write(0x6B, 0x01)
    bench.advance(milliseconds: 100)
    let third = try bench.read(0x3A, count: 15)
    #expect(first.dropFirst() == second.dropFirst())
    #expect(second[0] == 0)
    #expect(third[0] == 1)
    #expect(third.dropFirst() != second.dropFirst())
  }

  @Test("data-ready clears when INT_STATUS is read and comes back with the next sample")
  func dataReady() throws {
    var bench = try Bench.runningMPU(divider: 9)
    #expect(try bench.read(0x3A) == 1)
    #expect(try bench.read(0x3A) == 0)
    bench.advance(milliseconds: 9.5)
    #expect(try bench.read(0x3A) == 0)
    bench.advance(milliseconds: 0.6)
    #expect(try bench.read(0x3A) == 1)
  }

  @Test("without DATA_RDY in INT_ENABLE the status stays 0, and older samples do not count later")
  func interruptEnable() throws {
    var bench = try Bench.runningMPU()
    try bench.write(0x38, 0x00)
    bench.advance(milliseconds: 5)
    #expect(try bench.read(0x3A) == 0)
    try bench.write(0x38, 0x01)
    #expect(try bench.read(0x3A) == 0)
    bench.advance(milliseconds: 1)
    #expect(try bench.read(0x3A) == 1)
  }
}
