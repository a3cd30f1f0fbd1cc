// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

import Sampling

@Suite struct FullSinkTests {
  @Test(
    "a full sink keeps its records; the newest are dropped and reported as one gap when there is room"
  )
  func dropNewest() {
    let recording = SampledRecording(.hz(1000), ticks: 10)
    recording.box.room = 3
    // Seven ticks are proved by the eighth.
    for _ in 0..<8 { _ = recording.sampler.step() }
    #expect(recording.box.records.map(\.tick) == [0, 1, 2])
    #expect(
      recording.sampler.undelivered.compactMap(\.gap) == [
        Gap(firstTick: 3, count: 4, cause: .ringFull)
      ])
    recording.box.room = 100
    recording.run(ticks: 10)
    #expect(recording.box.records.map(\.tick) == [0, 1, 2, 3, 7, 8, 9])
    #expect(recording.gaps == [Gap(firstTick: 3, count: 4, cause: .ringFull)])
    #expect(recording.sampler.undelivered.isEmpty)
  }

  @Test("records that the sink had no room for are left for the recorder, in order and in balance")
  func undelivered() {
    let recording = SampledRecording(.hz(1000), ticks: 1300)
    recording.box.room = 3
    recording.script.ailmentAtRead = { $0 == 5 ? .dead : $0 > 900 ? .dead : nil }
    recording.run(ticks: 1300)
    #expect(recording.box.records.count == 3)
    #expect(
      recording.sampler.undelivered.compactMap(\.gap) == [
        Gap(firstTick: 3, count: 2, cause: .ringFull),
        Gap(firstTick: 5, count: 1, cause: .busError, code: 121),
        Gap(firstTick: 6, count: 895, cause: .ringFull),
        Gap(firstTick: 901, count: 399, cause: .busError, code: 121),
      ])
  }

  @Test("proved samples leave at the next gap, which does not wait with them")
  func gapAfterProof() {
    let box = ArraySink.Box()
    var queue = ProofQueue(capacity: 4, sink: ArraySink(box: box))
    let now = MonotonicTime(nanoseconds: 0)
    queue.append(TickRecord(tick: 0, time: 0, sample: RawSample()), at: now)
    queue.held.proveConfiguration()
    queue.held.proveLife()
    queue.held.proveAnnouncement()
    queue.skip(Gap(firstTick: 1, count: 1, cause: .stale), at: now)
    let isEmpty = queue.held.isEmpty
    #expect(isEmpty && box.records.map(\.tick) == [0])
  }

  @Test("more gaps than can wait count as a full ring, and the last event is still reported")
  func overflow() {
    let recording = SampledRecording(.hz(1000), ticks: 60_000)
    recording.box.room = 1
    // Every second tick fails, a record each, until no more can wait; then the chip loses its supply.
    recording.script.ailmentAtRead = { $0 < 500 && $0 % 2 == 0 ? .dead : nil }
    recording.script.ailmentAtTime = {
      $0 == SampledRecording.start + 1_000_000_000 ? .asleep : nil
    }
    for _ in 0..<3000 { _ = recording.sampler.step() }
    #expect(recording.imbalance(ticks: 2999) == nil)
    // 64 and the event.
    #expect(recording.sampler.undelivered.count == 65)
    let told = SensorEvent(tick: 2999, kind: .back, fault: .configurationLost)
    #expect(recording.sampler.undelivered.last?.sensorEvent == told)
    recording.box.room = .max
    recording.run(ticks: 60_000)
    #expect(recording.events.map(\.kind) == [told.kind])
  }

  @Test("a long gap is reported every second")
  func longGap() {
    let recording = SampledRecording(.hz(1000), ticks: 5000)
    recording.script.ailmentAtTime = { _ in .dead }
    var told: [Int] = []
    for _ in 0..<5000 {
      _ = recording.sampler.step()
      told.append(recording.box.records.count)
    }
    #expect(recording.imbalance(ticks: 5000) == nil)
    #expect(recording.gaps.count <= 7)
    for second in 1..<5 { #expect(told[1000 * second] - told[1000 * (second - 1)] >= 1) }
  }
}
