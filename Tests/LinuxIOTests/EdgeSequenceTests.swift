import IMUModel
import LinuxIO
import Testing

@Suite("A GPIO line's edges")
struct EdgeSequenceTests {
  /// What is given for edges that were reported: number, level and time are the same but for the level.
  private func given(from start: Bool, _ told: [(UInt32, Bool)]) -> ([Bool], [Int64], UInt64) {
    var sequence = EdgeSequence(isActive: start)
    var edges: [LineEdge] = []
    for (number, isActive) in told {
      let time = MonotonicTime(nanoseconds: Int64(number) * 10)
      sequence.append(LineEdge(isActive: isActive, time: time), number: number, to: &edges)
    }
    return (edges.map(\.isActive), edges.map(\.time.nanoseconds), sequence.lost)
  }

  @Test("are given as they were reported when none is lost")
  func whole() {
    let (levels, times, lost) = given(from: false, [(1, true), (2, false), (3, true)])
    #expect(levels == [true, false, true])
    #expect(times == [10, 20, 30])
    #expect(lost == 0)
  }

  @Test("get the one back that must have been where an odd count is lost")
  func odd() {
    let (levels, times, lost) = given(from: false, [(1, true), (3, true), (4, false)])
    #expect(levels == [true, false, true, false])
    #expect(times == [10, 30, 30, 40])
    #expect(lost == 1)
  }

  @Test("still alternate where an even count is lost, of which nothing is known")
  func even() {
    let (levels, _, lost) = given(from: false, [(1, true), (4, false)])
    #expect(levels == [true, false])
    #expect(lost == 2)
  }

  @Test("do not repeat the level that was read at the beginning")
  func repetition() {
    let (levels, _, lost) = given(from: true, [(1, true), (2, false)])
    #expect(levels == [false])
    #expect(lost == 0)
  }

  @Test("alternate from the first level on, whichever are lost")
  func everyLoss() {
    // All subsets of ten alternating edges, from either level.
    for start in [false, true] {
      for kept in 0..<1024 {
        var told: [(UInt32, Bool)] = []
        for number in 1...10 as ClosedRange<UInt32> where kept >> (number - 1) & 1 == 1 {
          told.append((number, (number % 2 == 1) != start))
        }
        let (levels, times, lost) = given(from: start, told)
        var level = start
        for next in levels {
          #expect(next != level, "\(start) \(kept)")
          level = next
        }
        #expect(level == (told.last?.1 ?? start))
        #expect(times == times.sorted())
        let last = Int(told.last?.0 ?? 0)
        #expect(Int(lost) == last - told.count)
      }
    }
  }

  @Test("are counted past the greatest number")
  func wrap() {
    var sequence = EdgeSequence(isActive: false)
    var edges: [LineEdge] = []
    let time = MonotonicTime(nanoseconds: 1)
    sequence.append(LineEdge(isActive: true, time: time), number: .max, to: &edges)
    let before = sequence.lost
    sequence.append(LineEdge(isActive: false, time: time), number: 0, to: &edges)
    #expect(edges.count == 2)
    #expect(sequence.lost == before)
  }
}
