// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting
import Testing

@Suite("The proof of the chip's clock")
struct SoundnessTests {
  @Test("holds for every chip, bus and host within the assumptions, and finds nothing")
  func sound() {
    for seed in seeds(12) {
      let random = RandomSimulation(seed: seed, faults: 0)
      let recorded = random.simulation.run()
      var timeline = recorded.timeline(
        random.assumptions, nominalPeriod: 1e9 / random.simulation.hertz)
      #expect(timeline.findings.isEmpty, "seed \(seed): \(timeline.findings), \(random)")
      let (outside, falling) = recorded.outside(&timeline)
      #expect(outside == 0 && falling == 0, "seed \(seed): \(outside), \(falling), \(random)")
    }
  }

  @Test(
    "holds through faults, which are named, and joins count what is missing", arguments: [1, 3])
  func faulty(_ faults: Int) {
    var (named, all) = (0, 0)
    for seed in seeds(12) {
      let random = RandomSimulation(seed: seed &+ 1000, faults: faults)
      let recorded = random.simulation.run()
      var timeline = recorded.timeline(
        random.assumptions, nominalPeriod: 1e9 / random.simulation.hertz)
      let findings = timeline.takeFindings()
      let (outside, falling) = recorded.outside(&timeline)
      #expect(outside == 0 && falling == 0, "seed \(seed): \(outside), \(falling), \(random)")
      let wanted = random.simulation.others.map(\.trouble).filter {
        if case .stall = $0 { false } else { true }
      }
      let isNamed =
        findings.count == wanted.count
        && zip(findings, wanted).allSatisfy {
          switch ($0.kind, $1) {
          case (.lost(1...1), .lost), (.doubled(1...1), .doubled), (.wrongCount, .wrongCount): true
          default: false
          }
        }
      (named, all) = (named + (isNamed ? 1 : 0), all + 1)
      for (epoch, missing) in zip(timeline.epochs, recorded.missing).dropFirst() {
        #expect(epoch.missing?.contains(missing) ?? true, "seed \(seed): \(epoch), \(missing)")
      }
    }
    #expect(named * 100 >= all * 95, "\(named) of \(all)")
  }

  @Test(
    "counts a lost and a doubled sample, and brackets its slot and instant",
    arguments: [104.0, 416, 1000, 1666], [20e6, 50e6])
  func brackets(_ hertz: Double, _ drains: Double) throws {
    for seed in seeds(1) {
      var random = SeededRandom(seed)
      for trouble in [Trouble.lost, .doubled] {
        var simulation = Simulation(
          hertz: hertz, error: random.next(-0.07...0.07), drift: random.next(-3...3), seconds: 16,
          trouble: trouble, seed: seed)
        simulation.troubleAt = random.next(7e9...9e9)
        simulation.drains = drains
        simulation.isBusy = seed % 2 == 0
        simulation.latchBits = 20...38
        let recorded = simulation.run()
        let timeline = recorded.timeline(ClockAssumptions(), nominalPeriod: 1e9 / hertz)
        let found = try #require(timeline.findings.first, "seed \(seed), \(trouble)")
        #expect(timeline.findings.count == 1, "seed \(seed): \(timeline.findings)")
        // With so few readings, what is known at 1666 Hz is not always less than a period.
        let isCoarse = hertz == 1666 && drains == 50e6
        switch (found.kind, trouble) {
        case (.lost(1...1), .lost), (.doubled(1...1), .doubled): break
        case (.lost(let range), .lost) where isCoarse && range.contains(1): break
        case (.doubled(let range), .doubled) where isCoarse && range.contains(1): break
        case (.contradiction(let range), _)
        where isCoarse && range.contains(trouble == .lost ? 1 : -1): break
        default: Issue.record("seed \(seed), \(trouble): \(found)")
        }
        // The slot before a lost one, and the first of two.
        let next = try #require(
          recorded.truth.firstIndex { $0 > 1e12 + simulation.troubleAt }, "seed \(seed)")
        let slot = trouble == .lost ? next : next + 1
        let instant =
          trouble == .lost
          ? (recorded.truth[next - 1] + recorded.truth[next]) / 2 : recorded.truth[next]
        #expect(found.slots.contains(Int64(slot)), "seed \(seed): \(slot), \(found)")
        #expect(Double(found.instants.lowerBound) <= instant, "seed \(seed): \(found)")
        #expect(instant <= Double(found.instants.upperBound), "seed \(seed): \(found)")
        #expect(
          Double(found.instants.upperBound) - instant < (isCoarse ? 1000e6 : 500e6),
          "seed \(seed): \(found)")
      }
    }
  }

  @Test("joins epochs after 1 to 1000 missing samples, exactly or with a range that holds them")
  func joins() throws {
    var exact = 0
    for (seed, length) in [0.2, 1, 7, 40, 130, 300, 700, 960].enumerated() {
      var simulation = Simulation(
        error: seed % 2 == 0 ? -0.06 : 0.05, seconds: 16,
        trouble: .stall(length * 1e6), seed: UInt64(seed + 1))
      simulation.troubleAt = 9e9
      let recorded = simulation.run()
      let timeline = recorded.timeline(ClockAssumptions(), nominalPeriod: 1e6)
      let found = try #require(timeline.epochs.last?.missing, "\(length) ms")
      #expect(found.contains(recorded.missing[1]), "\(length) ms: \(found), \(recorded.missing)")
      if found.count == 1 { exact += 1 }
    }
    #expect(exact >= 7)
  }
}

@Suite("What the proof of the chip's clock must refuse")
struct RefutationTests {
  private func findings(
    _ readings: [FillReading], _ assumptions: ClockAssumptions = .init(), hertz: Double = 1000
  ) -> [ClockAnomaly.Kind] {
    var timeline = ClockTimeline(nominalPeriod: 1e9 / hertz, assumptions)
    timeline.beginEpoch(.start, delivered: 0)
    for reading in readings { timeline.add(reading) }
    timeline.finish()
    return timeline.findings.map(\.kind)
  }

  @Test("counts that are off by one from the middle on")
  func offByOne() {
    let readings = Simulation(seconds: 16, seed: 21).run().readings
    #expect(findings(readings).isEmpty)
    for (more, kind) in [(1, .doubled(1...1)), (-1, .lost(1...1))]
      as [(Int64, ClockAnomaly.Kind)]
    {
      var changed = readings
      for index in readings.count / 2..<readings.count { changed[index].count += more }
      #expect(findings(changed) == [kind])
    }
  }

  @Test("jitter of a tenth of the period, where none is assumed")
  func jitter() {
    var simulation = Simulation(hertz: 416, seconds: 16, seed: 22)
    simulation.jitter = 240
    var assumptions = ClockAssumptions()
    assumptions.jitter = 0
    let readings = simulation.run().readings
    #expect(!findings(readings, assumptions, hertz: 416).isEmpty)
  }

  @Test("a clock of the host that is slewed, which the raw one is not")
  func slewed() {
    let readings = Simulation(seconds: 16, seed: 23).run().readings
    // 500 ppm for three seconds.
    func slewed(_ time: Int64) -> Int64 {
      time + min(max(time - 1_007_000_000_000, 0), 3_000_000_000) / 2000
    }
    let changed = readings.map {
      FillReading(count: $0.count, before: slewed($0.before), after: $0.after.map(slewed))
    }
    #expect(findings(readings).isEmpty)
    let found = findings(changed)
    #expect(!found.isEmpty && found.count <= 4, "\(found)")
  }
}
