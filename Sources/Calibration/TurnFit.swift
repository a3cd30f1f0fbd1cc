// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Whole turns about an axis, counted from what the gyroscope integrated from rest to rest, less its bias.
///
///     │ S · Σ (rate − bias) · period │ = 360° · turns          S: the scale of each axis
///
/// The magnitude counts: an axis of the sensor that is tilted by t from that of the turn sees only its cosine, and the other
/// axes see the rest.
struct TurnFit: Sendable {
  enum Failure: Error, Equatable, Sendable {
    case noTurn(degrees: Double)
    /// More than a quarter of it is about another axis.
    case tilted(axis: Int, other: Int, degrees: Double)
    /// Further than a tenth of a turn from whole turns.
    case notWhole(axis: Int, degrees: Double)
    /// So many turns that a scale's error may be one of them.
    case uncertain(axis: Int, degrees: Double)
    /// So slow that the bias is a larger share of it than a chip's error of 1 to 4 %.
    case tooSlow(axis: Int, share: Double)
  }

  /// The axis of the turn: 0 for x.
  let axis: Int
  /// Whole turns, negative against the axis's sense.
  let turns: Int
  /// The integral about each axis over the turn.
  let shares: Vector3
  /// The error by the bias, in degrees.
  let uncertainty: Double

  /// The largest error of a scale: data sheets have 1 to 4 %, clones more.
  static let largestError = 0.1
  /// The error of a scale from a single turn, laid back by hand.
  static let knownError = 0.02
  /// The largest error by the bias, as a part of the turns.
  private static let largestShare = 0.03
  /// How exactly a hand brings a turn back, in degrees.
  private static let placing = 1.0
  /// The largest distance from whole turns, in turns: 36°.
  private static let farthest = 0.1

  /// The fit of a turn.
  ///
  /// - Parameters:
  ///   - degrees: The integral of the rate less its bias, by axis, from rest to rest.
  ///   - scale: The known factors of the axes.
  ///   - error: The error of these factors; a smaller one lets more turns in one go be counted.
  ///   - uncertainty: The error by the bias, in degrees.
  init(
    degrees: Vector3, scale: Vector3 = Vector3(1, 1, 1), error: Double = TurnFit.largestError,
    uncertainty: Double = 0
  ) throws(Failure) {
    let sizes = Vector3(abs(degrees.x), abs(degrees.y), abs(degrees.z))
    let axis = (0..<3).max { sizes[$0] < sizes[$1] } ?? 0
    let length = (degrees * scale).length
    guard length.isFinite, length >= 180 else { throw .noTurn(degrees: length) }
    for other in 0..<3 where other != axis && sizes[other] > sizes[axis] / 4 {
      throw .tilted(axis: axis, other: other, degrees: degrees[other])
    }
    let measured = length / 360
    let turns = measured.rounded()
    guard turns < 1000 else { throw .uncertain(axis: axis, degrees: degrees[axis]) }
    // Very many turns are near to whole ones in any case.
    let fewest = (measured * (1 - error)).rounded(.up)
    let most = (measured * (1 + error)).rounded(.down)
    guard abs(measured - turns) <= TurnFit.farthest, abs(turns / measured - 1) <= error else {
      throw .notWhole(axis: axis, degrees: degrees[axis])
    }
    guard most <= fewest else { throw .uncertain(axis: axis, degrees: degrees[axis]) }
    guard uncertainty <= TurnFit.largestShare * 360 * turns else {
      throw .tooSlow(axis: axis, share: uncertainty / (360 * turns))
    }
    self.axis = axis
    self.uncertainty = uncertainty
    self.turns = Int(degrees[axis] < 0 ? -turns : turns)
    shares = degrees / (360 * turns)
  }

  /// The factor by axis from all turns, by least squares; NaN for an axis without a turn about it.
  ///
  ///     Σ (sᵢ · shareᵢ)² = 1 for each turn, which is linear in sᵢ²; an axis without a turn has s = 1
  ///
  /// Turns weigh with the square of their number, as ten are laid back as exactly as one, to 1° and the error by the bias.
  ///
  /// - Returns: The factors, and the bound of the worst one in 95 of 100 cases; `nil` without a turn.
  static func solution(_ fits: [TurnFit]) -> (scales: Vector3, known: Double?) {
    let axes = (0..<3).filter { axis in fits.contains { $0.axis == axis } }
    var equations = NormalEquations(unknowns: axes.count)
    let rows = fits.map { fit in
      let squares = fit.shares * fit.shares
      let others = (0..<3).filter { !axes.contains($0) }.reduce(0) { $0 + squares[$1] }
      let (turns, error) = (Double(fit.turns), fit.uncertainty / placing)
      return (
        squares: axes.map { squares[$0] }, value: 1 - others,
        weight: turns * turns / (1 + error * error)
      )
    }
    for row in rows { equations.add(row.squares, value: row.value, weight: row.weight) }
    var scales = Vector3(repeating: .nan)
    guard !axes.isEmpty, let factors = equations.factored() else { return (scales, nil) }
    let unknowns = factors.unknowns
    for (axis, square) in zip(axes, unknowns) { scales[axis] = square.squareRoot() }
    // Half of the error of a square is that of a turn.
    let residuals = rows.map { row in
      let left = zip(row.squares, unknowns).reduce(row.value) { $0 - $1.0 * $1.1 } / 2
      return row.weight * left * left
    }
    let bound = ErrorBound(
      squares: residuals.reduce(0, +), spare: fits.count - axes.count, usual: placing / 2 / 360)
    let variance = zip(factors.variances, unknowns).map { $0 / $1 }.max() ?? 0
    return (scales, bound.bound(variance))
  }
}
