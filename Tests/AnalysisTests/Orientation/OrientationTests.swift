// SPDX-License-Identifier: Apache-2.0

@testable import Analysis
import IMUModel
import Testing

@Suite("Orientation from accelerometer and gyroscope")
struct OrientationTests {
  static let axes: [SIMD3<Double>] = [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]

  @Test(
    "a sensor that lies still on any of its six faces has that face down, and no other acceleration"
  )
  func faces() throws {
    for axis in OrientationTests.axes {
      for up in [axis, -axis] {
        var table = try Turntable(hertz: 50)
        for tick in 0..<300 as Range<UInt64> {
          let force = up * 8192
          try table.sample(
            tick, RawSample(ax: Int16(force.x), ay: Int16(force.y), az: Int16(force.z)))
        }
        let motions = table.motions()
        #expect(motions.count == 300)
        // At 180° from the heading's frame only half of the digits are left.
        #expect(
          motions.allSatisfy { size($0.orientation.turn(up) - SIMD3(0, 0, 1)) < 1e-6 }, "\(up)")
        #expect(motions.allSatisfy { size($0.linearAcceleration) < 1e-5 }, "\(up)")
      }
    }
  }

  @Test("a tilt is known from the first sample, and the heading begins at none")
  func tilt() throws {
    let tilted = turn(-20, around: SIMD3(0, 1, 0)) * turn(30, around: SIMD3(1, 0, 0))
    var table = try Turntable(hertz: 100)
    for tick in 0..<500 as Range<UInt64> { try table.sample(tick, tilted, turning: .zero) }
    for motion in table.motions() {
      // The shortest turn that brings the measured direction up has no part around it.
      let up = motion.orientation.conjugate.turn(SIMD3(0, 0, 1))
      #expect(size(up - tilted.conjugate.turn(SIMD3(0, 0, 1))) < 2e-4)
      #expect(abs(motion.orientation.axis.z) < 1e-4)
      #expect(size(motion.linearAcceleration) < 2e-3)
    }
  }

  @Test("a constant turn around each axis, in both directions, is followed")
  func turns() throws {
    for axis in OrientationTests.axes {
      for speed in [-37.0, 91.0] {
        var table = try Turntable(hertz: 100)
        var truth: [Quaternion] = []
        for tick in 0..<3000 as Range<UInt64> {
          let orientation = turn(speed * Double(tick) / 100, around: axis)
          truth.append(orientation)
          try table.sample(tick, orientation, turning: axis * speed)
        }
        let motions = table.motions()
        // Headings differ by a constant.
        let offset = motions[0].orientation * truth[0].conjugate
        let worst = zip(motions, truth).map { degrees(from: offset * $1, to: $0.orientation) }.max()
        #expect(try #require(worst) < 0.3, "\(axis) \(speed)")
        #expect(motions.allSatisfy { size($0.linearAcceleration) < 0.05 }, "\(axis) \(speed)")
      }
    }
  }

  @Test("a push is what is left without gravity, in the sensor's frame")
  func push() throws {
    let tilted = turn(40, around: SIMD3(0.6, 0.8, 0))
    var table = try Turntable(hertz: 100)
    for tick in 0..<2000 as Range<UInt64> {
      let isPushed = (1000..<1010).contains(tick)
      try table.sample(
        tick, tilted, turning: .zero, push: isPushed ? SIMD3(0.5, -0.25, 0.125) : .zero)
    }
    let motions = table.motions()
    let expected = SIMD3(0.5, -0.25, 0.125) * 9.80665
    #expect(size(motions[1005].linearAcceleration - expected) < 0.1)
    #expect(size(motions[100].linearAcceleration) < 0.02)
  }

  @Test("a bias of the gyroscope at rest turns nothing, from the first sample on")
  func biasAtRest() throws {
    var table = try Turntable(hertz: 100)
    for tick in 0..<6000 as Range<UInt64> {
      try table.sample(tick, .identity, turning: SIMD3(0.5, -0.3, 0.8))
    }
    let motions = table.motions()
    // Uncorrected, the heading would have gone 48° by the end.
    #expect(degrees(from: motions[0].orientation, to: motions[5999].orientation) < 0.2)
    #expect(degrees(from: motions[0].orientation, to: motions[100].orientation) < 0.02)
  }

  @Test("a rate above what a bias can be is a turn, however even it is")
  func evenTurn() throws {
    var table = try Turntable(hertz: 100)
    for tick in 0..<2000 as Range<UInt64> {
      try table.sample(tick, .identity, turning: SIMD3(0, 0, -3))
    }
    let motions = table.motions()
    let turned = motions[0].orientation.conjugate * motions[1999].orientation
    #expect(degrees(from: turned, to: turn(-59.97, around: SIMD3(0, 0, 1))) < 0.5)
  }

  @Test("the numbers are those of the authors' program, vqf 2.1.2, over rests, turns and pushes")
  func authors() throws {
    var table = try Turntable(hertz: 100)
    for tick in 0..<9000 as Range<UInt64> {
      let i = Int(tick)
      var sample = RawSample(
        ax: Int16(37 * i % 4001 - 2000 + 2 * (i / 500 % 7) * 700),
        ay: Int16(53 * i % 3001 - 1500 - i / 700 % 5 * 900), az: Int16(11 * i % 2003 + 9000),
        gx: Int16((i / 900 % 9 - 4) * 2000 + 71 * i % 601 - 300),
        gy: Int16((i / 1300 % 7 - 3) * 1500 + 29 * i % 401 - 200),
        gz: Int16((i / 1100 % 5 - 2) * 2500 + 17 * i % 501 - 170))
      if (3000..<3800).contains(i) {
        sample = RawSample(ax: 1200, ay: -3400, az: 15600, gx: 40, gy: -25, gz: 60)
      }
      try table.sample(tick, sample)
    }
    let motions = table.motions()
    let expected: [(Int, w: Double, axis: SIMD3<Double>)] = [
      (0, 0.864076735998, [0.478892874144, -0.154932885746, -0.005367524072]),
      (499, -0.887540745822, [-0.166995442465, 0.413115895212, 0.117129005053]),
      (3500, 0.781538268726, [-0.102343257170, 0.036911528245, -0.614297429028]),
      (4095, 0.984762944633, [-0.020875391995, -0.042653083644, -0.167292783292]),
      (4096, 0.985065750601, [-0.020523357467, -0.042852547519, -0.165492954417]),
      (8999, 0.382794391340, [-0.892373519482, -0.169048625561, -0.168998573607]),
    ]
    for (index, w, axis) in expected {
      let found = motions[index].orientation
      #expect(abs(found.w - w) < 1e-9, "\(index)")
      #expect(size(found.axis - axis) < 1e-9, "\(index)")
    }
  }
}
