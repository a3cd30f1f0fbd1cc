// SPDX-License-Identifier: Apache-2.0

import Graph

/// The range of a y axis. Its ends are multiples of a sixtieth or more of it, so that they stay while values move:
///
///     values within        range stays
///     a value outside      widened to it, at once
///     less than 80 % used  for 2 s: narrowed half the way, and again each second
struct AutoRange: Equatable, Sendable {
  /// Nanoseconds for which a range must be too wide before it narrows.
  static let patience: Int64 = 2_000_000_000
  /// Nanoseconds between two steps of narrowing.
  private static let pause: Int64 = 1_000_000_000

  /// The axis' ends; `nil` before the first values.
  private(set) var range: ClosedRange<Double>?
  private let least: Double
  private var wideSince: Int64?

  /// - Parameter least: The least extent: some counts, so that a resting chip's noise does not fill the axis.
  init(least: Double) {
    self.least = least
  }

  /// Adjusts the axis to the lowest and the highest value in sight; `now` is in nanoseconds on a monotonic clock.
  mutating func include(_ values: ClosedRange<Double>?, now: Int64) {
    guard let values else { return }
    let wanted = AutoRange.round(values, least: least)
    guard let range else {
      self.range = wanted
      return
    }
    if values.lowerBound < range.lowerBound || values.upperBound > range.upperBound {
      let both =
        min(values.lowerBound, range.lowerBound)...max(values.upperBound, range.upperBound)
      self.range = AutoRange.round(both, least: least)
      wideSince = nil
      return
    }
    guard wanted.extent < 0.8 * range.extent else {
      wideSince = nil
      return
    }
    let since = wideSince ?? now
    wideSince = since
    guard now - since >= AutoRange.patience else { return }
    let half =
      (range.lowerBound + wanted.lowerBound) / 2...(range.upperBound + wanted.upperBound) / 2
    let narrowed = AutoRange.round(half, margin: 0, least: least)
    // Rounding outwards may give the same range again: then it narrows all the way.
    self.range = narrowed.extent < 0.95 * range.extent ? narrowed : wanted
    wideSince = now - AutoRange.patience + AutoRange.pause
  }

  /// The values with a margin, rounded outwards. Values that need more than `least` take at least four fifths of it.
  static func round(
    _ values: ClosedRange<Double>, margin: Double = 0.04, least: Double
  ) -> ClosedRange<Double> {
    var (low, high) = (values.lowerBound, values.upperBound)
    let pad = (high - low) * margin
    low -= pad
    high += pad
    if high - low < least {
      let middle = (low + high) / 2
      (low, high) = (middle - least / 2, middle + least / 2)
    }
    let step = AxisTicks(low...high, atMost: 60).step
    guard step > 0 else { return low...high }
    return (low / step + 1e-9).rounded(.down) * step...(high / step - 1e-9).rounded(.up) * step
  }
}

extension ClosedRange<Double> {
  var extent: Double { upperBound - lowerBound }
}
