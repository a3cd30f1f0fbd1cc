// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import Terminal

@Suite("The y axis")
struct AutoRangeTests {
  private let second: Int64 = 1_000_000_000

  @Test("widens at once when a value is outside, to round numbers")
  func widens() throws {
    var axis = AutoRange(least: 0.01)
    axis.include(-0.4...0.9, now: 0)
    let first = try #require(axis.range)
    #expect(first.contains(-0.4) && first.contains(0.9) && first.extent < 2)
    axis.include(-0.4...7.7, now: 1)
    let range = try #require(axis.range)
    #expect(range.contains(7.7) && range.contains(-0.4))
  }

  @Test("narrows again after the values have become smaller")
  func narrows() throws {
    var axis = AutoRange(least: 0.01)
    axis.include(-16...16, now: 0)
    let wide = try #require(axis.range)
    var now: Int64 = 0
    var extents: [Double] = [wide.extent]
    for _ in 0..<(25 * 12) {
      now += second / 25
      axis.include(-0.9...1.1, now: now)
      let extent = try #require(axis.range).extent
      #expect(try #require(axis.range).contains(1.1))
      if extent != extents.last { extents.append(extent) }
      // Not before it was too wide for 2 s, and not all at once.
      if now < AutoRange.patience { #expect(extent == wide.extent) }
    }
    #expect(extents == extents.sorted(by: >))
    #expect(extents.count >= 4)
    #expect(try #require(extents.last) < 4)
  }

  @Test("does not narrow while peaks recur")
  func stays() throws {
    var axis = AutoRange(least: 0.01)
    var ranges: Set<ClosedRange<Double>> = []
    for step in 0..<1000 {
      let isPeak = step % 25 == 0
      axis.include(isPeak ? -8...8 : -1...1, now: Int64(step) * second / 25)
      ranges.insert(try #require(axis.range))
    }
    #expect(ranges.count == 1)
  }

  @Test("shows nothing without values, and more than the noise of a sensor at rest")
  func rest() throws {
    var axis = AutoRange(least: 0.5)
    axis.include(nil, now: 0)
    #expect(axis.range == nil)
    axis.include(0.001...0.002, now: 0)
    #expect(try #require(axis.range).extent >= 0.5)
  }

  @Test("is at most a fifth empty, wherever values lie and however far they swing")
  func full() {
    let seed = UInt64.random(in: 0...(.max))
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      let extent = pow(10, Double.random(in: -2...4, using: &generator))
      let low = Double.random(in: -3...3, using: &generator) * extent
      let values = low...(low + extent)
      let range = AutoRange.round(values, least: 0.001)
      #expect(range.lowerBound <= low && range.upperBound >= low + extent, "seed \(seed)")
      #expect(extent >= 0.8 * range.extent, "seed \(seed): \(values) in \(range)")
    }
  }

  @Test("has narrowed to its values some seconds after they have become a quarter smaller")
  func settles() throws {
    var axis = AutoRange(least: 0.01)
    axis.include(-1...1, now: 0)
    for step in 1...(25 * 10) { axis.include(-0.75...0.75, now: Int64(step) * second / 25) }
    #expect(1.5 >= 0.75 * (try #require(axis.range).extent))
  }
}
