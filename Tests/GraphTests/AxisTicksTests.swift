// SPDX-License-Identifier: Apache-2.0

import Graph
import TestSupport
import Testing

@Suite struct AxisTicksTests {
  @Test("have the finest round steps that are few enough, with the decimals they need")
  func steps() {
    for (range, limit, labels) in [
      (0.37...2.4, 5, ["0.5", "1.0", "1.5", "2.0"]),
      (0...10, 6, ["0", "2", "4", "6", "8", "10"]),
      (0...10, 5, ["0", "5", "10"]),
      (-1...1, 5, ["-1.0", "-0.5", "0.0", "0.5", "1.0"]),
      (-0.05...0.05, 3, ["-0.05", "0.00", "0.05"]),
      (-2300...1900, 5, ["-2000", "-1000", "0", "1000"]),
      (0.1...0.3, 3, ["0.1", "0.2", "0.3"]),
      (9.79...9.83, 5, ["9.79", "9.80", "9.81", "9.82", "9.83"]),
      (3...7, 1, ["5"]), (-1...1, 1, ["0"]), (0.001...0.0049, 2, ["0.002", "0.004"]),
    ] as [(ClosedRange<Double>, Int, [String])] {
      #expect(AxisTicks(range, atMost: limit).ticks.map(\.label) == labels, "\(range) \(limit)")
    }
  }

  @Test(
    "in any range there are no more ticks than asked for, all inside, apart by the step and read back"
  )
  func anyRange() {
    let seed = UInt64.random(in: 0...UInt64.max)
    let scales: [Double] = [1e-6, 1e-3, 1, 1e3, 1e6]
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let scale = scales.randomElement(using: &random) ?? 1
      let low = Double.random(in: -5...5, using: &random) * scale
      let length = Double.random(in: 0.001...10, using: &random) * scale
      let limit = Int.random(in: 1...12, using: &random)
      let axis = AxisTicks(low...(low + length), atMost: limit)
      let seen: Comment = "\(low)…\(low + length) \(limit), seed \(seed)"
      #expect(axis.ticks.count <= limit, seen)
      // A step of 2.5 times as much would leave half of the places: not fewer than that are used.
      #expect(axis.ticks.count >= (limit - 2) / 3, seen)
      for (index, tick) in axis.ticks.enumerated() {
        #expect(tick.value >= low - axis.step * 1e-8, seen)
        #expect(tick.value <= low + length + axis.step * 1e-8, seen)
        #expect(Double(tick.label) == tick.value, seen)
        guard index > 0 else { continue }
        let distance = tick.value - axis.ticks[index - 1].value
        #expect(abs(distance - axis.step) < axis.step * 1e-6, seen)
      }
    }
  }

  @Test("a range that cannot be labelled has no ticks")
  func none() {
    for range in [
      1...1, 0...0, 0...(.infinity), -.infinity...0, -1e308...1e308, 1...(1 + 1e-15), 0...1e-300,
    ] as [ClosedRange<Double>] {
      #expect(AxisTicks(range, atMost: 5) == .none, "\(range)")
    }
    #expect(AxisTicks(0...1, atMost: 0) == .none)
    #expect(AxisTicks(0...1, atMost: -1) == .none)
  }
}
