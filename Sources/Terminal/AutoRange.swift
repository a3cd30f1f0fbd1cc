import Graph

/// The range of a graph's y axis: widens at once when something is outside, narrows gently when most of it stands
/// empty. The ends are round numbers, so that they stand still while values move.
///
///     values within        range stays
///     a value outside      widened to it, at once
///     less than 60 % used  for 2 s: narrowed half the way, and again each second
public struct AutoRange: Equatable, Sendable {
  /// Nanoseconds for which a range must have been too wide.
  static let patience: Int64 = 2_000_000_000
  /// Nanoseconds between two narrowings.
  static let pause: Int64 = 1_000_000_000

  /// What the axis shows; `nil` before there were values.
  public private(set) var range: ClosedRange<Double>?
  /// The least extent.
  private let least: Double
  private var wideSince: Int64?

  /// A range without values.
  ///
  /// - Parameter least: The axis never spans less: some counts, so that a chip's noise at rest is not all there is to
  ///   see.
  public init(least: Double) {
    self.least = least
  }

  /// Takes what is in sight at an instant.
  ///
  /// - Parameters:
  ///   - values: The least and the greatest value in sight; `nil` for none.
  ///   - now: Nanoseconds on any clock that does not go back.
  public mutating func take(_ values: ClosedRange<Double>?, now: Int64) {
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
    let isTooWide = wanted.extent < 0.6 * range.extent
    guard isTooWide else {
      wideSince = nil
      return
    }
    let since = wideSince ?? now
    wideSince = since
    guard now - since >= AutoRange.patience else { return }
    let half =
      (range.lowerBound + wanted.lowerBound) / 2...(range.upperBound + wanted.upperBound) / 2
    let narrowed = AutoRange.round(half, margin: 0, least: least)
    // Rounding outwards may give the same again: then all the way.
    self.range = narrowed.extent < 0.95 * range.extent ? narrowed : wanted
    wideSince = now - AutoRange.patience + AutoRange.pause
  }

  /// The values with a margin, to round numbers.
  static func round(
    _ values: ClosedRange<Double>, margin: Double = 0.08, least: Double
  ) -> ClosedRange<Double> {
    var (low, high) = (values.lowerBound, values.upperBound)
    let pad = (high - low) * margin
    low -= pad
    high += pad
    if high - low < least {
      let middle = (low + high) / 2
      (low, high) = (middle - least / 2, middle + least / 2)
    }
    let step = AxisTicks(low...high, atMost: 8).step
    guard step > 0 else { return low...high }
    return (low / step + 1e-9).rounded(.down) * step...(high / step - 1e-9).rounded(.up) * step
  }
}

extension ClosedRange<Double> {
  var extent: Double { upperBound - lowerBound }
}
