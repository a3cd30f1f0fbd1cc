// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The noise terms that an Allan curve shows, in counts and seconds.
///
///     σ  ╲                      N: σ at τ = 1 s of a part that falls as τ^(−1/2)
///         ╲ N                   B: the flat minimum / 0.664
///          ╲__   B   __╱        K: σ at τ = 3 s of a part that rises as τ^(+1/2)
///             ╲_____╱ K
///                          τ
///
/// (IEEE Std 952-2020, annex C.)
public struct NoiseTerms: Equatable, Sendable {
  /// A term, or why the recording does not show it.
  public enum Term: Equatable, Sendable {
    /// The value, its relative standard deviation, and the averaging times at which the curve shows it.
    case found(Double, relativeError: Double, at: ClosedRange<Double>)
    /// A clause that gives the reason.
    case refused(String)

    /// The value; `nil` when it was refused.
    public var value: Double? {
      if case .found(let value, _, _) = self { value } else { nil }
    }
  }

  /// Random walk of the angle or the velocity: counts a √Hz.
  public let randomWalk: Term
  /// Bias instability: counts.
  public let biasInstability: Term
  /// Random walk of the rate or the acceleration: counts a second a √Hz.
  public let rateRandomWalk: Term

  /// Seconds of samples from which a bias instability is reported.
  public static let leastDuration = 10_800.0
  /// Independent differences that a point has at least to count.
  static let leastIndependent = 9

  /// - Parameters:
  ///   - duration: Seconds of samples.
  ///   - motion: Why the sensor was not at rest; `nil` when it was.
  init(_ curve: AllanCurve, duration: Double, motion: String?) {
    if let motion {
      let refused = Term.refused(motion)
      (randomWalk, biasInstability, rateRandomWalk) = (refused, refused, refused)
      return
    }
    let points = curve.points.filter {
      $0.independent >= NoiseTerms.leastIndependent && $0.deviation > 0
    }
    randomWalk = NoiseTerms.slope(points, -0.5, within: 0.1) { $0.deviation * $0.tau.squareRoot() }
    rateRandomWalk = NoiseTerms.slope(points, 0.5, within: 0.15) {
      $0.deviation * (3 / $0.tau).squareRoot()
    }
    biasInstability = NoiseTerms.minimum(points, duration)
  }

  /// The term of the longest part of a curve that has a slope, of three points at least.
  private static func slope(
    _ points: [AllanCurve.Point], _ slope: Double, within tolerance: Double,
    _ value: (AllanCurve.Point) -> Double
  ) -> Term {
    var (best, begin) = (0..<0, 0)
    for index in points.indices.dropFirst() {
      let local = log2(points[index].deviation / points[index - 1].deviation)
      if abs(local - slope) > tolerance { begin = index }
      if index + 1 - begin > best.count { best = begin..<(index + 1) }
    }
    let part = points[best]
    guard part.count >= 3, let first = part.first, let last = part.last else {
      let words = slope < 0 ? "-1/2" : "+1/2"
      return .refused("no part of the curve has the slope \(words)")
    }
    // A rise at long averaging times may be chance.
    guard slope < 0 || last.deviation > first.deviation * (1 + 3 * last.relativeError) else {
      return .refused("the curve's rise is within its uncertainty")
    }
    let mean = exp(part.reduce(0) { $0 + log(value($1)) } / Double(part.count))
    return .found(mean, relativeError: first.relativeError, at: first.tau...last.tau)
  }

  private static func minimum(_ points: [AllanCurve.Point], _ duration: Double) -> Term {
    guard duration >= leastDuration else {
      return .refused("a bias instability needs 3 h of samples at rest")
    }
    guard let low = points.indices.min(by: { points[$0].deviation < points[$1].deviation }),
      low > 0, low + 1 < points.count
    else {
      return .refused("the curve has no minimum: it still falls at its longest averaging time")
    }
    let point = points[low]
    let flat = [points[low - 1], points[low + 1]].contains {
      abs(log2($0.deviation / point.deviation)) < 0.25
    }
    guard flat else { return .refused("the curve's minimum is not flat") }
    return .found(
      point.deviation / 0.664, relativeError: point.relativeError,
      at: points[low - 1].tau...points[low + 1].tau)
  }
}
