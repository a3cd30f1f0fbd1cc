// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel

/// Hard and soft iron of a magnetometer, from the field in many directions with gravity beside it.
///
///     B = M · (m − h)        │B│ is the same in all directions, and so is B's angle to gravity
///
/// The nearest sphere gives a first h and a size. About it an ellipsoid is fitted by ``GravityFit``, as magnitudes are alike:
/// its matrix is a triangle, because they do not show a rotation. Gravity shows that. How strong the field is stays unknown:
/// M keeps volumes, so B has the measured one, and only its direction is calibrated.
struct FieldFit: Sendable {
  enum Failure: Error, Equatable, Sendable {
    /// So many values were beyond the range.
    case saturated(Int)
    /// The values do not determine an ellipsoid.
    case shape(GravityFit.Failure)
    /// What is left of the strength's variation, as a part of it.
    case uneven(Double)
    /// So many values had nothing but gravity beside them.
    case withoutGravity(Int)
    /// What is left of the variation of the sine of the dip.
    case tilting(Double)
  }

  /// In µT.
  private(set) var offset: Vector3
  private(set) var matrix: SensorMatrix
  /// Root mean square of the strength's error, as a part of it.
  let residual: Double
  /// Degrees below the horizontal at which the field points.
  private(set) var dip = 0.0

  /// The largest ``residual``, and the largest error of the centre and of a scale that the directions may leave, 95 of 100.
  static let largestResidual = 0.03
  /// The largest deviation of the dip's sine: a hand's own acceleration makes half of that, wrong axes five times as much.
  static let largestTilt = 0.1
  /// The least values with gravity beside them.
  static let leastPulls = 50
  /// The least size of the sphere, in µT: the earth's field is 22 to 67, and what noise spans is less.
  private static let leastSize = 10.0
  /// The width of a cell, as a part of the size: the means of these are fitted, so that a rest counts no more than a turn.
  private static let cell = 0.1
  /// Most rounds, and the turn in radians that ends them.
  private static let (roundLimit, leastTurn) = (20, 1e-6)

  /// - Parameter points: The field in µT, and the direction of gravity's reaction where nothing else accelerated it.
  init(_ points: [(field: Vector3, pull: Vector3?)]) throws(Failure) {
    let sphere = try FieldFit.sphere(points.map(\.field))
    let means = FieldFit.means(points.map { ($0.field - sphere.centre) / sphere.radius })
    let fit: GravityFit
    do throws(GravityFit.Failure) {
      if let lack = GravityFit.lack(means) { throw lack }
      fit = try GravityFit(means.map { StillPoint(acceleration: $0) }, .init(hasCross: true))
    } catch {
      throw .shape(error)
    }
    residual = fit.residualAfter
    guard residual <= FieldFit.largestResidual else { throw .uneven(residual) }
    for axis in 0..<3
    where max(fit.known.offset[axis], fit.known.scale[axis]) > FieldFit.largestResidual {
      throw .shape(.undetermined(axis: axis))
    }
    offset = sphere.centre + fit.offset * sphere.radius
    let rows = fit.matrix.rows
    let volume = rows[0].x * rows[1].y * rows[2].z
    matrix = fit.matrix
    for row in 0..<3 { matrix.rows[row] /= cbrt(volume) }
    try turn(by: points)
  }

  /// The sphere nearest to some values: │m│² = 2 centre · m + radius² − │centre│².
  private static func sphere(
    _ values: [Vector3]
  ) throws(Failure) -> (centre: Vector3, radius: Double) {
    let mean = values.reduce(Vector3(), +) / Double(max(1, values.count))
    var equations = NormalEquations(unknowns: 4)
    for value in values.map({ $0 - mean }) {
      equations.add([2 * value.x, 2 * value.y, 2 * value.z, 1], value: value.dot(value))
    }
    let found = equations.factored()?.unknowns ?? [0, 0, 0, 0]
    let centre = Vector3(found[0], found[1], found[2])
    let radius = (found[3] + centre.dot(centre)).squareRoot()
    guard radius.isFinite, radius > leastSize else {
      throw .shape(.tooFew(min(1, values.count), needed: GravityFit.Terms().unknowns))
    }
    return (mean + centre, radius)
  }

  /// The mean of the values in each cell, in the order in which the cells were met.
  private static func means(_ values: [Vector3]) -> [Vector3] {
    var places: [Vector3: Int] = [:]
    var cells: [(sum: Vector3, count: Double)] = []
    for value in values {
      let place = places[(value / cell).rounded(.toNearestOrEven), default: cells.count]
      if place == cells.count {
        places[(value / cell).rounded(.toNearestOrEven)] = place
        cells.append((Vector3(), 0))
      }
      cells[place] = (cells[place].sum + value, cells[place].count + 1)
    }
    return cells.map { $0.sum / $0.count }
  }

  /// Turns B so that its angle to gravity varies least. A small turn φ changes the sine by φ · (B × pull).
  private mutating func turn(by points: [(field: Vector3, pull: Vector3?)]) throws(Failure) {
    let pairs = points.compactMap { point in point.pull.map { (point.field - offset, $0) } }
    guard pairs.count >= FieldFit.leastPulls else { throw .withoutGravity(pairs.count) }
    var (sine, squares) = (0.0, 0.0)
    for _ in 0..<FieldFit.roundLimit {
      var equations = NormalEquations(unknowns: 4)
      squares = 0
      for (value, pull) in pairs {
        let field = (matrix * value).direction
        let (cross, error) = (field.cross(pull), sine - field.dot(pull))
        equations.add([cross.x, cross.y, cross.z, -1], value: error)
        squares += error * error
      }
      guard let step = equations.factored()?.unknowns else { throw .withoutGravity(0) }
      sine += step[3]
      let turn = Vector3(step[0], step[1], step[2])
      let columns = (0..<3).map { column in
        FieldFit.turned(
          Vector3(matrix.rows[0][column], matrix.rows[1][column], matrix.rows[2][column]), turn)
      }
      for row in 0..<3 {
        matrix.rows[row] = Vector3(columns[0][row], columns[1][row], columns[2][row])
      }
      if turn.length < FieldFit.leastTurn { break }
    }
    let tilt = (squares / Double(pairs.count)).squareRoot()
    guard tilt <= FieldFit.largestTilt else { throw .tilting(tilt) }
    dip = -asin(max(-1, min(1, sine))) * 180 / .pi
  }

  /// A vector after a turn by an angle in radians about an axis (Rodrigues).
  private static func turned(_ vector: Vector3, _ turn: Vector3) -> Vector3 {
    let (angle, axis) = (turn.length, turn.direction)
    return vector * cos(angle) + axis.cross(vector) * sin(angle)
      + axis * (axis.dot(vector) * (1 - cos(angle)))
  }
}
