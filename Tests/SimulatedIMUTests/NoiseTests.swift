// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("Noise and zero offsets")
struct NoiseTests {
  /// Mean and standard deviation of each channel over `count` samples that are `period` ticks
  /// apart.
  private func statistics(
    _ bench: borrowing Bench, count: Int = 20_000, period: Int64
  ) -> (mean: [Double], deviation: [Double]) {
    let first = (bench.tick / period + 1) * period
    var sum = [Double](repeating: 0, count: 6)
    var squares = sum
    for index in 0..<count {
      let sample = bench.made(atTick: first + Int64(index) * period)
      for channel in 0..<6 {
        let value = Double(sample[channel])
        sum[channel] += value
        squares[channel] += value * value
      }
    }
    let mean = sum.map { $0 / Double(count) }
    let deviation = zip(squares, mean).map { ($0 / Double(count) - $1 * $1).squareRoot() }
    return (mean, deviation)
  }

  /// The deviation after values that deviate by `value` counts are rounded to whole counts.
  private func rounded(_ value: Double) -> Double {
    (value * value + 1.0 / 12).squareRoot()
  }

  @Test(
    "an MPU-6050 has 400 µg/√Hz and 0.005 °/s/√Hz over the filter's bandwidth",
    arguments: [
      (0, 260.0, 256.0, 1), (1, 184, 188, 8), (2, 94, 98, 8), (3, 44, 42, 8), (4, 21, 20, 8),
      (6, 5, 5, 8),
    ] as [(UInt8, Double, Double, Int64)])
  func mpuDensity(filter: UInt8, acceleration: Double, rate: Double, period: Int64) throws {
    let bench = try Bench.runningMPU(.mpu6050, filter: filter)
    let (_, deviation) = statistics(bench, period: max(8, period))
    for axis in 0..<3 {
      let expected = rounded(400e-6 * acceleration.squareRoot() * 16384)
      #expect(abs(deviation[axis] / expected - 1) < 0.03, "acceleration \(axis)")
    }
    for axis in 3..<6 {
      let expected = rounded(0.005 * rate.squareRoot() * 131)
      #expect(abs(deviation[axis] / expected - 1) < 0.03, "angular rate \(axis)")
    }
  }

  @Test("an MPU-6500 has 300 µg/√Hz with the filter of its own register, and 0.01 °/s/√Hz")
  func successorDensity() throws {
    var bench = try Bench.runningMPU(.mpu6050.answering(0x70), filter: 3)
    try bench.write(0x1D, 0x05)
    bench.advance(milliseconds: 10)
    let (_, deviation) = statistics(bench, period: 8)
    #expect(abs(deviation[0] / rounded(300e-6 * 10.0.squareRoot() * 16384) - 1) < 0.03)
    #expect(abs(deviation[3] / rounded(0.01 * 41.0.squareRoot() * 131) - 1) < 0.03)
  }

  @Test(
    "an LSM6DSO has 70 to 110 µg/√Hz by range over half its rate, and 3.8 mdps/√Hz",
    arguments: [
      (0x00, 70.0, 0.061), (0x08, 75, 0.122), (0x0C, 80, 0.244), (0x04, 110, 0.488),
    ] as [(UInt8, Double, Double)])
  func lsmDensity(range: UInt8, micro: Double, milligravity: Double) throws {
    let bench = try Bench.runningLSM(.lsm6dso, accelerometer: 0x70 | range)
    let (_, deviation) = statistics(bench, period: 8)
    let hertz = 6667.0 / 8
    for axis in 0..<3 {
      let expected = rounded(micro * 1e-3 * (hertz / 2).squareRoot() / milligravity)
      #expect(abs(deviation[axis] / expected - 1) < 0.03)
    }
    for axis in 3..<6 {
      let expected = rounded(3.8 * (hertz / 3).squareRoot() / 8.75)
      #expect(abs(deviation[axis] / expected - 1) < 0.03)
    }
  }

  @Test("the filters of an LSM6DSO lower its noise; low power raises it to 1.8 mg")
  func lsmFilters() throws {
    var bench = try Bench.runningLSM(.lsm6dso, accelerometer: 0x42, gyroscope: 0x70)
    try bench.write(0x17, 0x20)  // a tenth of 104 Hz
    try bench.write(0x15, 0x05)  // 50 Hz
    try bench.write(0x13, 0x02)
    bench.advance(milliseconds: 500)
    let (_, filtered) = statistics(bench, period: 64)
    #expect(abs(filtered[0] / rounded(0.07 * 10.417.squareRoot() / 0.061) - 1) < 0.03)
    #expect(abs(filtered[3] / rounded(3.8 * 50.0.squareRoot() / 8.75) - 1) < 0.03)

    try bench.write([0x15: 0x10, 0x10: 0x30])
    bench.advance(milliseconds: 500)
    let (_, lowPower) = statistics(bench, period: 128)
    #expect(abs(lowPower[0] / rounded(1.8 / 0.061) - 1) < 0.03)
  }

  @Test("noise is white: neighbouring samples and axes are uncorrelated")
  func whiteness() throws {
    let bench = try Bench.runningMPU(.mpu6050)
    let first = bench.tick / 8 * 8 + 8
    let samples = (0..<20_000).map { bench.made(atTick: first + $0 * 8) }
    func correlation(_ a: [Double], _ b: [Double]) -> Double {
      let (meanA, meanB) = (a.reduce(0, +) / Double(a.count), b.reduce(0, +) / Double(b.count))
      let product = zip(a, b).map { ($0 - meanA) * ($1 - meanB) }.reduce(0, +)
      let squareA = a.map { ($0 - meanA) * ($0 - meanA) }.reduce(0, +)
      let squareB = b.map { ($0 - meanB) * ($0 - meanB) }.reduce(0, +)
      return product / (squareA * squareB).squareRoot()
    }
    for channel in 0..<6 {
      let values = samples.map { Double($0[channel]) }
      #expect(abs(correlation(Array(values.dropLast()), Array(values.dropFirst()))) < 0.03)
      let others = samples.map { Double($0[(channel + 1) % 6]) }
      #expect(abs(correlation(values, others)) < 0.03)
    }
  }

  @Test("noise is Gaussian: 68.3 % within one deviation, 95.4 % within two, 0.27 % beyond three")
  func distribution() throws {
    let bench = try Bench.runningMPU(.mpu6050)
    let (mean, deviation) = statistics(bench, period: 8)
    let first = (bench.tick / 8 + 1) * 8
    var within = [0, 0, 0]
    for index in Int64(0)..<20_000 {
      let distance = abs(Double(bench.made(atTick: first + index * 8).ax) - mean[0]) / deviation[0]
      for (limit, _) in within.enumerated() where distance <= Double(limit + 1) {
        within[limit] += 1
      }
    }
    #expect(abs(Double(within[0]) / 20_000 - 0.6827) < 0.012)
    #expect(abs(Double(within[1]) / 20_000 - 0.9545) < 0.006)
    #expect(abs(Double(within[2]) / 20_000 - 0.9973) < 0.002)
  }

  @Test("each seed has its own zero offsets, all within the data sheet's tolerance")
  func offsets() throws {
    var seen = Set<[Int]>()
    var widest = [Double](repeating: 0, count: 6)
    for seed in UInt64(1)...60 {
      for model in [SimulatedChip.Model.mpu6050, .lsm6dso] {
        var chip = model == .mpu6050 ? SimulatedChip.mpu6050 : .lsm6dso
        (chip.seed, chip.hasNoise) = (seed, false)
        let bench = try model == .mpu6050 ? Bench.runningMPU(chip) : Bench.runningLSM(chip)
        let sample = bench.made(atTick: bench.tick)
        let isMPU = model == .mpu6050
        let g = isMPU ? 1 / 16384.0 : 0.061e-3
        let limits = isMPU ? [0.05, 0.05, 0.08, 20, 20, 20] : [0.02, 0.02, 0.02, 1, 1, 1]
        let degree = isMPU ? 1 / 131.0 : 8.75e-3
        var offsets: [Double] = []
        for channel in 0..<6 {
          let value = Double(sample[channel]) * (channel < 3 ? g : degree)
          offsets.append((value - (channel == 2 ? 1 : 0)) / limits[channel])
        }
        #expect(offsets.allSatisfy { abs($0) < 1.002 }, "seed \(seed): \(offsets)")
        widest = zip(widest, offsets).map { max($0, abs($1)) }
        seen.insert(offsets.map { Int($0 * 1e4) })
      }
    }
    #expect(seen.count == 120)
    #expect(widest.allSatisfy { $0 > 0.9 })
  }

  @Test("the same seed gives the same samples, another seed others")
  func determinism() throws {
    func samples(seed: UInt64) throws -> [RawSample] {
      var chip = SimulatedChip.mpu6050
      chip.seed = seed
      let bench = try Bench.runningMPU(chip, motion: .tumble)
      return (0..<50).map { bench.made(atTick: bench.tick - $0 * 8) }
    }
    let (one, again, other) = (try samples(seed: 1), try samples(seed: 1), try samples(seed: 2))
    #expect(one == again)
    #expect(one != other)
    #expect(Set(one.map(\.ax)).count > 10)
  }
}
