// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Analysis

@Suite("Figures of counts")
struct CountMomentsTests {
  static func of(_ columns: [Int16]...) -> CountMoments { withRuns(columns) { CountMoments($0) } }

  @Test("a square wave has crest and kurtosis 1, and its half height as deviation")
  func square() {
    let moments = Self.of((0..<1000).map { $0 % 2 == 0 ? -700 : 300 })
    #expect(moments.mean == -200)
    #expect(moments.deviation == 500)
    #expect(moments.peak == 500)
    #expect(moments.crest == 1)
    #expect(moments.kurtosis == 1)
    #expect(moments.clipped == 0)
  }

  @Test("a sine has crest √2 and kurtosis 1.5")
  func sine() throws {
    let moments = Self.of(Noise.sine(100_000, amplitude: 30_000, frequency: 0.01))
    #expect(abs(try #require(moments.crest) - 2.0.squareRoot()) < 1e-3)
    #expect(abs(try #require(moments.kurtosis) - 1.5) < 1e-3)
  }

  @Test("runs are one sample together, and both ends of the counts are clipped")
  func runs() {
    let moments = Self.of([-32768, -32768, 1], [], [32767, 5])
    #expect(moments.count == 5)
    #expect(moments.clipped == 3)
    #expect(moments.mean == -6552.6)
  }

  @Test("a constant, or no count at all, has no crest and no kurtosis", arguments: [3, 0])
  func constant(count: Int) {
    let moments = Self.of([Int16](repeating: 7, count: count))
    #expect(moments.deviation == 0)
    #expect(moments.crest == nil)
    #expect(moments.kurtosis == nil)
  }
}
