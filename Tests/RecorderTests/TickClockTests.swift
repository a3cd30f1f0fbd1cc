// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Sampling
import Testing

@Suite("When a sampler's ticks are")
struct TickClockTests {
  private let origin = MonotonicTime(nanoseconds: 3_000_000_000)

  private func clock(_ hertz: UInt32, _ source: ClockSource) throws -> TickClock {
    TickClock(Schedule(start: origin, rate: try #require(SampleRate(hertz))), source)
  }

  @Test("of a chip that is 7 % fast, instants among, before and after its samples find their tick")
  func fastChip() throws {
    var clock = try clock(1000, .chip(busClock: 400_000))
    let period = 1e6 / 1.07
    func time(_ tick: UInt64) -> Int64 { Int64(Double(tick) * period) + 700_000 }
    for tick in 0..<UInt64(100_000) {
      clock.note(TickRecord(tick: tick, time: time(tick), sample: RawSample()))
    }
    for tick in [UInt64(60_001), 70_123, 99_000, 99_999, 100_050, 101_000] {
      let found = clock.tick(at: origin + time(tick))
      #expect(max(found, tick) - min(found, tick) <= 1, "\(tick): \(found)")
    }
    #expect(clock.hasReached(origin + time(99_999)))
    #expect(!clock.hasReached(origin + time(100_000)))
    #expect(clock.firstTick(from: origin + time(99_000) + 100) > 99_000)
    #expect(clock.firstTick(from: MonotonicTime(nanoseconds: 0)) == 0)
  }

  @Test("the time of a sample that was seen is that of its own tick, whatever the rate rounds to")
  func exact() throws {
    var clock = try clock(1000, .chip(busClock: nil))
    let seen = (0..<400).map { (row: UInt64) -> (tick: UInt64, time: Int64) in
      (row * 122, Int64(Double(row) * 122e6 / 1.07))
    }
    for (tick, time) in seen { clock.note(TickRecord(tick: tick, time: time, sample: RawSample())) }
    for (tick, time) in seen { #expect(clock.tick(at: origin + time) == tick) }
  }

  @Test("a recording of such a chip begins before its first sample, by two periods at most")
  func start() throws {
    var clock = try clock(1000, .chip(busClock: nil))
    for tick in 0..<UInt64(20_000) {
      clock.note(TickRecord(tick: tick, time: Int64(tick) * 969_000, sample: RawSample()))
    }
    for tick in [UInt64(1), 15_000, 19_999, 20_030] {
      let before = (origin + Int64(tick) * 969_000) - clock.start(at: tick)
      #expect(before >= 0 && before < 2_000_000, "\(tick): \(before)")
    }
  }

  @Test("before the first sample the schedule is assumed")
  func early() throws {
    let clock = try clock(416, .chip(busClock: 400_000))
    #expect(clock.tick(at: origin + 1_000_000_000) == 416)
    #expect(!clock.hasReached(origin))
  }
}
