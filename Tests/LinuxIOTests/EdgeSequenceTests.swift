// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import LinuxIO
import Testing

@Suite("A GPIO line's edges")
struct EdgeSequenceTests {
  /// The edges returned for reported numbers and levels; the time is ten times the number, and 5.
  private func given(from start: Bool, _ reported: [(UInt32, Bool)]) -> [LineEdge] {
    var sequence = EdgeSequence(isActive: start)
    var edges: [LineEdge] = []
    for (number, isActive) in reported {
      let time = MonotonicTime(nanoseconds: Int64(number) * 10 + 5)
      sequence.append(LineEdge(isActive: isActive, time: time), number: number, to: &edges)
    }
    return edges
  }

  @Test(
    "get the missing one back where an odd count is lost, and do not repeat a level",
    arguments: [
      (false, [(1, true), (2, false), (3, true)], [15, -25, 35]),
      (false, [(1, true), (3, true), (4, false)], [15, -35, 35, -45]),
      // An even count; the level at the beginning; past the greatest number.
      (false, [(1, true), (4, false)], [15, -45]), (true, [(1, true), (2, false)], [-25]),
      (false, [(.max, true), (0, false)], [42_949_672_955, -5]),
    ] as [(Bool, [(UInt32, Bool)], [Int64])])
  func repaired(start: Bool, reported: [(UInt32, Bool)], expected: [Int64]) {
    let edges = given(from: start, reported)
    #expect(edges.map { $0.time.nanoseconds * ($0.isActive ? 1 : -1) } == expected)
  }

  @Test("alternate from the first level on, whichever are lost")
  func everyLoss() {
    // All subsets of ten alternating edges, from either level.
    for start in [false, true] {
      for kept in 0..<1024 {
        var reported: [(UInt32, Bool)] = []
        for number in 1...10 as ClosedRange<UInt32> where kept >> (number - 1) & 1 == 1 {
          reported.append((number, (number % 2 == 1) != start))
        }
        let edges = given(from: start, reported)
        let times = edges.map(\.time)
        var level = start
        for next in edges.map(\.isActive) {
          #expect(next != level, "\(start) \(kept)")
          level = next
        }
        #expect(level == (reported.last?.1 ?? start))
        #expect(times == times.sorted())
      }
    }
  }
}
