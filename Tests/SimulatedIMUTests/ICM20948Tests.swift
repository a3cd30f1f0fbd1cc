// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("The simulated ICM-20948")
struct SimulatedICM20948Tests {
  /// Awake and settled at 1125 Hz in the finest ranges with the widest filters, bank 0 selected.
  private func running(
    _ chip: SimulatedChip = .icm20948.ideal, _ motion: Motion = .tumble, busHertz: Int? = nil
  ) throws -> Bench {
    var bench = Bench(chip, motion: motion, busHertz: busHertz)
    try bench.write([0x06: 0x01, 0x11: 0x01])
    bench.advance(milliseconds: 100)
    return bench
  }

  private func bytes(_ sample: RawSample) -> [UInt8] {
    (0..<7).flatMap {
      [UInt8(truncatingIfNeeded: sample[$0] >> 8), UInt8(truncatingIfNeeded: sample[$0])]
    }
  }

  private func count(_ bench: inout Bench) throws -> Int {
    let bytes = try bench.read(0x70, count: 2)
    return Int(bytes[0]) << 8 | Int(bytes[1])
  }

  @Test(
    "wakes up asleep, with the data sheet's values in each bank; reserved registers ignore writes")
  func resetValues() throws {
    var bench = Bench(.icm20948)
    for (bank, values) in [
      (0, [0x00: 0xEA, 0x05: 0x40, 0x06: 0x41, 0x0F: 0, 0x67: 0, 0x75: 0]),
      (1, [0x02: 101, 0x03: 91, 0x04: 113, 0x0E: 97, 0x0F: 109, 0x10: 126]),
      (2, [0x00: 0, 0x01: 1, 0x09: 0, 0x14: 1]), (3, [0x00: 0]),
    ] as [(UInt8, [UInt8: UInt8])] {
      try bench.write(0x7F, bank << 4)
      #expect(try bench.read(0x7F) == bank << 4)
      for (register, value) in values {
        #expect(try bench.read(register) == value, "bank \(bank), \(register)")
      }
      for register: UInt8 in [0x0A, 0x2D, 0x40, 0x60] {
        try bench.write(register, 0x5A)
        #expect(try bench.read(register) == 0, "bank \(bank), \(register)")
      }
    }
  }

  @Test("a bank hides the others, and DEVICE_RESET clears all and itself")
  func banks() throws {
    var bench = try running()
    try bench.write([0x7F: 0x20, 0x00: 0x0B, 0x01: 0x3F, 0x06: 0x80])
    #expect(try bench.read(0x00) == 0x0B)
    try bench.write(0x7F, 0x00)
    #expect(try bench.read(0x00) == 0xEA)
    #expect(try bench.read(0x06) == 0x01)
    try bench.write(0x06, 0x80)
    #expect(try bench.read(0x06) == 0xC1)
    bench.advance(milliseconds: 10)
    #expect(try bench.read(0x06) == 0x41)
    try bench.write(0x7F, 0x20)
    #expect(try bench.read(0x01) == 0x01)
  }

  @Test("a burst from the status to the temperature is one sample, big-endian, and clears the flag")
  func burst() throws {
    var bench = try running(busHertz: 400_000)
    var values: Set<[UInt8]> = []
    for _ in 0..<20 {
      bench.clock.advance(by: 1_313_131)
      let start = bench.clock.now()
      let burst = try bench.read(0x1A, count: 33)
      let tick = bench.bus.tick(of: bench.address, at: start + 72_500) ?? 0
      #expect(burst[0] == 1)
      #expect(Array(burst[19...]) == bytes(bench.made(atTick: tick)))
      values.insert(Array(burst[19...]))
    }
    #expect(values.count == 20)
    try bench.write(0x11, 0x00)
    bench.advance(milliseconds: 2)
    #expect(try bench.read(0x1A) == 0)
  }

  @Test("samples come at 1125 Hz divided by the divider and one; the accelerometer has its own")
  func dividers() throws {
    for divider: UInt8 in [0, 4, 10, 255] {
      var bench = try running()
      try bench.write([0x7F: 0x20, 0x00: divider, 0x11: divider, 0x7F: 0x00])
      let period = 8 * (Int64(divider) + 1)
      bench.advance(milliseconds: 1000)
      let first = bench.tick / period * period
      #expect(bench.made(atTick: first) == bench.made(atTick: first + period - 1))
      #expect(bench.made(atTick: first) != bench.made(atTick: first + period))
      #expect(
        abs(bench.time(ofTick: first + 9000) - bench.time(ofTick: first) - 1_000_000_000) <= 1)
    }
    var bench = try running()
    try bench.write([0x7F: 0x20, 0x10: 0x01, 0x11: 0x00, 0x7F: 0x00])
    bench.advance(milliseconds: 1000)
    let tick = bench.tick / 2056 * 2056
    #expect(bench.made(atTick: tick).ax == bench.made(atTick: tick + 2048).ax)
    #expect(bench.made(atTick: tick).gy != bench.made(atTick: tick + 2048).gy)
  }

  @Test("scales and temperature are the data sheet's")
  func scales() throws {
    let motion = Motion.steady(g: [0.5, -0.25, 1], degreesPerSecond: [10, -20, 40], celsius: -9)
    for code: UInt8 in 0..<4 {
      var bench = try running(.icm20948.ideal, motion)
      try bench.write([0x7F: 0x20, 0x01: 0x01 | code << 1, 0x14: 0x01 | code << 1, 0x7F: 0x00])
      bench.advance(milliseconds: 10)
      let (one, degree) = (16384 >> Int(code), [131, 65.5, 32.8, 16.4][Int(code)])
      let made = bench.made(atTick: bench.tick)
      #expect(made.ax == Int16(one / 2) && made.ay == Int16(-one / 4))
      #expect(made.az == Int16(clamping: one))
      #expect([made.gx, made.gy, made.gz] == [10, -20, 40].map { Int16(($0 * degree).rounded()) })
      // 30 °C below 21.
      #expect(made.temperature == -10016)
    }
  }

  @Test(
    "a packet of the FIFO has the selected parts, by rising register number",
    arguments: [
      (0x1E, [0..<12]), (0x10, [0..<6]), (0x0E, [6..<12]), (0x1F, [0..<14]), (0x04, [8..<10]),
      (0x0A, [6..<8, 10..<12]), (0x01, [12..<14]),
    ] as [(UInt8, [Range<Int>])])
  func packets(_ selected: UInt8, _ ranges: [Range<Int>]) throws {
    var bench = try running()
    try bench.write([0x68: 0x1F, 0x68: 0x00, 0x03: 0x40, 0x67: selected])
    let first = bench.tick / 8 + 1
    bench.advance(milliseconds: 2)
    let size = ranges.reduce(0) { $0 + $1.count }
    #expect(try count(&bench) == 2 * size)
    let found = try bench.read(0x72, count: 2 * size + 3)
    for packet in 0..<2 {
      let all = bytes(bench.made(atTick: (first + Int64(packet)) * 8))
      #expect(
        Array(found[packet * size..<(packet + 1) * size]) == ranges.flatMap { Array(all[$0]) })
    }
    // Empty, it repeats its last byte.
    #expect(found.suffix(3) == Array(repeating: found[2 * size - 1], count: 3)[...])
    #expect(try count(&bench) == 0)
  }

  @Test("512 bytes, or 4096: then the oldest go, and packets begin elsewhere; FIFO_RST empties it")
  func overflow() throws {
    for (isLarge, size) in [(false, 512), (true, 4096)] {
      var chip = SimulatedChip.icm20948.ideal
      chip.hasLargeFIFO = isLarge
      var bench = try running(chip)
      try bench.write([0x12: 0x01, 0x03: 0x40, 0x67: 0x1E])
      let first = bench.tick / 8 + 1
      bench.advance(milliseconds: 30)
      func written() -> Int { Int(bench.tick / 8 - first + 1) * 12 }
      #expect(try count(&bench) == written())
      #expect(try bench.read(0x1B) == 0)
      bench.advance(milliseconds: 970)
      #expect(try count(&bench) == size)
      #expect(try bench.read(0x1B) == 1)
      #expect(try bench.read(0x1B) == 0)
      let lost = written() - size
      let all = bytes(bench.made(atTick: (first + Int64(lost / 12)) * 8))[..<12]
      #expect(lost % 12 != 0)
      #expect(try bench.read(0x72) == all[lost % 12])
      try bench.write([0x68: 0x1F])
      #expect(try count(&bench) == 0)
      bench.advance(milliseconds: 5)
      #expect(try count(&bench) == 0)
      try bench.write([0x68: 0x00])
      bench.advance(milliseconds: 5)
      #expect(try count(&bench) > 0)
    }
  }
}
