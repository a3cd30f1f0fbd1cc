// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

import Sampling

@Suite("Edges of a FIFO's watermark")
struct WatermarkEdgesTests {
  private func at(_ microseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: microseconds * 1000)
  }

  /// Drains at each 20 ms, with an edge at 15 ms of each, and at `others` of each.
  private func shown(others: [Int64]) -> Int {
    var edges = WatermarkEdges()
    var shown = 0
    for drain in 0..<20 as Range<Int64> {
      let start = drain * 20_000
      for time in (others + [15_000]).sorted() {
        edges.note(InterruptEdge(time: at(start + time), followsLoss: false))
      }
      let stamp = edges.drain(passed: true, counted: at(start + 20_100), end: at(start + 24_000))
      if let stamp {
        #expect(stamp == at(start + 15_000))
        shown += 1
      }
    }
    return shown
  }

  @Test("show when it was reached, after some that were right")
  func right() { #expect(shown(others: []) == 17) }

  @Test("in a burst, where samples come while others are taken out, say nothing")
  func inBurst() {
    #expect(shown(others: [1000]) == 17)
    #expect(shown(others: [200, 2000, 3999]) == 17)
  }

  @Test("between bursts there is one, or none is trusted")
  func between() { #expect(shown(others: [9000]) == 0) }
}
