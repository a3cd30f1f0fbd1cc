// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting
import Foundation
import Testing

/// How many seeds the random tests try: a few, or those of `IMULOG_SEEDS`.
func seeds(_ count: UInt64) -> ClosedRange<UInt64> {
  1...(ProcessInfo.processInfo.environment["IMULOG_SEEDS"].flatMap(UInt64.init) ?? count)
}

extension SampleInstant {
  /// Whether the true instant is in the interval.
  func holds(_ truth: Double) -> Bool { Double(earliest) <= truth && truth <= Double(latest) }
}

/// Any chip on any bus, and a host that is busy or not, within the assumptions; with so many faults, which are 300
/// samples and 0.3 s apart.
struct RandomSimulation: CustomStringConvertible {
  var simulation: Simulation
  var assumptions: ClockAssumptions

  init(seed: UInt64, faults: Int, seconds: ClosedRange<Double> = 5...25) {
    var random = SeededRandom(seed)
    let hertz = random.pick([52.0, 104, 208, 416, 833, 1000, 1666])
    let least = max(0.3, 300 / hertz)
    let drift = random.next(0...1) < 0.3 ? random.next(-45...45) : random.next(-3...3)
    let length = random.next(seconds) + Double(faults) * (least + 1) + 2
    simulation = Simulation(
      hertz: hertz, error: random.next(-0.1...0.1), drift: drift, seconds: length, seed: seed)
    simulation.jitter = random.next(0...5)
    simulation.isBusy = random.next(0...1) < 0.4
    // A slow bus shows the samples of a fast chip only to more than a period.
    let bus = random.pick([hertz < 250 ? 100_000 : 400_000, 400_000, 400_000, 1_000_000])
    assumptions = ClockAssumptions(busHertz: bus)
    simulation.busHertz = Double(bus) * random.next(0.9...1)
    // The core's clock, from which it comes, moves with the load. Slower than half, it shows too little to name faults.
    if faults == 0 {
      simulation.kernel = random.pick([1000, 40_000])
      for _ in 0..<Int(random.next(0...9)) {
        let at = (simulation.busSpeeds.last?.at ?? 0) + random.next(0...4e9)
        simulation.busSpeeds.append(
          (at, random.pick([0.5, 0.625, 1, 1.6, 3, random.next(0.5...1)])))
      }
    }
    simulation.drains = hertz < 150 && random.next(0...1) < 0.5 ? 50e6 : 20e6
    simulation.latchBits = 20...38
    var at = 2.0
    let room = max(0, length - 5 - Double(faults) * (least + 1.8)) / Double(max(1, faults))
    for _ in 0..<faults {
      at += least + random.next(0...room)
      let stall = random.next(0.05...1.5)
      let wrong = Int64(random.next(4...60))
      let trouble: Trouble = random.pick([
        Trouble.lost, .doubled, .wrongCount(wrong), .wrongCount(-wrong), .stall(stall * 1e9),
      ])
      simulation.others.append((trouble, at * 1e9))
      if case .stall = trouble { at += stall }
    }
  }

  var description: String {
    let troubles = simulation.others.map { "\($0.trouble) at \($0.at / 1e9) s" }
    return """
      \(simulation.hertz) Hz, error \(simulation.error), drift \(simulation.drift), \
      \(simulation.seconds) s, bus \(simulation.busHertz), busy \(simulation.isBusy), \
      jitter \(simulation.jitter), drains \(simulation.drains / 1e6) ms, \(troubles)
      """
  }
}

extension Recorded {
  /// What the clock makes of the readings with edges before and stamps after some of them.
  func timeline(
    hertz: Double, edges: [[Edge]] = [], stamps: [Int: FillStamp] = [:]
  ) -> ClockTimeline {
    var timeline = ClockTimeline(
      nominalPeriod: 1e9 / hertz, ClockAssumptions(busHertz: 400_000))
    for index in 0...readings.count {
      if index < edges.count {
        for edge in edges[index] { timeline.add(edgeOf: edge.slot, at: edge.time) }
      }
      add(index, to: &timeline)
      if let stamp = stamps[index] { timeline.add(stamp) }
    }
    return timeline
  }

  /// Samples outside of their intervals or without one, and those whose likely instant is not after the one before.
  func outside(_ timeline: inout ClockTimeline) -> (outside: Int, falling: Int) {
    var (outside, falling) = (0, 0)
    var last = Int64.min
    for ((epoch, slot), truth) in zip(slots, truth) {
      guard let instant = timeline.instant(of: slot, in: epoch) else {
        outside += 1
        continue
      }
      if !instant.holds(truth) { outside += 1 }
      if instant.likely <= last { falling += 1 }
      last = instant.likely
    }
    return (outside, falling)
  }
}

/// What the readings of a recording prove, with what was added to them.
struct Judgement {
  /// Samples outside of their intervals or without one.
  var outside = 0
  /// Half widths, and errors of the likely instants, in order.
  var widths: [Int64] = []
  var errors: [Double] = []
  let findings: [ClockAnomaly]
  let leftOut: Int

  init(
    _ recorded: Recorded, hertz: Double, edges: [[Edge]] = [], stamps: [Int: FillStamp] = [:]
  ) {
    var timeline = recorded.timeline(hertz: hertz, edges: edges, stamps: stamps)
    for ((epoch, slot), truth) in zip(recorded.slots, recorded.truth) {
      guard let instant = timeline.instant(of: slot, in: epoch), instant.holds(truth) else {
        outside += 1
        continue
      }
      widths.append((instant.latest - instant.earliest) / 2)
      errors.append(abs(Double(instant.likely) - truth))
    }
    (findings, leftOut) = (timeline.findings, timeline.leftOutCount)
    widths.sort()
    errors.sort()
  }
}

/// Expects as many intervals as without what was added, and none wider by more than 1 µs; widths are in order, in
/// nanoseconds.
func expectNoWider(_ widths: [Int64], than others: [Int64], _ comment: String) {
  #expect(widths.count == others.count, "\(comment)")
  guard widths.count == others.count else { return }
  for place in [2, 10, 99] {
    let index = widths.count * place / 100
    #expect(widths[index] <= others[index] + 1000, "\(comment), \(place) %")
  }
}

/// An edge of the watermark.
typealias Edge = (slot: Int64, time: Int64)
