// SPDX-License-Identifier: Apache-2.0

/// The overlapping Allan deviation of a channel, in counts, at averaging times of 1, 2, 4, 8 … samples.
///
///     counts     y₀ y₁ y₂ y₃ y₄ y₅ …
///     m = 2      └a┘└b┘             d₀ = (y₂ + y₃) − (y₀ + y₁)
///                   └a┘└b┘          d₁ = (y₃ + y₄) − (y₁ + y₂)
///     σ²(mτ₀) = Σ d² / (2 m² · number of d)
///
/// Differences are exact integers that slide from sample to sample; none reaches across a gap, and the squares of all
/// segments are pooled. (IEEE Std 952-2020, annex C; as `allantools.oadev`.)
package struct AllanCurve: Equatable, Sendable {
  package struct Point: Equatable, Sendable {
    /// Samples that are averaged.
    package let factor: Int
    package let tau: Double
    package let deviation: Double
    /// Differences whose squares were averaged.
    package let count: Int
    /// Differences without a common sample.
    package let independent: Int

    /// The relative standard deviation: 1 / √(2 × independent differences). (IEEE Std 952-2020, C.1.4)
    package var relativeError: Double { 1 / (2 * Double(independent)).squareRoot() }
  }

  /// From the shortest averaging time on.
  package let points: [Point]

  init(points: [Point]) { self.points = points }

  /// The curve of some runs of evenly spaced counts.
  ///
  /// - Parameter rate: Samples a second.
  init(_ runs: [UnsafeBufferPointer<Int16>], rate: Double) {
    var points: [Point] = []
    var factor = 1
    while true {
      let independent = runs.reduce(0) { $0 + max(0, $1.count / factor - 1) }
      guard independent >= 2 else { break }
      var (sum, count) = (0.0, 0)
      for run in runs where run.count >= 2 * factor {
        sum += AllanCurve.squares(run, factor)
        count += run.count - 2 * factor + 1
      }
      let variance = sum / (2 * Double(factor) * Double(factor) * Double(count))
      points.append(
        Point(
          factor: factor, tau: Double(factor) / rate, deviation: variance.squareRoot(),
          count: count, independent: independent))
      factor *= 2
    }
    self.points = points
  }

  /// The sum of the squares of all differences of a run.
  private static func squares(_ run: UnsafeBufferPointer<Int16>, _ factor: Int) -> Double {
    guard let first = run.baseAddress else { return 0 }
    var difference = 0
    for index in 0..<factor { difference += Int(first[index + factor]) - Int(first[index]) }
    let (middle, last) = (first + factor, first + 2 * factor)
    let number = run.count - 2 * factor
    // Four sums, so that an addition does not wait for the one before it.
    var sums = SIMD4<Double>()
    var index = 0
    while index + 4 <= number {
      let d0 = difference
      let d1 = d0 &+ step(first, middle, last, index)
      let d2 = d1 &+ step(first, middle, last, index + 1)
      let d3 = d2 &+ step(first, middle, last, index + 2)
      difference = d3 &+ step(first, middle, last, index + 3)
      let values = SIMD4(Double(d0), Double(d1), Double(d2), Double(d3))
      sums += values * values
      index += 4
    }
    var sum = sums.sum()
    while index < number {
      sum += Double(difference) * Double(difference)
      difference &+= step(first, middle, last, index)
      index += 1
    }
    return sum + Double(difference) * Double(difference)
  }

  @inline(__always)
  private static func step(
    _ first: UnsafePointer<Int16>, _ middle: UnsafePointer<Int16>, _ last: UnsafePointer<Int16>,
    _ index: Int
  ) -> Int {
    // Safe: `index` is below the number of differences less one, so that last[index] is a sample of the run.
    Int(Int32(last[index]) &- 2 &* Int32(middle[index]) &+ Int32(first[index]))
  }
}
