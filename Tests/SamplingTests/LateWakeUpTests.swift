// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Sampling
import Testing

@Suite struct LateWakeUpTests {
  /// Lateness around zero, one and two periods, in nanoseconds.
  private static func latenesses(period: Int64) -> [Int64] {
    [
      0, 1, period / 2, period - 1, period, period + 1, 2 * period - 1, 2 * period, 2 * period + 1,
      5 * period + 7,
    ]
  }

  @Test(
    "after a late wake-up exactly the ticks a period or more late are missed, and none is caught up",
    arguments: [SampleRate.hz(3), .hz(30), .hz(1000)])
  func onceLate(rate: SampleRate) {
    for lateness in Self.latenesses(
      period: rate.nanoseconds(atTick: 6) - rate.nanoseconds(atTick: 5))
    {
      let recording = SampledRecording(rate, ticks: 20)
      for _ in 0..<5 { _ = recording.sampler.step() }
      let wake = rate.nanoseconds(atTick: 5) + lateness
      recording.clock.advance(by: wake - recording.elapsed)
      recording.run(ticks: 20)
      // Tick 5 + k is a period late when tick 6 + k is due.
      var missed: UInt64 = 0
      while rate.nanoseconds(atTick: 6 + missed) <= wake { missed += 1 }
      let expected = missed == 0 ? [] : [Gap(firstTick: 5, count: missed, cause: .missed)]
      #expect(recording.gaps == expected, "\(lateness)")
      // The tick that was reached is read at once, those after it on the grid again.
      let late = recording.box.records.filter { $0.kind == .sample && $0.tick >= 5 }
      #expect(late.first?.time == wake)
      let offGrid = late.dropFirst().first { $0.time != rate.nanoseconds(atTick: $0.tick) }
      #expect(offGrid == nil)
    }
  }

  @Test("a recording that oversleeps its end misses the remaining ticks and is completed")
  func pastTheEnd() {
    let recording = SampledRecording(.hz(10), ticks: 20)
    for _ in 0..<5 { _ = recording.sampler.step() }
    recording.clock.advance(by: 60_000_000_000)
    let result = recording.sampler.step()
    #expect(result == .finished)
    #expect(recording.gaps == [Gap(firstTick: 5, count: 15, cause: .missed)])
    #expect(recording.imbalance(ticks: 20) == nil)
  }

  @Test("a day asleep is one gap")
  func suspended() {
    let recording = SampledRecording(.hz(1000), ticks: nil)
    _ = recording.sampler.step()
    recording.clock.advance(by: 86_400_000_000_000)
    _ = recording.sampler.step()
    _ = recording.sampler.step()
    recording.stop.request()
    _ = recording.sampler.step()
    #expect(recording.gaps == [Gap(firstTick: 1, count: 86_399_999, cause: .missed)])
  }
}
