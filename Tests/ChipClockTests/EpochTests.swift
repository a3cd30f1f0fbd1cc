// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting
import IMUModel
import Testing

@Suite("The chip's clock over epochs")
struct EpochTests {
  @Test("a wrong count is left out, and changes no instant beyond its own reading")
  func wrongCount() {
    for (seed, more) in [(1, 21), (2, -5), (3, 256), (4, -256), (5, 5)] as [(UInt64, Int64)] {
      let recorded = Simulation(trouble: .wrongCount(more), seed: seed).run()
      var clock = recorded.timeline(ClockAssumptions(), nominalPeriod: 1e6)
      #expect(clock.findings.map(\.kind) == [.wrongCount], "\(more): \(clock.findings)")
      #expect(recorded.outside(&clock).outside == 0, "\(more)")
    }
  }

  @Test("of several numbers of missing samples the chip's counter leaves those that agree with it")
  func counted() throws {
    var simulation = Simulation(hertz: 1666, seconds: 40, trouble: .stall(2e9), seed: 1)
    simulation.isBusy = true
    let recorded = simulation.run()
    let next = recorded.epochs[1]
    func missing(_ cause: EpochCause, estimate: Int64) -> ClosedRange<Int64>? {
      var timeline = ClockTimeline(nominalPeriod: 1e9 / 1666, ClockAssumptions())
      timeline.beginEpoch(.start, delivered: 0)
      for reading in recorded.readings[..<next.reading] { timeline.add(reading) }
      timeline.beginEpoch(cause, delivered: next.delivered, estimate: estimate)
      for reading in recorded.readings[next.reading...] { timeline.add(reading) }
      timeline.finish()
      return timeline.epochs.last?.missing
    }
    let truth = recorded.missing[1]
    let all = try #require(missing(.overflow, estimate: truth))
    #expect(all.count > 1 && all.count <= 4 && all.contains(truth), "\(all), \(truth)")
    for modulo in [-8, -4, 0, 4, 8] as [Int64] {
      #expect(missing(.countedOverflow, estimate: truth + modulo) == truth...truth)
    }
    // A counter that none of them agrees with says nothing.
    let strange = (truth...truth + 3).first { number in
      !all.contains { ($0 - number) % EpochCause.overflowModulus == 0 }
    }
    if let strange { #expect(missing(.countedOverflow, estimate: strange) == all) }
  }

  @Test(
    "after a stall of up to a second the number of missing samples is exact",
    arguments: [0.15e9, 0.4e9, 2e9])
  func stall(length: Double) {
    for seed: UInt64 in 1...2 {
      let recorded = Simulation(trouble: .stall(length), seed: seed).run()
      var timeline = recorded.timeline(ClockAssumptions(), nominalPeriod: 1e6)
      #expect(timeline.epochs.count == 2)
      let (missing, truth) = (timeline.epochs.last?.missing, recorded.missing[1])
      #expect(missing?.contains(truth) == true, "seed \(seed)")
      #expect(length > 1e9 || missing == truth...truth, "seed \(seed)")
      #expect(timeline.findings.isEmpty, "seed \(seed): \(timeline.findings)")
      #expect(recorded.outside(&timeline).outside == 0, "seed \(seed)")
    }
  }
}
