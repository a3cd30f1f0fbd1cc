// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Testing

@testable import Analysis

@Suite("North by a magnetometer")
struct HeadingTests {
  /// A minute at 50 Hz: it turns and sways, and iron comes near from the 30th second to the 36th.
  private func motions(
    disturbance: SIMD3<Double> = SIMD3(25, 5, 10)
  ) throws -> [(truth: Quaternion, motion: Motion)] {
    var table = try Turntable(hertz: 50, fieldHertz: 50)
    let truth = (0..<3000).map { tick in
      let time = Double(tick) / 50
      return turn(70 + 40 * time + 30 * sin(0.7 * time), around: SIMD3(0, 0, 1))
        * turn(35 * sin(0.9 * time), around: SIMD3(1, 0, 0))
    }
    for (tick, orientation) in truth.enumerated() {
      var rate = SIMD3<Double>.zero
      if tick > 0 {
        let step = truth[tick - 1].conjugate * orientation
        rate = step.axis.direction * (2 * atan2(step.axis.length, step.w) * 180 / .pi * 50)
      }
      let time = Int64(tick) * 20_000_000
      try table.sample(UInt64(tick), at: time, orientation, turning: rate)
      let field = SIMD3(0, 23, -43) + (1500..<1800 ~= tick ? disturbance : .zero)
      table.field(orientation.conjugate.turn(field), at: time)
    }
    return Array(zip(truth, table.motions()))
  }

  @Test("agrees with the authors' package, also while iron is near")
  func authors() throws {
    let motions = try motions()
    // offlineVQF of vqf 2.1.2 with the same counts.
    for (tick, angle) in [
      (0, 1.2224), (100, 1.2225), (500, 1.223), (1000, 1.2243), (1400, 1.2264), (1600, 1.2273),
      (1790, 1.2273), (1900, 1.2268), (2400, 1.2257), (2999, 1.2255),
    ] {
      let north = try #require(motions[tick].motion.north)
      #expect(abs(remainder(north - angle, 2 * .pi)) < 0.002, "\(tick): \(north)")
    }
  }

  @Test("Y points north from the first sample on, and iron that comes and goes turns it by little")
  func north() throws {
    for (truth, motion) in try motions() {
      #expect(degrees(from: try #require(motion.northOrientation), to: truth) < 3)
    }
    #expect(
      try motions(disturbance: .zero).allSatisfy { truth, motion in
        motion.northOrientation.map { degrees(from: $0, to: truth) < 1 } ?? false
      })
  }

  @Test("each stretch has its own values, slower than samples, and without one north is unknown")
  func stretches() throws {
    var table = try Turntable(hertz: 50, fieldHertz: 20)
    var truth: [(orientation: Quaternion, hasNorth: Bool)] = []
    // Three stretches of 6 s, each at another rest; of the middle one all values are saturated.
    for part in 0..<3 {
      let orientation = turn(Double(100 * part), around: SIMD3(0, 0, 1))
      for tick in 0..<300 {
        let time = Int64(part * 500 + tick) * 20_000_000
        try table.sample(UInt64(part * 500 + tick), at: time, orientation, turning: .zero)
        truth.append((orientation, part != 1))
      }
      for value in 0..<120 {
        // The first value of the last stretch is well behind its beginning.
        guard part < 2 || value > 20 else { continue }
        table.field(
          orientation.conjugate.turn(SIMD3(0, 23, -43)),
          at: Int64(part) * 10_000_000_000 + Int64(value) * 50_000_000 + 7_000_000,
          flags: part == 1 ? .saturated : [])
      }
    }
    let motions = table.motions()
    #expect(motions.count == 900)
    for (motion, truth) in zip(motions, truth) {
      #expect((motion.north != nil) == truth.hasNorth)
      if let found = motion.northOrientation {
        #expect(degrees(from: found, to: truth.orientation) < 0.1)
      }
    }
  }

  @Test("without a magnetometer north is unknown")
  func none() throws {
    var table = try Turntable(hertz: 50)
    for tick in 0..<100 as Range<UInt64> { try table.sample(tick, .identity, turning: .zero) }
    #expect(table.motions().allSatisfy { $0.north == nil && $0.northOrientation == nil })
  }
}
