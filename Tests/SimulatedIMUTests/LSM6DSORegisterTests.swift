// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("LSM6DSO: registers")
struct LSM6DSORegisterTests {
  @Test("after power-on CTRL3_C is 04, CTRL9_XL E0, PIN_CTRL 3F, WHO_AM_I 6C, all else 0")
  func resetValues() throws {
    var bench = Bench(.lsm6dso.ideal)
    let known: [UInt8: UInt8] = [0x12: 0x04, 0x18: 0xE0, 0x02: 0x3F, 0x0F: 0x6C]
    for register in UInt8(0)...0x7F {
      let value = try bench.read(register)
      #expect(value == known[register] ?? 0, "register \(String(register, radix: 16))")
    }
  }

  @Test("relatives answer with their identity and reset values of their own")
  func identityOverride() throws {
    for (identity, control9, control10, pin) in [
      (0x69, 0x38, 0x38, 0x00), (0x6A, 0x00, 0x00, 0x00), (0x6B, 0xE0, 0x00, 0x3F),
    ] as [(UInt8, UInt8, UInt8, UInt8)] {
      var bench = Bench(.lsm6dso.answering(identity))
      let read = [
        try bench.read(0x0F), try bench.read(0x18), try bench.read(0x19), try bench.read(0x02),
      ]
      #expect(read == [identity, control9, control10, pin])
    }
  }

  @Test("no chip acknowledges while the chip boots: 15 ms from power-on")
  func boot() {
    var bench = Bench(.lsm6dso, poweredOn: MonotonicTime(nanoseconds: 0))
    bench.advance(milliseconds: 14.9)
    #expect(bench.answers() == false)
    bench.advance(milliseconds: 0.1)
    #expect(bench.answers() == true)
  }

  @Test("SW_RESET restores all registers and clears itself after 50 µs")
  func softwareReset() throws {
    var bench = try Bench.runningLSM()
    try bench.write(0x12, 0x01)
    #expect(try bench.read(0x12) == 0x05)
    try bench.write(0x10, 0x40)
    bench.clock.advance(by: 50_000)
    #expect(try bench.read(0x10, count: 9) == [0, 0, 0x04, 0, 0, 0, 0, 0, 0xE0])
    #expect(try bench.lsmSample() == RawSample())
  }

  @Test("with IF_INC a burst continues from register to register, without it stays")
  func autoIncrement() throws {
    var bench = Bench(.lsm6dso)
    try bench.write([0x10: 0x12, 0x11: 0x34])
    #expect(try bench.read(0x0F, count: 4) == [0x6C, 0x12, 0x34, 0x04])
    try bench.write(0x12, 0x00)
    #expect(try bench.read(0x10, count: 3) == [0x12, 0x12, 0x12])
  }

  @Test("while a bank of embedded functions is open, registers read 0 and ignore writes")
  func otherBank() throws {
    for bank: UInt8 in [0x40, 0x80] {
      var bench = Bench(.lsm6dso)
      try bench.write([0x01: bank, 0x10: 0x50])
      let hidden = [try bench.read(0x0F), try bench.read(0x10), try bench.read(0x12)]
      #expect(try bench.read(0x01) == bank)
      try bench.write(0x01, 0x00)
      let shown = [try bench.read(0x0F), try bench.read(0x10), try bench.read(0x12)]
      #expect(hidden == [0, 0, 0])
      #expect(shown == [0x6C, 0x00, 0x04])
    }
  }

  @Test("identity, status, outputs and reserved registers ignore writes")
  func readOnly() throws {
    var bench = Bench(.lsm6dso.ideal)
    for register: UInt8 in [0x0F, 0x1E, 0x20, 0x2D, 0x30, 0x3A, 0x63, 0x7F, 0x80, 0xFF] {
      let before = try bench.read(register)
      try bench.write(register, 0xFF)
      #expect(try bench.read(register) == before, "register \(String(register, radix: 16))")
    }
  }

  @Test("in power-down the outputs stand still and nothing becomes ready")
  func powerDown() throws {
    var bench = Bench(.lsm6dso.ideal)
    bench.advance(milliseconds: 500)
    #expect(try bench.read(0x1E) == 0)
    #expect(try bench.lsmSample() == RawSample())

    var running = try Bench.runningLSM(.lsm6dso)
    try running.write([0x10: 0x00, 0x11: 0x00])
    let first = try running.lsmSample()
    running.advance(milliseconds: 100)
    #expect(try running.lsmSample() == first)
    #expect(first != RawSample())
  }

  @Test("each ready bit clears with any high byte of its own sensor, and with nothing else")
  func dataReady() throws {
    for (register, cleared) in [
      (0x21, 0b100), (0x23, 0b010), (0x25, 0b010), (0x27, 0b010), (0x29, 0b001), (0x2B, 0b001),
      (0x2D, 0b001), (0x20, 0), (0x22, 0), (0x26, 0), (0x28, 0), (0x2C, 0), (0x1E, 0), (0x0F, 0),
    ] as [(UInt8, UInt8)] {
      var bench = try Bench.runningLSM()
      #expect(try bench.read(0x1E) == 0b111)
      _ = try bench.read(register)
      #expect(try bench.read(0x1E) == 0b111 & ~cleared, "register \(String(register, radix: 16))")
      bench.advance(milliseconds: 20)
      #expect(try bench.read(0x1E) == 0b111)
    }
  }
}
