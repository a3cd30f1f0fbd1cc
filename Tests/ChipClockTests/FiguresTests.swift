// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting
import Testing

/// The figures that the method promises, in microseconds; half more is allowed unless a test says otherwise.
@Suite("The figures of the chip's clock")
struct FiguresTests {
  /// The errors of likely instants in order, and half widths in order; no sample is outside.
  private func judge(
    _ simulations: [Simulation]
  ) -> (errors: [Double], halves: [Double], findings: [[ClockAnomaly]]) {
    let found = simulations.map { Judgement($0.run(), hertz: $0.hertz) }
    #expect(found.map(\.outside) == simulations.map { _ in 0 })
    return (
      found.flatMap(\.errors).map { $0 / 1000 }.sorted(),
      found.flatMap(\.widths).map { Double($0) / 1000 }.sorted(), found.map(\.findings)
    )
  }

  private func expect(
    _ errors: [Double], _ wanted: [Double], within factor: Double = 1.5, _ name: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    let found = [0.5, 0.99, 1].map { errors[Int(Double(errors.count - 1) * $0)] }
    #expect(
      zip(found, wanted).allSatisfy { $0 <= $1 * factor }, "\(name): \(found) for \(wanted)",
      sourceLocation: location)
  }

  private func chips(
    hertz: Double = 1000, drift: Double = 1, seconds: Double = 30, trouble: Trouble = .none
  ) -> [Simulation] {
    [-0.05, 0.03, 0.07].enumerated().map { seed, error in
      Simulation(
        hertz: hertz, error: error, drift: drift, seconds: seconds, trouble: trouble,
        seed: UInt64(seed + 1))
    }
  }

  @Test("in recordings of two and of five seconds")
  func short() {
    // The last twentieth of a second decides, and there it matters in which phase the last readings are.
    expect(judge(chips(seconds: 2)).errors, [6, 26, 30], within: 2.2, "2 s")
    for (hertz, wanted) in [(416, [7, 27, 29]), (1000, [6, 18, 20]), (1666, [4, 15, 19])]
      as [(Double, [Double])]
    {
      let found = judge(chips(hertz: hertz, seconds: 5))
      expect(found.errors, wanted, within: 2.2, "5 s at \(hertz) Hz")
      if hertz == 1000 { #expect(found.halves[found.halves.count * 99 / 100] < 214 * 1.5) }
    }
  }

  @Test("in recordings of five minutes", .enabled(if: seeds(1).count > 1))
  func long() {
    // Error p50 and p99, half width p50 and p99.
    for (hertz, wanted) in [
      (104, [10, 61, 229, 365]), (416, [5, 19, 167, 224]), (1000, [3.1, 12, 149, 186]),
      (1666, [2.3, 9, 141, 164]),
    ] as [(Double, [Double])] {
      let (errors, halves, _) = judge(chips(hertz: hertz, seconds: 300))
      let found = [errors, halves].flatMap { [$0[$0.count / 2], $0[$0.count * 99 / 100]] }
      #expect(zip(found, wanted).allSatisfy { $0 <= $1 * 1.5 }, "\(hertz) Hz: \(found)")
    }
  }

  @Test("with a rate that drifts by 45 ppm/s")
  func drift() {
    let found = judge(chips(drift: 45, seconds: 20))
    expect(found.errors, [7, 37, 70], "drift")
    #expect(found.halves[found.halves.count * 99 / 100] < 199 * 1.5)
    #expect(found.findings.filter { !$0.isEmpty }.isEmpty)
  }

  @Test("with stalls and a wrong count")
  func interrupted() {
    expect(judge(chips(trouble: .stall(0.15e9))).errors, [3, 15, 27], "150 ms")
    expect(judge(chips(trouble: .stall(0.4e9))).errors, [4, 15, 30], "400 ms")
    expect(judge(chips(trouble: .wrongCount(21))).errors, [3, 16, 22], "wrong count")
  }

  @Test("with a step of 20,000 ppm, which is found within 0.2 s")
  func step() throws {
    for ppm in [20_000.0, -20_000] {
      let found = judge(chips(trouble: .step(ppm)))
      // The ends, which are less certain, are a larger part of 30 s than of the method's 300 s.
      expect(found.errors, [4, 30, 317], "step of \(ppm)")
      for findings in found.findings {
        let finding = try #require(findings.first)
        #expect(findings.count == 1)
        guard case .rateChanged(let change) = finding.kind else {
          Issue.record("\(finding)")
          continue
        }
        // Of the rate, the period's reciprocal.
        #expect(abs(change - (ppm > 0 ? -19_608 : 20_408)) < 1500, "\(change)")
        let (first, last) = (finding.instants.lowerBound, finding.instants.upperBound)
        #expect(Double(first) < 1e12 + 15.01e9 && Double(last) > 1e12 + 15e9)
        #expect(Double(last) < 1e12 + 15.2e9 && last - first < 200_000_000, "\(finding)")
      }
    }
  }

  @Test("of the rate, after 5 and 30 s, and after 5 minutes when many seeds are asked for")
  func rates() throws {
    // 25, 1.3 and 0.1 ppm are the method's; 3 and 0.3 are promised.
    for (seconds, wanted) in [(5, 37.5), (30, 3), (300, 0.3)] as [(Double, Double)] {
      guard seconds < 100 || seeds(1).count > 1 else { continue }
      for (seed, error) in [-0.07, -0.05, -0.02, 0.02, 0.03, 0.07].enumerated() {
        let recorded = Simulation(error: error, seconds: seconds, seed: UInt64(seed + 1)).run()
        let rate = recorded.timeline(ClockAssumptions(busHertz: 400_000), nominalPeriod: 1e6).rate
        let count = recorded.truth.count
        let span = recorded.truth[count - 1] - recorded.truth[0]
        let truth = Double(count - 1) / span * 1e9
        let (hertz, bounds) = (try #require(rate.hertz), try #require(rate.bounds))
        #expect(abs(hertz / truth - 1) * 1e6 <= wanted, "\(seconds) s, seed \(seed + 1)")
        #expect(bounds.contains(truth), "\(seconds) s, seed \(seed + 1)")
      }
    }
  }
}
