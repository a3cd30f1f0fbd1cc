// SPDX-License-Identifier: Apache-2.0

/// Sums and extremes of the samples of one phase of a self-test, in counts.
struct SelfTestTally {
  private(set) var count: Int64 = 0
  /// By channel, 0 to 5.
  private(set) var sums = [Int64](repeating: 0, count: 6)
  private var lowest = [Int64](repeating: .max, count: 6)
  private var highest = [Int64](repeating: .min, count: 6)

  mutating func add(_ values: [Int64], of channels: Range<Int>) {
    for channel in channels {
      let value = values[channel]
      sums[channel] += value
      lowest[channel] = min(lowest[channel], value)
      highest[channel] = max(highest[channel], value)
    }
    count += 1
  }

  /// The spread of a channel: highest less lowest.
  func spread(_ channel: Int) -> Int64 { highest[channel] - lowest[channel] }

  /// Whether a value of a channel was at an end of the range: the true one may be further from zero.
  func isClipped(_ channel: Int) -> Bool {
    lowest[channel] <= Int64(Int16.min) || highest[channel] >= Int64(Int16.max)
  }

  /// How much the sum of a channel is above that of as many other samples.
  func difference(_ other: SelfTestTally, _ channel: Int) -> Int64 {
    sums[channel] - other.sums[channel]
  }
}

/// A sum of counts beside limits in mg or °/s, by whole numbers: at a limit is within it.
struct SelfTestSum {
  /// Counts.
  let sum: Int64
  /// Of so many samples.
  let count: Int64
  let range: SensorRange
  let unit: SelfTestUnit

  init(_ sum: Int64, of count: Int64, _ channel: Int, _ plan: SelfTestPlan) {
    (self.sum, self.count, range) = (sum, count, plan.range(channel))
    unit = SelfTestUnit(channel)
  }

  /// The mean in counts.
  var counts: Double { Double(sum) / Double(count) }
  /// The mean in g or °/s.
  var value: Double { counts * range.scale.value }

  /// Whether the magnitude of the mean is within `limits`.
  func isWithin(_ limits: ClosedRange<Int64>) -> Bool {
    // 65535 counts of 20 samples, a numerator of 140000 and 1000: no product is near 2^63.
    let scaled = abs(sum) * range.scale.numerator * unit.factor
    let whole = range.scale.denominator * count
    return scaled >= limits.lowerBound * whole && scaled <= limits.upperBound * whole
  }
}
