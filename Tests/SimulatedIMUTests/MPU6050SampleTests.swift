// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("MPU-6050: samples")
struct MPU6050SampleTests {
  @Test("words are big-endian: acceleration, temperature, angular rate")
  func byteOrder() throws {
    let row = [0x0102, 0x0304, 0x0506, 0x0708, 0x090A, 0x0B0C, -2]
    var bench = try Bench.runningMPU(motion: .rows([row]))
    #expect(try bench.read(0x3B, count: 14) == [1, 2, 3, 4, 5, 6, 0xFF, 0xFE, 7, 8, 9, 10, 11, 12])
  }

  @Test(
    "each accelerometer range has its scale",
    arguments: [(0, 16384.0), (1, 8192), (2, 4096), (3, 2048)])
  func accelerometerScale(code: UInt8, sensitivity: Double) throws {
    for sign in [1.0, -1] {
      let motion = Motion.steady(
        g: SIMD3(0.25, -1.5, 1.875) * sign, degreesPerSecond: SIMD3(0, 0, 0))
      var bench = try Bench.runningMPU(motion: motion, accelerometerRange: code)
      let sample = try bench.mpuSample()
      #expect(sample.ax == Int16(0.25 * sign * sensitivity))
      #expect(sample.ay == Int16(-1.5 * sign * sensitivity))
      #expect(sample.az == Int16(1.875 * sign * sensitivity))
    }
  }

  @Test(
    "each gyroscope range has its scale", arguments: [(0, 131.0), (1, 65.5), (2, 32.8), (3, 16.4)])
  func gyroscopeScale(code: UInt8, sensitivity: Double) throws {
    for sign in [1.0, -1] {
      let motion = Motion.steady(g: SIMD3(0, 0, 1), degreesPerSecond: SIMD3(10, -100, 240) * sign)
      var bench = try Bench.runningMPU(motion: motion, gyroscopeRange: code)
      let sample = try bench.mpuSample()
      #expect(sample.gx == Int16((10 * sign * sensitivity).rounded()))
      #expect(sample.gy == Int16((-100 * sign * sensitivity).rounded()))
      #expect(sample.gz == Int16((240 * sign * sensitivity).rounded()))
    }
  }

  @Test("beyond full scale the counts saturate at 32767 and -32768")
  func saturation() throws {
    let motion = Motion.steady(g: SIMD3(2.5, -2.5, 2), degreesPerSecond: SIMD3(-260, 260, -250.2))
    var bench = try Bench.runningMPU(motion: motion)
    let sample = try bench.mpuSample()
    #expect([sample.ax, sample.ay, sample.az] == [32767, -32768, 32767])
    #expect([sample.gx, sample.gy, sample.gz] == [-32768, 32767, -32768])
  }

  @Test(
    "temperature follows the formula of the part that the identity names",
    arguments: [(0x68, -521), (0x70, 4674), (0x71, 4674), (0x98, 3268)])
  func temperature(identity: UInt8, counts: Int16) throws {
    let motion = Motion.steady(g: SIMD3(0, 0, 1), degreesPerSecond: SIMD3(0, 0, 0), celsius: 35)
    var bench = try Bench.runningMPU(.mpu6050.ideal.answering(identity), motion: motion)
    let sample = try bench.mpuSample()
    #expect(abs(sample.temperature - counts) <= 1)
  }

  /// The number of new samples in a second, polled often enough to see each.
  private func rate(
    filter: UInt8, divider: UInt8, chip: SimulatedChip = .mpu6050.ideal
  ) throws -> Int {
    var bench = try Bench.runningMPU(chip, filter: filter, divider: divider)
    _ = try bench.read(0x3A)
    var count = 0
    for _ in 0..<8000 {
      bench.clock.advance(by: 125_000)
      count += Int(try bench.read(0x3A))
    }
    return count
  }

  @Test("the rate is 1 kHz through the divider, or 8 kHz with filter codes 0 and 7")
  func sampleRates() throws {
    #expect(try rate(filter: 1, divider: 0) == 1000)
    #expect(try rate(filter: 6, divider: 9) == 100)
    #expect(try rate(filter: 3, divider: 199) == 5)
    #expect(try rate(filter: 0, divider: 0) == 8000)
    #expect(try rate(filter: 7, divider: 3) == 2000)
  }

  @Test("the oscillator's error shows in the number of samples")
  func clockError() throws {
    for error in [-10_000, -2500, 10_000] {
      var chip = SimulatedChip.mpu6050.ideal
      chip.clockErrorPartsPerMillion = error
      let count = try rate(filter: 1, divider: 0, chip: chip)
      #expect(abs(count - (1000 + error / 1000)) <= 1)
    }
  }

  @Test("after wake-up acceleration is garbage for 20 ms and angular rate for 60 ms")
  func startUpGarbage() throws {
    var bench = Bench(.mpu6050.ideal)
    try bench.write([0x1A: 0x01, 0x6B: 0x01])
    bench.advance(milliseconds: 19)
    let early = try bench.mpuSample()
    bench.advance(milliseconds: 3)
    let middle = try bench.mpuSample()
    bench.advance(milliseconds: 37)
    #expect(try bench.mpuSample().gx != 0)
    bench.advance(milliseconds: 3)
    let settled = try bench.mpuSample()
    let truth = RawSample(az: 16384, temperature: -3920)
    #expect(early.az != truth.az)
    #expect(middle.az == truth.az)
    #expect(middle.gx != 0)
    #expect(settled == truth)
  }

  @Test("a burst is coherent whatever happens during it, and is a sample that the chip made")
  func coherentBursts() throws {
    // 100 kHz: a burst of 14 bytes takes 1.6 samples.
    var bench = try Bench.runningMPU(.mpu6050, motion: .tumble, busHertz: 100_000)
    for step in 0..<500 {
      let first = bench.tick
      let sample = try bench.mpuSample()
      let made = (first...bench.tick).map { bench.made(atTick: $0) }
      #expect(made.contains(sample), "burst \(step)")
      bench.clock.advance(by: Int64(step) * 1009)
    }
  }
}
