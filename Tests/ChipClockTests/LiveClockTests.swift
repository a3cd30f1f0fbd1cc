// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting
import Testing

@Suite("The chip's clock while a recording runs")
struct LiveClockTests {
  /// What the clock says after a reading of its newest sample.
  private struct View {
    var reading: FillReading
    /// In nanoseconds, of the newest sample.
    var truth: Double
    var instant: SampleInstant?
    var hertz: Double?
    /// Over the last two seconds of samples.
    var trueHertz: Double?

    var isInside: Bool { instant?.holds(truth) ?? false }
    var error: Double { instant.map { abs(Double($0.likely) - truth) / 1000 } ?? .infinity }
    var half: Double { instant.map { Double($0.latest - $0.earliest) / 2000 } ?? .infinity }
    /// In parts per million.
    var rateError: Double {
      guard let hertz, let trueHertz else { return .infinity }
      return abs(hertz / trueHertz - 1) * 1e6
    }
  }

  /// One view for each true reading; the simulation has one epoch.
  private func views(_ simulation: Simulation, _ assumptions: ClockAssumptions = .init()) -> [View]
  {
    let recorded = simulation.run()
    var clock = LiveClock(nominalPeriod: 1e9 / simulation.hertz, assumptions)
    let span = Int(simulation.hertz * 2)
    return recorded.readings.compactMap { reading in
      clock.add(reading)
      let newest = Int(reading.count) - 1
      guard recorded.truth.indices.contains(newest) else { return nil }
      let trueHertz =
        newest >= span
        ? Double(span) * 1e9 / (recorded.truth[newest] - recorded.truth[newest - span]) : nil
      return View(
        reading: reading, truth: recorded.truth[newest], instant: clock.instant(of: reading.count),
        hertz: clock.hertz, trueHertz: trueHertz)
    }
  }

  @Test("dates the newest samples to tens of microseconds, and knows the rate of now")
  func figures() throws {
    var (errors, halves): ([Double], [Double]) = ([], [])
    var rates = [0.0, 0, 0]
    for (seed, error) in [-0.07, -0.05, -0.02, 0.02, 0.03, 0.07].enumerated() {
      var simulation = Simulation(error: error, seconds: 60, seed: UInt64(seed + 1))
      simulation.jitter = 3
      let views = views(simulation)
      func since(_ view: View) -> Double { (Double(view.reading.before) - 1e12) / 1e9 }
      let known = views.filter { since($0) > 3 }
      #expect(known.filter { !$0.isInside }.isEmpty, "seed \(seed + 1)")
      errors += known.map(\.error)
      halves += known.map(\.half)
      for (index, at) in [5.0, 30, 59].enumerated() {
        let view = try #require(views.first { since($0) >= at })
        rates[index] = max(rates[index], view.rateError)
      }
    }
    errors.sort()
    halves.sort()
    // 39, 275, and 27, 9 and 10 are the method's.
    #expect(errors[errors.count * 99 / 100] < 39 * 1.5)
    #expect(halves[halves.count * 99 / 100] < 275 * 1.5)
    #expect(rates[0] < 27 * 1.5 && rates[1] < 9 * 1.5 && rates[2] < 10 * 1.5, "\(rates)")
  }

  @Test("holds the newest samples of every chip, bus and host within the assumptions")
  func sound() {
    for seed in seeds(12) {
      let random = RandomSimulation(seed: seed &+ 500, faults: 0)
      let views = views(random.simulation, random.assumptions)
      let outside = views.filter { $0.instant != nil && !$0.isInside }
      #expect(outside.isEmpty, "seed \(seed): \(outside.count) of \(views.count), \(random)")
      // From the first read on.
      let first = views.first { $0.reading.after != nil && $0.reading.count > 0 }
      #expect(first?.instant != nil && views.last?.hertz != nil, "seed \(seed)")
    }
  }

  @Test(
    "begins again after what no clock explains",
    arguments: [
      Trouble.lost, .doubled, .step(20_000), .step(-20_000), .wrongCount(21), .wrongCount(-21),
      .wrongCount(-300), .wrongCount(4096), .wrongCount(1 << 40),
    ])
  func breaks(_ trouble: Trouble) {
    for seed: UInt64 in 1...2 {
      var simulation = Simulation(error: -0.02, seconds: 40, trouble: trouble, seed: seed)
      simulation.isBusy = seed == 2
      let views = views(simulation)
      func after(_ seconds: Double) -> ArraySlice<View> {
        views[...].drop { Double($0.reading.before) < 1e12 + 15e9 + seconds * 1e9 }
      }
      let name = "\(trouble), seed \(seed)"
      // A knot later it may have found out, and two later what it says rests on readings after the break alone.
      #expect(after(2).filter { !$0.isInside }.isEmpty, "\(name)")
      #expect(after(2.5).allSatisfy { $0.half < 1000 }, "\(name)")
      #expect(after(4).allSatisfy { $0.rateError < 150 }, "\(name)")
      let halves = after(15).map(\.half).sorted()
      #expect(halves[halves.count * 95 / 100] < 275 * 1.5, "\(name)")
      #expect(after(15).allSatisfy { $0.rateError < 50 }, "\(name)")
    }
  }

  @Test("knows no rate before there are readings for half a second")
  func early() throws {
    var clock = LiveClock(nominalPeriod: 1e6, ClockAssumptions())
    #expect(clock.instant(of: 1) == nil && clock.hertz == nil)
    clock.add(FillReading(count: 0, before: 0, after: nil))
    #expect(clock.instant(of: 1) == nil && clock.hertz == nil)
    for step: Int64 in 1...200 {
      let made = step * 20
      // The phase of the reading wanders, as the dither makes it.
      let time = made * 1_000_000 + step * 37 % 77 * 10_000
      clock.add(FillReading(count: made, before: time, after: time + 230_000))
      let instant = try #require(clock.instant(of: made))
      #expect(instant.earliest <= made * 1_000_000 && made * 1_000_000 <= instant.latest)
      if made < 500 { #expect(clock.hertz == nil) }
      if made > 1100 {
        let hertz = try #require(clock.hertz)
        #expect(abs(hertz - 1000) < 3)
      }
    }
  }

  @Test("says when samples to come will be, the less certain the later they are")
  func future() throws {
    let recorded = Simulation(error: 0.03, seconds: 12, seed: 4).run()
    var clock = LiveClock(nominalPeriod: 1e6, ClockAssumptions())
    let past = recorded.readings.filter { $0.before < Int64(1e12 + 10e9) }
    for reading in past { clock.add(reading) }
    let newest = try #require(past.last).count
    var width: Int64 = 0
    for more: Int64 in [0, 100, 500, 1500] {
      let instant = try #require(clock.instant(of: newest + more))
      let truth = recorded.truth[Int(newest + more) - 1]
      #expect(Double(instant.earliest) <= truth && truth <= Double(instant.latest))
      #expect(instant.latest - instant.earliest > width)
      width = instant.latest - instant.earliest
    }
    #expect(width < 2_000_000)
  }

  @Test("is as certain after hours as after a minute")
  func long() throws {
    var clock = LiveClock(nominalPeriod: 1e6, ClockAssumptions())
    var halves: [Int64] = []
    // Two hours; between the first and the last minute a reading a second.
    for step: Int64 in 1...360_000 where step <= 3000 || step > 357_000 || step % 50 == 0 {
      let made = step * 20
      let time = made * 1_000_000 + step * 37 % 77 * 10_000
      clock.add(FillReading(count: made, before: time, after: time + 230_000))
      guard step == 3000 || step == 360_000 else { continue }
      let instant = try #require(clock.instant(of: made))
      #expect(instant.earliest <= made * 1_000_000 && made * 1_000_000 <= instant.latest)
      halves.append((instant.latest - instant.earliest) / 2)
    }
    #expect(halves.count == 2 && halves[1] <= halves[0] + 20_000, "\(halves)")
  }
}
