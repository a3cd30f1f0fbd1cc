// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The bound of the rate at rest: the worst axis is within it in 95 of 100 cases.
///
/// Gravity changes a gyroscope's bias alike in all rests of one direction: ten of these show the noise ten times, and the
/// effect of gravity once.
///
///     rests          +z  +z  +z  +z  −x          five values about the offset
///     directions     └─── mean ───┘  −x          two; the wider of both bounds counts
///
/// Opposite directions, such as six faces, cancel gravity's effect. The mean of all directions is the rest of it, and adds
/// what chips have, unless the directions show that it is less or more.
enum RateBound {
  /// The usual variation of a rest's rate, in °/s.
  private static let usualVariation = 0.01
  /// The usual effect of gravity, a standard deviation in °/s a g: data sheets have 0.1 (MPU-6000/6050 product specification
  /// 6.1).
  private static let usualGravity = 0.05
  /// The variance of the median of normal values over that of their mean.
  private static let medianVariance = Double.pi / 2

  /// The bound of an offset, in °/s.
  ///
  /// - Parameters:
  ///   - points: The rests, of one direction without an accelerometer.
  ///   - rates: Their rates, less the change with temperature.
  ///   - order: Of the fitted curve, about which the offset is their mean; `nil` for a median with one vote a direction.
  static func bound(
    of offset: Vector3, _ points: [StillPoint], _ rates: [Vector3], order: Int?
  ) -> Double {
    let directions = RestRates.groups(
      zip(points, rates).map { StillPoint(acceleration: $0.acceleration, rate: $1) })
    let all = Double(rates.count)
    let weights = directions.map {
      order == nil ? 1 / Double(directions.count) : Double($0.count) / all
    }
    let factor = order == nil ? medianVariance : 1
    func squares(_ values: [Vector3]) -> Double {
      values.reduce(Vector3()) { $0 + ($1 - offset) * ($1 - offset) }.max()
    }
    func bound(_ values: [Vector3]) -> ErrorBound {
      ErrorBound(
        squares: squares(values), spare: values.count - 1 - (order ?? 0), usual: usualVariation)
    }
    let means = directions.map { $0.reduce(Vector3()) { $0 + $1.rate } / Double($0.count) }
    let usual = ErrorBound.usualSquares(usualGravity)
    let gravity = (usual.squares + squares(means)) / Double(usual.count + means.count - 1)
    let pull = zip(directions, weights).reduce(Vector3()) { sum, part in
      let first = part.0[0].acceleration
      return sum + (first == Vector3() ? Vector3(0, 0, 1) : first.direction) * part.1
    }.length
    return max(
      bound(rates).bound(factor / all),
      bound(means).bound(
        factor * weights.reduce(0) { $0 + $1 * $1 }, others: gravity * pull * pull))
  }
}
