// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Analysis

/// Noises of known N, B and K, in counts at 10 Hz for more than 3 h, and what is read from their curves.
@Suite("Noise terms")
struct NoiseTermsTests {
  private static let rate = 10.0
  private static let count = 120_000

  private func terms(_ values: [Double], rate: Double = NoiseTermsTests.rate) -> NoiseTerms {
    let curve = AllanTests.curve(values.map(Noise.counts), rate: rate)
    return NoiseTerms(curve, duration: Double(values.count) / rate, motion: nil)
  }

  private func values(_ of: (Int) -> Double) -> [Double] {
    (0..<NoiseTermsTests.count).map(of)
  }

  /// A term is within four of its own standard deviations, and these are no more than `most`.
  private func expect(
    _ term: NoiseTerms.Term, _ truth: Double, within most: Double,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard case .found(let value, let error, _) = term else {
      Issue.record("\(term)", sourceLocation: sourceLocation)
      return
    }
    #expect(
      abs(value / truth - 1) < 4 * error && error < most,
      "\(value) ± \(error), and \(truth) is true", sourceLocation: sourceLocation)
  }

  private static let flat = NoiseTerms.Term.refused(
    "no part of the curve is flat beyond what other noise explains")

  @Test(
    "white noise has N, and neither B nor K",
    arguments: CaseSelection.sample(2, of: [1, 2, 3, 4, 5] as [UInt64]))
  func white(seed: UInt64) {
    var noise = Noise(seed: seed)
    let terms = terms(values { _ in noise.normal() * 400 })
    expect(terms.randomWalk, 400 / 10.0.squareRoot(), within: 0.02)
    #expect(terms.biasInstability == Self.flat)
    #expect(terms.rateRandomWalk == .refused("no part of the curve has the slope +1/2"))
  }

  @Test(
    "N is not raised by a walk that is as large, and there is no B between the two",
    arguments: CaseSelection.sample(2, of: [1, 2, 3, 4, 5] as [UInt64]))
  func walk(seed: UInt64) {
    var noise = Noise(seed: seed)
    var walk = 0.0
    let terms = terms(
      values { _ in
        walk += noise.normal() * 5
        return walk + noise.normal() * 400
      })
    expect(terms.randomWalk, 400 / 10.0.squareRoot(), within: 0.02)
    expect(terms.rateRandomWalk, 5 * 10.0.squareRoot(), within: 0.2)
    #expect(terms.biasInstability == Self.flat)
  }

  @Test("flicker noise has B", arguments: CaseSelection.sample(1, of: [1, 2, 3] as [UInt64]))
  func flicker(seed: UInt64) {
    var noise = Noise(seed: seed)
    let flicker = noise.flicker(Self.count, instability: 60)
    let terms = terms(values { flicker[$0] + noise.normal() * 400 })
    expect(terms.randomWalk, 400 / 10.0.squareRoot(), within: 0.02)
    expect(terms.biasInstability, 60, within: 0.15)
    #expect(terms.rateRandomWalk.value == nil)
  }

  @Test("B needs 3 h")
  func short() {
    var noise = Noise(seed: 4)
    let flicker = noise.flicker(Self.count, instability: 60)
    let curve = AllanTests.curve(flicker.map(Noise.counts), rate: 10)
    #expect(NoiseTerms(curve, duration: 10_800, motion: nil).biasInstability.value != nil)
    #expect(
      NoiseTerms(curve, duration: 10_799, motion: nil).biasInstability
        == .refused("a bias instability needs 3 h of samples at rest"))
  }

  @Test(
    "a steady drift is neither B nor K",
    arguments: CaseSelection.sample(2, of: [1, 2, 3, 4, 5] as [UInt64]))
  func drift(seed: UInt64) {
    var noise = Noise(seed: seed)
    let terms = terms(values { noise.normal() * 400 + Double($0) * 2400 / 120_000 })
    expect(terms.randomWalk, 400 / 10.0.squareRoot(), within: 0.02)
    #expect(terms.biasInstability == Self.flat)
    #expect(terms.rateRandomWalk == .refused("the curve rises as that of a steady drift"))
  }

  @Test("what the chip's filter shapes does not count for N")
  func filter() {
    var noise = Noise(seed: 8)
    var level = 0.0
    // A first order whose time constant is ten samples: N is that of what goes in.
    let terms = terms(
      values { _ in
        level += (noise.normal() * 4000 - level) / 10
        return level
      })
    expect(terms.randomWalk, 4000 / 10.0.squareRoot(), within: 0.1)
  }

  @Test(
    "N is that of what goes into a filter, and its ± covers it", arguments: [1, 2], [0.25, 0.6])
  func filtered(order: Int, gain: Double) {
    var (ratios, within) = ([Double](), 0)
    for seed in 1...12 as ClosedRange<UInt64> {
      var noise = Noise(seed: seed)
      var levels = [0.0, 0]
      let terms = terms(
        (0..<60_000).map { _ in
          levels[0] += (noise.normal() * 400 - levels[0]) * gain
          levels[1] += (levels[0] - levels[1]) * gain
          return levels[order - 1]
        }, rate: 200)
      guard case .found(let value, let error, _) = terms.randomWalk else {
        Issue.record("\(terms.randomWalk)")
        continue
      }
      let ratio = value * 200.0.squareRoot() / 400
      ratios.append(ratio)
      if abs(ratio - 1) < 2 * error { within += 1 }
    }
    let mean = ratios.reduce(0, +) / Double(ratios.count)
    #expect(abs(mean - 1) < 0.015 && within >= 10, "\(mean), \(within) of 12")
  }

  @Test("an oscillation is no noise, or leaves N as it is, and hides no noise that is too small")
  func periodic() {
    var noise = Noise(seed: 9)
    let hum = terms(values { noise.normal() * 400 + ($0 % 4 < 2 ? 300 : -300) })
    expect(hum.randomWalk, 400 / 10.0.squareRoot(), within: 0.05)
    let small = terms(values { noise.normal() * 0.2 + ($0 % 4 < 2 ? 3 : -3) })
    #expect(small.randomWalk == .refused("its noise is less than half a count"))
    let slow = terms(values { noise.normal() * 40 + ($0 % 2000 < 1000 ? 300 : -300) })
    #expect(
      slow.rateRandomWalk
        == .refused("the curve is not that of noise: something periodic, or a knock"))
  }

  /// Deviations and means in counts: what rounding makes of them depends on the mean, and may be any N.
  @Test(
    "noise of less than half a count has no terms",
    arguments: [
      (0.02, 0.5), (0.1, 0), (0.1, 0.25), (0.1, 0.5), (0.3, 0), (0.3, 0.25), (0.3, 0.5), (0.4, 0),
      (0.4, 0.5), (0, 0.1),
    ])
  func rounded(deviation: Double, mean: Double) {
    var noise = Noise(seed: 5)
    let terms = terms((0..<40_000).map { _ in mean + noise.normal() * deviation }, rate: 50)
    let refused = NoiseTerms.Term.refused("its noise is less than half a count")
    #expect(terms.randomWalk == refused)
    #expect(terms.biasInstability == refused)
    #expect(terms.rateRandomWalk == refused)
  }

  @Test(
    "noise of more than half a count has N without what rounding adds",
    arguments: [(0.55, 0.0), (0.55, 0.25), (0.55, 0.5), (0.7, 0), (1, 0.5)])
  func dithered(deviation: Double, mean: Double) throws {
    var noise = Noise(seed: 6)
    let terms = terms((0..<100_000).map { _ in mean + noise.normal() * deviation }, rate: 50)
    let value = try #require(terms.randomWalk.value)
    #expect(abs(value * 50.0.squareRoot() / deviation - 1) < 0.03, "\(value)")
  }
}
