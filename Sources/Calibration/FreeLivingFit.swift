// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Offset, scale and their change with temperature from the still windows of a long recording, wherever they point
/// (van Hees and others 2014, "Autocalibration of accelerometer data for free-living physical activity assessment using
/// local gravity and temperature", J. Appl. Physiol. 117).
///
///     a' = offset + scale · a + slope · T           │ a' │ = 1 g
///
/// Each round moves every point to the nearest one on the sphere of 1 g, and fits the three axes to it by weighted
/// regression, until a round gains less than 0.01 %. Weights fall with the error, to 0 for the worst half per cent, as in
/// today's published programs; the paper has the inverse of the error.
struct FreeLivingFit: Sendable {
  /// In g, added after the scale.
  private(set) var offset = Vector3()
  private(set) var scale = Vector3(1, 1, 1)
  /// In g a °C; 0 without a temperature.
  private(set) var temperatureSlope = Vector3()
  /// Means of | |a| − 1 g | over the windows, in g.
  private(set) var errorBefore = 0.0
  private(set) var errorAfter = 0.0
  private(set) var rounds = 0
  /// Directions of the still sensor; with a slope, of both halves of the span of temperatures.
  private(set) var directionCount = 0
  /// Bounds of the worst axis's offset at ``reference`` in g, and of its scale; see ``ErrorBound``.
  private(set) var offsetBound = 0.0
  private(set) var scaleBound = 0.0
  /// The temperature in °C with the tightest bound of the offset; 0 without a temperature.
  private(set) var reference = 0.0

  /// The largest error afterwards that counts as calibrated, in g (the paper's 10 mg).
  static let largestError = 0.01
  /// The least number of windows: 8 minutes of rest.
  static let leastPoints = 50
  private static let roundLimit = 1000
  private static let leastGain = 0.0001

  /// Fits still windows, also the slope with temperature if it is used; every point must have one then.
  init(_ points: [StillPoint], usesTemperature: Bool) throws(GravityFit.Failure) {
    guard points.count >= FreeLivingFit.leastPoints else {
      throw .tooFew(points.count, needed: FreeLivingFit.leastPoints)
    }
    let measured = points.map(\.acceleration)
    try GravityFit.checkReach(measured)
    let temperatures = usesTemperature ? points.map { $0.temperature ?? .nan } : []
    guard temperatures.allSatisfy(\.isFinite) else { throw .notConverged }
    // The rounds alone also end where the directions do not determine the result.
    let poses = FreeLivingFit.poses(points, areWarmApart: usesTemperature)
    let determined = try GravityFit(poses, usesTemperature ? .slope : [])
    var current = measured
    var errors = current.map { abs($0.length - 1) }
    errorBefore = FreeLivingFit.mean(errors)
    var best = self
    best.errorAfter = .infinity
    for round in 1...FreeLivingFit.roundLimit {
      try refine(current, errors, temperatures)
      current = measured.indices.map { index in
        let warmth = usesTemperature ? temperatures[index] : 0
        return offset + measured[index] * scale + temperatureSlope * warmth
      }
      errors = current.map { abs($0.length - 1) }
      let error = FreeLivingFit.mean(errors)
      guard error.isFinite else { throw .notConverged }
      let gain = best.errorAfter.isFinite ? (best.errorAfter - error) / best.errorAfter : 1
      if error < best.errorAfter {
        best = self
        best.errorAfter = error
      }
      best.rounds = round
      if gain < FreeLivingFit.leastGain { break }
    }
    guard best.rounds < FreeLivingFit.roundLimit else { throw .notConverged }
    for axis in 0..<3 where !SensorCalibration.scales.contains(best.scale[axis]) {
      throw .wrongScale(axis: axis, scale: best.scale[axis])
    }
    self = best
    directionCount = poses.count
    try bound(by: determined)
  }

  /// Finds what is known: what the fit of poses knows that has a pose for each direction, and what both differ by, as the
  /// rounds end short of the least error and weigh otherwise. That must be as little as what determines an unknown.
  private mutating func bound(by fit: GravityFit) throws(GravityFit.Failure) {
    reference = fit.reference ?? 0
    let off = -(offset + temperatureSlope * reference) / scale - fit.offset
    for axis in 0..<3 {
      let (offset, scale) = (abs(off[axis]), abs(scale[axis] - fit.matrix.rows[axis][axis]))
      guard max(offset, scale) < GravityFit.largestDeviation else {
        throw .undetermined(axis: axis)
      }
      offsetBound = max(offsetBound, offset + fit.known.offset[axis])
      scaleBound = max(scaleBound, scale + fit.known.scale[axis])
    }
  }

  /// The means of the windows of each direction, which share errors such as those of cross terms.
  ///
  /// - Parameter areWarmApart: Whether the warmer half of the span of temperatures has directions of its own.
  private static func poses(_ points: [StillPoint], areWarmApart: Bool) -> [StillPoint] {
    let temperatures = points.compactMap(\.temperature)
    let middle = ((temperatures.min() ?? 0) + (temperatures.max() ?? 0)) / 2
    var groups: [[StillPoint]] = []
    for isWarm in areWarmApart ? [false, true] : [false] {
      let half = areWarmApart ? points.filter { ($0.temperature ?? 0 >= middle) == isWarm } : points
      let first = groups.count
      for (number, point) in zip(RestRates.directions(half), half) {
        if first + number == groups.count { groups.append([]) }
        groups[first + number].append(point)
      }
    }
    return groups.map { group in
      let count = Double(group.count)
      let sum = group.reduce(Vector3()) { $0 + $1.acceleration }
      // The sum of directions that are 3° apart is shorter than their lengths.
      let length = mean(group.map(\.acceleration.length))
      let warmth = group.compactMap(\.temperature)
      return StillPoint(
        acceleration: sum.length > 0 ? sum * (length / sum.length) : sum,
        temperature: warmth.count == group.count ? warmth.reduce(0, +) / count : nil)
    }
  }

  /// One round: fits each axis to the nearest points on the sphere.
  private mutating func refine(
    _ current: [Vector3], _ errors: [Double], _ temperatures: [Double]
  ) throws(GravityFit.Failure) {
    let worst = FreeLivingFit.quantile(errors, 0.995)
    for axis in 0..<3 {
      var equations = NormalEquations(unknowns: temperatures.isEmpty ? 2 : 3)
      for (index, point) in current.enumerated() {
        let weight = worst > 0 ? max(1 - errors[index] / worst, 0) : 1
        var row = [1, point[axis]]
        if !temperatures.isEmpty { row.append(temperatures[index]) }
        equations.add(row, value: point[axis] / point.length, weight: weight)
      }
      guard let fit = equations.factored()?.unknowns else { throw .undetermined(axis: axis) }
      offset[axis] = fit[0] + offset[axis] * fit[1]
      scale[axis] *= fit[1]
      if !temperatures.isEmpty { temperatureSlope[axis] = fit[2] + temperatureSlope[axis] * fit[1] }
    }
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }

  /// A quantile, interpolated between two values.
  private static func quantile(_ values: [Double], _ share: Double) -> Double {
    let sorted = values.sorted()
    let place = share * Double(sorted.count - 1)
    let index = Int(place)
    guard index + 1 < sorted.count else { return sorted[sorted.count - 1] }
    return sorted[index] + (sorted[index + 1] - sorted[index]) * (place - Double(index))
  }
}
