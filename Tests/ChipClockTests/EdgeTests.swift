// SPDX-License-Identifier: Apache-2.0

import ChipClock
import ChipClockTesting
import TestSupport
import Testing

@Suite("Edges of the watermark")
struct EdgeTests {
  /// What is wrong with the edges.
  enum Line: String, CaseIterable {
    case good, late, lossy, noisy, early
  }

  /// An edge between each two readings of the same epoch that are a drain apart, some microseconds late.
  private func edges(_ recorded: Recorded, _ line: Line) -> [[Edge]] {
    var random = SeededRandom(77)
    var edges = recorded.readings.map { _ in [Edge]() }
    for index in recorded.readings.indices.dropFirst() {
      let (before, after) = (recorded.readings[index - 1], recorded.readings[index])
      let slot = before.count + 14
      guard before.count < after.count, slot <= after.count, after.after != nil else { continue }
      let base = recorded.epochs.last { $0.reading <= index }?.delivered ?? 0
      let late = 3000 + random.next() * random.next() * 60_000
      var stamp = recorded.truth[Int(base + slot) - 1] + late
      switch line {
      case .good: break
      case .late: if random.next() < 0.3 { stamp += random.next() * 30e6 }
      case .lossy: if random.next() < 0.5 { continue }
      // Contacts that bounce.
      case .noisy: if random.next() < 0.05 { stamp -= random.next() * 14e6 }
      case .early: stamp -= 14e6
      }
      edges[index].append((slot, Int64(stamp.rounded(.up))))
    }
    return edges
  }

  @Test("nearly halve the intervals, which hold every sample")
  func halve() {
    for seed: UInt64 in 1...3 {
      let recorded = Simulation(error: 0.02, drift: 3, seed: seed).run()
      let without = Judgement(recorded, hertz: 1000)
      let with = Judgement(recorded, hertz: 1000, edges: edges(recorded, .good))
      #expect(without.outside == 0 && with.outside == 0, "seed \(seed)")
      #expect(with.findings.isEmpty)
      let (wide, narrow) = (
        without.widths[without.widths.count / 2], with.widths[with.widths.count / 2]
      )
      #expect(narrow < wide * 7 / 10 && narrow < 107_000, "seed \(seed): \(narrow) of \(wide) ns")
    }
  }

  @Test(
    "that are late, lost, or noise change nothing but the bound",
    arguments: CaseSelection.sample(2, of: Line.allCases))
  func disturbed(_ line: Line) {
    for seed: UInt64 in 1...2 {
      let recorded = Simulation(error: -0.04, drift: 3, seed: seed).run()
      let without = Judgement(recorded, hertz: 1000)
      let with = Judgement(recorded, hertz: 1000, edges: edges(recorded, line))
      #expect(with.outside == 0 && with.findings.isEmpty, "\(line), seed \(seed)")
      expectNoWider(with.widths, than: without.widths, "\(line)")
    }
  }

  @Test(
    "leave findings as they are",
    arguments: CaseSelection.sample(
      2, of: [Trouble.lost, .doubled, .wrongCount(21), .step(-20_000), .stall(0.4e9)]))
  func troubled(_ trouble: Trouble) {
    let recorded = Simulation(error: 0.05, trouble: trouble, seed: 3).run()
    let without = Judgement(recorded, hertz: 1000)
    let with = Judgement(recorded, hertz: 1000, edges: edges(recorded, .good))
    #expect(with.outside == 0)
    #expect(with.findings.map(\.slots) == without.findings.map(\.slots), "\(with.findings)")
    for (one, other) in zip(with.findings, without.findings) {
      // A rate is known better.
      if case .rateChanged(let ppm) = one.kind, case .rateChanged(let wide) = other.kind {
        #expect(abs(ppm - wide) < 500)
      } else {
        #expect(one.kind == other.kind)
      }
    }
  }
}
