// SPDX-License-Identifier: Apache-2.0

import Certificate
import Glibc
import IMUModel
import Testing

/// A sensor that is turned about all its axes in gravity, with the axes of one of its sensors exchanged.
@Suite("The order of axes")
struct AxisOrderTests {
  /// Axis k of the output is axis `axes[k]` of the chip, times `signs[k]`.
  struct Wiring: Sendable, CustomTestStringConvertible {
    var axes = [0, 1, 2]
    var signs: [Double] = [1, 1, 1]

    func callAsFunction(_ vector: SIMD3<Double>) -> SIMD3<Double> {
      var wired = SIMD3<Double>()
      for axis in 0..<3 { wired[axis] = signs[axis] * vector[axes[axis]] }
      return wired
    }

    var testDescription: String {
      (0..<3).map { (signs[$0] < 0 ? "-" : "") + ["x", "y", "z"][axes[$0]] }
        .joined(separator: ", ")
    }

    static let all: [Wiring] = {
      let permutations = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
      var all: [Wiring] = []
      for axes in permutations {
        for bits in 0..<8 {
          let signs = (0..<3).map { bits >> $0 & 1 == 0 ? 1.0 : -1.0 }
          all.append(Wiring(axes: axes, signs: signs))
        }
      }
      return all
    }()

    var isIdentity: Bool { axes == [0, 1, 2] && signs == [1, 1, 1] }
    /// All three signs are wrong and nothing else: gravity upside down, which turns cannot show.
    var isInversion: Bool { axes == [0, 1, 2] && signs == [-1, -1, -1] }
  }

  private static let speeds: [Double] = [70, 90, 60]

  private static let expectation = SensorExpectation(
    identity: 0x68, maximumBusClock: 400_000, zeroG: 0.1, zeroRate: 20,
    rateTolerance: SensorExpectation.Tolerance(usual: 0.01, largest: 0.05))

  private func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    let x: Double = a.y * b.z - a.z * b.y
    let y: Double = a.z * b.x - a.x * b.z
    let z: Double = a.x * b.y - a.y * b.x
    return SIMD3(x, y, z)
  }

  /// What is found after so many seconds of turning about an axis that moves.
  private func finding(
    accelerometer: Wiring = Wiring(), gyroscope: Wiring = Wiring(), seconds: Double = 15,
    turnsAbout turned: [Double] = [1, 1, 1], dead: [Int] = [], rest: Double = 0
  ) throws -> CertificateFinding {
    try #require(
      certificate(
        accelerometer: accelerometer, gyroscope: gyroscope, seconds: seconds, turnsAbout: turned,
        dead: dead, rest: rest)["axes"])
  }

  /// - Parameter deadNoise: How many counts a dead axis has.
  private func certificate(
    accelerometer: Wiring = Wiring(), gyroscope: Wiring = Wiring(), seconds: Double = 15,
    turnsAbout turned: [Double] = [1, 1, 1], dead: [Int] = [], deadNoise: UInt64 = 3, rest: Double
  ) throws -> SensorCertificate {
    let description = try CertificateMeterTests.description()
    var meter = CertificateMeter(description, AxisOrderTests.expectation)
    var up = SIMD3<Double>(0.36, 0.48, 0.8)
    for tick in 0..<UInt64((rest + seconds) * 100) {
      let time = Double(tick) / 100 - rest
      // °/s; triangles of different lengths.
      var rate = SIMD3<Double>()
      for axis in 0..<3 {
        let phase: Double = (time / (2.3 + Double(axis))).truncatingRemainder(dividingBy: 1)
        let height: Double = 4 * abs(phase - 0.5) - 1
        rate[axis] = time < 0 ? 0 : turned[axis] * AxisOrderTests.speeds[axis] * height
      }
      // What is fixed in space turns the other way in the chip: d up = up × ω dt.
      for _ in 0..<10 { up += cross(up, rate * (Double.pi / 180 / 1000)) }
      let a = accelerometer(up) * 8192
      var w = gyroscope(rate) * 65.5
      // A rate at rest, and noise of a count.
      if rest > 0 { w += SIMD3(-79, 26, 177) + SIMD3(repeating: Double(tick % 2)) }
      for axis in dead { w[axis] = 40 + Double(tick % deadNoise) }
      let sample = RawSample(
        ax: Int16(a.x.rounded()), ay: Int16(a.y.rounded()), az: Int16(a.z.rounded()),
        gx: Int16(w.x.rounded()), gy: Int16(w.y.rounded()), gz: Int16(w.z.rounded()))
      meter.add(tick, description.rate.nanoseconds(atTick: tick), sample)
    }
    return meter.certificate()
  }

  @Test("of the accelerometer is found in all 48 cases but upside down", arguments: Wiring.all)
  func accelerometer(_ wiring: Wiring) throws {
    let finding = try finding(accelerometer: wiring)
    if wiring.isIdentity || wiring.isInversion {
      #expect(finding.verdict == .pass, "\(finding.value)")
      return
    }
    // Upside down too, the same is seen: the order with fewer minus signs is named.
    var other = wiring
    other.signs = wiring.signs.map { -$0 }
    let fewer = wiring.signs.reduce(0, +) > 0 ? wiring : other
    #expect(finding.verdict == .fail)
    #expect(finding.value == "the accelerometer's are \(fewer.testDescription)")
  }

  @Test("of the gyroscope is named where it is mirrored")
  func gyroscope() throws {
    for wiring in [
      Wiring(axes: [1, 0, 2]), Wiring(axes: [2, 1, 0]), Wiring(signs: [1, 1, -1]),
      Wiring(axes: [0, 2, 1], signs: [-1, 1, -1]), Wiring(axes: [1, 2, 0], signs: [1, -1, 1]),
    ] {
      let finding = try finding(gyroscope: wiring)
      #expect(finding.verdict == .fail)
      #expect(finding.value == "the gyroscope's are \(wiring.testDescription)")
    }
  }

  @Test("of the gyroscope that does not answer is named, and one that was not turned about is not")
  func silent() throws {
    for dead in [[0], [1], [2], [0, 1, 2]] {
      let finding = try finding(turnsAbout: [2.5, 1.5, 2], dead: dead, rest: 5)
      let names = dead.map { ["gx", "gy", "gz"][$0] }.joined(separator: ", ")
      #expect(finding.verdict == .fail, "\(finding)")
      #expect(finding.value == "\(names) \(dead.count == 1 ? "does" : "do") not answer")
    }
    #expect(try finding(rest: 5).verdict == .pass)
    #expect(try !finding(turnsAbout: [2.5, 1.5, 2], rest: 5).value.contains("answer"))
    // Turns about the two others carry gravity around this one.
    for axis in 0..<3 {
      var turned = [1.0, 1, 1]
      turned[axis] = 0
      #expect(try finding(turnsAbout: turned, rest: 5).value == "not turned enough")
    }
    #expect(try finding(turnsAbout: [0, 0, 0], rest: 5).value == "not turned enough")
  }

  @Test("shows axes of the gyroscope that have one count, and gravity turned about, as stuck")
  func stuck() throws {
    for dead in [[0], [1], [2], [0, 1], [1, 2], [0, 1, 2]] {
      let certificate = try certificate(
        turnsAbout: [2.5, 1.5, 2], dead: dead, deadNoise: 1, rest: 5)
      let names = dead.map { ["gx", "gy", "gz"][$0] + " at 40" }.joined(separator: ", ")
      // The acceleration had no noise while it rested, and is not known to be alive.
      #expect(certificate["stuck"]?.value == names + ", not judged: ax, ay, az")
    }
    // About an axis that gravity did not turn about, nothing is known.
    let level = try certificate(turnsAbout: [2, 0, 0], dead: [1, 2], deadNoise: 1, rest: 5)
    #expect(level["stuck"]?.value == "not judged: ax, ay, az, gy, gz")
  }

  /// What is found after a rest, and an even turn by 130° about each axis while it lies level; the sensor is laid anew between, which
  /// is not recorded.
  private func finding(
    speed: Double, accelerometer: Wiring = Wiring(), gyroscope: Wiring = Wiring(), rest: Double = 5
  ) throws -> CertificateFinding {
    let description = try CertificateMeterTests.description()
    var meter = CertificateMeter(description, AxisOrderTests.expectation)
    var tick: UInt64 = 0
    for axis in 0..<3 {
      for time in 0..<Int((rest + 130 / abs(speed)) * 100) {
        let rate = Double(time) < rest * 100 ? 0 : speed
        let angle = max(0, Double(time) / 100 - rest) * speed * Double.pi / 180
        var (up, turn) = (SIMD3<Double>(), SIMD3<Double>())
        // What is fixed in space turns the other way in the chip.
        (up[(axis + 1) % 3], up[(axis + 2) % 3]) = (cos(angle), -sin(angle))
        turn[axis] = rate
        let a = accelerometer(up) * 8192
        let w = gyroscope(turn) * 65.5 + SIMD3(-790, 260, 177)
        let noise = SIMD3(Double(tick % 2), Double(tick % 3), Double(tick % 5))
        meter.add(
          tick, description.rate.nanoseconds(atTick: tick),
          RawSample(
            ax: Int16((a.x + 5 * noise.x).rounded()), ay: Int16((a.y + 5 * noise.y).rounded()),
            az: Int16((a.z + 5 * noise.z).rounded()), gx: Int16((w.x + noise.x).rounded()),
            gy: Int16((w.y + noise.y).rounded()), gz: Int16((w.z + noise.z).rounded())))
        tick += 1
      }
      tick += 50
    }
    return try #require(meter.certificate()["axes"])
  }

  @Test("is found by turns of 130° from 6 °/s on", arguments: [6.0, 8, 15, 24, 31, 40, 60, 90])
  func slow(speed: Double) throws {
    for sign in [1.0, -1] {
      let speed = sign * speed
      let good = try finding(speed: speed)
      #expect(good.verdict == .pass, "\(good.value)")
      let exchanged = try finding(speed: speed, accelerometer: Wiring(axes: [1, 0, 2]))
      #expect(exchanged.verdict == .fail && exchanged.value.hasSuffix("are y, x, z"))
      let reversed = try finding(speed: speed, gyroscope: Wiring(signs: [1, -1, 1]))
      #expect(reversed.value == "the gyroscope's are x, -y, z")
    }
  }

  @Test("is not judged by slower turns, nor by slow ones while the rate at rest is not known")
  func tooSlow() throws {
    #expect(try finding(speed: 3.5).value == "not turned enough")
    #expect(try finding(speed: 15, rest: 0).verdict == .unknown)
  }

  @Test("is not judged before the sensor was turned about each of its axes")
  func tooLittle() throws {
    #expect(try finding(seconds: 0.5).verdict == .unknown)
    #expect(try finding(turnsAbout: [0, 0, 0]).verdict == .unknown)
    for axis in 0..<3 {
      var turned = [1.0, 1, 1]
      turned[axis] = 0
      #expect(try finding(turnsAbout: turned).value == "not turned enough")
    }
  }
}
