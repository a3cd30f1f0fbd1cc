// SPDX-License-Identifier: Apache-2.0

import ChipClockTesting
import Testing

@testable import ChipClock

@Suite("The states of a clock that bounds allow")
struct OffsetPolygonTests {
  /// The extremes of a + b·h over all crossings of two limits that no other limit excludes.
  private func byCrossings(
    _ cuts: [OffsetPolygon.Cut], at h: Double
  ) -> (least: Double, greatest: Double)? {
    // The widest states as four lines: p·a + q·b ≤ r.
    var lines = cuts.map { (p: $0.sign, q: $0.sign * $0.h, r: $0.limit) }
    lines += [(1, 0, 1e6), (-1, 0, 1e6), (0, 1, 2e5), (0, -1, 2e5)]
    var found: (least: Double, greatest: Double)?
    for i in lines.indices {
      for j in lines.indices where j > i {
        let determinant = lines[i].p * lines[j].q - lines[j].p * lines[i].q
        guard abs(determinant) > 1e-12 else { continue }
        let a = (lines[i].r * lines[j].q - lines[j].r * lines[i].q) / determinant
        let b = (lines[i].p * lines[j].r - lines[j].p * lines[i].r) / determinant
        guard lines.allSatisfy({ $0.p * a + $0.q * b <= $0.r + 1e-3 }) else { continue }
        let offset = a + b * h
        found = (min(found?.least ?? offset, offset), max(found?.greatest ?? offset, offset))
      }
    }
    return found
  }

  @Test("its extremes are those of all crossings of limits")
  func crossings() {
    var (empty, some) = (0, 0)
    for seed: UInt64 in 1...400 {
      var random = SeededRandom(seed)
      let truth = (a: random.next(-500...500), b: random.next(-30_000...30_000))
      let isConsistent = seed % 4 != 0
      let cuts = (0..<Int(seed % 12) + 1).map { _ in
        let h = random.next(-6...6)
        let sign = random.next(0...1) < 0.5 ? 1.0 : -1.0
        let slack = random.next(isConsistent ? 0...300 : -200...300)
        return OffsetPolygon.Cut(h: h, sign: sign, limit: sign * (truth.a + truth.b * h) + slack)
      }
      let polygon = OffsetPolygon(cuts)
      for h in [0, -3.5, 8] {
        let (wanted, found) = (byCrossings(cuts, at: h), polygon.offsets(at: h))
        switch (wanted, found) {
        case (nil, nil): empty += 1
        case (let wanted?, let found?):
          some += 1
          let scale = 1e-6 * max(1, abs(wanted.least), abs(wanted.greatest)) + 0.02
          #expect(abs(wanted.least - found.lowerBound) < scale, "seed \(seed), \(h)")
          #expect(abs(wanted.greatest - found.upperBound) < scale, "seed \(seed), \(h)")
        default: Issue.record("seed \(seed), \(h): \(String(describing: wanted)), \(found as Any)")
        }
      }
    }
    #expect(empty > 20 && some > 500)
  }

  @Test("a single possible state is a polygon, and contradicting limits are none")
  func degenerate() {
    let point = OffsetPolygon([
      OffsetPolygon.Cut(h: 0, sign: 1, limit: 7), OffsetPolygon.Cut(h: 0, sign: -1, limit: -7),
      OffsetPolygon.Cut(h: 2, sign: 1, limit: 27), OffsetPolygon.Cut(h: 2, sign: -1, limit: -27),
    ])
    #expect(!point.isEmpty)
    #expect(
      point.offsets(at: 0).map { abs($0.lowerBound - 7) < 1e-5 && abs($0.upperBound - 7) < 1e-5 }
        == true)
    #expect(
      point.rates.map { abs($0.lowerBound - 10) < 1e-5 && abs($0.upperBound - 10) < 1e-5 } == true)
    let none = OffsetPolygon([
      OffsetPolygon.Cut(h: 1, sign: 1, limit: 7), OffsetPolygon.Cut(h: 1, sign: -1, limit: -8),
    ])
    #expect(none.isEmpty && none.offsets(at: 0) == nil && none.rates == nil)
    #expect(OffsetPolygon([]).offsets(at: 0) == -1e6...1e6)
  }

  @Test("states on a line keep both its ends, however the limits are rounded")
  func segments() throws {
    for seed: UInt64 in 1...200 {
      var random = SeededRandom(seed)
      let truth = (a: random.next(-900...900), b: random.next(-30_000...30_000))
      // Two limits from opposite sides leave a line; a pair at each end cuts it.
      let (h, length) = (random.next(-6...6), random.next(1...2000))
      func cut(_ h: Double, _ sign: Double, _ slack: Double) -> OffsetPolygon.Cut {
        OffsetPolygon.Cut(h: h, sign: sign, limit: sign * (truth.a + truth.b * h) + slack)
      }
      let other = h + (seed % 2 == 0 ? 1 : -1) * random.next(0.1...5)
      let cuts = [
        cut(h, 1, 0), cut(h, -1, 0), cut(other, 1, length), cut(other, -1, length),
        cut(random.next(-6...6), 1, 1e6), cut(random.next(-6...6), -1, 1e6),
      ]
      let rates = try #require(OffsetPolygon(cuts).rates, "seed \(seed)")
      let half = length / abs(other - h)
      #expect(abs(rates.lowerBound - (truth.b - half)) < 0.001, "seed \(seed)")
      #expect(abs(rates.upperBound - (truth.b + half)) < 0.001, "seed \(seed)")
      let offsets = try #require(OffsetPolygon(cuts).offsets(at: other), "seed \(seed)")
      let middle = truth.a + truth.b * other
      #expect(abs(offsets.lowerBound - (middle - length)) < 0.001, "seed \(seed)")
      #expect(abs(offsets.upperBound - (middle + length)) < 0.001, "seed \(seed)")
    }
  }

  @Test("the corners of the bounds' hull decide as much as all bounds")
  func hull() {
    for seed: UInt64 in 1...30 {
      var random = SeededRandom(seed)
      let line = ClockLine(slot: 0, time: 1_000_000_000_000, period: 1_000_000)
      let grid = SlotGrid(period: 1_000_000)
      var bounds: [ClockBound] = []
      for step: Int64 in 0..<400 {
        let slot = step * 20 + Int64(random.next(0...3))
        let h = Double(slot) * 1e-3
        let curve = 40 * h + random.next(10...30) * h * h / 2
        let width = random.next(0...1) < 0.2 ? 12_000.0 : 150.0
        for (isUpper, sign) in [(true, 1.0), (false, -1.0)] {
          let offset = curve + sign * random.next(20...width)
          bounds.append(
            ClockBound(
              slot: slot + (isUpper ? 0 : 1),
              time: line.time + (slot + (isUpper ? 0 : 1)) * 1_000_000 + Int64(offset * 1000),
              isUpper: isUpper))
        }
      }
      for drift in [2.0, 10, 50] {
        let hull = BoundHull(bounds, line, grid, drift: drift)
        #expect(hull.cornerCount < bounds.count / 3)
        for slot: Int64 in [0, 100, 3333, 7999] {
          let all = bounds.map { bound in
            let h = grid.seconds(from: slot, to: bound.slot)
            let sign = bound.isUpper ? 1.0 : -1.0
            return OffsetPolygon.Cut(
              h: h, sign: sign,
              limit: sign * line.offset(of: bound.time, at: bound.slot) + drift * h * h / 2 + 5)
          }
          let wanted = OffsetPolygon(all)
          let found = hull.polygon(at: slot, grid, reach: 20, jitter: 5)
          #expect(wanted.isEmpty == found.isEmpty, "seed \(seed)")
          for h in [-1.0, 0, 1] {
            guard let wanted = wanted.offsets(at: h), let found = found.offsets(at: h) else {
              continue
            }
            #expect(
              abs(wanted.lowerBound - found.lowerBound) < 1e-5, "seed \(seed), \(slot), \(drift)")
            #expect(
              abs(wanted.upperBound - found.upperBound) < 1e-5, "seed \(seed), \(slot), \(drift)")
          }
        }
      }
    }
  }
}
