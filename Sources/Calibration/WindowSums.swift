// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Sums of the counts of consecutive samples, as integers, so that nothing is lost to rounding.
struct WindowSums {
  private(set) var count = 0
  private(set) var firstTime: Int64 = 0
  private(set) var lastTime: Int64 = 0
  /// Axes that were at an end of their range.
  private(set) var clipped: ChannelSet = []
  /// By channel: six axes, the temperature, and one that is not used.
  private var sums = SIMD8<Int64>()
  private var squares = SIMD8<Int64>()

  mutating func add(_ time: Int64, _ sample: RawSample) {
    if count == 0 { firstTime = time }
    count += 1
    lastTime = time
    var counts = SIMD8<Int64>()
    for channel in 0..<7 {
      let value = sample[channel]
      counts[channel] = Int64(value)
      if channel < 6, value == .min || value == .max {
        clipped.insert(ChannelSet(rawValue: 1 << UInt8(channel)))
      }
    }
    // At most 2^30 a sample: 2^33 samples would be needed to overflow.
    sums &+= counts
    squares &+= counts &* counts
  }

  /// The means of three channels from `first` on, and their standard deviations.
  func axes(from first: Int, scale: Double) -> (mean: Vector3, deviation: Vector3) {
    var mean = Vector3()
    var deviation = Vector3()
    let n = Double(count)
    for axis in 0..<3 {
      let average = Double(sums[first + axis]) / n
      let variance = max(0, Double(squares[first + axis]) / n - average * average)
      mean[axis] = average * scale
      deviation[axis] = variance.squareRoot() * abs(scale)
    }
    return (mean, deviation)
  }

  /// The mean count of the temperature.
  var temperatureCount: Double { Double(sums[6]) / Double(count) }
}
