// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Recorder
import Sampling
import Testing

@Suite("The place of a recording in its sampler's ticks")
struct RecordingFrameTests {
  private func schedule(_ rate: SampleRate) -> Schedule {
    Schedule(start: MonotonicTime(nanoseconds: 5_000_000_007), rate: rate)
  }

  private func frame(_ rate: SampleRate, base: UInt64) -> RecordingFrame {
    RecordingFrame(clock: TickClock(schedule(rate)), base: base, timeUnit: WriterBench.timeUnit)
  }

  @Test(
    "times count from the recording's first tick, are multiples of the unit and never before it",
    arguments: [1, 3, 7, 10, 30, 416, 1000] as [UInt32])
  func rebasing(_ hertz: UInt32) {
    let rate = ExampleLog.rate(hertz)
    let base = 5 * UInt64(hertz) + 2
    let frame = frame(rate, base: base)
    #expect(frame.start == schedule(rate).deadline(of: base))
    for tick in base..<base + 50 {
      let grid = rate.nanoseconds(atTick: tick)
      for late in [0, 1, 999, 1000, 123_456] as [Int64] {
        // Like the sampler: rounded down to the unit, on its own grid.
        let time = (grid + late) - (grid + late) % WriterBench.timeUnit
        let record = frame.rebased(
          TickRecord(tick: tick, time: time, sample: ExampleLog.sample(tick)))
        #expect(record.tick == tick - base)
        #expect(record.time >= 0)
        #expect(record.time % WriterBench.timeUnit == 0)
        // Rounded twice.
        let exact = grid + late - rate.nanoseconds(atTick: base)
        #expect(record.time <= exact && record.time > exact - 2 * WriterBench.timeUnit)
      }
    }
  }

  @Test("a gap keeps its length")
  func gap() {
    let frame = frame(ExampleLog.rate(10), base: 40)
    let record = TickRecord(Gap(firstTick: 43, count: 9, cause: .missed, code: 0))
    #expect(frame.rebased(record).tick == 3)
    #expect(frame.rebased(record).count == 9)
  }

  @Test("the first tick from an instant on is due at it or later, and the one before is not")
  func firstTick() {
    for hertz in [1, 3, 7, 10, 416, 1000] as [UInt32] {
      let schedule = schedule(ExampleLog.rate(hertz))
      let clock = TickClock(schedule)
      #expect(clock.firstTick(from: MonotonicTime(nanoseconds: .min)) == 0)
      for nanoseconds in stride(from: -2_000_000 as Int64, to: 3_000_000_000, by: 7_654_321) {
        let instant = schedule.start + nanoseconds
        let tick = clock.firstTick(from: instant)
        #expect(schedule.deadline(of: tick) >= instant)
        #expect(tick == 0 || schedule.deadline(of: tick - 1) < instant)
      }
    }
  }
}
