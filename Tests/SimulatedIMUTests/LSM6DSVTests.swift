// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("The simulated LSM6DSV")
struct SimulatedLSM6DSVTests {
  /// Both sensors on at 480 Hz, settled; 250 °/s unless given.
  private func running(
    _ motion: Motion = .still, control1: UInt8 = 0x08, control2: UInt8 = 0x08,
    control6: UInt8 = 0x01, control8: UInt8 = 0x00, chip: SimulatedChip = .lsm6dsv.ideal
  ) throws -> Bench {
    var bench = Bench(chip, motion: motion)
    try bench.write([0x15: control6, 0x17: control8, 0x10: control1, 0x11: control2])
    bench.advance(milliseconds: 2000)
    return bench
  }

  @Test("resets to the data sheet's values, and read-only registers ignore writes")
  func resetValues() throws {
    var bench = Bench(.lsm6dsv)
    for (register, value) in [
      (UInt8(0x01), UInt8(0x00)), (0x02, 0x23), (0x03, 0x00), (0x0F, 0x70), (0x10, 0x00),
      (0x11, 0x00), (0x12, 0x44), (0x1B, 0x00), (0x1C, 0x00), (0x4F, 0x02), (0x51, 0x0E),
      (0x54, 0x04),
    ] {
      #expect(try bench.read(register) == value, "register \(register)")
    }
    for register in [UInt8(0x00), 0x0F, 0x1B, 0x1E, 0x22, 0x2D, 0x4F] {
      let before = try bench.read(register)
      try bench.write(register, 0x5A)
      #expect(try bench.read(register) == before, "register \(register)")
    }
  }

  @Test("SW_RESET restores all but 02 and 03 and clears itself in 150 µs")
  func reset() throws {
    var bench = try running()
    try bench.write([0x02: 0x63, 0x03: 0x80, 0x12: 0x45])
    #expect(try bench.read(0x12) & 0x01 == 1)
    bench.advance(milliseconds: 0.15)
    #expect(try bench.read(0x12) == 0x44)
    #expect(try bench.read(0x02, count: 2) == [0x63, 0x80])
    #expect(try bench.read(0x10, count: 2) == [0, 0])
  }

  @Test("SW_POR restores everything after 30 ms; I2C_I3C_disable silences until power returns")
  func globalReset() throws {
    var bench = try running()
    try bench.write([0x02: 0x63, 0x01: 0x04])
    bench.advance(milliseconds: 29)
    #expect(bench.answers() == false)
    bench.advance(milliseconds: 2)
    #expect(try bench.read(0x02) == 0x23)
    try bench.write(0x03, 0x01)
    #expect(bench.answers() == false)
  }

  @Test("another bank hides every register, the identity too", arguments: [UInt8(0x40), 0x80])
  func banks(bank: UInt8) throws {
    var bench = try running()
    try bench.write(0x01, bank)
    #expect(try bench.read(0x0F) == 0)
    try bench.write([0x10: 0x00, 0x01: 0x00])
    #expect(try bench.read(0x10) == 0x08)
  }

  @Test(
    "each sensor samples at its own rate; a gyroscope that sleeps does not",
    arguments: [
      (0x51, 0x00, 1.875), (0x02, 0x02, 7.5), (0x03, 0x43, 15), (0x04, 0x00, 30),
      (0x05, 0x05, 60), (0x06, 0x06, 120), (0x07, 0x00, 240), (0x08, 0x08, 480), (0x09, 0x09, 960),
      (0x0A, 0x0A, 1920), (0x0B, 0x0B, 3840), (0x0C, 0x0C, 7680),
    ] as [(UInt8, UInt8, Double)])
  func dataRates(control1: UInt8, control2: UInt8, hertz: Double) throws {
    var bench = try running(control1: control1, control2: control2)
    var ready = 0
    _ = try bench.read(0x22, count: 12)
    // Ten looks a sample.
    for _ in 0..<1000 {
      bench.advance(milliseconds: 100 / hertz)
      let status = try bench.read(0x1E)
      guard status & 0x01 != 0 else { continue }
      ready += 1
      #expect((status & 0x02 != 0) == (1...12).contains(control2))
      _ = try bench.read(0x22, count: 12)
    }
    #expect((99...101).contains(ready))
  }

  @Test("its oscillator has the error that INTERNAL_FREQ_FINE gives, in steps of 0.13 %")
  func frequency() throws {
    var chip = SimulatedChip.lsm6dsv.ideal
    chip.clockErrorPartsPerMillion = -3800
    var bench = Bench(chip)
    let steps = try bench.read(0x4F)
    #expect(Int8(bitPattern: steps) == -3)
    let second = bench.time(ofTick: 7680) - bench.time(ofTick: 0)
    let expected: Double = 1e9 / (1 - 0.0039)
    #expect(abs(Double(second) - expected) < 2)
  }

  @Test("noise is the data sheet's density in the bandwidth of the filter in use")
  func noise() throws {
    // 480 Hz: 240 Hz of acceleration, LPF2's 187 Hz and LPF1's 28.4 Hz of angular rate.
    for (control7, bandwidth) in [(UInt8(0), 187.0), (1, 28.4)] {
      var chip = SimulatedChip.lsm6dsv
      chip.hasZeroOffsets = false
      var bench = Bench(chip)
      try bench.write([0x15: 0x60, 0x16: control7, 0x10: 0x08, 0x11: 0x08])
      bench.advance(milliseconds: 1000)
      var (x, turning) = (0.0, 0.0)
      let count = 4000
      for index in 0..<count {
        let made = bench.made(atTick: bench.tick + Int64(index) * 16)
        x += Double(made.ax) * Double(made.ax)
        turning += Double(made.gy) * Double(made.gy)
      }
      let deviation = (x / Double(count)).squareRoot() * 0.061e-3
      #expect(abs(deviation / (60e-6 * 240.0.squareRoot()) - 1) < 0.05)
      let rotation = (turning / Double(count)).squareRoot() * 4.375e-3
      #expect(abs(rotation / (2.8e-3 * bandwidth.squareRoot()) - 1) < 0.05)
    }
  }

  @Test("its second interrupt output shows a watermark that is reached, and nothing without one")
  func interrupt() throws {
    var bench = try running()
    bench.bus.wireInterrupt(latency: 0)
    try bench.write([0x0E: 0x08, 0x09: 0x88, 0x0A: 0x06])
    bench.advance(milliseconds: 100)
    #expect(bench.bus.nextEdge() == nil)
    // 96 words so far.
    try bench.write(0x07, 200)
    bench.advance(milliseconds: 200)
    #expect(bench.bus.nextEdge() != nil)
  }

  @Test("its FIFO has 256 words with tags that have no parity, and a time stamp of 21.7 µs")
  func fifo() throws {
    var bench = try running(.tumble)
    try bench.write([0x50: 0x40, 0x42: 0xAA, 0x09: 0x88, 0x0A: 0x46])
    let first = bench.tick / 16 + 1
    let reset = bench.tick
    func count(_ bench: inout Bench) throws -> (words: Int, flags: UInt8) {
      let bytes = try bench.read(0x1B, count: 2)
      return (Int(bytes[0]) | Int(bytes[1] & 1) << 8, bytes[1] & 0xFE)
    }
    bench.clock.sleep(until: bench.time(ofTick: (first + 9) * 16) + 1000)
    #expect(try count(&bench) == (30, 0))
    let bytes = try bench.read(0x78, count: 7 * 31)
    for index in 0..<30 {
      let slot = first + Int64(index) / 3
      let made = bench.made(atTick: slot * 16)
      let stamp = (slot * 16 - reset) * 6
      let values =
        [
          [Int16(truncatingIfNeeded: stamp), Int16(stamp >> 16), 0], [made.gx, made.gy, made.gz],
          [made.ax, made.ay, made.az],
        ][index % 3]
      let tag = ([4, 1, 2][index % 3]) << 3 | UInt8(index / 3 % 4) << 1
      let expected =
        [tag]
        + values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
      #expect(Array(bytes[index * 7..<index * 7 + 7]) == expected, "\(index)")
    }
    #expect(Array(bytes[210...]) == [0, 0, 0, 0, 0, 0, 0])
    bench.advance(milliseconds: 1000)
    #expect(try count(&bench) == (256, 0x68))
    #expect(try count(&bench) == (256, 0x60))
    try bench.write(0x0A, 0x00)
    #expect(try count(&bench) == (0, 0))
  }
}
