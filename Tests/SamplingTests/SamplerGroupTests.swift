// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Sampling
import Testing

/// A loop with a turn each period, which takes some time and would lose something after a while.
private struct TurnLoop: SamplingLoop {
  final class Diary {
    var turns: [(name: Int, at: Int64)] = []
    var horizons: [Int64] = []
    var holdUps: [Int] = []
  }

  let name: Int
  let schedule: Schedule
  let clock: HandClock
  let diary: Diary
  let period: Int64
  let cost: Int64
  let slack: Int64
  let count: UInt64
  var turns: UInt64 = 0
  private var due: Int64

  init(
    _ name: Int, _ clock: HandClock, _ diary: Diary, period: Int64, cost: Int64, slack: Int64,
    count: UInt64
  ) {
    guard let rate = SampleRate(10) else { preconditionFailure("10 Hz is a rate") }
    schedule = Schedule(start: clock.now(), rate: rate)
    (self.name, self.clock, self.diary, self.count) = (name, clock, diary, count)
    (self.period, self.cost, self.slack) = (period, cost, slack)
    due = clock.now().nanoseconds + period
  }

  var tally: TickTally { TickTally() }
  var undelivered: [TickRecord] { [] }
  var now: MonotonicTime { clock.now() }
  var latest: MonotonicTime { MonotonicTime(nanoseconds: due + slack) }
  func sleep(until deadline: MonotonicTime) { clock.sleep(until: deadline) }
  func noteHoldUp() { diary.holdUps.append(name) }

  mutating func advance(horizon: MonotonicTime) -> MonotonicTime? {
    if turns == count { return nil }
    guard clock.now().nanoseconds >= due else { return MonotonicTime(nanoseconds: due) }
    diary.turns.append((name, clock.now().nanoseconds))
    diary.horizons.append(horizon.nanoseconds)
    clock.advance(by: cost)
    turns += 1
    due += period
    return MonotonicTime(nanoseconds: due)
  }
}

@Suite("Sampling loops that share a thread")
struct SamplerGroupTests {
  private let diary = TurnLoop.Diary()
  private let clock = HandClock(at: 0)

  private func loop(
    _ name: Int, period: Int64, cost: Int64 = 1, slack: Int64 = 10, count: UInt64
  ) -> AnySamplingLoop {
    BoxedSamplingLoop(
      TurnLoop(
        name, clock, diary, period: period, cost: cost, slack: slack, count: count))
  }

  @Test("each have all of their turns, at their own times where none is in the way")
  func turns() {
    var group = SamplerGroup([
      loop(0, period: 100, count: 30), loop(1, period: 70, count: 50),
      loop(2, period: 1000, count: 3),
    ])
    group.run()
    for (name, period, count) in [(0, 100, 30), (1, 70, 50), (2, 1000, 3)] {
      let own = diary.turns.filter { $0.name == name }
      #expect(own.count == count)
      for (index, turn) in own.enumerated() {
        // Three turns at once wait for each other.
        #expect((0...2).contains(turn.at - Int64((index + 1) * period)))
      }
    }
    #expect(group.step() == .finished)
  }

  @Test("of those that are due, the one that would lose something first goes first")
  func urgency() {
    // The second one holds the others up once; then all are due.
    var group = SamplerGroup([
      loop(0, period: 100, slack: 5000, count: 9),
      loop(1, period: 90, cost: 400, slack: 9000, count: 1),
      loop(2, period: 110, slack: 300, count: 9),
    ])
    group.run()
    #expect(diary.turns.prefix(3).map(\.name) == [1, 2, 2])
    // By when the others need the bus.
    #expect(diary.horizons[0] == 410)
  }

  @Test("are told when one held the bus up")
  func holdUp() {
    var group = SamplerGroup([
      loop(0, period: 100, cost: 100_000_000, count: 1), loop(1, period: 500_000_000, count: 2),
      loop(2, period: 500_000_000, count: 2),
    ])
    group.run()
    #expect(diary.holdUps == [1, 2])
  }
}
