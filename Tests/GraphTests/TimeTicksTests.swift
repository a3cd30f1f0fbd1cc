// SPDX-License-Identifier: Apache-2.0

import Graph
import TestSupport
import Testing

@Suite struct TimeTicksTests {
  private let second: Int64 = 1_000_000_000

  @Test("times are labelled as a clock shows them, in the form that the range needs")
  func forms() {
    for (range, limit, labels, unit) in [
      (0...10.0, 6, ["0", "2", "4", "6", "8", "10"], "s"),
      (0...0.001, 3, ["0.0000", "0.0005", "0.0010"], "s"),
      (58...59, 3, ["58.0", "58.5", "59.0"], "s"),
      (0...60, 5, ["0:00", "0:15", "0:30", "0:45", "1:00"], "min:s"),
      (61...62.2, 3, ["1:01.0", "1:01.5", "1:02.0"], "min:s"),
      (0...240, 5, ["0:00", "1:00", "2:00", "3:00", "4:00"], "min:s"),
      (0...108_000, 6, ["0:00", "6:00", "12:00", "18:00", "24:00", "30:00"], "h:min"),
      (3600...3610, 3, ["1:00:00", "1:00:05", "1:00:10"], "h:min:s"),
      (0...432_000, 3, ["0:00", "48:00", "96:00"], "h:min"),
      (-10...0, 3, ["-10", "-5", "0"], "s"),
      (-0.07...0.03, 3, ["-0.05", "0.00"], "s"),
      (-90...90, 3, ["-1:00", "0:00", "1:00"], "min:s"),
    ] as [(ClosedRange<Double>, Int, [String], String)] {
      let axis = TimeTicks(
        Int64(range.lowerBound * 1e9)...Int64(range.upperBound * 1e9), atMost: limit)
      #expect(axis.ticks.map(\.label) == labels, "\(range)")
      #expect(axis.unit == unit, "\(range)")
    }
  }

  @Test("ticks lie on multiples of the step, inside the range, as many as asked for or fewer")
  func anyRange() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let length = Int64.random(
        in: 1...(1 << Int64.random(in: 1...60, using: &random)), using: &random)
      let low = Int64.random(in: -length...length, using: &random)
      let limit = Int.random(in: 1...10, using: &random)
      let axis = TimeTicks(low...(low + length), atMost: limit)
      let seen: Comment = "\(low)…\(low + length) \(limit), seed \(seed)"
      #expect(axis.ticks.count <= limit, seen)
      #expect(Set(axis.ticks.map(\.label)).count == axis.ticks.count, seen)
      for tick in axis.ticks {
        #expect(tick.time >= low && tick.time <= low + length && tick.time % axis.step == 0, seen)
      }
    }
  }

  @Test("all of time has ticks, and no time has none")
  func extremes() {
    #expect(TimeTicks(5...5, atMost: 3).ticks.isEmpty)
    #expect(TimeTicks(0...5, atMost: 0).ticks.isEmpty)
    #expect(TimeTicks(.min...(.max), atMost: 4).ticks.count <= 4)
    #expect(TimeTicks(0...(.max), atMost: 4).ticks.count >= 2)
    #expect(TimeTicks((.max - 2)...(.max), atMost: 3).ticks.count == 3)
  }
}
