// SPDX-License-Identifier: Apache-2.0

/// A bound of results: the largest error of three axes is within it in 95 of 100 cases.
///
/// Few residuals show little of the noise, so the usual noise of rests counts as four more, and the bound is Student's with
/// so many degrees of freedom: 3.9 of the usual noise without residuals, 2.4 of the seen noise with hundreds. Three or more
/// count alone where that gives more; with fewer the bound holds for noise up to the usual one.
struct ErrorBound {
  /// The bound of one observation.
  private let reach: Double
  /// The standard deviation of one observation with the same bound.
  var deviation: Double { reach / ErrorBound.normal }

  /// Residuals that the usual noise counts for.
  private static let usualCount = 4
  /// Residuals from which on they count alone: Student's quantile is then good to 4 %.
  private static let leastAlone = 3
  /// Standard deviations beyond which one of three normal values is in one of twenty cases.
  private static let normal = 2.394

  /// A bound from the squares of residuals, their number less that of the unknowns, and the usual standard deviation.
  init(squares: Double, spare: Int, usual: Double) {
    let known = ErrorBound.usualSquares(usual)
    let together = ErrorBound.reach(known.squares + squares, known.count + max(0, spare))
    reach =
      spare < ErrorBound.leastAlone ? together : max(together, ErrorBound.reach(squares, spare))
  }

  /// The residuals that a usual standard deviation counts for, and the sum of their squares.
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

  /// The bound of a value with this variance for observations of variance 1; errors of other causes add `others`.
  func bound(_ variance: Double, others: Double = 0) -> Double {
    (reach * reach * variance + ErrorBound.normal * ErrorBound.normal * others).squareRoot()
  }
}
