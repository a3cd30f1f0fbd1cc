// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An axis on which each decade has the same length.
///
///     values   0.03         1         10       60
///     shares   0 ────┬──────┬──────────┬─────── 1
///     labels        0.1     1         10
public struct LogAxis: Equatable, Sendable {
  /// Decimal logarithms of the ends.
  private let ends: ClosedRange<Double>

  /// Decades below the highest value that are shown at most: what is deeper is rounding.
  private static let depth = 10.0

  /// An axis that shows values; `nil` when none of them is positive and finite.
  public init?(_ values: [Double]) {
    var (low, high) = (Double.infinity, 0.0)
    for value in values where value > 0 && value.isFinite {
      (low, high) = (min(low, value), max(high, value))
    }
    guard high > 0 else { return nil }
    let end = log10(high)
    let begin = max(log10(low), end - LogAxis.depth)
    // A single value stands in the middle of a decade, and no axis is so short that it has fewer than two labels.
    let middle = (begin + end) / 2
    ends =
      end - begin < 0.1
      ? (begin - 0.5)...(end + 0.5)
      : end - begin < 0.5 ? (middle - 0.25)...(middle + 0.25) : begin...end
  }

  /// Where a positive value stands, from 0 to 1; one that is outside stands at the nearer end.
  public func share(_ value: Double) -> Double {
    min(max((log10(value) - ends.lowerBound) / (ends.upperBound - ends.lowerBound), 0), 1)
  }

  /// Powers of ten with their labels, and some values between them where there are few: 2 to 12.
  public var ticks: [(value: Double, label: String)] {
    let decades = ends.upperBound - ends.lowerBound
    let digits = decades < 1.5 ? [1, 2, 3, 5, 7] : decades < 3 ? [1, 2, 5] : [1]
    let exponents = Int(ends.lowerBound.rounded(.down))...Int(ends.upperBound.rounded(.up))
    return exponents.flatMap { exponent in
      digits.map { (pow(10, Double(exponent)) * Double($0), LogAxis.label($0, exponent)) }
    }.filter {
      // A value at an end counts, whatever its logarithm is rounded to.
      ((ends.lowerBound - 1e-9)...(ends.upperBound + 1e-9)).contains(log10($0.0))
    }
  }

  /// A digit times a power of ten: in plain digits from 0.001 to 99,999.
  private static func label(_ digit: Int, _ exponent: Int) -> String {
    guard -3...4 ~= exponent else { return "\(digit)e\(exponent)" }
    return DecimalLabel.text(Int64(digit), decimals: max(0, -exponent))
      + String(repeating: "0", count: max(0, exponent))
  }
}
