// SPDX-License-Identifier: Apache-2.0

/// What results are known to: the largest error of three axes is within it in 95 of 100 cases.
///
/// Few residuals say little of the noise behind them, and without any nothing is known of it. So what is known of rests anyway counts
/// as four more residuals, and the bound is Student's, of so many degrees of freedom: with none of its own 3.9 of the usual
/// noise, with hundreds 2.4 of the noise that is seen. Three or more are believed alone where they say more; with fewer the
/// bound holds for noise up to the usual one.
struct ErrorBound {
  /// Of one observation.
  private let reach: Double
  /// The standard deviation of one observation that ``bound(_:others:)`` is as wide for.
  var deviation: Double { reach / ErrorBound.normal }

  /// Residuals that what is known beforehand counts for.
  private static let usualCount = 4
  /// Residuals that are believed alone: Student's quantile is good to 4 % from them on.
  private static let leastAlone = 3
  /// Standard deviations of the normal distribution beyond which one of three values is in one of twenty cases.
  private static let normal = 2.394

  /// A bound from residuals.
  ///
  /// - Parameters:
  ///   - squares: The sum of their squares.
  ///   - spare: How many more there are than unknowns.
  ///   - usual: The standard deviation that is usual.
  init(squares: Double, spare: Int, usual: Double) {
    let known = ErrorBound.usualSquares(usual)
    let together = ErrorBound.reach(known.squares + squares, known.count + max(0, spare))
    reach =
      spare < ErrorBound.leastAlone ? together : max(together, ErrorBound.reach(squares, spare))
  }

  /// What is known beforehand of residuals that usually have a standard deviation: the sum of the squares of so many.
  static func usualSquares(_ usual: Double) -> (squares: Double, count: Int) {
    (Double(usualCount) * usual * usual, usualCount)
  }

  private static func reach(_ squares: Double, _ freedom: Int) -> Double {
    // Student's quantile from the normal one (Cornish and Fisher).
    let (z, n) = (normal, Double(freedom))
    let first = (z * z * z + z) / 4
    let second = z * (5 * z * z * z * z + 16 * z * z + 3) / 96
    let third = z * (3 * z * z * z * z * z * z + 19 * z * z * z * z + 17 * z * z - 15) / 384
    return (z + first / n + second / (n * n) + third / (n * n * n)) * (squares / n).squareRoot()
  }

  /// The bound of a value of this variance for observations of variance 1, to which errors of another cause add `others`, as
  /// their variance.
  func bound(_ variance: Double, others: Double = 0) -> Double {
    (reach * reach * variance + ErrorBound.normal * ErrorBound.normal * others).squareRoot()
  }
}
