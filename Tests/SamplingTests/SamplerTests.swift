// SPDX-License-Identifier: Apache-2.0

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
    let recording = SampledRecording(rate, ticks: ticks)
    recording.run(ticks: ticks)
    #expect(recording.sampler.tally.sampled == ticks)
    let offGrid = recording.box.records.first { $0.time != rate.nanoseconds(atTick: $0.tick) }
    #expect(offGrid == nil)
    let late = recording.box.records.first { $0.lateness != 0 }
    #expect(late == nil)
    #expect(recording.elapsed == rate.nanoseconds(atTick: ticks - 1))
  }

  @Test("work between ticks and late wake-ups move no later tick")
  func noDrift() {
    let recording = SampledRecording(.hz(30), ticks: 3000)
    recording.script.readCost = 5_000_000
    recording.clock.oversleep = { Int64($0 % 7) * 1_000_000 }
    recording.run(ticks: 3000)
    #expect(recording.sampler.tally.sampled == 3000)
    let worst = recording.box.records.map { $0.time - recording.rate.nanoseconds(atTick: $0.tick) }
      .max()
    #expect(worst == 6_000_000)
    #expect(recording.box.records.map(\.lateness).max() == 6_000_000)
  }

  @Test("steps after the end do nothing, and no planned tick means none")
  func end() {
    let recording = SampledRecording(.hz(10), ticks: 0)
    let first = recording.sampler.step()
    let second = recording.sampler.step()
    #expect(first == .finished && second == .finished)
    #expect(recording.imbalance(ticks: 0) == nil)
    #expect(recording.script.reads == 0)
  }

  @Test("a step is one tick and pushes the tick before; the last step pushes both")
  func steps() {
    let recording = SampledRecording(.hz(10), ticks: 3)
    var results: [StepResult] = []
    for count in [0, 1, 3] {
      results.append(recording.sampler.step())
      #expect(recording.box.records.count == count)
    }
    #expect(results == [.continue, .continue, .finished])
  }

  @Test("sample times are multiples of the unit, rounded down", arguments: [1, 1000, 1_000_000])
  func timeUnit(unit: Int64) {
    let recording = SampledRecording(.hz(3), ticks: 100, timeUnit: unit)
    recording.clock.oversleep = { Int64($0) * 12_345 }
    recording.run(ticks: 100)
    let last = recording.box.records.last
    #expect(last.map { $0.time % unit } == 0)
    #expect(recording.box.records.count == 100)
  }

  @Test("a tick without a new sample is stale, and not the old sample again")
  func stale() {
    let recording = SampledRecording(.hz(1000), ticks: 6)
    recording.script.ailmentAtRead = { [2, 3].contains($0) ? .noData : nil }
    recording.run(ticks: 6)
    #expect(recording.gaps == [Gap(firstTick: 2, count: 2, cause: .stale)])
  }

  @Test("a refused tick is a bus error with its errno, and another errno is another gap")
  func busErrors() {
    let recording = SampledRecording(.hz(1000), ticks: 8)
    recording.script.ailmentAtRead = { (2...4).contains($0) ? .dead : nil }
    recording.script.errno = 110
    for _ in 0..<4 { _ = recording.sampler.step() }
    recording.script.errno = 6
    recording.run(ticks: 8)
    #expect(
      recording.gaps == [
        Gap(firstTick: 2, count: 2, cause: .busError, code: 110),
        Gap(firstTick: 4, count: 1, cause: .busError, code: 6),
      ])
    #expect(recording.events.isEmpty)
  }

  @Test(
    "a stop ends the loop within 100 ms, at any rate",
    arguments: [SampleRate.hz(1, per: 10), .hz(1), .hz(10), .hz(1000)])
  func stop(rate: SampleRate) {
    let recording = SampledRecording(rate, ticks: nil)
    let (clock, flag) = (recording.clock, recording.stop)
    let request: Int64 = SampledRecording.start + 12_345_678_901
    var requested: Int64?
    clock.onSleep = { now in
      guard requested == nil, now >= request else { return }
      requested = now
      flag.request()
    }
    recording.sampler.run()
    #expect(clock.longestSleep <= 100_000_000)
    #expect(requested.map { clock.now().nanoseconds - $0 } == 0)
    // The tick that is due at the very instant of the request may be in or out.
    let scheduled = recording.sampler.tally.scheduled
    let due = rate.tick(atNanoseconds: recording.elapsed)
    #expect(scheduled == due || scheduled == due + 1)
    #expect(recording.imbalance(ticks: scheduled) == nil)
  }

  @Test("a stop ends the loop within 100 ms also while the bus is dead")
  func stopOnDeadBus() {
    let recording = SampledRecording(.hz(1, per: 10), ticks: nil)
    recording.script.ailment = .dead
    let (clock, flag) = (recording.clock, recording.stop)
    clock.onSleep = { now in
      if now >= SampledRecording.start + 5_000_000_000 { flag.request() }
    }
    recording.sampler.run()
    #expect(clock.longestSleep <= 100_000_000)
    #expect(recording.script.bringUps >= 4)
  }

  @Test("a stop that is noticed late still accounts for the ticks that passed")
  func lateStop() {
    let recording = SampledRecording(.hz(10), ticks: nil)
    _ = recording.sampler.step()
    recording.clock.advance(by: 1_050_000_000)
    recording.stop.request()
    recording.run(ticks: 10)
    #expect(recording.gaps == [Gap(firstTick: 1, count: 9, cause: .missed)])
  }
}
