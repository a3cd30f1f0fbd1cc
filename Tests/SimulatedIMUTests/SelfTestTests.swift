// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("Self-test by register numbers")
struct SelfTestTests {
  /// What each axis of an MPU has more when the bits are set, and what it has when they are cleared again.
  private func mpu(
    _ chip: SimulatedChip, accelerometerRange: UInt8, bits: UInt8 = 0xE0
  ) throws -> (on: [Int], after: [Int]) {
    var bench = try Bench.runningMPU(chip, accelerometerRange: accelerometerRange)
    func counts(_ sample: RawSample) -> [Int] { (0..<6).map { Int(sample[$0]) } }
    let before = counts(try bench.mpuSample())
    try bench.write(0x1B, bits)
    try bench.write(0x1C, bits | accelerometerRange << 3)
    bench.advance(milliseconds: 60)
    let on = counts(try bench.mpuSample())
    try bench.write(0x1B, 0)
    try bench.write(0x1C, accelerometerRange << 3)
    bench.advance(milliseconds: 60)
    let after = counts(try bench.mpuSample())
    return (zip(on, before).map { $0 - $1 }, zip(after, before).map { $0 - $1 })
  }

  @Test("an MPU-6050 answers as its trim codes say, at ±8 g and ±250 °/s")
  func mpu6050() throws {
    var bench = Bench(.mpu6050.ideal)
    let codes = try bench.read(0x0D, count: 4)
    // Codes 14, 17, 22 of acceleration and 12, 9, 21 of angular rate.
    #expect(codes == [0b011_01100, 0b100_01001, 0b101_10101, 0b00_10_01_10])
    let (on, after) = try mpu(.mpu6050.ideal, accelerometerRange: 2)
    // 4096·0.34·(0.92/0.34)^((n−1)/30) and 25·131·1.046^(n−1), negative in Y.
    let expected = [2144, 2368, 2796, 5371, -4693, 8051]
    for (count, expected) in zip(on, expected) { #expect(abs(count - expected) <= 2, "\(on)") }
    #expect(after == [0, 0, 0, 0, 0, 0])
  }

  @Test("an MPU-6500 and its relatives answer as their trim codes say, at ±2 g and ±250 °/s")
  func mpu6500() throws {
    for identity: UInt8 in [0x70, 0x71, 0x73, 0x98] {
      let chip = SimulatedChip.mpu6050.ideal.answering(identity)
      var bench = Bench(chip)
      let codes = try bench.read(0x0D, count: 3) + bench.read(0x00, count: 3)
      #expect(codes == [103, 117, 131, 95, 110, 88])
      let (on, after) = try mpu(chip, accelerometerRange: 0)
      // 2620·1.01^(n−1).
      let expected = [7229, 8309, 9552, 6676, 7750, 6227]
      for (count, expected) in zip(on, expected) { #expect(abs(count - expected) <= 2, "\(on)") }
      #expect(after == [0, 0, 0, 0, 0, 0])
    }
  }

  @Test("each of an MPU's bits is for one axis")
  func axes() throws {
    for (axis, bit) in [UInt8(0x80), 0x40, 0x20].enumerated() {
      let (on, _) = try mpu(.mpu6050.ideal, accelerometerRange: 2, bits: bit)
      #expect(on.enumerated().filter { $0.element != 0 }.map(\.offset) == [axis, axis + 3])
    }
  }

  @Test("trim codes survive a reset, and a copy has none")
  func trim() throws {
    var bench = try Bench.runningMPU()
    let before = try bench.read(0x0D, count: 4)
    try bench.write(0x6B, 0x80)
    bench.advance(milliseconds: 10)
    let after = try bench.read(0x0D, count: 4)
    #expect(before == after)
    for identity: UInt8 in [0x68, 0x70] {
      var copy = SimulatedChip.mpu6050.answering(identity)
      copy.selfTest.hasTrim = false
      var bench = Bench(copy)
      #expect(try bench.read(0x00, count: 0x11) == Array(repeating: 0, count: 0x11))
    }
  }

  /// Whether counts are these but for the rounding of each of two samples.
  private func isClose(_ counts: [Int], _ expected: [Int]) -> Bool {
    zip(counts, expected).allSatisfy { abs($0 - $1) <= 1 }
  }

  /// What each axis of an ST chip has more after `value` is written to `register`.
  private func answer(
    _ bench: inout Bench, _ register: UInt8, _ value: UInt8, acceleration: UInt8 = 0x28,
    rate: UInt8 = 0x22
  ) throws -> [Int] {
    func counts(_ bench: inout Bench) throws -> [Int] {
      let bytes = try bench.read(acceleration, count: 6) + bench.read(rate, count: 6)
      return (0..<6).map {
        Int(Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8))
      }
    }
    let before = try counts(&bench)
    try bench.write(register, value)
    bench.advance(milliseconds: 100)
    let on = try counts(&bench)
    try bench.write(register, 0)
    bench.advance(milliseconds: 100)
    #expect(try counts(&bench) == before)
    return zip(on, before).map { $0 - $1 }
  }

  @Test("an LSM6DSO answers in both directions, of the gyroscope and of the accelerometer")
  func lsm6dso() throws {
    // 208 Hz, ±4 g and ±2000 °/s.
    var bench = try Bench.runningLSM(accelerometer: 0x58, gyroscope: 0x5C)
    #expect(isClose(try answer(&bench, 0x14, 0x01), [4262, -3115, 5820, 0, 0, 0]))
    #expect(isClose(try answer(&bench, 0x14, 0x02), [-4262, 3115, -5820, 0, 0, 0]))
    #expect(isClose(try answer(&bench, 0x14, 0x04), [0, 0, 0, 4429, 5786, -4000]))
    #expect(isClose(try answer(&bench, 0x14, 0x0C), [0, 0, 0, -4429, -5786, 4000]))
    // 3 and 2 are not allowed.
    #expect(isClose(try answer(&bench, 0x14, 0x0B), [0, 0, 0, 0, 0, 0]))
  }

  @Test("an LSM6DSO's gyroscope answers with 20 to 80 °/s at ±250 °/s")
  func fineRange() throws {
    var bench = try Bench.runningLSM(accelerometer: 0x58, gyroscope: 0x50)
    for count in try answer(&bench, 0x14, 0x04).suffix(3) {
      #expect((20...80).contains(abs(Double(count) * 8.75e-3)))
    }
  }

  @Test("an answer takes its time, in both directions")
  func delay() throws {
    var bench = try Bench.runningLSM(accelerometer: 0x58, gyroscope: 0x5C)
    let before = try bench.lsmSample()
    try bench.write(0x14, 0x05)
    bench.advance(milliseconds: 30)
    let early = try bench.lsmSample()
    bench.advance(milliseconds: 30)
    let on = try bench.lsmSample()
    try bench.write(0x14, 0x00)
    bench.advance(milliseconds: 30)
    let late = try bench.lsmSample()
    #expect(early == before && late == on && on.ax != before.ax && on.gx != before.gx)
  }

  @Test("an LSM6DSV has the bits in CTRL10, an LSM9DS1 in CTRL_REG10")
  func others() throws {
    var dsv = Bench(.lsm6dsv.ideal)
    // 240 Hz, ±4 g, ±2000 °/s.
    for (register, value) in [(0x17, 0x01), (0x15, 0x04), (0x10, 0x07), (0x11, 0x07)]
      as [(UInt8, UInt8)]
    {
      try dsv.write(register, value)
    }
    dsv.advance(milliseconds: 1000)
    #expect(isClose(try answer(&dsv, 0x19, 0x05), [4262, -3115, 5820, 4429, 5786, -4000]))
    var ds1 = Bench(.lsm9ds1.ideal)
    // 238 Hz, ±2 g, ±2000 °/s.
    for (register, value) in [(0x22, 0x44), (0x20, 0x80), (0x10, 0x98)] as [(UInt8, UInt8)] {
      try ds1.write(register, value)
    }
    ds1.advance(milliseconds: 1000)
    #expect(isClose(try answer(&ds1, 0x24, 0x01, rate: 0x18), [7213, 9344, -10328, 0, 0, 0]))
    #expect(isClose(try answer(&ds1, 0x24, 0x04, rate: 0x18), [0, 0, 0, -6143, 5500, 7429]))
  }
}
