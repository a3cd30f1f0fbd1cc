import IMUDrivers
import IMUModel
import Sampling
import Testing

@Suite struct SamplerTests {
  @Test(
    "each of very many ticks is read exactly at its deadline",
    arguments: zip(
      [SampleRate.hz(3), .hz(30), .hz(1000)], [10_000, 30_000, 300_000] as [UInt64]))
  func manyTicks(rate: SampleRate, ticks: UInt64) {
    let take = Take(rate, ticks: ticks)
    take.sampler.run()
    #expect(take.imbalance(ticks: ticks) == nil)
    #expect(take.sampler.ledger.sampled == ticks)
    let offGrid = take.box.records.first { $0.time != rate.nanoseconds(atTick: $0.tick) }
    #expect(offGrid == nil)
    let late = take.box.records.first { $0.lateness != 0 }
    #expect(late == nil)
    #expect(take.elapsed == rate.nanoseconds(atTick: ticks - 1))
    let ending = take.sampler.ending
    #expect(ending == .completed)
  }

  @Test("work between ticks and late wake-ups move no later tick")
  func noDrift() {
    let take = Take(.hz(30), ticks: 3000)
    take.script.readCost = 5_000_000
    take.clock.setOversleep { Int64($0 % 7) * 1_000_000 }
    take.sampler.run()
    #expect(take.imbalance(ticks: 3000) == nil)
    #expect(take.sampler.ledger.sampled == 3000)
    let worst = take.box.records.map { $0.time - take.rate.nanoseconds(atTick: $0.tick) }.max()
    #expect(worst == 6_000_000)
    #expect(take.box.records.map(\.lateness).max() == 6_000_000)
  }

  @Test("steps after the end do nothing, and no planned tick means none")
  func end() {
    let take = Take(.hz(10), ticks: 0)
    let first = take.sampler.step()
    let second = take.sampler.step()
    #expect(first == .finished && second == .finished)
    #expect(take.imbalance(ticks: 0) == nil)
    #expect(take.script.reads == 0)
  }

  @Test("a step is one tick and pushes the tick before; the last step pushes both")
  func steps() {
    let take = Take(.hz(10), ticks: 3)
    var results: [StepResult] = []
    for count in [0, 1, 3] {
      results.append(take.sampler.step())
      #expect(take.box.records.count == count)
    }
    #expect(results == [.continue, .continue, .finished])
  }

  @Test("sample times are multiples of the unit, rounded down", arguments: [1, 1000, 1_000_000])
  func timeUnit(unit: Int64) {
    let take = Take(.hz(3), ticks: 100, timeUnit: unit)
    take.clock.setOversleep { Int64($0) * 12_345 }
    take.sampler.run()
    #expect(take.imbalance(ticks: 100) == nil)
    let last = take.box.records.last
    #expect(last.map { $0.time % unit } == 0)
    #expect(take.box.records.count == 100)
  }

  @Test("a tick without a new sample is stale, and not the old sample again")
  func stale() {
    let take = Take(.hz(1000), ticks: 6)
    take.script.ailmentAtRead = { [2, 3].contains($0) ? .noData : nil }
    take.sampler.run()
    #expect(take.imbalance(ticks: 6) == nil)
    #expect(take.gaps == [Gap(firstTick: 2, count: 2, cause: .stale)])
  }

  @Test("a refused tick is a bus error with its errno, and another errno is another gap")
  func busErrors() {
    let take = Take(.hz(1000), ticks: 8)
    take.script.ailmentAtRead = { (2...4).contains($0) ? .dead : nil }
    take.script.errno = 110
    for _ in 0..<4 { _ = take.sampler.step() }
    take.script.errno = 6
    take.sampler.run()
    #expect(take.imbalance(ticks: 8) == nil)
    #expect(
      take.gaps == [
        Gap(firstTick: 2, count: 2, cause: .busError, code: 110),
        Gap(firstTick: 4, count: 1, cause: .busError, code: 6),
      ])
    #expect(take.events.isEmpty)
  }

  @Test(
    "a stop ends the loop within 100 ms, at any rate",
    arguments: [SampleRate.hz(1, per: 10), .hz(1), .hz(10), .hz(1000)])
  func stop(rate: SampleRate) {
    let take = Take(rate, ticks: nil)
    let (clock, flag) = (take.clock, take.stop)
    let request: Int64 = Take.start + 12_345_678_901
    var requested: Int64?
    clock.setOnSleep { now in
      guard requested == nil, now >= request else { return }
      requested = now
      flag.request()
    }
    take.sampler.run()
    #expect(take.sampler.ending == .stopRequested)
    #expect(clock.longestSleep <= 100_000_000)
    #expect(requested.map { clock.now().nanoseconds - $0 } == 0)
    // The tick that is due at the very instant of the request may be in or out.
    let scheduled = take.sampler.ledger.scheduled
    let due = rate.tick(atNanoseconds: take.elapsed)
    #expect(scheduled == due || scheduled == due + 1)
    #expect(take.imbalance(ticks: scheduled) == nil)
  }

  @Test("a stop ends the loop within 100 ms also while the bus is dead")
  func stopOnDeadBus() {
    let take = Take(.hz(1, per: 10), ticks: nil)
    take.script.ailment = .dead
    let (clock, flag) = (take.clock, take.stop)
    clock.setOnSleep { now in
      if now >= Take.start + 5_000_000_000 { flag.request() }
    }
    take.sampler.run()
    #expect(take.sampler.ending == .stopRequested)
    #expect(clock.longestSleep <= 100_000_000)
    #expect(take.script.bringUps >= 4)
  }

  @Test("a stop that is noticed late still accounts for the ticks that passed")
  func lateStop() {
    let take = Take(.hz(10), ticks: nil)
    _ = take.sampler.step()
    take.clock.advance(by: 1_050_000_000)
    take.stop.request()
    take.sampler.run()
    #expect(take.imbalance(ticks: 10) == nil)
    #expect(take.gaps == [Gap(firstTick: 1, count: 9, cause: .missed)])
  }
}
