import IMUModel
import Sampling
import Testing

@Suite struct FullSinkTests {
  @Test(
    "a full sink keeps its records; the newest are dropped and reported as one gap when there is room"
  )
  func dropNewest() {
    let take = Take(.hz(1000), ticks: 10)
    take.box.room = 3
    // Seven ticks are proved by the eighth.
    for _ in 0..<8 { _ = take.sampler.step() }
    #expect(take.box.records.map(\.tick) == [0, 1, 2])
    #expect(
      take.sampler.undelivered.compactMap(\.gap) == [Gap(firstTick: 3, count: 4, cause: .ringFull)])
    take.box.room = 100
    take.sampler.run()
    #expect(take.imbalance(ticks: 10) == nil)
    #expect(take.box.records.map(\.tick) == [0, 1, 2, 3, 7, 8, 9])
    #expect(take.gaps == [Gap(firstTick: 3, count: 4, cause: .ringFull)])
    #expect(take.sampler.undelivered.isEmpty)
  }

  @Test("records that the sink had no room for are left for the recorder, in order and in balance")
  func undelivered() {
    let take = Take(.hz(1000), ticks: 1300)
    take.box.room = 3
    take.script.ailmentAtRead = { $0 == 5 ? .dead : $0 > 900 ? .dead : nil }
    take.sampler.run()
    #expect(take.imbalance(ticks: 1300) == nil)
    #expect(take.box.records.count == 3)
    #expect(
      take.sampler.undelivered.compactMap(\.gap) == [
        Gap(firstTick: 3, count: 2, cause: .ringFull),
        Gap(firstTick: 5, count: 1, cause: .busError, code: 121),
        Gap(firstTick: 6, count: 895, cause: .ringFull),
        Gap(firstTick: 901, count: 399, cause: .busError, code: 121),
      ])
  }

  @Test("more gaps than can wait count as a full ring, and the last event is still reported")
  func overflow() {
    let take = Take(.hz(1000), ticks: 60_000)
    take.box.room = 1
    // Every second tick fails, a record each, until no more can wait; then the chip loses its supply.
    take.script.ailmentAtRead = { $0 < 500 && $0 % 2 == 0 ? .dead : nil }
    take.script.ailmentAtTime = { $0 == Take.start + 1_000_000_000 ? .asleep : nil }
    for _ in 0..<3000 { _ = take.sampler.step() }
    #expect(take.imbalance(ticks: 2999) == nil)
    // 64 and the event.
    #expect(take.sampler.undelivered.count == 65)
    let told = SensorEvent(tick: 2999, kind: .back, fault: .configurationLost)
    #expect(take.sampler.undelivered.last?.sensorEvent == told)
    take.box.room = .max
    take.sampler.run()
    #expect(take.imbalance(ticks: 60_000) == nil)
    #expect(take.events.map(\.kind) == [told.kind])
  }

  @Test("a long gap is reported every second")
  func longGap() {
    let take = Take(.hz(1000), ticks: 5000)
    take.script.ailmentAtTime = { _ in .dead }
    var told: [Int] = []
    for _ in 0..<5000 {
      _ = take.sampler.step()
      told.append(take.box.records.count)
    }
    #expect(take.imbalance(ticks: 5000) == nil)
    #expect(take.gaps.count <= 7)
    for second in 1..<5 { #expect(told[1000 * second] - told[1000 * (second - 1)] >= 1) }
  }
}
