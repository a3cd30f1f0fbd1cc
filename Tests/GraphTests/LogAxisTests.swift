// SPDX-License-Identifier: Apache-2.0

import Glibc
import Graph
import Testing

@Suite("A logarithmic axis")
struct LogAxisTests {
  @Test("gives each decade the same length, and puts what is outside at its ends")
  func shares() throws {
    let axis = try #require(LogAxis([0.01, 100, 3]))
    let wanted = [(0.01, 0), (0.1, 0.25), (1, 0.5), (100, 1), (1e9, 1), (1e-9, 0)]
    for (value, share) in wanted { #expect(abs(axis.share(value) - share) < 1e-12, "\(value)") }
  }

  @Test(
    "has labels at powers of ten, and between them where there are few",
    arguments: [
      ([0.01, 100], ["0.01", "0.1", "1", "10", "100"]),
      ([0.9, 60], ["1", "2", "5", "10", "20", "50"]),
      ([20, 90], ["20", "30", "50", "70"]),
      ([1e-7, 1e-3], ["1e-7", "1e-6", "1e-5", "1e-4", "0.001"]),
      ([1, 1e6], ["1", "10", "100", "1000", "10000", "1e5", "1e6"]),
    ])
  func labels(values: [Double], labels: [String]) throws {
    #expect(try #require(LogAxis(values)).ticks.map(\.label) == labels)
  }

  @Test("has at most 12 labels and at least two, whatever its values are")
  func count() throws {
    for low in -30...30 {
      for decades in [0.2, 0.9, 1.6, 3.5, 10, 15, 40] {
        let ends = [Double(low), Double(low) + decades].map { pow(10, $0) }
        let axis = try #require(LogAxis(ends))
        #expect(2...12 ~= axis.ticks.count, "\(low) \(decades) \(axis.ticks)")
        for (value, _) in axis.ticks { #expect(0...1 ~= axis.share(value)) }
      }
    }
    for ends in [
      [1.1, 1.9], [3.1, 4.9], [5.1, 6.9], [7.2, 9.8], [5.224726548862056e-07, 1e-30],
    ] {
      let axis = try #require(LogAxis(ends))
      #expect(2...12 ~= axis.ticks.count, "\(ends) \(axis.ticks)")
    }
  }

  @Test("shows ten decades at most, and the only value in the middle")
  func extremes() throws {
    let deep = try #require(LogAxis([1, 1e-30]))
    #expect(abs(deep.share(1e-5) - 0.5) < 1e-12)
    let single = try #require(LogAxis([7]))
    #expect(abs(single.share(7) - 0.5) < 1e-12)
  }

  @Test("needs a value that is positive and finite")
  func none() {
    #expect(LogAxis([]) == nil)
    #expect(LogAxis([0, -1, .nan, .infinity]) == nil)
  }
}
