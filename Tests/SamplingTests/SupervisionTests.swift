// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
import IMUModel
import Sampling
import TestSupport
import Testing

@Suite struct SupervisionTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let rate: SampleRate
    let ailment: Ailment
    var testDescription: String { "\(ailment) at \(rate.hertz) Hz" }
  }

  static let cases = [SampleRate.hz(1, per: 10), .hz(1), .hz(3), .hz(10), .hz(100), .hz(1000)]
    .flatMap { rate in
      Ailment.allCases.filter { $0 != .none }.map { Case(rate: rate, ailment: $0) }
    }

  /// Fifteen seconds and three ticks at least of a chip that is ill from `fallsIll` on: until it is set up again,
  /// or, for a dead bus, for as long as `outage`. In nanoseconds after the start.
  private func run(_ subject: Case, fallsIll: Int64, outage: Int64 = 0) -> SampledRecording {
    let ticks = 15 * UInt64(subject.rate.numerator) / UInt64(subject.rate.denominator)
    let recording = SampledRecording(subject.rate, ticks: max(3, ticks))
    var wasIll = false
    recording.script.ailmentAtTime = { now in
      let elapsed = now - SampledRecording.start
      if subject.ailment == .dead {
        return elapsed >= fallsIll && elapsed < fallsIll + outage ? .dead : Ailment.none
      }
      guard !wasIll, elapsed >= fallsIll else { return nil }
      wasIll = true
      return subject.ailment
    }
    return recording
  }

  @Test(
    "trouble is noticed within a second, reported, and sampling resumes",
    arguments: CaseSelection.sample(14, of: cases))
  func noticed(subject: Case) throws {
    // At any phase of the ticks and of the sampler's own intervals.
    for phase in 0..<9 {
      let fallsIll: Int64 = 3_000_000_001 + Int64(phase) * 123_456_789
      let outage: Int64 = subject.ailment == .dead ? 5_000_000_000 : 0
      let recording = run(subject, fallsIll: fallsIll, outage: outage)
      recording.run(ticks: recording.sampler.schedule.plannedTicks ?? 0)
      let delay =
        try #require(recording.script.givenUpAt, "never noticed") - SampledRecording.start
        - fallsIll
      #expect(delay <= 1_000_000_000, "noticed after \(delay) ns, seed \(CaseSelection.seed)")
      let events = recording.events
      #expect(events.map(\.kind) == [.lost, .reinitialised, .back])
      #expect(events.allSatisfy { $0.fault == subject.ailment.fault }, "\(events)")

      // The last ticks, all later than back, have samples again.
      let back = try #require(events.last).tick
      #expect(recording.sampler.tally.missed == 0)
      let gapsLater = recording.gaps.filter { $0.firstTick >= back }
      #expect(gapsLater == [])
      let untilBack = subject.rate.nanoseconds(atTick: back) - fallsIll
      // A second to notice or, for the bus, between attempts; then the waits of bring-up, and the next tick.
      #expect(untilBack <= outage + 1_140_000_000 + subject.rate.periodNanoseconds)
    }
  }

  @Test("a chip is given up half a second after its last new sample or its first failed read")
  func patience() {
    let start = MonotonicTime(nanoseconds: 7)
    var supervisor = Supervisor(at: start, lifeLimit: nil, samplePeriod: 1_000_000)
    for (age, verdict) in [
      (19_999_999, .trust), (20_000_000, .check), (499_999_999, .trust),
      (500_000_000, .lost(.noData)),
    ] as [(Int64, Supervisor.Verdict)] {
      #expect(supervisor.noticeStale(at: start + age) == verdict, "\(age)")
    }
    for (age, verdict) in [
      (0, .trust), (499_999_999, .trust), (500_000_000, .lost(.bus)),
    ] as [(Int64, Supervisor.Verdict)] {
      #expect(supervisor.noticeFailure(at: start + age) == verdict, "\(age)")
    }
  }

  @Test("a comparison is a look at the chip: the next look is due a tenth of a second later")
  func comparisonLooks() {
    let now = MonotonicTime(nanoseconds: 500_000_000)
    var supervisor = Supervisor(
      at: MonotonicTime(nanoseconds: 0), lifeLimit: nil, samplePeriod: 1_000_000)
    #expect(supervisor.notice(.intact, at: now) == .trust)
    let duty = supervisor.duty(
      at: now, before: now + 1_000_000_000, isHolding: false)
    #expect(duty == .none(until: now + 100_000_000))
  }

  @Test("zeros of a chip that was reset do not reach the log")
  func zerosAreHeldBack() {
    for rate in [SampleRate.hz(10), .hz(1000)] {
      let subject = Case(rate: rate, ailment: .zeros)
      let recording = run(subject, fallsIll: 3_000_000_001)
      recording.sampler.run()
      let zeros = recording.box.records.filter { $0.kind == .sample && $0.sample == RawSample() }
      #expect(zeros.isEmpty)
    }
  }

  @Test("a dead bus is reported as bus errors with its errno while it is dead, in few records")
  func deadBus() throws {
    let subject = Case(rate: .hz(1000), ailment: .dead)
    let recording = run(subject, fallsIll: 3_000_000_000, outage: 5_000_000_000)
    recording.script.errno = 110
    recording.sampler.run()
    let refused = recording.gaps.filter { $0.cause == .busError }
    #expect(refused.allSatisfy { $0.code == 110 })
    #expect(refused.map(\.count).reduce(0, +) >= 5000)
    #expect(recording.gaps.count <= 10)
    // An attempt every 5 ms, not one a tick.
    #expect(recording.script.bringUps <= 1000 + 3)
  }

  @Test(
    "a bring-up that fails for the chip's own reasons is tried every 5 ms, after 10 s every 100, for ever"
  )
  func failingBringUp() {
    let recording = SampledRecording(.hz(100), ticks: 2000)
    recording.script.ailmentAtTime = {
      $0 >= SampledRecording.start + 2_000_000_000 ? .asleep : nil
    }
    recording.script.refusesBringUp = true
    recording.run(ticks: 2000)
    #expect((2070...2090).contains(recording.script.bringUps))
    #expect(recording.sampler.tally.reinitialising > 1700)
    #expect(recording.events.map(\.kind) == [.lost])
  }

  @Test("ticks that pass while bring-up uses the bus are lost to it, not missed")
  func slowBringUp() {
    let subject = Case(rate: .hz(1000), ailment: .asleep)
    let recording = run(subject, fallsIll: 3_000_000_000)
    recording.script.bringUpCost = 7_300_000
    recording.run(ticks: 15_000)
    #expect(recording.sampler.tally.missed == 0)
    #expect(recording.events.map(\.kind) == [.lost, .reinitialised, .back])
  }

  @Test("a loop that is always late still supervises, and brings the chip back")
  func overloaded() {
    let subject = Case(rate: .hz(1000), ailment: .configurationLost)
    let recording = run(subject, fallsIll: 3_000_000_000)
    recording.script.readCost = 1_200_000
    recording.run(ticks: 15_000)
    #expect(recording.events.map(\.kind) == [.lost, .reinitialised, .back])
  }

  @Test(
    "comparing the configuration costs no tick, and no time when it fits between two; else it is made every 0.9 s",
    arguments: [(300_000, 0), (700_000, 150_000)] as [(Int64, UInt32)])
  func comparison(cost: Int64, lateness: UInt32) {
    let recording = SampledRecording(.hz(1000), ticks: 10_000)
    (recording.script.readCost, recording.script.checkCost) = (450_000, cost)
    recording.sampler.run()
    #expect(recording.sampler.tally.sampled == 10_000)
    #expect(recording.box.records.map(\.lateness).max() == lateness)
    let checks = recording.script.checks
    #expect(checks >= 9 && (lateness == 0 || checks <= 11), "\(checks)")
  }

  @Test("the comparison that proves a sample releases it, after half a second without other proof")
  func comparisonReleases() {
    let recording = SampledRecording(.hz(1), ticks: 1)
    recording.script.showsConfiguration = false
    recording.run(ticks: 1)
    #expect(recording.sampler.tally.sampled == 1)
    #expect(recording.elapsed == 500_000_000)
  }

  @Test(
    "a single failed, stale or repeated read is no trouble",
    arguments: [Ailment.dead, .noData, .unannounced, .frozen, .zerosIntact])
  func glitch(ailment: Ailment) {
    let recording = SampledRecording(.hz(100), ticks: 1000)
    recording.script.ailmentAtRead = { $0 % 100 == 50 ? ailment : nil }
    recording.run(ticks: 1000)
    #expect(recording.events.isEmpty)
    #expect(recording.script.bringUps == 0)
  }

  @Test("after failing reads the configuration is compared before a sample counts")
  func checkedAfterFailure() {
    let recording = SampledRecording(.hz(1000), ticks: 2000)
    recording.script.ailmentAtTime = {
      switch $0 - SampledRecording.start {
      case 1_000_000_000..<1_050_000_000: return .dead
      case 1_050_000_000: return .configurationLost
      default: return nil
      }
    }
    recording.sampler.run()
    #expect(
      recording.events.first == SensorEvent(tick: 1050, kind: .lost, fault: .configurationLost))
    // The sample before the failures was never proved.
    #expect(recording.gaps.first == Gap(firstTick: 999, count: 1, cause: .reinitialising))
    #expect(
      recording.gaps.dropFirst().first
        == Gap(firstTick: 1000, count: 50, cause: .busError, code: 121))
    #expect(recording.gaps.dropFirst(2).allSatisfy { $0.cause == .reinitialising })
  }

  @Test("a chip at rest whose outputs are the same for less than the limit loses no sample")
  func quietChip() {
    let recording = SampledRecording(.hz(100), ticks: 3000)
    // 25 equal looks and one that differs: just too short a time for a proof.
    recording.script.ailmentAtRead = { $0 % 25 == 0 ? Ailment.none : .frozen }
    recording.run(ticks: 3000)
    #expect(recording.sampler.tally.sampled == 3000)
    #expect(recording.events.isEmpty)
  }

  @Test("when equal outputs prove nothing, every sample counts")
  func silentChip() {
    let recording = SampledRecording(.hz(1000), ticks: 5000) { $0.lifeLimit = nil }
    recording.script.ailmentAtTime = {
      $0 >= SampledRecording.start + 1_000_000_000 ? .frozen : nil
    }
    recording.run(ticks: 5000)
    #expect(recording.sampler.tally.sampled == 5000)
    #expect(recording.events.isEmpty)
  }

  @Test(
    "a chip that froze is noticed each time, and no tick since its outputs last changed is a sample"
  )
  func freezesAgain() {
    let recording = SampledRecording(.hz(100), ticks: 3000)
    let falls: [Int64] = [5, 10, 15, 20].map { $0 * 1_000_000_000 }
    recording.script.ailmentAtTime = { falls.contains($0 - SampledRecording.start) ? .frozen : nil }
    recording.run(ticks: 3000)
    let losses = recording.events.filter { $0.kind == .lost }
    #expect(losses.map(\.tick) == falls.map { UInt64($0 / 10_000_000) + 24 })
    // The tick before fell on the outputs that then stood still.
    let frozen = recording.gaps.filter { $0.cause == .frozen }
    #expect(frozen.map(\.firstTick) == falls.map { UInt64($0 / 10_000_000) - 1 })
    #expect(frozen.map(\.count) == falls.map { _ in 26 })
  }

  @Test(
    "a chip that stays stuck is set up again and again, reported once, and back when its outputs change"
  )
  func staysStuck() {
    let recording = SampledRecording(.hz(100), ticks: 3000)
    recording.script.ailmentAtTime = {
      let elapsed = $0 - SampledRecording.start
      return elapsed >= 5_000_000_000 && elapsed < 9_000_000_000 ? .frozen : Ailment.none
    }
    recording.run(ticks: 3000)
    #expect(recording.events.map(\.kind) == [.lost, .reinitialised, .back])
    #expect(recording.events.last.map { (900...915).contains($0.tick) } == true)
    let sampled = recording.allRecords.filter { $0.kind == .sample }.map(\.tick)
    #expect(!sampled.contains { (500..<900).contains($0) })
    #expect(recording.script.bringUps > 20)
  }
}
