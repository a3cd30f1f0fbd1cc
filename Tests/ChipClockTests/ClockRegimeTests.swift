// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
import Testing

@testable import ChipClock

@Suite("The chip's clock in a regime")
struct ClockRegimeTests {
  /// How far the likely instants are from the true ones, and half the intervals, in microseconds.
  struct Figures: CustomStringConvertible {
    var outside = 0
    var errors: [Double] = []
    var halves: [Double] = []

    func part(_ values: [Double], _ part: Double) -> Double {
      values.isEmpty ? 0 : values.sorted()[Int(Double(values.count - 1) * part)]
    }

    var description: String {
      let e = [0.5, 0.99, 1].map { part(errors, $0).rounded() }
      let h = [0.5, 0.99].map { part(halves, $0).rounded() }
      return "outside \(outside), error \(e), half width \(h)"
    }
  }

  private func regime(_ recorded: Recorded, _ simulation: Simulation) throws -> ClockRegime {
    let assumptions = ClockAssumptions(
      busHertz: simulation.busHertz > 200e3 ? 400_000 : 100_000)
    return try #require(
      try ClockRegime(
        recorded.readings, SlotGrid(period: 1e9 / simulation.hertz), assumptions))
  }

  private func figures(_ recorded: Recorded, _ regime: ClockRegime) throws -> Figures {
    var figures = Figures()
    for (index, truth) in recorded.truth.enumerated() {
      let instant = try #require(regime.instant(of: Int64(index + 1)))
      if Double(instant.earliest) > truth || Double(instant.latest) < truth { figures.outside += 1 }
      #expect(instant.earliest <= instant.likely && instant.likely <= instant.latest)
      figures.errors.append(abs(Double(instant.likely) - truth) / 1000)
      figures.halves.append(Double(instant.latest - instant.earliest) / 2000)
    }
    return figures
  }

  /// Rate, and the figures to reach: error p99, half width p50 and p99, in microseconds. The ends of 40 s are known less
  /// well than the middle: over 300 s the errors are half of these.
  @Test(
    "every sample is in its interval, and the likely instants are within tens of microseconds",
    arguments: [
      (104.0, 120.0, 328.0, 532.0), (416, 60, 235, 320), (1000, 36, 208, 263),
      (1666, 28, 196, 230),
    ])
  func sound(_ hertz: Double, _ error: Double, _ half: Double, _ widest: Double) throws {
    var all = Figures()
    for (seed, clockError) in [(1, -0.05), (2, 0.03), (3, 0.07)] as [(UInt64, Double)] {
      for isBusy in seed == 2 ? [false, true] : [false] {
        var simulation = Simulation(hertz: hertz, error: clockError, seconds: 40, seed: seed)
        simulation.isBusy = isBusy
        let recorded = simulation.run()
        let found = try figures(recorded, regime(recorded, simulation))
        #expect(found.outside == 0, "seed \(seed)")
        guard !isBusy else { continue }
        all.errors += found.errors
        all.halves += found.halves
      }
    }
    #expect(all.part(all.errors, 0.99) <= error, "\(all)")
    #expect(all.part(all.halves, 0.5) <= half && all.part(all.halves, 0.99) <= widest, "\(all)")
  }

  @Test("a rate that drifts quickly, and a slow bus, only widen the intervals")
  func hardships() throws {
    for (seed, drift, bus) in [(1, 45.0, 385e3), (2, -45, 385e3), (3, 1, 96e3), (4, 20, 96e3)]
      as [(UInt64, Double, Double)]
    {
      var simulation = Simulation(error: -0.03, drift: drift, seconds: 20, seed: seed)
      simulation.busHertz = bus
      let recorded = simulation.run()
      let found = try figures(recorded, regime(recorded, simulation))
      #expect(found.outside == 0, "seed \(seed): \(found)")
      #expect(found.part(found.halves, 0.99) < 500, "seed \(seed): \(found)")
    }
  }

  @Test("after 30 s the rate is known to 3 parts per million, and the proved bounds hold it")
  func rate() throws {
    for seed: UInt64 in 1...4 {
      let simulation = Simulation(error: 0.035, drift: 0, seconds: 30, seed: seed)
      let recorded = simulation.run()
      let count = recorded.truth.count
      let truth = (recorded.truth[count - 1] - recorded.truth[0]) / Double(count - 1)
      let period = try #require(try regime(recorded, simulation).period)
      #expect(abs(period.likely / truth - 1) < 3e-6, "seed \(seed)")
      #expect(period.least < truth && truth < period.greatest, "seed \(seed)")
      #expect((period.greatest - period.least) / truth < 60e-6, "seed \(seed)")
    }
  }

  @Test("another true reading widens no interval")
  func moreReadings() throws {
    let simulation = Simulation(seconds: 12, seed: 5)
    let recorded = simulation.run()
    let without = recorded.readings.enumerated().filter { $0.offset % 7 != 3 || $0.offset < 400 }
      .map(\.element)
    var fewer = recorded
    fewer.readings = without
    // The same line, or the offsets are rounded differently: the first and the last reading are in both.
    try #require(without.first == recorded.readings.first && without.last == recorded.readings.last)
    let (all, some) = (try regime(recorded, simulation), try regime(fewer, simulation))
    for slot in stride(from: Int64(1), to: 12_000, by: 37) {
      let (a, b) = (try #require(all.instant(of: slot)), try #require(some.instant(of: slot)))
      #expect(a.earliest >= b.earliest - 1 && a.latest <= b.latest + 1, "\(slot)")
    }
  }

  @Test("halfway between two knots an interval is wider by drift · time² / 8 on each side")
  func bend() throws {
    var assumptions = ClockAssumptions()
    assumptions.drift = 1000
    let recorded = Simulation(seconds: 12, seed: 5).run()
    let regime = try #require(
      try ClockRegime(recorded.readings, SlotGrid(period: 1e6), assumptions))
    #expect(regime.knots.count > 9)
    for (left, right) in zip(regime.knots, regime.knots.dropFirst().dropLast()) {
      let middle = left.slot + (right.slot - left.slot) / 2
      let widths = try [left.slot, middle, right.slot].map { slot in
        let instant = try #require(regime.instant(of: slot))
        return Double(instant.latest - instant.earliest)
      }
      let time = regime.grid.seconds(from: left.slot, to: right.slot)
      let widening = 1000 * assumptions.nominalDrift * time * time / 4
      #expect(abs(widths[1] - (widths[0] + widths[2]) / 2 - widening) < 0.02 * widening + 5)
    }
  }

  @Test("other numbers and another origin of time give the same instants")
  func shifted() throws {
    let simulation = Simulation(seconds: 12, seed: 6)
    let recorded = simulation.run()
    var moved = recorded
    let (time, slots) = (Int64(1_000_000_000_000_000), Int64(1_000_000_000))
    moved.readings = recorded.readings.map {
      FillReading(
        count: $0.count + slots, before: $0.before + time, after: $0.after.map { $0 + time })
    }
    let (here, there) = (try regime(recorded, simulation), try regime(moved, simulation))
    for slot in stride(from: Int64(1), to: 12_000, by: 41) {
      let (a, b) = (
        try #require(here.instant(of: slot)), try #require(there.instant(of: slot + slots))
      )
      #expect(abs(b.earliest - time - a.earliest) <= 1 && abs(b.latest - time - a.latest) <= 1)
      #expect(abs(b.likely - time - a.likely) <= 1)
    }
  }

  @Test("each prefix of the readings gives sound intervals, which overlap those of the whole")
  func prefixes() throws {
    let simulation = Simulation(seconds: 20, seed: 7)
    let recorded = simulation.run()
    let whole = try regime(recorded, simulation)
    for count in [2, 3, 10, 100, 450, 800] {
      var part = recorded
      part.readings = Array(recorded.readings.prefix(count))
      let regime = try regime(part, simulation)
      for slot in stride(from: Int64(1), through: part.readings[count - 1].count, by: 17) {
        let (a, b) = (
          try #require(regime.instant(of: slot)), try #require(whole.instant(of: slot))
        )
        let truth = recorded.truth[Int(slot - 1)]
        #expect(Double(a.earliest) <= truth && truth <= Double(a.latest), "\(count), \(slot)")
        #expect(a.earliest <= b.latest && b.earliest <= a.latest, "\(count), \(slot)")
      }
    }
  }

  @Test("instants come while readings are added, and are those of all readings")
  func streamed() throws {
    let simulation = Simulation(seconds: 70, seed: 8)
    let recorded = simulation.run()
    var assumptions = ClockAssumptions()
    assumptions.jitter = 5
    var streamed = ClockRegime(SlotGrid(period: 1e6), assumptions)
    var slot: Int64 = 1
    var found: [SampleInstant] = []
    var mostKnots = 0
    for reading in recorded.readings {
      try streamed.add(reading)
      while let instant = streamed.instant(of: slot) {
        found.append(instant)
        slot += 1
        streamed.forget(before: slot)
      }
      mostKnots = max(mostKnots, streamed.knots.count)
      #expect(streamed.recent.count < 6000)
    }
    #expect(found.count > 25_000 && mostKnots < 140)
    try streamed.finish()
    while slot <= recorded.truth.count, let instant = streamed.instant(of: slot) {
      found.append(instant)
      slot += 1
    }
    let whole = try #require(
      try ClockRegime(recorded.readings, SlotGrid(period: 1e6), assumptions))
    #expect(found.count == recorded.truth.count)
    for (index, instant) in found.enumerated() {
      #expect(instant == whole.instant(of: Int64(index + 1)), "\(index + 1)")
    }
  }

  @Test("a clock that gets seconds away from its first line is followed")
  func farAway() throws {
    // The first 20 s make the line; then the period changes by 2 % within 25 s.
    var assumptions = ClockAssumptions()
    assumptions.drift = 1000
    var regime = ClockRegime(SlotGrid(period: 1e6), assumptions)
    var slot: Int64 = 0
    var (time, period) = (0.0, 1e6)
    for second in 0..<130 {
      if (25..<50).contains(second) { period *= 1 + 0.0008 }
      for _ in 0..<10 {
        slot += 100
        time += 100 * period
        try regime.add(
          FillReading(count: slot, before: Int64(time) + 200_000, after: Int64(time) + 430_000))
      }
    }
    try regime.finish()
    #expect(abs(time - Double(slot) * 1e6) > 1.5e9)
    let instant = try #require(regime.instant(of: slot))
    #expect(Double(instant.earliest) <= time && time <= Double(instant.latest))
    #expect(instant.latest - instant.earliest < 1_500_000)
  }

  @Test("knots that are not settled are made again from the readings that replace the recent ones")
  func replaced() throws {
    var regime = ClockRegime(SlotGrid(period: 1e6), ClockAssumptions())
    for reading in Simulation(seconds: 45, seed: 5).run().readings { try regime.add(reading) }
    let slots = regime.knots.map(\.slot)
    let settled = try #require(regime.settledSlot)
    #expect(slots.filter { $0 > settled }.count > 10)
    try regime.replaceRecent(regime.recent)
    #expect(regime.knots.map(\.slot) == slots)
  }

  @Test("readings that bound no slot from both sides give no clock")
  func tooFew() throws {
    let assumptions = ClockAssumptions()
    #expect(try ClockRegime([], SlotGrid(period: 1e6), assumptions) == nil)
    let opened = FillReading(count: 0, before: 1000, after: nil)
    #expect(try ClockRegime([opened], SlotGrid(period: 1e6), assumptions) == nil)
    let read = FillReading(count: 3, before: 4_000_000, after: 4_300_000)
    let one = try #require(try ClockRegime([opened, read], SlotGrid(period: 1e6), assumptions))
    let instant = try #require(one.instant(of: 3))
    #expect(instant.latest < 6_000_000 && instant.earliest > 0)
    #expect(one.instant(of: 4) != nil)
  }

  @Test("readings of no clock within the assumptions are a contradiction where they are")
  func contradictions() throws {
    func slot(_ recorded: Recorded) -> Int64? {
      do throws(ClockContradiction) {
        _ = try ClockRegime(recorded.readings, SlotGrid(period: 1e6), ClockAssumptions())
        return nil
      } catch {
        return error.slot
      }
    }
    #expect(slot(Simulation(seed: 9).run()) == nil)
    for trouble in [Trouble.lost, .doubled, .step(20_000), .wrongCount(40)] {
      let found = try #require(slot(Simulation(trouble: trouble, seed: 9).run()), "\(trouble)")
      #expect(abs(found - 15_450) < 7500, "\(trouble): \(found)")
    }
    var shaken = Simulation(seed: 10)
    shaken.jitter = 400
    #expect(slot(shaken.run()) != nil)
  }
}
