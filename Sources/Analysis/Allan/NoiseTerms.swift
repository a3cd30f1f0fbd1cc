// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The noise terms that an Allan curve shows, in counts and seconds.
///
///     σ  ╲                      N: σ at τ = 1 s of a part that falls as τ^(−1/2)
///         ╲ N                   B: the flat part / 0.664
///          ╲__   B   __╱        K: σ at τ = 3 s of a part that rises as τ^(+1/2)
///             ╲_____╱ K
///                          τ
///
/// All from one fit to the whole curve (``NoiseFit``); a term is reported where it leads. (IEEE Std 952-2020, annex C.)
package struct NoiseTerms: Equatable, Sendable {
  /// A term, or why the recording does not show it.
  package enum Term: Equatable, Sendable {
    /// The value; its relative standard deviation, plus the most that it changes when a point is left out; and the averaging
    /// times at which the curve shows it.
    case found(Double, relativeError: Double, at: ClosedRange<Double>)
    /// A clause that gives the reason.
    case refused(String)

    /// The value; `nil` when it was refused.
    package var value: Double? {
      if case .found(let value, _, _) = self { value } else { nil }
    }
  }

  /// Random walk of the angle or the velocity: counts a √Hz.
  package let randomWalk: Term
  /// Bias instability: counts.
  package let biasInstability: Term
  /// Random walk of the rate or the acceleration: counts a second a √Hz.
  package let rateRandomWalk: Term

  /// Seconds of samples from which a bias instability is reported.
  static let leastDuration = 10_800.0
  /// Independent differences that a point has at least to count.
  static let leastIndependent = 9
  /// The variance that rounding to counts adds.
  private static let rounding = 1.0 / 12
  /// The variance of the samples from which rounding passes noise on: half a count, and what rounding adds. N is within 3 %
  /// then; at 0.4 counts it is up to 10 % off, at 0.3 a third, and below that it may be anything. (B. Widrow and I. Kollár,
  /// Quantization Noise)
  private static let leastVariance = 0.25 + rounding
  /// The variance of white noise, without what rounding adds, that chance may show of half a count.
  private static let leastWhite = 0.2
  /// Above it a curve is not a sum of these noises: its points are three times as far off as they should be.
  private static let greatestMisfit = 9.0

  /// - Parameters:
  ///   - duration: Seconds of samples.
  ///   - motion: Why the sensor was not at rest; `nil` when it was.
  init(_ curve: AllanCurve, duration: Double, motion: String?) {
    let points = curve.points.filter {
      $0.independent >= NoiseTerms.leastIndependent && $0.deviation > 0
    }
    let reason = motion ?? NoiseTerms.reason(against: points)
    let fit = reason == nil ? NoiseFit(points[...]) : nil
    guard let fit, fit.misfit < NoiseTerms.greatestMisfit else {
      let refused = Term.refused(
        reason ?? "the curve is not that of noise: something periodic, or a knock")
      (randomWalk, biasInstability, rateRandomWalk) = (refused, refused, refused)
      return
    }
    let walk = fit.term(0, leadingAt: 2) ?? .refused("no part of the curve has the slope -1/2")
    let rate = Double(points[0].factor) / points[0].tau
    randomWalk = NoiseTerms.withoutRounding(walk, rate: rate)
    // A factor of four in averaging time.
    biasInstability =
      duration < NoiseTerms.leastDuration
      ? .refused("a bias instability needs 3 h of samples at rest")
      : fit.term(1, leadingAt: 3)
        ?? .refused("no part of the curve is flat beyond what other noise explains")
    rateRandomWalk =
      fit.term(2, leadingAt: 2)
      ?? .refused(
        fit.term(3, leadingAt: 2) == nil
          ? "no part of the curve has the slope +1/2" : "the curve rises as that of a steady drift")
  }

  /// Why no term can be found; `nil` where they may be.
  private static func reason(against points: [AllanCurve.Point]) -> String? {
    // Noise below the corner of a filter grows until then, and falls from there on; what grows later is drift.
    let top = points.indices.first {
      $0 + 1 == points.count || points[$0 + 1].deviation < points[$0].deviation
    }
    guard let top, points[top].deviation * points[top].deviation >= leastVariance else {
      return "its noise is less than half a count"
    }
    return points.count < 3 ? "the curve has fewer than three points" : nil
  }

  /// N of the sensor: rounding adds white noise of its own.
  private static func withoutRounding(_ walk: Term, rate: Double) -> Term {
    guard case .found(let value, let error, let taus) = walk else { return walk }
    let square = value * value - rounding / rate
    // What is not white, such as a hum, may hide that the noise is too small to be seen.
    guard square * rate >= leastWhite else {
      return .refused("its noise is less than half a count")
    }
    return .found(square.squareRoot(), relativeError: error, at: taus)
  }
}
