// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Sampling
import Testing

@Suite struct LatenessHistogramTests {
  @Test("a bucket holds its value and is at most 1/32 of it wide, from a nanosecond to 30 seconds")
  func resolution() {
    var value: Int64 = 1
    while value < 30_000_000_000 {
      for near in [value - 1, value, value + 1] {
        let range = LatenessHistogram.range(ofBucket: LatenessHistogram.bucket(of: near))
        #expect(range.contains(near))
        #expect((range.upperBound - range.lowerBound) * 32 <= max(near, 1))
      }
      value = value * 9 / 8 + 1
    }
  }

  @Test("buckets follow each other without hole or overlap")
  func contiguous() {
    var next: Int64 = 0
    for index in 0..<LatenessHistogram.bucketCount {
      let range = LatenessHistogram.range(ofBucket: index)
      #expect(range.lowerBound == next)
      next = range.upperBound &+ 1
    }
    #expect(next == .min)
  }

  @Test("percentiles are right to 1/32, and the maximum exactly")
  func percentiles() {
    var histogram = LatenessHistogram()
    for value: Int64 in 1...10_000 { histogram.record(value * 1000) }
    for percent in [1.0, 25, 50, 75, 90, 99, 99.9] {
      let exact = percent * 100_000
      let found = Double(histogram.percentile(percent))
      #expect(found >= exact && found <= exact * 33 / 32, "\(percent): \(found)")
    }
    #expect(histogram.percentile(100) == 10_000_000)
    #expect(histogram.maximum == 10_000_000)
    #expect(
      histogram.summary
        == LatenessSummary(
          median: histogram.percentile(50), percentile99: histogram.percentile(99),
          maximum: 10_000_000))
  }

  @Test(
    "an empty histogram says 0, a negative value counts as 0, and hours fall into the last bucket")
  func extremes() {
    var histogram = LatenessHistogram()
    #expect(histogram.summary == LatenessSummary())
    histogram.record(-5)
    #expect(histogram.percentile(100) == 0)
    histogram.record(3_600_000_000_000)
    histogram.record(.max)
    #expect(histogram.count == 3)
    #expect(histogram.percentile(50) == .max)
  }
}
