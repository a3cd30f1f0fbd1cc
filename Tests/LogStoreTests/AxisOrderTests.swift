// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore
import LogStoreTesting
import Testing

/// A sensor that is turned about all its axes in gravity, with the axes of one of its sensors exchanged.
@Suite("The order of axes")
struct AxisOrderTests {
  /// Axis k of the output is axis `axes[k]` of the chip, times `signs[k]`.
  struct Wiring: Sendable, CustomTestStringConvertible {
    var axes = [0, 1, 2]
    var signs: [Double] = [1, 1, 1]

    func callAsFunction(_ vector: [Double]) -> [Double] {
      (0..<3).map { signs[$0] * vector[axes[$0]] }
    }

    var testDescription: String {
      (0..<3).map { (signs[$0] < 0 ? "-" : "") + ["x", "y", "z"][axes[$0]] }
        .joined(separator: ", ")
    }

    static let all: [Wiring] = [
      [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
    ].flatMap { axes in
      (0..<8).map { bits in
        Wiring(
          axes: axes,
          signs: [bits & 1 == 0 ? 1 : -1, bits & 2 == 0 ? 1 : -1, bits & 4 == 0 ? 1 : -1])
      }
    }

    var isIdentity: Bool { axes == [0, 1, 2] && signs == [1, 1, 1] }
    /// All three signs are wrong and nothing else: gravity upside down, which turns cannot show.
    var isInversion: Bool { axes == [0, 1, 2] && signs == [-1, -1, -1] }
  }

  /// What is found after so many seconds of turning about an axis that moves.
  private func finding(
    accelerometer: Wiring = Wiring(), gyroscope: Wiring = Wiring(), seconds: Double = 15,
    turnsAbout turned: [Double] = [1, 1, 1]
  ) throws -> CertificateFinding {
    var description = ExampleLog.description()
    description.rate = try #require(SampleRate(100))
    let expectation = SensorExpectation(
      identity: 0x68, maximumBusClock: 400_000, zeroG: 0.1, zeroRate: 20,
      rateTolerance: SensorExpectation.Tolerance(usual: 0.01, largest: 0.05))
    var meter = CertificateMeter(description, expectation)
    var up = [0.36, 0.48, 0.8]
    for tick in 0..<UInt64(seconds * 100) {
      let time = Double(tick) / 100
      // °/s; triangles of different lengths.
      let rate = [70.0, 90, 60].enumerated().map { axis, size in
        let phase = (time / (2.3 + Double(axis))).truncatingRemainder(dividingBy: 1)
        return turned[axis] * size * (4 * abs(phase - 0.5) - 1)
      }
      for _ in 0..<10 {
        let step = rate.map { $0 * Double.pi / 180 / 1000 }
        // d up = up × ω dt: what is fixed in space turns the other way in the chip.
        up = [
          up[0] + up[1] * step[2] - up[2] * step[1], up[1] + up[2] * step[0] - up[0] * step[2],
          up[2] + up[0] * step[1] - up[1] * step[0],
        ]
      }
      let (a, w) = (accelerometer(up), gyroscope(rate))
      let count = { (value: Double) in Int16(value.rounded()) }
      let sample = RawSample(
        ax: count(a[0] * 8192), ay: count(a[1] * 8192), az: count(a[2] * 8192),
        gx: count(w[0] * 65.5), gy: count(w[1] * 65.5), gz: count(w[2] * 65.5))
      meter.add(tick, description.rate.nanoseconds(atTick: tick), sample)
    }
    return try #require(meter.certificate["axes"])
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
