// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting
import TestSupport
import Testing

/// The chip's counter, made from the instants of its samples alone: `ticksPerSlot` steps from each to the next, and rounded
/// down.
@Suite("Readings of the chip's counter")
struct StampTests {
  /// What is wrong with them.
  enum Counter: String, CaseIterable {
    case good, torn, ofAnotherSlot, late, lossy
  }

  private static let ticksPerSlot: Int64 = 384
  /// Of the counter when the first sample was made.
  private static let phase = 0.37

  /// The counter at an instant between two samples, not rounded.
  private func counter(_ truth: [Double], at instant: Double) -> Double? {
    guard let next = truth.firstIndex(where: { $0 > instant }), next > 0 else { return nil }
    let part = (instant - truth[next - 1]) / (truth[next] - truth[next - 1])
    return (Double(next - 1) + part) * Double(Self.ticksPerSlot) + Self.phase
  }

  /// A stamp after the first reading of each quarter of a second that took something out.
  private func stamps(_ recorded: Recorded, _ kind: Counter) -> [Int: FillStamp] {
    var state: UInt64 = 5
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) * 0x1p-53
    }
    var stamps: [Int: FillStamp] = [:]
    var due = 0.0
    for (index, reading) in recorded.readings.enumerated() {
      guard let end = reading.after, reading.count > 0, Double(end) > due else { continue }
      due = Double(end) + 250e6
      let base = recorded.epochs.last { $0.reading <= index }?.delivered ?? 0
      let before = Double(end) + 400e3
      let length = 230e3 + random() * random() * 300e3
      let slot = base + reading.count
      let latch = before + length * (0.3 + 0.4 * random())
      guard let now = counter(recorded.truth, at: latch) else { continue }
      let stamp = (Double(slot - 1) * Double(Self.ticksPerSlot) + Self.phase).rounded(.down)
      var ticks = Int64(now.rounded(.down) - stamp)
      switch kind {
      case .good: break
      case .torn: if random() < 0.1 { ticks += 256 }
      case .ofAnotherSlot: if random() < 0.1 { ticks += Self.ticksPerSlot }
      case .late: if random() < 0.1 { ticks = max(0, ticks - 200) }
      case .lossy: if random() < 0.7 { continue }
      }
      stamps[index] = FillStamp(
        slot: reading.count, ticks: ticks, ticksPerSlot: Self.ticksPerSlot,
        before: Int64(before.rounded(.down)), after: Int64((before + length).rounded(.up)))
    }
    return stamps
  }

  private func simulation(_ error: Double, _ seconds: Double, _ seed: UInt64) -> Simulation {
    var simulation = Simulation(hertz: 104, error: error, drift: 2, seconds: seconds, seed: seed)
    simulation.drains = 150e6
    return simulation
  }

  @Test(
    "narrow the intervals at 104 Hz, make the times of short recordings right to 61 µs, and hold every sample"
  )
  func narrow() {
    for seed in CaseSelection.sample(1, of: Array(1...4 as ClosedRange<UInt64>)) {
      for (seconds, error) in [(2.0, -0.03), (60.0, 0.05)] {
        let recorded = simulation(error, seconds, seed).run()
        let without = Judgement(recorded, hertz: 104)
        let with = Judgement(recorded, hertz: 104, stamps: stamps(recorded, .good))
        #expect(without.outside == 0 && with.outside == 0, "seed \(seed)")
        #expect(with.findings.isEmpty && with.leftOut == 0)
        let middle = with.widths.count / 2
        #expect(
          with.widths[middle] * 10 < without.widths[middle] * 9,
          "seed \(seed), \(seconds) s: \(with.widths[middle]) of \(without.widths[middle]) ns")
        let last = with.errors.count * 99 / 100
        #expect(
          with.errors[last] < without.errors[last] + 10e3 && with.errors[last] < 61e3,
          "seed \(seed), \(seconds) s: \(with.errors[last]) of \(without.errors[last]) ns")
      }
    }
  }

  @Test(
    "that are wrong or missing change nothing but the bound",
    arguments: CaseSelection.sample(2, of: Counter.allCases))
  func disturbed(_ kind: Counter) {
    for seed: UInt64 in 1...3 {
      let recorded = simulation(-0.04, 60, seed).run()
      let without = Judgement(recorded, hertz: 104)
      let with = Judgement(recorded, hertz: 104, stamps: stamps(recorded, kind))
      #expect(with.outside == 0 && with.findings.isEmpty, "\(kind), seed \(seed)")
      expectNoWider(with.widths, than: without.widths, "\(kind)")
      // Most knots of a minute have a wrong one near them.
      let isWrong = kind == .torn || kind == .ofAnotherSlot
      #expect(isWrong ? (60...122).contains(with.leftOut) : with.leftOut == 0 || kind == .late)
    }
  }

  @Test(
    "leave findings as they are",
    arguments: CaseSelection.sample(
      2, of: [Trouble.lost, .doubled, .wrongCount(21), .step(-20_000), .stall(0.4e9)]))
  func troubled(_ trouble: Trouble) {
    var simulation = simulation(0.05, 40, 3)
    simulation.trouble = trouble
    let recorded = simulation.run()
    let without = Judgement(recorded, hertz: 104)
    let with = Judgement(recorded, hertz: 104, stamps: stamps(recorded, .good))
    #expect(with.outside <= without.outside)
    #expect(with.findings.map(\.slots) == without.findings.map(\.slots), "\(with.findings)")
  }

  @Test("go on to say something after one of a slot that is never reached")
  func farAhead() {
    let recorded = simulation(0.03, 850, 2).run()
    let right = stamps(recorded, .good)
    var wrong = right
    for place in right.keys.sorted()[20...22] { wrong[place]?.slot += 1 << 30 }
    func late(_ stamps: [Int: FillStamp]) -> [Int64] {
      var timeline = recorded.timeline(hertz: 104, stamps: stamps)
      return recorded.truth.indices.suffix(2000).compactMap {
        timeline.instant(of: Int64($0) + 1, in: 0).map { $0.latest - $0.earliest }
      }
    }
    #expect(late(wrong) == late(right))
  }

  @Test("that stopped long ago do not make edges, which are on one side, steer the likely instants")
  func stopped() {
    let recorded = simulation(0.03, 90, 4).run()
    let edges = recorded.readings.map { reading -> [Edge] in
      guard reading.after != nil, reading.count > 0 else { return [] }
      let edge = recorded.truth[Int(reading.count) - 1] + 20_000
      return [(reading.count, Int64(edge.rounded(.up)))]
    }
    func likely(_ stamps: [Int: FillStamp]) -> [Int64] {
      let early = stamps.filter { Double($0.value.before) < 1e12 + 20e9 }
      var timeline = recorded.timeline(hertz: 104, edges: edges, stamps: early)
      return recorded.truth.indices.dropFirst(70 * 104).compactMap {
        timeline.instant(of: Int64($0) + 1, in: 0)?.likely
      }
    }
    let (with, without) = (likely(stamps(recorded, .good)), likely([:]))
    #expect(with.count > 1000 && with == without)
  }

  @Test("that cannot be are left out", arguments: [(-1, 384), (1 << 20, 384), (4, 0), (4, -384)])
  func impossible(ticks: Int64, ticksPerSlot: Int64) {
    var timeline = ClockTimeline(nominalPeriod: 1e7, ClockAssumptions())
    timeline.beginEpoch(.start, delivered: 0)
    timeline.add(FillReading(count: 0, before: 0, after: nil))
    timeline.add(
      FillStamp(slot: 1, ticks: ticks, ticksPerSlot: ticksPerSlot, before: 10, after: 20))
    timeline.add(FillStamp(slot: 1, ticks: 1, ticksPerSlot: 384, before: 20, after: 10))
    #expect(timeline.refusedCount == 2)
  }
}
