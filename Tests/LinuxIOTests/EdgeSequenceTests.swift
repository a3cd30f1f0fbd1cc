// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import LinuxIO
import Testing

@Suite("A GPIO line's edges")
struct EdgeSequenceTests {
  /// The edges returned for reported numbers and levels; the time is ten times the number.
  private func given(from start: Bool, _ reported: [(UInt32, Bool)]) -> ([Bool], [Int64]) {
    var sequence = EdgeSequence(isActive: start)
    var edges: [LineEdge] = []
    for (number, isActive) in reported {
      let time = MonotonicTime(nanoseconds: Int64(number) * 10)
      sequence.append(LineEdge(isActive: isActive, time: time), number: number, to: &edges)
    }
    return (edges.map(\.isActive), edges.map(\.time.nanoseconds))
  }

  @Test("are returned as reported when none is lost")
  func whole() {
    let (levels, times) = given(from: false, [(1, true), (2, false), (3, true)])
    #expect(levels == [true, false, true])
    #expect(times == [10, 20, 30])
  }

  @Test("get the missing one back where an odd count is lost")
  func odd() {
    let (levels, times) = given(from: false, [(1, true), (3, true), (4, false)])
    #expect(levels == [true, false, true, false])
    #expect(times == [10, 30, 30, 40])
  }

  @Test("still alternate where an even count is lost")
  func even() {
    let (levels, _) = given(from: false, [(1, true), (4, false)])
    #expect(levels == [true, false])
  }

  @Test("do not repeat the level that was read at the beginning")
  func repetition() {
    let (levels, _) = given(from: true, [(1, true), (2, false)])
    #expect(levels == [false])
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
        let (levels, times) = given(from: start, reported)
        var level = start
        for next in levels {
          #expect(next != level, "\(start) \(kept)")
          level = next
        }
        #expect(level == (reported.last?.1 ?? start))
        #expect(times == times.sorted())
      }
    }
  }

  @Test("are counted past the greatest number")
  func wrap() {
    var sequence = EdgeSequence(isActive: false)
    var edges: [LineEdge] = []
    let time = MonotonicTime(nanoseconds: 1)
    sequence.append(LineEdge(isActive: true, time: time), number: .max, to: &edges)
    sequence.append(LineEdge(isActive: false, time: time), number: 0, to: &edges)
    #expect(edges.count == 2)
  }
}
