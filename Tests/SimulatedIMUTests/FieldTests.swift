// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("A simulated magnetometer")
struct SimulatedFieldTests {
  /// Reads and writes the magnetometer of a chip that is set up by hand.
  private struct FieldBench: ~Copyable {
    var bench: Bench
    let address: I2CAddress

    init(_ chip: SimulatedChip, at address: UInt8, motion: Motion = .still) {
      bench = Bench(chip, motion: motion)
      self.address = I2CAddress(known: address)
    }

    mutating func read(_ register: UInt8, count: Int = 1) throws -> [UInt8] {
      var bytes = [UInt8](repeating: 0xA5, count: count)
      try bytes.withUnsafeMutableBytes { try bench.bus.read(address, register: register, into: $0) }
      return bytes
    }

    mutating func write(_ register: UInt8, _ value: UInt8) throws {
      try bench.bus.write(address, register: register, value: value)
    }
  }

  private func ak09916(_ motion: Motion = .turn, mode: UInt8 = 0x08) throws -> FieldBench {
    var field = FieldBench(.icm20948, at: 0x0C, motion: motion)
    try field.bench.write(0x0F, 0x02)
    try field.write(0x31, mode)
    return field
  }

  @Test("of an ICM-20948 is on the bus while the chip connects it")
  func bypass() throws {
    var bench = Bench(.icm20948)
    let address = I2CAddress(known: 0x0C)
    #expect(bench.failure(reading: 0x01, at: address)?.kind == .noAcknowledge)
    try bench.write(0x0F, 0x02)
    #expect(try bench.bus.read(address, register: 0x01) == 0x09)
    // The chip is the controller of its own bus.
    try bench.write(0x03, 0x20)
    #expect(bench.failure(reading: 0x01, at: address)?.kind == .noAcknowledge)
  }

  @Test("of an ICM-20948 counts its registers as DS-000189 12 has it")
  func order() throws {
    var field = try ak09916(mode: 0x00)
    // 00 to 03, 10 to 18, 00.
    let bytes = try field.read(0x00, count: 14)
    #expect(bytes[0] == 0x48 && bytes[1] == 0x09 && bytes[13] == 0x48)
    try field.write(0x31, 0xFF)
    #expect(try field.read(0x30, count: 4) == [0, 0x1F, 0, 0])
    try field.write(0x32, 0x01)
    field.bench.advance(milliseconds: 2)
    #expect(try field.read(0x31) == [0])
  }

  @Test("of an ICM-20948 keeps its data from their first byte to ST2, and says what it skipped")
  func reading() throws {
    var field = try ak09916()
    field.bench.advance(milliseconds: 5)
    #expect(try field.read(0x10) == [0])
    field.bench.advance(milliseconds: 10)
    #expect(try field.read(0x10) == [1])
    // Nobody read it.
    field.bench.advance(milliseconds: 10)
    #expect(try field.read(0x10) == [3])
    let low = try field.read(0x11)
    #expect(try field.read(0x10) == [0])
    field.bench.advance(milliseconds: 30)
    // Skipped, and not stored.
    #expect(try field.read(0x10) == [2])
    #expect(try field.read(0x11) == low)
    _ = try field.read(0x18)
    field.bench.advance(milliseconds: 10)
    #expect(try field.read(0x10) == [1])
    let first = try field.read(0x10, count: 9)
    field.bench.advance(milliseconds: 10)
    let second = try field.read(0x10, count: 9)
    #expect(first[0] == 1 && second[0] == 1 && first[1...6] != second[1...6])
  }

  @Test(
    "measures as often as its mode says",
    arguments: [(0x02, 10), (0x04, 20), (0x06, 50), (0x08, 100), (0x00, 0)] as [(UInt8, Int)])
  func rates(mode: UInt8, hertz: Int) throws {
    var field = try ak09916(mode: mode)
    var count = 0
    for _ in 0..<10_000 {
      field.bench.advance(milliseconds: 1)
      if try field.read(0x10, count: 9)[0] & 1 != 0 { count += 1 }
    }
    // Its clock is 1.4 % fast.
    #expect(abs(Double(count) - Double(hertz) * 10.14) <= 1)
  }

  @Test("of an LSM9DS1 moves on in a burst where bit 7 is set, and resets to the sheet's values")
  func subaddress() throws {
    var field = FieldBench(.lsm9ds1, at: 0x1C)
    #expect(try field.read(0x8F) == [0x3D])
    #expect(try field.read(0xA0, count: 5) == [0x10, 0, 0x03, 0, 0])
    #expect(try field.read(0x20, count: 3) == [0x10, 0x10, 0x10])
    for register in [0x0F, 0x27, 0x28] as [UInt8] {
      let before = try field.read(register)
      try field.write(register, 0x5A)
      #expect(try field.read(register) == before)
    }
    try field.write(0x20, 0xFC)
    try field.write(0x21, 0x04)
    field.bench.advance(milliseconds: 10)
    #expect(try field.read(0x20) == [0x10])
    try field.write(0x22, 0x80)
    let address = field.address
    #expect(field.bench.failure(reading: 0x0F, at: address)?.kind == .noAcknowledge)
  }

  @Test("of an LSM9DS1 has an axis available until its high byte is read")
  func status() throws {
    var field = FieldBench(.lsm9ds1, at: 0x1C, motion: .turn)
    try field.write(0x20, 0xFC)
    try field.write(0x22, 0x00)
    field.bench.advance(milliseconds: 13)
    #expect(try field.read(0x27) == [0x0F])
    let first = try field.read(0xA8, count: 6)
    #expect(try field.read(0x27) == [0])
    field.bench.advance(milliseconds: 26)
    #expect(try field.read(0x27) == [0xFF])
    _ = try field.read(0x28)
    #expect(try field.read(0x27) == [0xFF])
    _ = try field.read(0x29)
    #expect(try field.read(0x27) == [0xEE])
    #expect(try field.read(0xAA, count: 4) != Array(first[2...]))
    #expect(try field.read(0x27) == [0])
  }
}
