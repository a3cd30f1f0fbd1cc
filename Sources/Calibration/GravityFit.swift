// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Offset, scale and cross terms of an accelerometer from still poses, where it measures 1 g in any direction.
///
///            ┌ sx  cxy cxz ┐
///     M =    │ 0   sy  cyz │         │ M (a − b) │ = 1 g
///            └ 0   0   sz  ┘
///
/// A rotation of the whole sensor is not visible: the lower triangle is 0, so z is where the chip has it (Tedaldi, Pretto and
/// Menegatti 2014, "A robust and easy to implement method for IMU calibration without external equipments", section III).
/// Poses at several temperatures add the offset's change with temperature, up to second order:
///
///     │ M (a − b − d₁ · (T − reference) − d₂ · (T − reference)²) │ = 1 g
///
/// Solved by Gauss and Newton from no offset and no error of scale; the residual is the magnitude less 1 g.
struct GravityFit: Sendable {
  /// Terms beside offset and scale.
  struct Terms: Equatable, Sendable {
    /// From nine poses or more.
    var hasCross = false
    /// Of the change of the offset with temperature; 0 for none.
    var order = 0

    /// Numbers to determine, and least poses: offset and scale need six.
    var unknowns: Int { matrixUnknowns + 3 + 3 * order }
    var matrixUnknowns: Int { hasCross ? 6 : 3 }

    /// Whether these have every kind of other terms; the orders of a change may differ.
    func covers(_ others: Terms) -> Bool {
      (hasCross || !others.hasCross) && (order > 0 || others.order == 0)
    }
  }

  enum Failure: Error, Equatable, Sendable {
    /// Fewer poses than unknowns, or poses in fewer directions.
    case tooFew(Int, needed: Int)
    /// No pose has this axis beyond 0.3 g on this side, to tell its offset from its scale.
    case notTurned(axis: Int, isPositive: Bool)
    /// The poses are too much alike for an unknown of this axis.
    case undetermined(axis: Int)
    /// No solution: the magnitudes are not near 1 g.
    case notConverged
    /// The scale of this axis is further from 1 than those of chips.
    case wrongScale(axis: Int, scale: Double)
  }

  /// What was found.
  let model: GravityModel
  var terms: Terms { model.terms }
  /// In g, in the sensor's axes; at ``reference`` with a change with temperature.
  var offset: Vector3 { model.offset }
  /// Upper triangle.
  var matrix: SensorMatrix { model.matrix }
  /// The change of the offset in g a °C and a °C², as far as determined.
  var drift: [Vector3] { model.drift }
  /// The mean temperature in °C; `nil` without a change.
  var reference: Double? { terms.order > 0 ? model.reference : nil }
  /// Bounds of each offset, anywhere in the span of temperatures if its change is determined, and of each diagonal element;
  /// see ``ErrorBound``. Terms that are not determined add what chips may have.
  let known: (offset: Vector3, scale: Vector3)
  /// Root mean square of | |a| − 1 g | before, in g.
  let residualBefore: Double
  /// Root mean square of | |a| − 1 g | afterwards, in g.
  let residualAfter: Double
  /// For each point the part of an error of its magnitude that its residual shows: 0 if no other point checks it.
  let redundancies: [Double]

  /// The least reach of each axis on both sides, as a part of gravity (van Hees and others 2014, "Autocalibration of
  /// accelerometer data for free-living physical activity assessment", methods).
  static let leastReach = 0.3
  /// The largest standard deviation of an offset in g and of a scale that counts as determined, with poses known to 1 mg.
  static let largestDeviation = 0.01
  private static let poseNoise = 0.001
  /// The largest standard deviation of the change with temperature at the ends of its span, in g.
  private static let largestDrift = 0.001
  /// The least error of a pose, in g: a few of them may fit too well.
  static let leastNoise = 0.0001
  /// The usual error of a pose, in g.
  static let usualNoise = 0.0005
  /// A step that ends the solution, in g and in factors of a scale; rounding leaves some 1e-15.
  private static let leastStep = 1e-12
  /// A step that counts as solved even if no smaller one follows.
  private static let smallStep = 1e-9
  /// Most steps: from data sheets' errors it takes five to ten.
  private static let stepLimit = 200
  /// The damping after a step that led away, its growth, and its limits (Levenberg and Marquardt).
  private static let damping = (first: 1e-4, factor: 10.0, none: 1e-6, last: 1e12)
  /// Diagonals of a solution; no chip has all of these, see ``Failure/wrongScale(axis:scale:)``.
  private static let diagonals = 0.1...10
  /// Standard deviations of chips' cross terms, and of their change with temperature in g a °C, a °C² and a °C³: data sheets
  /// have 2 % at most, and 35 to 60 mg from 0 to 70 °C (MPU-6000/6050 product specification 6.2). At 10 °C from the middle each
  /// further order is assumed a tenth of the one before.
  private static let usualCross = 0.01
  private static let usualDrift = [0.0005, 0.000005, 0.000_000_05]

  /// Fits the means of poses, with the change with temperature up to ``TemperatureDrift/order(of:)``, and with cross terms from
  /// nine points on, as far as the poses determine them.
  ///
  /// - Complexity: some twenty passes over the points, for each choice of terms.
  init(_ points: [StillPoint]) throws(Failure) {
    if let lack = GravityFit.lack(points.map(\.acceleration)) { throw lack }
    let orders = [2, 1].filter { $0 <= TemperatureDrift.order(of: points) }
    for terms in orders.map({ Terms(hasCross: true, order: $0) }) + orders.map({ Terms(order: $0) })
      + [Terms(hasCross: true)]
    where points.count >= terms.unknowns {
      do throws(Failure) {
        self = try GravityFit(points, terms)
        return
      } catch {
        // The poses may determine fewer terms: nine on six faces determine no cross terms.
      }
    }
    self = try GravityFit(points, Terms())
  }

  /// What is missing: each axis turned far enough up and down, and as many directions as there are unknowns.
  static func lack(_ points: [Vector3]) -> Failure? {
    let needed = Terms().unknowns
    guard points.count >= needed else { return .tooFew(points.count, needed: needed) }
    let least = leastReach * size(points)
    for axis in 0..<3 {
      for sign in [1.0, -1] where !points.contains(where: { sign * $0[axis] > least }) {
        return .notTurned(axis: axis, isPositive: sign > 0)
      }
    }
    var directions: [Vector3] = []
    for point in points where directions.count < needed {
      if !directions.contains(where: { CalibrationStudy.isSame($0, point) }) {
        directions.append(point)
      }
    }
    return directions.count < needed ? .tooFew(directions.count, needed: needed) : nil
  }

  /// The median magnitude, 1 g unless a scale is wrong.
  static func size(_ points: [Vector3]) -> Double {
    let sizes = points.map(\.length).sorted()
    return sizes.isEmpty ? 1 : sizes[sizes.count / 2]
  }

  /// The fit with some terms.
  ///
  /// - Parameter isTrial: Whether to accept a badly determined result, to see the error that is left.
  init(_ points: [StillPoint], _ terms: Terms, isTrial: Bool = false) throws(Failure) {
    var model = GravityModel(points, terms)
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
      // Directions that determine nothing may lead anywhere.
      throw GravityFit.undetermined(points, terms).map { .undetermined(axis: $0) } ?? .notConverged
    }
    // The last steps were small, so the matrix before them is that of the solution.
    let variances = factors.variances
    let spare = points.count - terms.unknowns
    // Without a spare point the residuals are 0 and show nothing.
    let noise =
      spare > 0
      ? max((cost / Double(spare)).squareRoot(), GravityFit.leastNoise)
      : GravityFit.poseNoise
    for (index, variance) in variances.enumerated() {
      let deviation = variance.squareRoot()
      let power = max(0, index - terms.matrixUnknowns) / 3
      guard
        isTrial
          || (power > 0
            ? (0..<power).reduce(deviation * noise) { size, _ in size * model.reach }
              < GravityFit.largestDrift
            : deviation * GravityFit.poseNoise < GravityFit.largestDeviation)
      else { throw .undetermined(axis: GravityFit.axis(ofUnknown: index, terms)) }
    }
    for axis in 0..<3
    where !isTrial && !SensorCalibration.scales.contains(model.matrix.rows[axis][axis]) {
      throw .wrongScale(axis: axis, scale: model.matrix.rows[axis][axis])
    }
    let bound = ErrorBound(squares: cost, spare: spare, usual: GravityFit.usualNoise)
    guard let known = GravityFit.known(points, model, bound) else {
      throw .undetermined(axis: GravityFit.leastVaried(points.map(\.acceleration)))
    }
    self.known = known
    self.model = model
    residualAfter = (cost / Double(points.count)).squareRoot()
    redundancies = points.map { max(0, 1 - factors.variance(of: model.row($0).0)) }
  }

  /// Bounds of offsets and scales by a model with all terms, where chips' usual sizes stand for undetermined ones.
  private static func known(
    _ points: [StillPoint], _ model: GravityModel, _ bound: ErrorBound
  ) -> (offset: Vector3, scale: Vector3)? {
    let (terms, all) = (model.terms, Terms(hasCross: true, order: usualDrift.count))
    let size = all.unknowns
    var whole = GravityModel(points, all)
    (whole.offset, whole.matrix) = (model.offset, model.matrix)
    for (power, drift) in model.drift.enumerated() { whole.drift[power] = drift }
    var equations = NormalEquations(unknowns: size)
    for point in points { equations.add(whole.row(point).0, value: 0) }
    for place in 6..<size where place < 9 ? !terms.hasCross : place >= 9 + 3 * terms.order {
      let ratio = bound.deviation / (place < 9 ? usualCross : usualDrift[place / 3 - 3])
      equations.add((0..<size).map { $0 == place ? 1 : 0 }, value: 0, weight: ratio * ratio)
    }
    guard let factors = equations.factored() else { return nil }
    let variances = factors.variances
    var known = (offset: Vector3(), scale: Vector3())
    var warmths = [0.0]
    if terms.order > 0, let span = StillPoint.span(of: points) {
      warmths = TemperatureDrift.places(in: span).map { $0 - whole.reference }
    }
    for axis in 0..<3 {
      known.scale[axis] = bound.bound(variances[3 + axis])
      for warmth in warmths {
        let variance = factors.variance(of: whole.offsetRow(axis, warmth))
        known.offset[axis] = max(known.offset[axis], bound.bound(variance))
      }
    }
    return known
  }

  private static func axis(ofUnknown index: Int, _ terms: Terms) -> Int {
    switch index {
    case ..<3: index
    case ..<(3 + terms.matrixUnknowns): GravityModel.places[index - 3].0
    default: (index - 3 - terms.matrixUnknowns) % 3
    }
  }

  /// The axis of the unknown that the directions determine least, if that were too little for a sensor without errors.
  private static func undetermined(_ points: [StillPoint], _ terms: Terms) -> Int? {
    let size = size(points.map(\.acceleration))
    let model = GravityModel(points, terms)
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

  private static func leastVaried(_ points: [Vector3]) -> Int {
    let spans = (0..<3).map { axis in
      let values = points.map { $0[axis] }
      return (values.max() ?? 0) - (values.min() ?? 0)
    }
    return spans.indices.min { spans[$0] < spans[$1] } ?? 0
  }
}
