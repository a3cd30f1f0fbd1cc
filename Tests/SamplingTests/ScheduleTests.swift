// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Sampling
import Testing

@Suite struct ScheduleTests {
  private static let rates: [SampleRate] = [
    .hz(3), .hz(30), .hz(1000), .hz(7, per: 3), .hz(1, per: 10),
  ]

  @Test("a million ticks later the deadline is still the exact one", arguments: rates)
  func noDrift(rate: SampleRate) {
    let start = MonotonicTime(nanoseconds: 123_456_789)
    let schedule = Schedule(start: start, rate: rate)
    for tick: UInt64 in [0, 1, 2, 3, 29, 30, 999, 1_000_000, 1_000_001, 86_400_000] {
      // Rounded down: deadline × rate ≤ tick × 10⁹ < (deadline + 1) × rate.
      let offset = schedule.deadline(of: tick) - start
      let exact = Int64(tick) * 1_000_000_000 * Int64(rate.denominator)
      #expect(offset * Int64(rate.numerator) <= exact)
      #expect((offset + 1) * Int64(rate.numerator) > exact)
    }
  }

  @Test("a tick is reachable until the next one is due, and not after", arguments: rates)
  func reachable(rate: SampleRate) {
    let schedule = Schedule(start: MonotonicTime(nanoseconds: 5), rate: rate)
    for tick: UInt64 in [0, 1, 2, 7, 999_999] {
      for later: UInt64 in [1, 2, 3] {
        let due = schedule.deadline(of: tick + later)
        #expect(schedule.firstReachable(from: tick, at: due + -1) == tick + later - 1)
        #expect(schedule.firstReachable(from: tick, at: due) == tick + later)
        #expect(schedule.firstReachable(from: tick, at: due + 1) == tick + later)
      }
      #expect(schedule.firstReachable(from: tick, at: schedule.start + -4) == tick)
    }
  }

  @Test("a plan ends after its last tick; without a plan there is no end")
  func over() {
    let start = MonotonicTime(nanoseconds: 0)
    let planned = Schedule(start: start, rate: .hz(10), plannedTicks: 600)
    #expect(!planned.isOver(at: 599))
    #expect(planned.isOver(at: 600))
    #expect(!Schedule(start: start, rate: .hz(10)).isOver(at: .max))
  }

  @Test("a deadline beyond what a recording can last is its last instant")
  func saturation() {
    let schedule = Schedule(start: MonotonicTime(nanoseconds: 5), rate: .hz(1, per: 10))
    #expect(
      schedule.deadline(of: .max) == MonotonicTime(nanoseconds: 5) + (RecordingTime.limit - 1))
  }
}
