// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting
import TestSupport
import Testing

@Suite("The proof of the chip's clock in a recording that was cut off")
struct PrefixTests {
  /// Samples of the readings up to a cut that are outside of their intervals or have none.
  private func outside(_ recorded: Recorded, readings count: Int, _ random: RandomSimulation)
    -> (outside: Int, findings: [ClockAnomaly])
  {
    var cut = recorded
    cut.readings = Array(recorded.readings.prefix(count))
    let end = Double(cut.readings[count - 1].before)
    cut.truth = Array(recorded.truth.prefix { $0 < end })
    var timeline = cut.timeline(random.assumptions, nominalPeriod: 1e9 / random.simulation.hertz)
    return (cut.outside(&timeline).outside, timeline.findings)
  }

  @Test(
    "holds wherever it is cut off after a fault, but for a single sample that three readings may not show",
    arguments: CaseSelection.sample(1, of: [15.0, 52, 480, 1000]))
  func afterFault(_ hertz: Double) {
    for seed in seeds(3) {
      var random = RandomSimulation(seed: seed &+ 5000, faults: 0, seconds: 8...30)
      var numbers = SeededRandom(seed &+ 77)
      random.simulation.hertz = hertz
      random.simulation.drains = hertz < 50 ? 250e6 : hertz < 800 ? 16e9 / hertz : 20e6
      let wrong = Int64(numbers.next(4...60))
      let trouble = numbers.pick([
        Trouble.lost, .doubled, .wrongCount(wrong), .wrongCount(-wrong),
      ])
      let at = numbers.next(2e9...(random.simulation.seconds - 4) * 1e9)
      random.simulation.others = [(trouble, at)]
      let recorded = random.simulation.run()
      let first = recorded.readings.firstIndex { Double($0.before) > 1e12 + at } ?? 0
      let cuts = [-2, -1, 0, 1, 2, 3, 4, 5, 7, 11, 19, 40, 60].map { first + $0 }
      let isSingle = trouble == .lost || trouble == .doubled
      var bad: [String] = []
      for count in cuts where count > 0 && count <= recorded.readings.count {
        let (outside, findings) = outside(recorded, readings: count, random)
        // What drift may have made as well.
        let isHidden = isSingle && findings.isEmpty && count <= first + 3
        if outside > 0, !isHidden {
          bad.append("\(count - first): \(outside) \(findings.map(\.kind))")
        }
      }
      #expect(bad.isEmpty, "seed \(seed), \(random): \(bad)")
    }
  }
}
