// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("The simulated LSM9DS1")
struct SimulatedLSM9DS1Tests {
  /// Both sensors on at 476 Hz, block data update and increment on, settled.
  private func running(
    _ motion: Motion = .still, control1: UInt8 = 0xA0, control6: UInt8 = 0xA0, busHertz: Int? = nil
  ) throws -> Bench {
    var bench = Bench(.lsm9ds1.ideal, motion: motion, busHertz: busHertz)
    try bench.write([0x22: 0x44, 0x20: control6, 0x10: control1])
    bench.advance(milliseconds: 2000)
    return bench
  }

  @Test("resets to the data sheet's values, and reserved registers ignore writes")
  func resetValues() throws {
    var bench = Bench(.lsm9ds1)
    for (register, value) in [
      (UInt8(0x0F), UInt8(0x68)), (0x10, 0x00), (0x1E, 0x38), (0x1F, 0x38), (0x20, 0x00),
      (0x22, 0x04), (0x23, 0x00), (0x2F, 0x00),
    ] {
      #expect(try bench.read(register) == value, "register \(register)")
    }
    for register in [UInt8(0x00), 0x0E, 0x0F, 0x17, 0x18, 0x25, 0x28, 0x2F, 0x40] {
      let before = try bench.read(register)
      try bench.write(register, 0x5A)
      #expect(try bench.read(register) == before, "register \(register)")
    }
  }

  @Test("SW_RESET restores the values and clears itself; I2C_DISABLE silences until power returns")
  func reset() throws {
    var bench = try running()
    try bench.write(0x22, 0x45)
    #expect(try bench.read(0x22) & 0x01 == 1)
    bench.advance(milliseconds: 10)
    #expect(try bench.read(0x22) == 0x04)
    #expect(try bench.read(0x10) == 0)
    try bench.write(0x23, 0x04)
    #expect(bench.answers() == false)
  }

  @Test("a burst from 17 or 18 jumps from 1D to 28 and from 2D to 18; without increment it stays")
  func jump() throws {
    var bench = try running(.steady(g: [0.25, -0.5, 1], degreesPerSecond: [10, -20, 40]))
    let whole = try bench.read(0x18, count: 24)
    #expect(whole[0..<12] == whole[12..<24])
    let acceleration = try bench.read(0x28, count: 6)
    #expect(Array(whole[6..<12]) == acceleration)
    bench.advance(milliseconds: 10)
    let fromStatus = try bench.read(0x17, count: 13)
    #expect(fromStatus[0] & 0x03 == 0x03)
    #expect(Array(fromStatus[1...]) == Array(whole[..<12]))
    try bench.write(0x22, 0x40)
    #expect(try bench.read(0x28, count: 3) == [acceleration[0], acceleration[0], acceleration[0]])
    // With the gyroscope off, acceleration follows itself, and 1D is followed by 1E.
    var alone = try running(control1: 0x00)
    let twice = try alone.read(0x28, count: 12)
    #expect(twice[..<6] == twice[6...])
    let control = try alone.read(0x1D, count: 2)
    #expect(control[1] == 0x38)
  }

  @Test(
    "samples by data rate: with the gyroscope on at its rate, alone at the accelerometer's",
    arguments: [
      (0x20, 0x00, 14.875), (0x40, 0xC0, 59.5), (0x60, 0x00, 119), (0x80, 0x20, 238),
      (0xA0, 0xA0, 476), (0xC0, 0xC0, 952), (0x00, 0x20, 10.02), (0x00, 0x40, 50.1),
      (0x00, 0x60, 119), (0x00, 0xC0, 952),
    ] as [(UInt8, UInt8, Double)])
  func dataRates(control1: UInt8, control6: UInt8, hertz: Double) throws {
    var bench = try running(control1: control1, control6: control6)
    var ready = 0
    _ = try bench.read(0x28, count: 6)
    // Ten looks a sample.
    for _ in 0..<1000 {
      bench.advance(milliseconds: 100 / hertz)
      let status = try bench.read(0x27)
      let copy = try bench.read(0x17)
      #expect(status == copy)
      guard status & 0x01 != 0 else { continue }
      ready += 1
      #expect((status & 0x02 != 0) == (control1 != 0))
      _ = try bench.read(0x28, count: 6)
      _ = try bench.read(0x18, count: 6)
    }
    #expect((99...101).contains(ready))
  }

  @Test("block data update holds a pair until both bytes are read, and no other pair")
  func blockDataUpdate() throws {
    var bench = try running(
      .rows(every: 2200, [[0x0102, 0x0304, 0, 0, 0, 0, 0], [0x1112, 0x1314, 0, 0, 0, 0, 0]]))
    let low = try bench.read(0x28)
    bench.advance(milliseconds: 2.2)
    let high = try bench.read(0x29)
    #expect(try bench.read(0x2B) != high &+ 2)
    #expect(high == low &- 1)
  }
}
