// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Analysis

@Suite("The levels of motion over a recording")
struct SecondLevelsTests {
  @Test("each second has its level from the first one on, and one without samples has 0")
  func seconds() {
    var levels = SecondLevels()
    #expect(levels.levels == [] && levels.span == 1)
    for (second, level) in [(1_767_225_600 as Int64, 0.5), (1_767_225_601, 2), (1_767_225_604, 1)] {
      levels.add(level, at: second)
    }
    #expect(levels.levels == [0.5, 2, 0, 0, 1] && levels.span == 1)
    // A second may come in several parts, of which the strongest counts.
    levels.add(3, at: 1_767_225_604)
    levels.add(0.25, at: 1_767_225_604)
    #expect(levels.levels.last == 3)
  }

  @Test("beyond 96 levels pairs are joined to the stronger one, again and again")
  func joined() {
    var levels = SecondLevels()
    for second in 0..<96 as Range<Int64> { levels.add(Double(second % 7), at: -40 + second) }
    #expect(levels.levels.count == 96 && levels.span == 1)
    levels.add(9, at: 56)
    #expect(levels.span == 2 && levels.levels.count == 49)
    #expect(levels.levels.prefix(4) == [1, 3, 5, 6] && levels.levels.last == 9)
    // 97 seconds, of which each level of 8 is the strongest.
    levels.add(1, at: -40 + 700)
    #expect(levels.span == 8)
    #expect(levels.levels.prefix(3) == [6, 6, 6] && levels.levels[12] == 9)
    #expect(levels.levels[13..<87].allSatisfy { $0 == 0 })
    #expect(levels.levels.count == 88 && levels.levels.last == 1)
  }

  @Test("an odd number of levels keeps its last one, and times of centuries end in 96 at most")
  func ends() {
    var levels = SecondLevels()
    for second in 0..<3 as Range<Int64> { levels.add(Double(second + 1), at: second) }
    levels.add(4, at: 100)
    #expect(levels.span == 2 && levels.levels[0] == 2 && levels.levels[1] == 3)
    levels.add(5, at: 100_000_000_000)
    #expect(levels.levels.count <= SecondLevels.most && levels.levels.first == 4)
    #expect(levels.levels.last == 5)
  }
}
