import Testing

@testable import ChipClock

@Suite("The chip's clock while a recording runs")
struct LiveClockTests {
  @Test("the newest samples are in their intervals, and are dated to tens of microseconds")
  func newest() throws {
    for (seed, error) in [(1, -0.05), (2, 0.03), (3, 0.07)] as [(UInt64, Double)] {
      var simulation = Simulation(error: error, seconds: 20, seed: seed)
      simulation.isBusy = seed == 2
      let recorded = simulation.run()
      var clock = LiveClock(nominalPeriod: 1e6, ClockAssumptions())
      var errors: [Double] = []
      for reading in recorded.readings {
        clock.add(reading)
        // After the first seconds, which show little.
        guard reading.count > 3000, reading.count <= recorded.truth.count else { continue }
        let truth = recorded.truth[Int(reading.count) - 1]
        let instant = try #require(clock.instant(of: reading.count), "seed \(seed)")
        let isInside = Double(instant.earliest) <= truth && truth <= Double(instant.latest)
        #expect(isInside, "seed \(seed), \(reading.count)")
        #expect(instant.latest - instant.earliest < 800_000, "seed \(seed), \(reading.count)")
        errors.append(abs(Double(instant.likely) - truth) / 1000)
      }
      errors.sort()
      #expect(errors.count > 700)
      #expect(errors[errors.count * 99 / 100] < 60, "seed \(seed)")
      let hertz = try #require(clock.hertz)
      #expect(abs(hertz / (1000 * (1 + error)) - 1) < 60e-6, "seed \(seed): \(hertz)")
    }
  }

  @Test("there is no instant before a reading, and a slot to come has one")
  func future() throws {
    var clock = LiveClock(nominalPeriod: 1e6, ClockAssumptions())
    #expect(clock.instant(of: 1) == nil && clock.hertz == nil)
    clock.add(ClockReading(count: 0, before: 0, after: nil))
    #expect(clock.instant(of: 1) == nil)
    for step: Int64 in 1...200 {
      let made = step * 20
      let time = made * 1_000_000 + 10_000
      clock.add(ClockReading(count: made, before: time, after: time + 230_000))
    }
    let instant = try #require(clock.instant(of: 4100))
    // Readings always just after a sample tell little about where the next one is.
    #expect(abs(instant.likely - 4_100_000_000) < 600_000)
    #expect(instant.earliest < 4_100_000_000 && 4_100_000_000 < instant.latest)
  }
}
