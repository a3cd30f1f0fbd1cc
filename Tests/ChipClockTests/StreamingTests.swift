// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting
import TestSupport
import Testing

/// The timeline as a reader of a log uses it: it asks for each sample as soon as nothing later changes it.
@Suite("The chip's clock while readings come")
struct StreamingTests {
  /// Adds readings until each slot is settled; returns the instants, in order, and the findings.
  private func stream(
    _ recorded: Recorded, _ timeline: inout ClockTimeline
  ) -> (instants: [SampleInstant?], findings: [ClockAnomaly]) {
    var instants: [SampleInstant?] = []
    var findings: [ClockAnomaly] = []
    var next = 0
    for (epoch, slot) in recorded.slots {
      while !timeline.isSettled(slot, in: epoch), next <= recorded.readings.count {
        recorded.add(next, to: &timeline)
        next += 1
      }
      instants.append(timeline.instant(of: slot, in: epoch))
      findings += timeline.takeFindings()
    }
    while next <= recorded.readings.count {
      recorded.add(next, to: &timeline)
      next += 1
    }
    return (instants, findings + timeline.takeFindings())
  }

  @Test(
    "samples have the instants that they have when all readings are there, and findings are the same"
  )
  func settled() {
    for seed in seeds(12) {
      let random = RandomSimulation(seed: seed + 31_000, faults: Int(seed % 4), seconds: 40...70)
      let recorded = random.simulation.run()
      let period = 1e9 / random.simulation.hertz
      var timeline = ClockTimeline(nominalPeriod: period, random.assumptions)
      let (instants, findings) = stream(recorded, &timeline)
      var whole = recorded.timeline(random.assumptions, nominalPeriod: period)
      var different = 0
      for ((epoch, slot), instant) in zip(recorded.slots, instants)
      where whole.instant(of: slot, in: epoch) != instant { different += 1 }
      #expect(different == 0, "seed \(seed): \(random)")
      #expect(findings == whole.findings, "seed \(seed): \(random)")
    }
  }

  @Test(
    "a wrong count just after an overflow proves no wrong number of missing samples, and none proves the right one",
    arguments: CaseSelection.sample(1, of: [52.0, 104, 1000]))
  func wrongAfterOverflow(hertz: Double) {
    var proved = 0
    for seed: UInt64 in 1...40 {
      for isWrong in [true, false] {
        var simulation = Simulation(hertz: hertz, error: 0.03, seconds: 12, seed: seed)
        simulation.others = [(.stall(0.4e9), 5e9)]
        if isWrong {
          simulation.others.append((.wrongCount(20), 5.4e9 + Double(seed % 4) * 20e6))
        }
        let recorded = simulation.run()
        var timeline = ClockTimeline(nominalPeriod: 1e9 / hertz, ClockAssumptions())
        _ = stream(recorded, &timeline)
        guard timeline.epochs.count > 1, let missing = timeline.epochs[1].missing else { continue }
        proved += isWrong ? 0 : 1
        #expect(missing.contains(recorded.missing[1]), "seed \(seed): \(recorded.missing[1])")
      }
    }
    #expect(proved > 0)
  }

  @Test("a lost sample is named although only one reading comes after a long pause")
  func pause() {
    for hertz in [104.0, 1000] {
      var simulation = Simulation(hertz: hertz, seconds: 54, trouble: .lost, seed: 3)
      simulation.troubleAt = 15e9
      var recorded = simulation.run()
      let late = recorded.readings.last
      recorded.readings.removeAll { Double($0.before) > 1e12 + 26e9 }
      if let late { recorded.readings.append(late) }
      var timeline = ClockTimeline(nominalPeriod: 1e9 / hertz, ClockAssumptions())
      let (_, findings) = stream(recorded, &timeline)
      #expect(findings.map(\.kind) == [.lost(1...1)], "\(hertz)")
    }
  }

  @Test("readings that are all far apart trap nowhere")
  func farApart() {
    var timeline = ClockTimeline(nominalPeriod: 1e6, ClockAssumptions())
    timeline.beginEpoch(.start, delivered: 0)
    for index in 0..<4200 as Range<Int64> {
      timeline.add(
        FillReading(
          count: index * 50_000, before: index * 50_000_000_000,
          after: index * 50_000_000_000 + 300_000))
    }
    timeline.finish()
    var last = Int64.min
    for index in 0..<4200 as Range<Int64> {
      for slot in max(1, index * 50_000 - 2)...index * 50_000 + 2 {
        guard let instant = timeline.instant(of: slot, in: 0) else { continue }
        #expect(instant.likely > last)
        last = instant.likely
      }
    }
    #expect(last > .min, "some slot has an instant")
  }
}
