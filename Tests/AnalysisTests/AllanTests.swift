// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import Analysis

@Suite("The Allan deviation")
struct AllanTests {
  static func curve(_ columns: [Int16]..., rate: Double) -> AllanCurve {
    withRuns(columns) { AllanCurve($0, rate: rate) }
  }

  /// By the definition, with averages and not with sums that slide.
  static func deviation(_ values: [Int16], _ factor: Int) -> Double {
    func average(_ start: Int) -> Double {
      values[start..<(start + factor)].reduce(0.0) { $0 + Double($1) } / Double(factor)
    }
    let squares = (0...(values.count - 2 * factor)).map { start in
      let difference = average(start + factor) - average(start)
      return difference * difference
    }
    return (squares.reduce(0, +) / Double(squares.count) / 2).squareRoot()
  }

  @Test("is the definition's at every averaging time, from either end of the counts")
  func definition() {
    var noise = Noise()
    let values = noise.white(1003, deviation: 20_000)
    let curve = Self.curve(values, rate: 50)
    #expect(curve.points.map(\.factor) == [1, 2, 4, 8, 16, 32, 64, 128, 256])
    for point in curve.points {
      let expected = Self.deviation(values, point.factor)
      #expect(abs(point.deviation / expected - 1) < 1e-12, "\(point.factor), seed \(noise.seed)")
      #expect(point.tau == Double(point.factor) / 50)
      #expect(point.count == 1003 - 2 * point.factor + 1)
    }
  }

  @Test("of a ramp is τ times its slope over √2")
  func ramp() {
    let curve = Self.curve((0..<4096).map { Int16($0 - 2000) }, rate: 10)
    for point in curve.points {
      #expect(abs(point.deviation / (10 * point.tau / 2.0.squareRoot()) - 1) < 1e-12)
    }
  }

  @Test("of white noise falls as 1/√τ")
  func white() {
    var noise = Noise()
    let curve = Self.curve(noise.white(400_000, deviation: 500), rate: 100)
    for point in curve.points where point.independent > 20 {
      let expected = 500 / Double(point.factor).squareRoot()
      #expect(
        abs(point.deviation / expected - 1) < 6 * point.relativeError,
        "\(point.factor), seed \(noise.seed)")
    }
  }

  @Test("of a random walk rises as √(τ/3), and K is its step times the root of the rate")
  func walk() throws {
    var noise = Noise(seed: 20_261_125)
    let curve = Self.curve(noise.walk(200_000, step: 10), rate: 100)
    for point in curve.points where point.factor >= 8 && point.independent > 100 {
      // A walk of steps s: σ² = s² (2m² + 1) / 6m.
      let m = Double(point.factor)
      let expected = 10 * ((2 * m * m + 1) / (6 * m)).squareRoot()
      #expect(abs(point.deviation / expected - 1) < 0.3, "\(point.factor), seed \(noise.seed)")
    }
    let terms = NoiseTerms(curve, duration: 2000, motion: nil)
    let value = try #require(terms.rateRandomWalk.value)
    #expect(abs(value / (10 * 100.0.squareRoot()) - 1) < 0.3, "seed \(noise.seed)")
    #expect(terms.randomWalk == .refused("no part of the curve has the slope -1/2"))
  }

  @Test("segments are pooled, and a step between them is in no difference")
  func segments() {
    let curve = Self.curve(
      [Int16](repeating: -9000, count: 300), [Int16](repeating: 12_000, count: 200), rate: 1)
    #expect(curve.points.allSatisfy { $0.deviation == 0 })
    #expect(curve.points.map(\.independent) == [498, 248, 123, 60, 28, 13, 5])
  }
}
