// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Offset, scale and cross terms of an accelerometer from orientations in which it was still: there it measures 1 g,
/// wherever that points.
///
///            ┌ sx  cxy cxz ┐
///     M =    │ 0   sy  cyz │         │ M (a − b) │ = 1 g
///            └ 0   0   sz  ┘
///
/// Nothing here can see a rotation of the whole sensor: the lower triangle is 0, so z is where the chip has it (Tedaldi,
/// Pretto and Menegatti 2014, "A robust and easy to implement method for IMU calibration without external equipments",
/// section III). Solved by Gauss and Newton from no offset and no error of scale; the residual is the magnitude less 1 g.
public struct GravityFit: Equatable, Sendable {
  /// What the orientations let it determine.
  public enum Extent: String, Equatable, Sendable {
    /// Offset and scale: from six faces.
    case scale
    /// Offset, scale and cross terms: from nine orientations or more.
    case crossTerms = "cross-terms"

    /// Numbers to determine, and least orientations.
    public var unknowns: Int { self == .scale ? 6 : 9 }
  }

  /// Why there is no result.
  public enum Failure: Error, Equatable, Sendable {
    /// Fewer orientations than unknowns.
    case tooFew(Int, needed: Int)
    /// No orientation has this axis beyond +0.3 g, or −0.3 g: its offset and scale cannot be told apart.
    case notTurned(axis: Int, isPositive: Bool)
    /// The orientations are too much alike for the unknown of this axis.
    case undetermined(axis: Int)
    /// It ended away from any solution: the points are no magnitudes near 1 g.
    case notConverged
  }

  /// What was determined.
  public let extent: Extent
  /// In g, in the sensor's own counts times its scale.
  public let offset: Vector3
  /// Upper triangle.
  public let matrix: SensorMatrix
  /// Standard deviation of each offset and each diagonal element, from the residuals.
  public let deviation: (offset: Vector3, scale: Vector3)
  /// Root mean square of | |a| − 1 g | before, in g.
  public let residualBefore: Double
  /// Root mean square of | |a| − 1 g | afterwards, in g.
  public let residualAfter: Double

  /// Whether all values are equal.
  public static func == (left: GravityFit, right: GravityFit) -> Bool {
    left.extent == right.extent && left.offset == right.offset && left.matrix == right.matrix
      && left.deviation == right.deviation && left.residualBefore == right.residualBefore
      && left.residualAfter == right.residualAfter
  }

  /// The least that each axis must reach on both sides, in g (van Hees and others 2014, "Autocalibration of
  /// accelerometer data for free-living physical activity assessment", methods).
  public static let leastReach = 0.3
  /// The largest standard deviation of an offset in g and of a scale that still counts as determined, if each
  /// orientation is known to 1 mg.
  private static let largestDeviation = 0.01
  private static let orientationNoise = 0.001

  /// Fits `points`, the means of still windows in g.
  ///
  /// Fits cross terms from nine points on, if the orientations determine them.
  ///
  /// - Complexity: some twenty passes over the points.
  public init(_ points: [Vector3]) throws(Failure) {
    try GravityFit.checkReach(points)
    if points.count >= Extent.crossTerms.unknowns {
      do throws(Failure) {
        self = try GravityFit(points, .crossTerms)
        return
      } catch {
        // Nine windows of six faces determine no cross terms; what they do determine is of use.
      }
    }
    self = try GravityFit(points, .scale)
  }

  /// Throws unless every axis was turned far enough up and down.
  static func checkReach(_ points: [Vector3]) throws(Failure) {
    guard points.count >= Extent.scale.unknowns else {
      throw .tooFew(points.count, needed: Extent.scale.unknowns)
    }
    for axis in 0..<3 {
      if !points.contains(where: { $0[axis] > leastReach }) {
        throw .notTurned(axis: axis, isPositive: true)
      }
      if !points.contains(where: { $0[axis] < -leastReach }) {
        throw .notTurned(axis: axis, isPositive: false)
      }
    }
  }

  private init(_ points: [Vector3], _ extent: Extent) throws(Failure) {
    var offset = Vector3()
    var matrix = SensorMatrix.identity
    var cost = GravityFit.cost(points, offset, matrix)
    residualBefore = (cost / Double(points.count)).squareRoot()
    var damping = 0.0
    var variances: [Double] = []
    var isSolved = false
    for _ in 0..<200 {
      var equations = NormalEquations(unknowns: extent.unknowns)
      for point in points {
        let (row, residual) = GravityFit.row(point, offset, matrix, extent)
        equations.add(row, value: -residual)
      }
      if damping > 0 { equations.damp(damping) }
      guard let (step, variance) = equations.solve() else {
        throw .undetermined(axis: GravityFit.leastVaried(points))
      }
      if damping == 0 { variances = variance }
      let (nextOffset, nextMatrix) = GravityFit.moved(offset, matrix, by: step, extent)
      let next = GravityFit.cost(points, nextOffset, nextMatrix)
      guard next.isFinite, next <= cost * (1 + 1e-12) else {
        damping = max(damping * 10, 1e-4)
        guard damping < 1e12 else { break }
        continue
      }
      (offset, matrix, cost) = (nextOffset, nextMatrix, next)
      let size = step.map(abs).max() ?? 0
      if size < 1e-12 {
        isSolved = damping == 0
        if isSolved { break }
      }
      damping = damping < 1e-6 ? 0 : damping / 10
      if size < 1e-9 { isSolved = true }
    }
    guard isSolved, variances.count == extent.unknowns,
      (0..<3).allSatisfy({ matrix.rows[$0][$0] > 0.1 && matrix.rows[$0][$0] < 10 })
    else { throw .notConverged }
    for (index, variance) in variances.enumerated() {
      guard variance.squareRoot() * GravityFit.orientationNoise < GravityFit.largestDeviation else {
        throw .undetermined(axis: GravityFit.axis(ofUnknown: index))
      }
    }
    let spare = points.count - extent.unknowns
    // Without a spare point the residuals are 0 and show nothing; then what a still window is good for stands for them.
    let noise =
      spare > 0 ? (cost / Double(spare)).squareRoot() : GravityFit.orientationNoise
    func deviations(_ first: Int) -> Vector3 {
      Vector3(variances[first], variances[first + 1], variances[first + 2]).squareRoot() * noise
    }
    self.extent = extent
    self.offset = offset
    self.matrix = matrix
    deviation = (deviations(0), deviations(3))
    residualAfter = (cost / Double(points.count)).squareRoot()
  }

  /// Places of the unknowns after the offset: row and column in the matrix. The diagonal comes first.
  private static let places = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]

  private static func axis(ofUnknown index: Int) -> Int {
    index < 3 ? index : places[index - 3].0
  }

  /// The derivatives of a residual with respect to the unknowns, and the residual.
  private static func row(
    _ point: Vector3, _ offset: Vector3, _ matrix: SensorMatrix, _ extent: Extent
  ) -> ([Double], Double) {
    let centred = point - offset
    let vector = matrix * centred
    let length = vector.length
    let direction = vector / length
    var row: [Double] = []
    for axis in 0..<3 {
      row.append(-(0..<3).reduce(0) { $0 + direction[$1] * matrix.rows[$1][axis] })
    }
    for (r, c) in places.prefix(extent.unknowns - 3) { row.append(direction[r] * centred[c]) }
    return (row, length - 1)
  }

  private static func moved(
    _ offset: Vector3, _ matrix: SensorMatrix, by step: [Double], _ extent: Extent
  ) -> (Vector3, SensorMatrix) {
    var matrix = matrix
    for (index, (r, c)) in places.prefix(extent.unknowns - 3).enumerated() {
      matrix.rows[r][c] += step[3 + index]
    }
    return (offset + Vector3(step[0], step[1], step[2]), matrix)
  }

  private static func cost(_ points: [Vector3], _ offset: Vector3, _ matrix: SensorMatrix) -> Double
  {
    points.reduce(0) { sum, point in
      let residual = (matrix * (point - offset)).length - 1
      return sum + residual * residual
    }
  }

  /// The axis with the smallest span.
  private static func leastVaried(_ points: [Vector3]) -> Int {
    let spans = (0..<3).map { axis in
      let values = points.map { $0[axis] }
      return (values.max() ?? 0) - (values.min() ?? 0)
    }
    return spans.indices.min { spans[$0] < spans[$1] } ?? 0
  }
}
