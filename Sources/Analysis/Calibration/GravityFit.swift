// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Offset, scale and cross terms of an accelerometer from poses in which it was still: there it measures 1 g,
/// wherever that points.
///
///            ┌ sx  cxy cxz ┐
///     M =    │ 0   sy  cyz │         │ M (a − b) │ = 1 g
///            └ 0   0   sz  ┘
///
/// Nothing here can see a rotation of the whole sensor: the lower triangle is 0, so z is where the chip has it (Tedaldi,
/// Pretto and Menegatti 2014, "A robust and easy to implement method for IMU calibration without external equipments",
/// section III). With poses at several temperatures the offset's slope with temperature is an unknown too:
///
///     │ M (a − b − d · (T − reference)) │ = 1 g
///
/// Solved by Gauss and Newton from no offset and no error of scale; the residual is the magnitude less 1 g.
struct GravityFit: Equatable, Sendable {
  /// What is determined beside offset and scale.
  struct Terms: OptionSet, Hashable, Sendable {
    /// One bit for each.
    let rawValue: Int
    /// The terms of these bits.
    init(rawValue: Int) { self.rawValue = rawValue }
    /// From nine poses or more.
    static let cross = Terms(rawValue: 1)
    /// The slope of the offset with temperature.
    static let slope = Terms(rawValue: 2)

    /// Numbers to determine, and least poses: offset and scale need six.
    var unknowns: Int { matrixUnknowns + 3 + (contains(.slope) ? 3 : 0) }
    fileprivate var matrixUnknowns: Int { contains(.cross) ? 6 : 3 }
  }

  /// Why there is no result.
  enum Failure: Error, Equatable, Sendable {
    /// Fewer poses than unknowns, or poses in fewer directions.
    case tooFew(Int, needed: Int)
    /// No pose has this axis beyond 0.3 g upwards or downwards: its offset and scale cannot be told apart.
    case notTurned(axis: Int, isPositive: Bool)
    /// The poses are too much alike for the unknown of this axis.
    case undetermined(axis: Int)
    /// It ended away from any solution: the points are no magnitudes near 1 g.
    case notConverged
    /// The scale of this axis is further from 1 than ``scales``.
    case wrongScale(axis: Int, scale: Double)
  }

  /// What was determined beside offset and scale.
  let terms: Terms
  /// In g, in the sensor's own counts times its scale; at ``reference`` with a slope.
  let offset: Vector3
  /// Upper triangle.
  let matrix: SensorMatrix
  /// In g a °C; 0 when it is not determined.
  let slope: Vector3
  /// The mean temperature in °C; `nil` without a slope.
  let reference: Double?
  /// What each offset and each diagonal element is known to: see ``ErrorBound``. What is not determined adds to it as the
  /// chips may have it.
  let known: (offset: Vector3, scale: Vector3)
  /// Root mean square of | |a| − 1 g | before, in g.
  let residualBefore: Double
  /// Root mean square of | |a| − 1 g | afterwards, in g.
  let residualAfter: Double
  /// For each point how much of an error of its magnitude shows in its residual: from 0 for one that the others know nothing
  /// of to 1.
  let redundancies: [Double]

  /// Whether all values are equal.
  static func == (left: GravityFit, right: GravityFit) -> Bool {
    left.terms == right.terms && left.offset == right.offset && left.matrix == right.matrix
      && left.slope == right.slope && left.reference == right.reference
      && left.known == right.known && left.redundancies == right.redundancies
      && left.residualBefore == right.residualBefore
      && left.residualAfter == right.residualAfter
  }

  /// Scales that a chip can have: one that is taken for its relative with twice the ranges is off by two.
  static let scales = SensorCalibration.scales
  /// The least that each axis must reach on both sides, as a part of gravity (van Hees and others 2014,
  /// "Autocalibration of accelerometer data for free-living physical activity assessment", methods).
  static let leastReach = 0.3
  /// The largest standard deviation of an offset in g and of a scale that still counts as determined, if each
  /// pose is known to 1 mg.
  static let largestDeviation = 0.01
  private static let poseNoise = 0.001
  /// The largest standard deviation of the change with temperature at the ends of its span, in g.
  private static let largestDrift = 0.001
  /// What a pose is good for at best, in g: a few of them may fit too well.
  static let leastNoise = 0.0001
  /// What it is usually good for, in g.
  static let usualNoise = 0.0005
  /// Where a step of the solution counts as none, in g and in factors of a scale; rounding leaves some 1e-15.
  private static let leastStep = 1e-12
  /// And where it counts as solved if the steps go on without end below it.
  private static let smallStep = 1e-9
  /// Steps after which it is given up: from the data sheets' errors five to ten are needed.
  private static let stepLimit = 200
  /// The damping after a step that led away, its growth for each further one, and where it is given up (Levenberg and
  /// Marquardt): a damping of 1e12 is no step at all.
  private static let damping = (first: 1e-4, factor: 10.0, none: 1e-6, last: 1e12)
  /// Diagonals of a solution. What is beyond was led astray; what is in it and no chip's is named with ``Failure/wrongScale``.
  private static let diagonals = 0.1...10
  /// A cross term and a slope with temperature in g a °C that chips have, as standard deviations: data sheets have 2 % at
  /// most, and 35 to 60 mg from 0 to 70 °C (MPU-6000/6050 product specification 6.2).
  private static let usualCross = 0.01
  private static let usualSlope = 0.0005

  /// Fits the means of still stretches.
  ///
  /// Fits the slope with temperature from a span of ``TemperatureDrift/leastSpan`` on and cross terms from nine points
  /// on, if the poses determine them.
  ///
  /// - Complexity: some twenty passes over the points, for each choice of terms.
  init(_ points: [StillPoint]) throws(Failure) {
    try GravityFit.checkReach(points.map(\.acceleration))
    let temperatures = points.compactMap(\.temperature)
    let span = (temperatures.max() ?? 0) - (temperatures.min() ?? 0)
    let isWarmed = temperatures.count == points.count && span >= TemperatureDrift.leastSpan
    let choices: [Terms] = isWarmed ? [[.slope, .cross], .slope, .cross] : [.cross]
    for terms in choices where points.count >= terms.unknowns {
      do throws(Failure) {
        self = try GravityFit(points, terms)
        return
      } catch {
        // Nine stretches on six faces determine no cross terms; what they do determine is of use.
      }
    }
    self = try GravityFit(points, [])
  }

  /// Throws unless every axis was turned far enough up and down, in as many directions as there are unknowns.
  static func checkReach(_ points: [Vector3]) throws(Failure) {
    guard points.count >= Terms().unknowns else {
      throw .tooFew(points.count, needed: Terms().unknowns)
    }
    let least = leastReach * size(points)
    for axis in 0..<3 {
      if !points.contains(where: { $0[axis] > least }) {
        throw .notTurned(axis: axis, isPositive: true)
      }
      if !points.contains(where: { $0[axis] < -least }) {
        throw .notTurned(axis: axis, isPositive: false)
      }
    }
    var directions: [Vector3] = []
    for point in points where directions.count < Terms().unknowns {
      if !directions.contains(where: { CalibrationStudy.isSame($0, point) }) {
        directions.append(point)
      }
    }
    guard directions.count == Terms().unknowns else {
      throw .tooFew(directions.count, needed: Terms().unknowns)
    }
  }

  /// The median magnitude: 1 g but for a wrong scale.
  static func size(_ points: [Vector3]) -> Double {
    let sizes = points.map(\.length).sorted()
    return sizes.isEmpty ? 1 : sizes[sizes.count / 2]
  }

  /// The fit with some terms.
  ///
  /// - Parameter isTrial: Whether it is only to show what the points leave as an error: then a result that they determine
  ///   badly is one too.
  init(_ points: [StillPoint], _ terms: Terms, isTrial: Bool = false) throws(Failure) {
    var model = Model(points, terms)
    var cost = model.cost(points)
    residualBefore = (cost / Double(points.count)).squareRoot()
    var damping = 0.0
    var factors: NormalEquations.Factors?
    var isSolved = false
    for _ in 0..<GravityFit.stepLimit {
      var equations = NormalEquations(unknowns: terms.unknowns)
      for point in points {
        let (row, residual) = model.row(point)
        equations.add(row, value: -residual)
      }
      if damping > 0 { equations.damp(damping) }
      guard let current = equations.factored() else {
        throw .undetermined(axis: GravityFit.leastVaried(points.map(\.acceleration)))
      }
      if damping == 0 { factors = current }
      let step = current.unknowns
      let next = model.moved(by: step)
      let nextCost = next.cost(points)
      // Near the solution rounding may add to the sum.
      guard nextCost.isFinite, nextCost <= cost * (1 + GravityFit.leastStep) else {
        damping = max(damping * GravityFit.damping.factor, GravityFit.damping.first)
        guard damping < GravityFit.damping.last else { break }
        continue
      }
      (model, cost) = (next, nextCost)
      let size = step.map(abs).max() ?? 0
      if size < GravityFit.leastStep {
        isSolved = damping == 0
        if isSolved { break }
      }
      damping = damping < GravityFit.damping.none ? 0 : damping / GravityFit.damping.factor
      if size < GravityFit.smallStep { isSolved = true }
    }
    guard isSolved, let factors,
      (0..<3).allSatisfy({ GravityFit.diagonals.contains(model.matrix.rows[$0][$0]) })
    else {
      // Directions that determine nothing lead anywhere.
      throw GravityFit.undetermined(points, terms).map { .undetermined(axis: $0) } ?? .notConverged
    }
    // The last steps were so small that the matrix before them is that of the solution.
    let variances = factors.variances
    let spare = points.count - terms.unknowns
    // Without a spare point the residuals are 0 and show nothing; then what a still window is good for stands for them.
    let noise =
      spare > 0
      ? max((cost / Double(spare)).squareRoot(), GravityFit.leastNoise)
      : GravityFit.poseNoise
    for (index, variance) in variances.enumerated() {
      let deviation = variance.squareRoot()
      let isSlope = index >= 3 + terms.matrixUnknowns
      guard
        isTrial
          || (isSlope
            ? deviation * model.reach * noise < GravityFit.largestDrift
            : deviation * GravityFit.poseNoise < GravityFit.largestDeviation)
      else { throw .undetermined(axis: GravityFit.axis(ofUnknown: index, terms)) }
    }
    for axis in 0..<3
    where !isTrial && !GravityFit.scales.contains(model.matrix.rows[axis][axis]) {
      throw .wrongScale(axis: axis, scale: model.matrix.rows[axis][axis])
    }
    let bound = ErrorBound(squares: cost, spare: spare, usual: GravityFit.usualNoise)
    let others = GravityFit.others(points, model, factors)
    func bounds(_ first: Int) -> Vector3 {
      var result = Vector3()
      for axis in 0..<3 {
        result[axis] = bound.bound(variances[first + axis], others: others[first + axis])
      }
      return result
    }
    self.terms = terms
    (offset, matrix, slope) = (model.offset, model.matrix, model.slope)
    reference = terms.contains(.slope) ? model.reference : nil
    known = (bounds(0), bounds(3))
    residualAfter = (cost / Double(points.count)).squareRoot()
    redundancies = points.map { max(0, 1 - factors.variance(of: model.row($0).0)) }
  }

  /// The variances of offsets and scales by the terms that are not determined: by how much one of the usual size moves the
  /// result, summed up in squares.
  ///
  /// - Parameter factors: Those of the rows of the terms that are.
  private static func others(
    _ points: [StillPoint], _ model: Model, _ factors: NormalEquations.Factors
  ) -> [Double] {
    var whole = Model(points, [.cross, .slope])
    (whole.offset, whole.matrix, whole.slope) = (model.offset, model.matrix, model.slope)
    // In the order of a model with all terms: offset, diagonal, cross terms, slope.
    let used =
      Array(0..<6) + (model.terms.contains(.cross) ? Array(6..<9) : [])
      + (model.terms.contains(.slope) ? Array(9..<12) : [])
    let unused = (6..<12).filter { !used.contains($0) }
    let none = Array(repeating: 0.0, count: used.count)
    var sums = Array(repeating: none, count: unused.count)
    for point in points {
      let row = whole.row(point).0
      for (term, place) in unused.enumerated() where row[place] != 0 {
        let value = row[place] * (place < 9 ? usualCross : usualSlope)
        for (index, own) in used.enumerated() { sums[term][index] += row[own] * value }
      }
    }
    return sums.map { factors.unknowns(of: $0) }.reduce(none) { result, shift in
      zip(result, shift).map { $0 + $1 * $1 }
    }
  }

  /// The magnitude of a point less 1 g, afterwards.
  func residual(of point: StillPoint) -> Double {
    let warmth = (point.temperature ?? 0) - (reference ?? point.temperature ?? 0)
    return (matrix * (point.acceleration - offset - slope * warmth)).length - 1
  }

  private static func axis(ofUnknown index: Int, _ terms: Terms) -> Int {
    switch index {
    case ..<3: index
    case ..<(3 + terms.matrixUnknowns): Model.places[index - 3].0
    default: index - 3 - terms.matrixUnknowns
    }
  }

  /// The axis of the unknown that the directions of points determine least, if it is too little for a sensor without errors
  /// of these directions.
  private static func undetermined(_ points: [StillPoint], _ terms: Terms) -> Int? {
    let size = size(points.map(\.acceleration))
    let model = Model(points, terms)
    var equations = NormalEquations(unknowns: terms.unknowns)
    for var point in points {
      point.acceleration /= size
      equations.add(model.row(point).0, value: 0)
    }
    guard let variances = equations.factored()?.variances.prefix(3 + terms.matrixUnknowns) else {
      return leastVaried(points.map(\.acceleration))
    }
    guard let worst = variances.indices.max(by: { variances[$0] < variances[$1] }),
      variances[worst].squareRoot() * poseNoise >= largestDeviation
    else { return nil }
    return axis(ofUnknown: worst, terms)
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

extension GravityFit {
  /// The unknowns during the fit.
  private struct Model {
    let terms: Terms
    /// The mean temperature, and the farthest from it; 0 without a slope.
    let reference: Double
    let reach: Double
    var offset = Vector3()
    var matrix = SensorMatrix.identity
    var slope = Vector3()

    /// Places of the unknowns after the offset: row and column in the matrix. The diagonal comes first.
    static let places = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]

    init(_ points: [StillPoint], _ terms: Terms) {
      self.terms = terms
      let temperatures = terms.contains(.slope) ? points.compactMap(\.temperature) : []
      let mean = temperatures.reduce(0, +) / Double(max(1, temperatures.count))
      (reference, reach) = (mean, temperatures.map { abs($0 - mean) }.max() ?? 0)
    }

    private func warmth(_ point: StillPoint) -> Double {
      terms.contains(.slope) ? (point.temperature ?? reference) - reference : 0
    }

    private func centred(_ point: StillPoint) -> Vector3 {
      point.acceleration - offset - slope * warmth(point)
    }

    /// The derivatives of a residual with respect to the unknowns, and the residual.
    func row(_ point: StillPoint) -> ([Double], Double) {
      let centred = centred(point)
      let vector = matrix * centred
      let length = vector.length
      let direction = vector / length
      var row: [Double] = []
      for axis in 0..<3 {
        row.append(-(0..<3).reduce(0) { $0 + direction[$1] * matrix.rows[$1][axis] })
      }
      for (r, c) in Model.places.prefix(terms.matrixUnknowns) {
        row.append(direction[r] * centred[c])
      }
      if terms.contains(.slope) {
        for axis in 0..<3 { row.append(row[axis] * warmth(point)) }
      }
      return (row, length - 1)
    }

    func moved(by step: [Double]) -> Model {
      var model = self
      model.offset += Vector3(step[0], step[1], step[2])
      for (index, (r, c)) in Model.places.prefix(terms.matrixUnknowns).enumerated() {
        model.matrix.rows[r][c] += step[3 + index]
      }
      if terms.contains(.slope) {
        model.slope += Vector3(step[step.count - 3], step[step.count - 2], step[step.count - 1])
      }
      return model
    }

    func cost(_ points: [StillPoint]) -> Double {
      points.reduce(0) { sum, point in
        let residual = (matrix * centred(point)).length - 1
        return sum + residual * residual
      }
    }
  }
}
