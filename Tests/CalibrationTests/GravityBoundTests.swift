// SPDX-License-Identifier: Apache-2.0

import IMUModel
import TestSupport
import Testing

@testable import Calibration

/// Sensors as the data sheets have them, laid by hand, over and over.
@Suite("What a calibration says it is known to")
struct GravityBoundTests {
  private struct Case {
    let name: String
    let directions: [Vector3]
    /// By how far each is laid askew, in radians, as a standard deviation.
    let tilt: Double
    /// What a pose is off by, in g.
    let noise: Double
    let hasCrossTerms: Bool
    /// °C of each.
    var temperatures: [Double]?
  }

  private static let faces = ImperfectSensor.faces
  private static let cases: [Case] = [
    Case(name: "six faces", directions: faces, tilt: 0.02, noise: 0.0005, hasCrossTerms: true),
    Case(name: "askew", directions: faces, tilt: 0.08, noise: 0.0002, hasCrossTerms: true),
    Case(
      name: "without cross terms", directions: faces, tilt: 0, noise: 0.0005, hasCrossTerms: false),
    Case(
      name: "faces twice", directions: faces + faces, tilt: 0.05, noise: 0.0003, hasCrossTerms: true
    ),
    Case(
      name: "one face twice", directions: faces + [faces[4]], tilt: 0, noise: 0.0006,
      hasCrossTerms: false),
    Case(
      name: "nine", directions: faces + ImperfectSensor.diagonals[..<3], tilt: 0.03, noise: 0.0005,
      hasCrossTerms: true),
    Case(
      name: "noisy with three to spare", directions: faces + ImperfectSensor.diagonals, tilt: 0.03,
      noise: 0.002, hasCrossTerms: true),
    Case(
      name: "24", directions: faces + faces + ImperfectSensor.diagonals + ImperfectSensor.diagonals,
      tilt: 0.05, noise: 0.002, hasCrossTerms: true),
    // Less than a slope is fitted from.
    Case(
      name: "warming up by 4 °C", directions: faces + ImperfectSensor.diagonals, tilt: 0.03,
      noise: 0.0005, hasCrossTerms: true, temperatures: (0..<12).map { 23 + Double($0) / 3 }),
    Case(
      name: "twice, 20 °C apart", directions: faces + faces, tilt: 0.03, noise: 0.0005,
      hasCrossTerms: false,
      temperatures: Array(repeating: 20, count: 6) + Array(repeating: 40, count: 6)),
  ]

  @Test("at the ends of a wide span too, where the third order of a change is left out")
  func wideSpan() throws {
    var random = Noise()
    let directions = GravityBoundTests.faces + ImperfectSensor.diagonals
    for span in [15.0, 40] {
      let warmths = [-span / 2, 0, span / 2]
      var within = [0, 0, 0]
      for _ in 0..<150 {
        let sensor = ImperfectSensor()
        let orders = [random.vector(0.0005), random.vector(0.000005), random.vector(0.000_000_05)]
        func change(_ orders: [Vector3], _ warmth: Double) -> Vector3 {
          orders.reversed().reduce(Vector3()) { ($0 + $1) * warmth }
        }
        func offset(_ warmth: Double) -> Vector3 { sensor.offset + change(orders, warmth) }
        let points = (0..<5).flatMap { place in
          let warmth = span * (Double(place) / 4 - 0.5)
          return directions.map { direction in
            StillPoint(
              acceleration: sensor.measured(direction * (1 + random.normal() * 0.0005))
                - sensor.offset + offset(warmth), temperature: 25 + warmth)
          }
        }
        let fit = try GravityFit(points)
        for (index, warmth) in warmths.enumerated() {
          let off = fit.offset + change(fit.drift, warmth) - offset(warmth)
          if max(off.max(), -off.min()) <= fit.known.offset.max() { within[index] += 1 }
        }
      }
      // Of 95 in 100, four standard deviations.
      #expect(within.allSatisfy { $0 >= 131 }, "\(span) °C: \(within), seed \(random.seed)")
    }
  }

  @Test("the largest error of the axes is within it in 95 of 100 sensors and more")
  func monteCarlo() throws {
    var random = Noise()
    for trial in CaseSelection.sample(2, of: GravityBoundTests.cases) {
      var (tries, offsets, scales) = (0, 0, 0)
      for _ in 0..<400 {
        var sensor = ImperfectSensor(hasCrossTerms: false)
        sensor.offset = random.vector(0.03)
        sensor.matrix = SensorMatrix(diagonal: random.vector(0.01) + 1)
        if trial.hasCrossTerms {
          sensor.matrix.rows[0].y = random.normal() * 0.01
          sensor.matrix.rows[0].z = random.normal() * 0.01
          sensor.matrix.rows[1].z = random.normal() * 0.01
        }
        let slope =
          trial.temperatures == nil
          ? Vector3() : random.vector(0.0005)
        let mean = trial.temperatures.map { $0.reduce(0, +) / Double($0.count) } ?? 0
        let points = trial.directions.enumerated().map { index, direction in
          let askew =
            direction + random.vector(trial.tilt)
          let truth = askew / askew.length * (1 + random.normal() * trial.noise)
          let temperature = trial.temperatures?[index]
          return StillPoint(
            acceleration: sensor.measured(truth) + slope * ((temperature ?? mean) - mean),
            temperature: temperature)
        }
        let fit = try GravityFit(points)
        tries += 1
        // At the mean temperature, which is the reference of a fit with a slope.
        let offset = fit.offset - sensor.offset
        if max(offset.max(), -offset.min()) <= fit.known.offset.max() { offsets += 1 }
        let scale = (0..<3).map { abs(fit.matrix.rows[$0][$0] - sensor.matrix.rows[$0][$0]) }
        if (scale.max() ?? 0) <= fit.known.scale.max() { scales += 1 }
      }
      // Of 400 with 95 % each 380 are expected, 4.4 is their deviation.
      #expect(
        offsets >= 367 && scales >= 367,
        "\(trial.name): \(offsets) and \(scales) of \(tries), seed \(random.seed)")
    }
  }
}
