// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("LSM6DSL and LSM6DS3: FIFO")
struct PatternFIFOTests {
  static let dsl = SimulatedChip.lsm6dso.ideal.answering(0x6A)
  static let ds3 = SimulatedChip.lsm6dso.ideal.answering(0x69)

  /// A settled chip at 416 Hz whose FIFO began at the instant that the clock shows.
  ///
  /// - Parameters:
  ///   - decimations: FIFO_CTRL3: gyroscope and accelerometer.
  ///   - fourth: FIFO_CTRL4: STOP_ON_FTH and the fourth data set.
  ///   - mode: FIFO_CTRL5: ODR_FIFO and FIFO_MODE.
  ///   - threshold: FTH.
  private func running(
    _ chip: SimulatedChip = dsl, decimations: UInt8 = 0o11, fourth: UInt8 = 0,
    mode: UInt8 = 6 << 3 | 6, threshold: Int = 0, control2: UInt8 = 0
  ) throws -> Bench {
    var bench = try Bench.runningLSM(chip, motion: .tumble, accelerometer: 0x60, gyroscope: 0x60)
    try bench.write([
      0x06: UInt8(threshold & 0xFF), 0x07: UInt8(threshold >> 8) | control2, 0x08: decimations,
      0x09: fourth, 0x0A: mode,
    ])
    return bench
  }

  /// FIFO_STATUS1 to FIFO_STATUS4.
  private struct Status: Equatable {
    var count: Int
    var flags: UInt8
    var pattern: Int
  }

  private func status(_ bench: inout Bench, countBits: UInt8 = 0x07) throws -> Status {
    let bytes = try bench.read(0x3A, count: 4)
    return Status(
      count: Int(bytes[0]) | Int(bytes[1] & countBits) << 8, flags: bytes[1] & ~countBits,
      pattern: Int(bytes[2]) | Int(bytes[3] & 3) << 8)
  }

  private func words(_ bench: inout Bench, _ count: Int) throws -> [Int16] {
    let bytes = try bench.read(0x3E, count: 2 * count)
    return (0..<count).map {
      Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8)
    }
  }

  /// Oscillator ticks a slot at 416 Hz.
  private let period: Int64 = 16

  /// Moves the clock to just after slot `slot`, the first being 0, of a FIFO that began in slot `first`.
  private func advance(_ bench: borrowing Bench, to slot: Int64, from first: Int64) {
    bench.clock.sleep(until: bench.time(ofTick: (first + slot) * period) + 1000)
  }

  private func axes(_ sample: RawSample) -> [Int16] {
    [sample.gx, sample.gy, sample.gz, sample.ax, sample.ay, sample.az]
  }

  @Test("words of angular rate, then of acceleration; the first sample is to be discarded")
  func slots() throws {
    for chip in [Self.dsl, Self.ds3] {
      var bench = try running(chip)
      let first = bench.tick / period + 1
      #expect(try status(&bench) == Status(count: 0, flags: 0x10, pattern: 0))
      advance(bench, to: 4, from: first)
      #expect(try status(&bench) == Status(count: 30, flags: 0, pattern: 0))
      let made = (0..<5).flatMap { axes(bench.made(atTick: (first + $0) * period)) }
      let found = try words(&bench, 30)
      #expect(found[6...] == made[6...])
      #expect(found[..<6] != made[..<6])
      #expect(try status(&bench) == Status(count: 0, flags: 0x10, pattern: 0))
    }
  }

  @Test("the FIFO's own rate is the limit, and so is the faster sensor's", arguments: [4, 5, 6, 7])
  func rate(code: UInt8) throws {
    var bench = try running(decimations: 0o01, mode: code << 3 | 6)
    bench.advance(milliseconds: 1000)
    let hertz = [104.0, 208, 416, 416][Int(code) - 4]
    #expect(abs(Double(try status(&bench).count) / 3 - hertz) < 2)
    var off = try running(mode: 6)
    off.advance(milliseconds: 100)
    #expect(try status(&off) == Status(count: 0, flags: 0x10, pattern: 0))
  }

  @Test("full, it replaces its oldest words, and counts 0 until one is read")
  func overrun() throws {
    for (chip, size, bits) in [(Self.dsl, 2048, 0x07), (Self.ds3, 4096, 0x0F)] as [(_, _, UInt8)] {
      var bench = try running(chip)
      let first = bench.tick / period + 1
      let slots = Int64(size / 6)
      advance(bench, to: slots - 1, from: first)
      let full = try status(&bench, countBits: bits)
      #expect(full == Status(count: Int(slots) * 6, flags: 0x20, pattern: 0))
      advance(bench, to: slots + 9, from: first)
      let lost = Int(slots + 10) * 6 - size
      let over = try status(&bench, countBits: bits)
      #expect(over == Status(count: 0, flags: 0x60, pattern: lost % 6))
      let made = (0..<slots + 10).flatMap { axes(bench.made(atTick: (first + $0) * period)) }
      #expect(try words(&bench, 1) == [made[lost]])
      let after = try status(&bench, countBits: bits)
      #expect(after == Status(count: size - 1, flags: 0x20, pattern: (lost + 1) % 6))
      #expect(try words(&bench, size - 1) == Array(made[(lost + 1)...]))
    }
  }

  @Test("mode 1 stops before it would be full, for good")
  func stops() throws {
    // AN5130 8.2.2: one sensor fills 2046 words, and 18 with a threshold of 21.
    for (stop, threshold, count) in [(UInt8(0), 0, 2046), (0x80, 21, 18)] {
      var bench = try running(
        decimations: 0o01, fourth: stop, mode: 6 << 3 | 1, threshold: threshold)
      bench.advance(milliseconds: 3000)
      #expect(try status(&bench) == Status(count: count, flags: 0x20, pattern: 0))
      _ = try words(&bench, count)
      bench.advance(milliseconds: 100)
      #expect(try status(&bench) == Status(count: 0, flags: 0x30, pattern: 0))
    }
  }

  @Test("the threshold limits the depth in continuous mode too, and cuts slots")
  func limited() throws {
    // AN5130 figure 35.
    var bench = try running(decimations: 0o01, fourth: 0x80, threshold: 20)
    let first = bench.tick / period + 1
    advance(bench, to: 6, from: first)
    let made: [Int16] = (0..<7).flatMap { slot in
      axes(bench.made(atTick: (first + slot) * period)).suffix(3)
    }
    #expect(try status(&bench) == Status(count: 0, flags: 0xE0, pattern: 1))
    #expect(try words(&bench, 20)[2...] == made[3...])
  }

  @Test("a FIFO of one slot keeps the newest; with the switch nothing is stored that would fill it")
  func oneSlot() throws {
    for (chip, fourth, control4) in [(Self.dsl, UInt8(0x80), UInt8(0)), (Self.ds3, 0, 0x01)] {
      for stops in [false, true] {
        var chip = chip
        chip.stopsAtWatermark = stops
        var bench = try running(chip, fourth: fourth, mode: 0, threshold: 6)
        try bench.write([0x13: control4, 0x0A: 6 << 3 | 6])
        bench.advance(milliseconds: 100)
        guard !stops else {
          #expect(try status(&bench).flags & 0x10 != 0)
          continue
        }
        let newest = bench.made(atTick: bench.tick / period * period)
        let before = try status(&bench)
        #expect(before.flags & 0x50 == 0x40 && before.pattern == 0)
        #expect(try words(&bench, 6) == axes(newest))
        let after = try status(&bench)
        #expect(after.flags & 0x50 == 0x10 && after.pattern == 0)
      }
    }
  }

  @Test("the watermark is flagged at its number of words; in an LSM6DS3 a slot sooner")
  func watermark() throws {
    for (chip, slot) in [(Self.dsl, Int64(3)), (Self.ds3, 2)] {
      var bench = try running(chip, threshold: 24)
      let first = bench.tick / period + 1
      advance(bench, to: slot - 1, from: first)
      #expect(try status(&bench).flags == 0)
      advance(bench, to: slot, from: first)
      #expect(try status(&bench).flags == 0x80)
    }
  }

  @Test("the second interrupt output shows the watermark, if INT2_CTRL lets it")
  func interrupt() throws {
    for (control, isShown) in [(UInt8(0x00), false), (0x08, true)] {
      var bench = try running(threshold: 24)
      bench.bus.wireInterrupt(latency: 0)
      try bench.write(0x0E, control)
      bench.advance(milliseconds: 100)
      #expect((bench.bus.nextEdge() != nil) == isShown)
    }
  }

  @Test("the fourth data set has the temperature, or the time stamp")
  func fourthSet() throws {
    var warm = try running(fourth: 0x08, control2: 0x08)
    warm.advance(milliseconds: 10)
    let temperature = try words(&warm, 9)
    #expect(temperature[6] == 0 && temperature[7] != 0 && temperature[8] == 0)
    #expect(abs(temperature[7]) <= 512)

    var bench = try Bench.runningLSM(Self.dsl, accelerometer: 0x60, gyroscope: 0x60)
    try bench.write([
      0x5C: 0x10, 0x19: 0x20, 0x42: 0xAA, 0x07: 0x80, 0x08: 0o01, 0x09: 0x08, 0x0A: 0x36,
    ])
    let reset = bench.tick
    bench.advance(milliseconds: 30)
    let found = try words(&bench, 60)
    let stamps = stride(from: 0, to: 60, by: 6).map { start in
      Int(UInt16(bitPattern: found[start + 3])) << 8
        | Int(UInt16(bitPattern: found[start + 4]) >> 8)
    }
    #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $1 - $0 == 16 * 6 })
    #expect(stamps[0] == Int((reset / 16 + 1) * 16 - reset) * 6)
    let bytes = try bench.read(0x40, count: 3)
    let now = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
    #expect(abs(now - 1200) < 10)
  }

  @Test("bypass empties the FIFO; so do a reset and a power cut")
  func emptied() throws {
    for way in 0..<3 {
      var bench = try running()
      bench.advance(milliseconds: 50)
      #expect(try status(&bench).count > 100)
      switch way {
      case 0: try bench.write(0x0A, 0x30)
      case 1: try bench.write(0x12, 0x45)
      default:
        bench.bus.inject(.brownOut)
        _ = bench.failure(reading: 0x0F, at: bench.address)
      }
      bench.advance(milliseconds: 100)
      #expect(try status(&bench) == Status(count: 0, flags: 0x10, pattern: 0), "\(way)")
    }
  }

  @Test("an empty FIFO gives its last word again")
  func empty() throws {
    var bench = try running()
    bench.advance(milliseconds: 5)
    let found = try words(&bench, 20)
    #expect(found[12...].allSatisfy { $0 == found[11] })
    #expect(try status(&bench).pattern == 0)
  }

  @Test("a lost word shows in the pattern only")
  func lost() throws {
    var bench = try running()
    let first = bench.tick / period + 1
    advance(bench, to: 4, from: first)
    bench.bus.inject(.loseFromFIFO)
    #expect(try status(&bench) == Status(count: 29, flags: 0, pattern: 1))
    let made = (0..<5).flatMap { axes(bench.made(atTick: (first + $0) * period)) }
    #expect(try words(&bench, 29)[5...] == made[6...])
  }
}
