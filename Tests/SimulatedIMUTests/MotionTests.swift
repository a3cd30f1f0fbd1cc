// SPDX-License-Identifier: Apache-2.0

import IMUModel
import SimulatedIMU
import Testing

@Suite("Motion")
struct MotionTests {
  @Test("still is 1 g along Z, no rotation, 25 °C, at all times")
  func still() {
    for time: Int64 in [-1, 0, 1_000_000_000, 1 << 60] {
      #expect(
        Motion.still.truth(at: time)
          == Motion.Truth(
            acceleration: SIMD3(0, 0, 9.80665), angularRate: SIMD3(0, 0, 0), temperature: 25))
    }
  }

  @Test("tumble's angular rate about Y is how fast gravity turns in the X-Z plane")
  func tumbleIsConsistent() throws {
    let step: Int64 = 100_000
    for time in stride(from: Int64(0), to: 20_000_000_000, by: 7_300_001) {
      let before = try #require(Motion.tumble.truth(at: time - step))
      let truth = try #require(Motion.tumble.truth(at: time))
      let after = try #require(Motion.tumble.truth(at: time + step))
      // Upwards, seen from a chip that turns with rate ω about Y, changes by u' = u × ω.
      let change = (after.acceleration - before.acceleration) / (2 * Double(step) / 1e9)
      let up = truth.acceleration
      let rate = truth.angularRate.y
      #expect(abs(change.x - -up.z * rate) < 1e-3)
      #expect(abs(change.z - up.x * rate) < 1e-3)
      #expect(abs((up.x * up.x + up.z * up.z).squareRoot() - 9.80665) < 1e-9)
      #expect(truth.angularRate.x == 0 && truth.angularRate.z == 0)
    }
  }

  @Test("tumble shows both signs of X and Z, shakes along Y, and warms and cools")
  func tumbleCovers() {
    let truths = (0..<1200).compactMap { Motion.tumble.truth(at: $0 * 100_000_000) }
    func spread(_ value: (Motion.Truth) -> Double) -> Double {
      let values = truths.map(value)
      return (values.max() ?? 0) - (values.min() ?? 0)
    }
    #expect(spread(\.acceleration.x) > 19)
    #expect(spread(\.acceleration.y) > 2.9)
    #expect(spread(\.acceleration.z) > 19)
    #expect(spread(\.angularRate.y) > 0.25)
    #expect(spread(\.temperature) > 3.9)
  }

  @Test("a chip in motion shows the truth of the moment its sample was made")
  func chipFollowsTruth() throws {
    let bench = try Bench.runningMPU(motion: .tumble, divider: 9)
    for index in Int64(0)..<200 {
      let tick = bench.tick / 80 * 80 + (index + 1) * 80
      let sample = bench.made(atTick: tick)
      let truth = try #require(Motion.tumble.truth(at: bench.time(ofTick: tick).nanoseconds))
      for axis in 0..<3 {
        let acceleration = truth.acceleration[axis] / 9.80665 * 16384
        let rate = truth.angularRate[axis] * 180 / Double.pi * 131
        #expect(abs(Double(sample[axis]) - acceleration) <= 0.5001)
        #expect(abs(Double(sample[axis + 3]) - rate) <= 0.5001)
      }
    }
  }

  @Test("a recording has counts and no truth, a movement has truth and no counts")
  func recordingHasCounts() throws {
    let recording = try Motion.rows([[1, 2, 3, 4, 5, 6, 7]])
    #expect(recording.truth(at: 0) == nil)
    #expect(
      recording.counts(at: 0)
        == RawSample(ax: 1, ay: 2, az: 3, gx: 4, gy: 5, gz: 6, temperature: 7))
    #expect(Motion.tumble.counts(at: 0) == nil)
  }

  @Test("a recording is replayed by its own times, over and over")
  func recordingCycles() throws {
    let motion = try Motion(
      csv: "t_us,ax,ay,az,gx,gy,gz\n5,10,0,0,0,0,0\n6,11,0,0,0,0,0\n9,12,0,0,0,0,0\n".utf8,
      named: "m")
    // Rows at 0, 1 and 4 µs; the last lasts 2 µs, the average of the others.
    let expected: [(Int64, Int16)] = [
      (0, 10), (999, 10), (1000, 11), (3999, 11), (4000, 12), (5999, 12), (6000, 10), (7000, 11),
      (11_999, 12), (12_000, 10), (-1, 12), (-2001, 11), (6_000_000_000, 10),
    ]
    for (time, count) in expected {
      #expect(motion.counts(at: time)?.ax == count, "at \(time) ns")
    }
  }

  @Test("rows of the same time: the last of them counts")
  func sameTime() throws {
    let motion = try Motion(
      csv: "t_ns,ax,ay,az,gx,gy,gz\n0,1,0,0,0,0,0\n7,2,0,0,0,0,0\n7,3,0,0,0,0,0\n9,4,0,0,0,0,0\n"
        .utf8, named: "m")
    #expect([6, 7, 8, 9].map { motion.counts(at: $0)?.ax } == [1, 3, 3, 4])
  }

  @Test("counts are replayed as they are, whatever the range; without temp the chip has 25 °C")
  func replay() throws {
    let csv = "t_us,ax,ay,az,gx,gy,gz\n0,-32768,32767,-1,1,-2,2\n"
    let motion = try Motion(csv: csv.utf8, named: "m")
    var mpu = try Bench.runningMPU(.mpu6050, motion: motion, accelerometerRange: 2)
    var lsm = try Bench.runningLSM(.lsm6dso, motion: motion, accelerometer: 0x7C)
    var expected = RawSample(ax: -32768, ay: 32767, az: -1, gx: 1, gy: -2, gz: 2)
    expected.temperature = -3920
    #expect(try mpu.mpuSample() == expected)
    expected.temperature = 0
    #expect(try lsm.lsmSample() == expected)
  }
}
