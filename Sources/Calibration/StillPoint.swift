// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The means of a window in which the sensor was still.
struct StillPoint: Equatable, Sendable {
  /// In g.
  var acceleration: Vector3
  /// In °/s.
  var rate = Vector3()
  /// In °C; `nil` without the channel.
  var temperature: Double?
  /// The error of the rate by tremor and noise, in °/s.
  var rateNoise = 0.0
  /// Its beginning, in nanoseconds from tick 0's deadline.
  var start: Int64 = 0
}

extension StillPoint {
  /// The span of the temperatures of points; `nil` unless all have one.
  static func span(of points: [StillPoint]) -> ClosedRange<Double>? {
    let temperatures = points.compactMap(\.temperature)
    guard temperatures.count == points.count, let low = temperatures.min(),
      let high = temperatures.max()
    else { return nil }
    return low...high
  }

  /// The width of that span in °C, else 0.
  static func width(of points: [StillPoint]) -> Double {
    span(of: points).map { $0.upperBound - $0.lowerBound } ?? 0
  }
}

/// Exact sums of the counts of consecutive samples.
struct WindowSums {
  private(set) var count = 0
  private(set) var firstTime: Int64 = 0
  /// Axes that reached an end of their range.
  private(set) var clipped: ChannelSet = []
  /// By channel; the eighth is unused.
  private var sums = SIMD8<Int64>()
  private var squares = SIMD8<Int64>()

  mutating func add(_ time: Int64, _ sample: RawSample) {
    if count == 0 { firstTime = time }
    count += 1
    var counts = SIMD8<Int64>()
    for channel in 0..<7 {
      let value = sample[channel]
      counts[channel] = Int64(value)
      if channel < 6, value == .min || value == .max {
        clipped.insert(ChannelSet(rawValue: 1 << UInt8(channel)))
      }
    }
    // At most 2^30 a sample, so 2^33 samples do not overflow.
    sums &+= counts
    squares &+= counts &* counts
  }

  /// The means of three channels from `first` on, and their standard deviations.
  func axes(from first: Int, scale: Double) -> (mean: Vector3, deviation: Vector3) {
    func mean(_ sums: SIMD8<Int64>) -> Vector3 {
      Vector3(Double(sums[first]), Double(sums[first + 1]), Double(sums[first + 2])) / Double(count)
    }
    let average = mean(sums)
    let variance = pointwiseMax(mean(squares) - average * average, Vector3())
    return (average * scale, variance.squareRoot() * abs(scale))
  }

  var temperatureCount: Double { Double(sums[6]) / Double(count) }
}
