// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing

@testable import Calibration

/// Gyroscopes as the data sheets have them, on which gravity acts, at rest over and over.
@Suite("What a rate at rest says it is known to")
struct RateBoundTests {
  private struct Case {
    let name: String
    let directions: [Vector3]
    /// What a rest's rate is off by, in °/s.
    let noise: Double
    /// Of the curve that is taken to be fitted to the rates; `nil` where their median counts.
    var order: Int?
  }

  private static let faces = ImperfectSensor.faces
  private static let up = [Vector3](repeating: faces[4], count: 12)
  private static let cases: [Case] = [
    Case(name: "twelve rests on one face", directions: up, noise: 0.01),
    Case(name: "two faces", directions: up + [faces[0]], noise: 0.01),
    Case(name: "six faces, one of them twelve times", directions: up + faces, noise: 0.01),
    Case(name: "six faces", directions: faces, noise: 0.01),
    Case(name: "noisy faces, twice", directions: faces + faces, noise: 0.04),
    Case(name: "noisy rests on one face", directions: up, noise: 0.1),
    Case(name: "windows of one rest", directions: up + up, noise: 0.01, order: 1),
    Case(
      name: "windows of two rests", directions: up + [faces[3], faces[3]], noise: 0.01, order: 1),
    Case(
      name: "edges", directions: ImperfectSensor.diagonals + ImperfectSensor.diagonals.map { -$0 },
      noise: 0.01),
  ]

  @Test("the largest error of the axes is within it in 95 of 100 sensors and more")
  func monteCarlo() {
    var random = Noise()
    for trial in RateBoundTests.cases {
      var within = 0
      for _ in 0..<400 {
        let bias = random.vector(1)
        // Half of 0.1 °/s a g, the data sheet's, as a standard deviation.
        let gravity = [random.vector(0.05), random.vector(0.05), random.vector(0.05)]
        let points = trial.directions.map { direction in
          let pull = Vector3(
            (gravity[0] * direction).sum(), (gravity[1] * direction).sum(),
            (gravity[2] * direction).sum())
          return StillPoint(acceleration: direction, rate: bias + pull + random.vector(trial.noise))
        }
        let rates = points.map(\.rate)
        let offset =
          trial.order == nil
          ? RestRates.median(of: points) : rates.reduce(Vector3(), +) / Double(rates.count)
        let off = offset - bias
        let bound = RateBound.bound(of: offset, points, rates, order: trial.order)
        if max(off.max(), -off.min()) <= bound { within += 1 }
      }
      // Of 400 with 95 % each 380 are expected, 4.4 is their deviation.
      #expect(within >= 367, "\(trial.name): \(within), seed \(random.seed)")
    }
  }

  @Test("six faces, between which gravity cancels, say more than as many rests on one")
  func directions() {
    func bound(_ directions: [Vector3]) -> Double {
      let points = directions.map { StillPoint(acceleration: $0, rate: Vector3(1, -2, 0.5)) }
      return RateBound.bound(of: Vector3(1, -2, 0.5), points, points.map(\.rate), order: nil)
    }
    let (faces, one) = (
      bound(RateBoundTests.faces), bound(Array(RateBoundTests.up.prefix(6)))
    )
    #expect(faces < 0.015 && one > 0.12 && one < 0.15, "\(faces) \(one)")
    // Without an accelerometer nothing shows the directions.
    #expect(bound(Array(repeating: Vector3(), count: 6)) == one)
  }
}
