// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("LSM6DSO: samples")
struct LSM6DSOSampleTests {
  @Test("words are little-endian: temperature, angular rate, acceleration, and no more")
  func byteOrder() throws {
    let row = [0x0102, 0x0304, 0x0506, 0x0708, 0x090A, 0x0B0C, -2]
    var bench = try Bench.runningLSM(motion: .rows([row]))
    let words = try bench.read(0x20, count: 16)
    #expect(words == [0xFE, 0xFF, 8, 7, 10, 9, 12, 11, 2, 1, 4, 3, 6, 5, 0, 0])
  }

  @Test(
    "accelerometer ranges come in the order 2, 16, 4, 8 g",
    arguments: [(0, 0.061), (1, 0.488), (2, 0.122), (3, 0.244)])
  func accelerometerScale(code: UInt8, milligravity: Double) throws {
    for sign in [1.0, -1] {
      let motion = Motion.steady(
        g: SIMD3(0.25, -1.5, 1.875) * sign, degreesPerSecond: SIMD3(0, 0, 0))
      var bench = try Bench.runningLSM(motion: motion, accelerometer: 0x70 | code << 2)
      let sample = try bench.lsmSample()
      #expect(sample.ax == Int16((250 * sign / milligravity).rounded()))
      #expect(sample.ay == Int16((-1500 * sign / milligravity).rounded()))
      #expect(sample.az == Int16((1875 * sign / milligravity).rounded()))
    }
  }

  @Test(
    "each gyroscope range has its scale, FS_125 before all others",
    arguments: [(0, 8.75), (2, 4.375), (4, 17.5), (8, 35), (12, 70), (14, 4.375)])
  func gyroscopeScale(code: UInt8, millidegrees: Double) throws {
    for sign in [1.0, -1] {
      let motion = Motion.steady(g: SIMD3(0, 0, 1), degreesPerSecond: SIMD3(10, -100, 120) * sign)
      var bench = try Bench.runningLSM(motion: motion, gyroscope: 0x70 | code)
      let sample = try bench.lsmSample()
      #expect(sample.gx == Int16((10_000 * sign / millidegrees).rounded()))
      #expect(sample.gy == Int16((-100_000 * sign / millidegrees).rounded()))
      #expect(sample.gz == Int16((120_000 * sign / millidegrees).rounded()))
    }
  }

  @Test("an LSM6DSR has ±4000 °/s in bit 0")
  func widestRange() throws {
    let motion = Motion.steady(g: SIMD3(0, 0, 1), degreesPerSecond: SIMD3(3500, -14, 0))
    var bench = try Bench.runningLSM(
      .lsm6dso.ideal.answering(0x6B), motion: motion, gyroscope: 0x71)
    let sample = try bench.lsmSample()
    #expect(sample.gx == 25000)
    #expect(sample.gy == -100)
  }

  @Test("the counts saturate where 16 bits end, some 15 % beyond ±250 °/s")
  func saturation() throws {
    let motion = Motion.steady(g: SIMD3(2.5, -2.5, 1.9), degreesPerSecond: SIMD3(-300, 300, 280))
    var bench = try Bench.runningLSM(motion: motion)
    let sample = try bench.lsmSample()
    #expect([sample.ax, sample.ay, sample.az] == [32767, -32768, 31148])
    #expect([sample.gx, sample.gy, sample.gz] == [-32768, 32767, 32000])
  }

  @Test(
    "temperature is 256 counts a °C from 25 °C, 16 in an LSM6DS3",
    arguments: [(0x6C, 2688), (0x69, 168)])
  func temperature(identity: UInt8, counts: Int16) throws {
    let motion = Motion.steady(g: SIMD3(0, 0, 1), degreesPerSecond: SIMD3(0, 0, 0), celsius: 35.5)
    var bench = try Bench.runningLSM(.lsm6dso.ideal.answering(identity), motion: motion)
    #expect(try bench.lsmSample().temperature == counts)
  }

  /// New samples a second, over four seconds, or one at over 1 kHz, polled often enough to see each.
  private func rate(
    _ bench: inout Bench, bit: UInt8, clearedBy register: UInt8, isFast: Bool = false
  ) throws -> Double {
    let (step, seconds): (Int64, Int) = isFast ? (100_000, 1) : (500_000, 4)
    _ = try bench.read(register)
    var count = 0
    for _ in 0..<(seconds * 1_000_000_000 / Int(step)) {
      bench.clock.advance(by: step)
      guard try bench.read(0x1E) & bit != 0 else { continue }
      count += 1
      _ = try bench.read(register)
    }
    return Double(count) / Double(seconds)
  }

  @Test(
    "each rate code gives 6667 Hz over its power of two",
    arguments: [
      (1, 13.02), (2, 26.04), (3, 52.09), (4, 104.2), (5, 208.3), (6, 416.7), (7, 833.4),
      (8, 1666.8), (9, 3333.5), (10, 6667),
    ]
  )
  func rates(code: UInt8, hertz: Double) throws {
    var bench = try Bench.runningLSM(accelerometer: code << 4, gyroscope: code << 4)
    let isFast = hertz > 1000
    let acceleration = try rate(&bench, bit: 1, clearedBy: 0x29, isFast: isFast)
    let angularRate = try rate(&bench, bit: 2, clearedBy: 0x23, isFast: isFast)
    #expect(abs(acceleration - hertz) <= (isFast ? 1.5 : 0.3))
    #expect(abs(angularRate - hertz) <= (isFast ? 1.5 : 0.3))
  }

  @Test("INTERNAL_FREQ_FINE gives the oscillator's error, in steps of 0.15 %")
  func clockError() throws {
    for (error, fine) in [(-15_000, -10), (-4500, -3), (0, 0), (700, 0), (800, 1), (12_000, 8)] {
      var chip = SimulatedChip.lsm6dso.ideal
      chip.clockErrorPartsPerMillion = error
      var bench = try Bench.runningLSM(chip)
      let register = try bench.read(0x63)
      let samples = try rate(&bench, bit: 1, clearedBy: 0x29)
      let expected = 6667.0 / 8 * (1 + 0.0015 * Double(fine))
      #expect(Int8(bitPattern: register) == Int8(fine))
      #expect(abs(samples - expected) <= 0.3)
    }
  }

  @Test("the gyroscope gives garbage for 70 ms after power-down and for three samples more")
  func gyroscopeTurnOn() throws {
    var bench = Bench(.lsm6dso.ideal)
    try bench.write(0x11, 0x40)  // 104 Hz: a sample in 9.6 ms
    var samples: [SIMD3<Int16>] = []
    for _ in 0..<15 {
      bench.advance(milliseconds: 9.6)
      let sample = try bench.lsmSample()
      samples.append(SIMD3(sample.gx, sample.gy, sample.gz))
    }
    let firstTrue = samples.firstIndex(of: SIMD3(0, 0, 0)).map { Double($0 + 1) * 9.6 } ?? 0
    #expect((96.0...125).contains(firstTrue))
    #expect(Set(samples.suffix(3)) == [SIMD3(0, 0, 0)])
  }

  @Test("after a change of rate the accelerometer settles for as many samples as the table says")
  func accelerometerSettling() throws {
    for (control1, control8, discards) in [
      (0x10, 0x00, 0), (0x30, 0x00, 1), (0x80, 0x00, 2), (0x90, 0x00, 3), (0xA0, 0x00, 13),
      (0x12, 0x00, 1), (0x42, 0x00, 2), (0x92, 0x00, 4), (0x42, 0x20, 15), (0x42, 0x80, 80),
      (0x42, 0xC0, 320),
    ] as [(UInt8, UInt8, Int)] {
      var bench = Bench(.lsm6dso.ideal)
      try bench.write([0x17: control8, 0x10: control1])
      let period = Int64(1024 >> Int64(control1 >> 4))
      let firstTick = (bench.tick / period + 1) * period
      var wrong = 0
      while bench.made(atTick: firstTick + Int64(wrong) * period).az != 16393 { wrong += 1 }
      #expect(wrong == discards, "CTRL1_XL \(control1), CTRL8_XL \(control8)")
    }
  }

  @Test("with its first filter the gyroscope settles for as many samples more as the table says")
  func gyroscopeSettling() throws {
    for (rate, more) in [(0x40, 1), (0x60, 2), (0x70, 4)] as [(UInt8, Int64)] {
      let ticks = try [0x08, 0x0A].map { (control4: UInt8) in
        var bench = Bench(.lsm6dso.ideal)
        try bench.write([0x13: control4, 0x11: rate])
        while try bench.read(0x1E) & 2 == 0 { bench.advance(milliseconds: 0.1) }
        return bench.tick
      }
      let period = Int64(1024 >> Int64(rate >> 4))
      #expect((ticks[1] - ticks[0] + period / 2) / period == more, "CTRL2_G \(rate)")
    }
  }

  @Test("DRDY_MASK holds data-ready back until the sensor has settled")
  func readyMask() throws {
    for (control4, expected) in [(0x00, 2), (0x08, 0)] as [(UInt8, UInt8)] {
      var bench = Bench(.lsm6dso)
      try bench.write([0x13: control4, 0x11: 0x70])
      bench.advance(milliseconds: 60)
      #expect(try bench.read(0x1E) & 2 == expected)
      bench.advance(milliseconds: 20)
      #expect(try bench.read(0x1E) & 2 == 2)
    }
  }

  @Test("an hour without a read costs nothing and changes nothing")
  func longIdle() throws {
    var idle = try Bench.runningLSM(.lsm6dso, motion: .tumble)
    var polled = try Bench.runningLSM(.lsm6dso, motion: .tumble)
    idle.clock.advance(by: 3_600_000_000_000)
    for _ in 0..<3600 {
      polled.clock.advance(by: 1_000_000_000)
      _ = try polled.lsmSample()
    }
    let once = try idle.lsmSample()
    let often = try polled.lsmSample()
    #expect(once == often)
  }
}
