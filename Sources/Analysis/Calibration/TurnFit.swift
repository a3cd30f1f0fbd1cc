// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The scale of a gyroscope's axis from whole turns about it: what it integrates, less its bias, must be 360° a turn.
///
///     scale = 360° · turns / │ Σ (rate − bias) · period │
public struct TurnFit: Equatable, Sendable {
  /// Why there is no result.
  public enum Failure: Error, Equatable, Sendable {
    /// Less than half a turn about any axis, in degrees.
    case noTurn(degrees: Double)
    /// About this axis and another one: more than a quarter of the turn about the other.
    case tilted(axis: Int, other: Int, degrees: Double)
    /// Further from whole turns than an axis of this class can be off: it was not brought back to where it began.
    case notWhole(axis: Int, degrees: Double)
  }

  /// The axis that was turned about: 0 for x.
  public let axis: Int
  /// Whole turns, negative against the axis's sense.
  public let turns: Int
  /// Factor for the axis's rate.
  public let scale: Double

  /// The largest error of a scale that is taken for one: the chips' data sheets have 1 to 4 %, clones more.
  public static let largestError = 0.1

  /// The fit of a turn.
  ///
  /// - Parameter degrees: The integral of the rate less its bias, by axis, from rest to rest.
  public init(degrees: Vector3) throws(Failure) {
    let sizes = Vector3(abs(degrees.x), abs(degrees.y), abs(degrees.z))
    let axis = (0..<3).max { sizes[$0] < sizes[$1] } ?? 0
    guard sizes[axis].isFinite, sizes[axis] >= 180 else { throw .noTurn(degrees: sizes[axis]) }
    for other in 0..<3 where other != axis && sizes[other] > sizes[axis] / 4 {
      throw .tilted(axis: axis, other: other, degrees: degrees[other])
    }
    let turns = (degrees[axis] / 360).rounded()
    let scale = 360 * turns / degrees[axis]
    guard turns != 0, abs(scale - 1) <= TurnFit.largestError, abs(turns) < 1000 else {
      throw .notWhole(axis: axis, degrees: degrees[axis])
    }
    self.axis = axis
    self.turns = Int(turns)
    self.scale = scale
  }
}
