// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("A chip's clock")
struct OscillatorTests {
  @Test("is off by its error, up to ±7 %", arguments: [-70_000, -300, 0, 25_000, 70_000])
  func error(_ error: Int) {
    for chip in [SimulatedChip.mpu6050, .lsm9ds1, .lsm6dso.answering(0x6A), .icm20948] {
      var chip = chip.ideal
      let nominal = Bench(chip)
      chip.clockErrorPartsPerMillion = error
      let bench = Bench(chip)
      let seconds = (nominal.time(ofTick: 80_000) - nominal.time(ofTick: 0)) * 1_000_000
      let found = bench.time(ofTick: 80_000) - bench.time(ofTick: 0)
      #expect(abs(found - seconds / Int64(1_000_000 + error)) <= 2)
    }
  }

  @Test("ticks and instants agree, through drift and steps")
  func inverse() throws {
    var chip = SimulatedChip.mpu6050.ideal
    chip.clockErrorPartsPerMillion = 70_000
    chip.clockDriftPartsPerMillion = 500
    var bench = Bench(chip)
    for (step, second) in [(20_000, 10), (-20_000, 50), (-70_000, 90)] {
      bench.bus.inject(
        .clockStep(partsPerMillion: step),
        at: .time(MonotonicTime(nanoseconds: Int64(second) * 1_000_000_000)))
    }
    bench.advance(milliseconds: 100_000)
    _ = try bench.read(0x75)
    var last = bench.time(ofTick: 0)
    for tick in stride(from: Int64(1), to: 1_700_000, by: 997) {
      let time = bench.time(ofTick: tick)
      #expect(bench.bus.tick(of: bench.address, at: time) == tick)
      #expect(
        bench.bus.tick(of: bench.address, at: MonotonicTime(nanoseconds: time.nanoseconds - 1))
          == tick - 1)
      #expect(time > last)
      last = time
    }
  }

  @Test("wanders around its error once in 120 s")
  func drift() {
    var chip = SimulatedChip.mpu6050.ideal
    chip.clockDriftPartsPerMillion = 200
    let bench = Bench(chip)
    // The chip's power came on a second before the motion began.
    func partsPerMillion(at second: Int64) -> Double {
      let ticks = (second + 1) * 8000
      return 1e6 * (1e9 / Double(bench.time(ofTick: ticks + 8000) - bench.time(ofTick: ticks)) - 1)
    }
    for (second, expected) in [(0, 0.0), (30, 200), (60, 0), (90, -200), (120, 0)] {
      #expect(abs(partsPerMillion(at: Int64(second)) - expected) < 12, "\(second)")
    }
    #expect(abs(bench.time(ofTick: 121 * 8000).nanoseconds - 120_000_000_000) < 200_000)
  }

  @Test("a step leaves earlier samples at their instants")
  func step() throws {
    var bench = try Bench.runningMPU(motion: .tumble)
    let before = (0..<1600).map { bench.time(ofTick: $0) }
    bench.bus.inject(.clockStep(partsPerMillion: 20_000), at: .time(bench.clock.now()))
    bench.advance(milliseconds: 1000)
    _ = try bench.read(0x75)
    #expect(
      (0..<bench.bus.tick(of: bench.address, at: before[1599])!).allSatisfy { tick in
        tick >= 800 || bench.time(ofTick: tick) == before[Int(tick)]
      })
    let now = bench.tick
    #expect(abs(Double(bench.time(ofTick: now) - bench.time(ofTick: now - 4080)) - 0.5e9) < 3)
  }
}
