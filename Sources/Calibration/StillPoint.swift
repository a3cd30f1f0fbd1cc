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
