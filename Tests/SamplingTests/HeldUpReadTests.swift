// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Sampling
import Testing

@Suite struct HeldUpReadTests {
  /// A recording whose reads must not take longer than 2 ms, and take 0.5 ms except the one with `number`.
  private func run(_ rate: SampleRate, ticks: UInt64, holdingUp number: Int, by delay: Int64)
    -> SampledRecording
  {
    let recording = SampledRecording(rate, ticks: ticks)
    recording.script.readCost = 500_000
    recording.script.readLimit = 2_000_000
    recording.script.holdUpOfRead = { $0 == number ? delay : 0 }
    return recording
  }

  @Test(
    "a sample whose read was held up by more than a little does not count: the chip is read until it has a new one",
    arguments: [
      (1_500_000, 0, 0, 1), (30_000_000, 0, 30_500_000, 2), (30_000_000, 3, 32_000_000, 2),
    ] as [(Int64, Int, Int64, Int16)])
  func readAgain(delay: Int64, staleReads: Int, time: Int64, number: Int16) {
    let recording = run(.hz(10), ticks: 10, holdingUp: 0, by: delay)
    recording.script.ailmentAtRead = { $0 > 0 && $0 <= staleReads ? .noData : nil }
    recording.run(ticks: 10)
    #expect(recording.gaps == [])
    // The scripted chip counts its samples: one whose read was held up is in no record.
    let first = recording.box.records.first
    #expect(first?.time == time && first?.sample.ax == number)
  }

  @Test("a tick without a quick read is missed, and so are those that passed meanwhile")
  func missed() {
    let recording = run(.hz(100), ticks: 100, holdingUp: 0, by: 35_000_000)
    recording.run(ticks: 100)
    #expect(recording.gaps == [Gap(firstTick: 0, count: 3, cause: .missed)])
  }

  @Test("ticks that pass while the bus stalls are bus errors, though the transfer succeeds")
  func stalled() {
    let recording = run(.hz(100), ticks: 500, holdingUp: 0, by: 3_000_000_000)
    recording.run(ticks: 500)
    #expect(recording.gaps == [Gap(firstTick: 0, count: 300, cause: .busError, code: 110)])
    #expect(recording.events == [])
  }

  @Test("ticks that pass during a held-up configuration check are bus errors")
  func stalledCheck() {
    let recording = SampledRecording(.hz(100), ticks: 500)
    recording.script.checkCost = 200_000_000
    recording.run(ticks: 500)
    #expect(recording.sampler.tally.missed == 0)
    #expect(recording.gaps.allSatisfy { $0.cause == .busError && $0.code == 110 })
    #expect(recording.sampler.tally.busErrors > 0)
  }

  @Test("ticks that pass while transfers time out have their errno, and are not missed")
  func timedOut() {
    let recording = SampledRecording(.hz(100), ticks: 1000)
    recording.script.errno = 110
    recording.script.readCost = 1_000_000_000
    recording.script.checkCost = 1_000_000_000
    recording.script.bringUpCost = 1_000_000_000
    recording.script.ailmentAtTime = { $0 >= SampledRecording.start ? .dead : Ailment.none }
    recording.run(ticks: 1000)
    #expect(recording.sampler.tally.missed == 0)
    // All but the tick at which setting the chip up begins.
    #expect(recording.sampler.tally.busErrors == 999, "\(recording.gaps)")
  }

  @Test("when every read is held up, no sample is recorded and the chip is not set up again")
  func alwaysHeldUp() {
    let recording = SampledRecording(.hz(10), ticks: 50)
    recording.script.readCost = 5_000_000
    recording.script.readLimit = 2_000_000
    recording.sampler.run()
    #expect(recording.sampler.tally.sampled == 0)
    #expect(recording.sampler.tally.missed == 50)
    #expect(recording.events == [])
  }

  /// A recording at 100 Hz from a chip with a data rate of its own, of which the computer holds up the read of tick 10.
  private func heldUp(_ outputDataRate: Double, by delay: Int64) -> SampledRecording {
    let recording = SampledRecording(.hz(100), ticks: 100) { $0.outputDataRate = outputDataRate }
    recording.script.readCost = 500_000
    recording.script.readLimit = 2_000_000
    recording.script.holdUpOfRead = { $0 == 10 ? delay : 0 }
    recording.run(ticks: 100)
    return recording
  }

  @Test("a tick held up to its end is missed, and the next one waits for the chip and is not stale")
  func nextTickWaits() {
    for outputDataRate in [250.0, 416, 833, 1000] {
      for delay: Int64 in [9_600_000, 11_000_000, 14_000_000] {
        let recording = heldUp(outputDataRate, by: delay)
        #expect(
          recording.gaps == [Gap(firstTick: 10, count: 1, cause: .missed)],
          "\(outputDataRate) \(delay)")
      }
    }
  }

  @Test(
    "when the chip has no new sample before the next tick ends either, that tick is missed")
  func nextTickMissed() {
    for outputDataRate in [105.0, 125, 140] {
      for delay: Int64 in [9_600_000, 12_000_000, 17_000_000] {
        let recording = heldUp(outputDataRate, by: delay)
        #expect(
          recording.sampler.tally.stale == 0, "\(outputDataRate) \(delay): \(recording.gaps)")
        #expect((1...3).contains(recording.sampler.tally.missed))
      }
    }
  }

  @Test("a late wake-up does not make the next tick stale")
  func lateWakeUp() {
    let recording = SampledRecording(.hz(100), ticks: 100) { $0.outputDataRate = 208 }
    recording.clock.oversleep = { $0 % 7 == 3 ? 9_500_000 : 0 }
    recording.run(ticks: 100)
    #expect(recording.sampler.tally.stale == 0, "\(recording.gaps)")
  }
}
