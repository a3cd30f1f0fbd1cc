// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Sampling
import TestSupport
import Testing

@Suite struct BalanceTests {

  @Test("every combination of outcome, wake-up and room over few ticks keeps order and account")
  func exhaustive() {
    let outcomes: [Ailment] = [.none, .noData, .dead]
    for sequence in 0..<(12 * 12 * 12 * 12) {
      var digits: [Int] = []
      var rest = sequence
      for _ in 0..<4 {
        digits.append(rest % 12)
        rest /= 12
      }
      let recording = SampledRecording(.hz(1000), ticks: 8)
      recording.script.ailmentAtRead = { $0 < 4 ? outcomes[digits[$0] % 3] : nil }
      recording.clock.oversleep = { $0 < 4 && digits[$0] / 3 % 2 == 1 ? 1_500_000 : 0 }
      for digit in digits {
        recording.box.room = digit / 6 == 1 ? 0 : 100
        _ = recording.sampler.step()
      }
      recording.box.room = sequence % 5
      recording.sampler.run()
      if let imbalance = recording.imbalance(ticks: 8) {
        Issue.record("sequence \(sequence): \(imbalance)")
        return
      }
    }
  }

  @Test("random faults of chip, bus, clock and sink keep order and account")
  func random() {
    var seeds = SystemRandomNumberGenerator()
    for _ in 0..<60 {
      let seed = seeds.next()
      if let imbalance = imbalance(seed: seed) {
        Issue.record("seed \(seed): \(imbalance)")
        return
      }
    }
  }

  private func imbalance(seed: UInt64) -> String? {
    var generator = SeededGenerator(seed: seed)
    let rates: [SampleRate] = [.hz(1), .hz(7, per: 3), .hz(10), .hz(30), .hz(1000)]
    let rate = rates[Int.random(in: 0..<rates.count, using: &generator)]
    let ticks = UInt64.random(in: 1...3000, using: &generator)
    let recording = SampledRecording(
      rate, ticks: ticks, timeUnit: [1, 1000, 1_000_000][Int(seed % 3)])
    let fickleness = Int.random(in: 2...300, using: &generator)
    let (script, box) = (recording.script, recording.box)
    var chip = generator
    script.ailmentAtTime = { _ in
      guard Int.random(in: 0..<fickleness, using: &chip) == 0 else { return nil }
      script.errno = Int32.random(in: 5...6, using: &chip)
      return Ailment.allCases.randomElement(using: &chip)
    }
    script.readCost = Int64.random(in: 0...1_500_000, using: &generator)
    script.bringUpCost = Int64.random(in: 0...5_000_000, using: &generator)
    var sleeps = generator
    recording.clock.oversleep = { _ in
      guard Int.random(in: 0..<fickleness, using: &sleeps) == 0 else { return 0 }
      return Int64.random(in: 0...3 * rate.periodNanoseconds, using: &sleeps)
    }
    while recording.sampler.step() == .continue {
      if Int.random(in: 0..<fickleness, using: &generator) == 0 {
        box.room = Int.random(in: 0...50, using: &generator)
      }
    }
    return recording.imbalance(ticks: ticks)
  }
}
