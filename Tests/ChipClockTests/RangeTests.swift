// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
import Testing

@testable import ChipClock

@Suite("The chip's clock in a part of a recording")
struct RangeTests {
  /// Instants by the position of a sample in the recording, from readings not before `start`.
  private func instants(_ recorded: Recorded, _ hertz: Double, from start: Double)
    -> [Int: SampleInstant]
  {
    var timeline = ClockTimeline(nominalPeriod: 1e9 / hertz, ClockAssumptions())
    var found: [Int: SampleInstant] = [:]
    var begun: [(delivered: Int, count: Int)] = []
    for (number, epoch) in recorded.epochs.enumerated() {
      let end =
        number + 1 < recorded.epochs.count
        ? recorded.epochs[number + 1].reading : recorded.readings.count
      let readings = recorded.readings[epoch.reading..<end].filter { Double($0.before) >= start }
      guard let last = readings.last else { continue }
      let before = begun.last.map { Int64($0.count) } ?? 0
      timeline.beginEpoch(number == 0 ? .start : .overflow, delivered: before)
      begun.append((Int(epoch.delivered), Int(last.count)))
      for reading in readings { timeline.add(reading) }
    }
    timeline.finish()
    for (number, epoch) in begun.enumerated() {
      for slot in stride(from: 1, through: epoch.count, by: 7) {
        found[epoch.delivered + slot - 1] = timeline.instant(of: Int64(slot), in: number)
      }
    }
    return found
  }

  /// Compares the whole with a part that begins `seconds` after the recording.
  private func compare(_ simulation: Simulation, _ seconds: Double, _ name: String) {
    let recorded = simulation.run()
    let whole = instants(recorded, simulation.hertz, from: 0)
    let part = instants(recorded, simulation.hertz, from: 1e12 + seconds * 1e9)
    var compared = 0
    for (index, instant) in part where recorded.truth[index] > 1e12 + (seconds + 40) * 1e9 {
      guard let same = whole[index] else {
        Issue.record("\(name): \(index) has no instant in the whole")
        continue
      }
      compared += 1
      let isSame =
        abs(same.earliest - instant.earliest) <= 1 && abs(same.likely - instant.likely) <= 1
        && abs(same.latest - instant.latest) <= 1
      #expect(isSame, "\(name), \(index): \(same), \(instant)")
      if !isSame { return }
    }
    #expect(compared > 100, "\(name)")
  }

  @Test("40 s after its beginning, a part has the instants of the whole")
  func clean() {
    for (seed, hertz, error) in [(1, 1000, 0.031), (2, 104, -0.07), (3, 416, 0.07)]
      as [(UInt64, Double, Double)]
    {
      var simulation = Simulation(hertz: hertz, error: error, drift: 8, seconds: 75, seed: seed)
      simulation.isBusy = seed == 1
      compare(simulation, 11.3, "\(hertz) Hz")
    }
  }

  @Test("so it is where an epoch was joined before the part, or in it")
  func joined() {
    for (seed, at) in [(1, 15), (2, 24), (3, 61)] as [(UInt64, Double)] {
      var simulation = Simulation(hertz: 416, seconds: 80, trouble: .stall(0.4e9), seed: seed)
      simulation.troubleAt = at * 1e9
      compare(simulation, 20, "stall at \(at) s")
    }
  }

  @Test("so it is where samples were lost or doubled, the rate changed, or a count was wrong")
  func broken() {
    let troubles: [Trouble] = [.lost, .step(20_000), .wrongCount(40)]
    for (seed, trouble) in troubles.enumerated() {
      for at in trouble == .lost ? [15.0, 38, 62] : [38] {
        var simulation = Simulation(
          hertz: 416, seconds: 80, trouble: trouble, seed: UInt64(seed + 10))
        simulation.troubleAt = at * 1e9
        compare(simulation, 14, "\(trouble) at \(at) s")
      }
    }
  }
}
