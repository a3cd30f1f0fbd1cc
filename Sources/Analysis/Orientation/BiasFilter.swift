// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The filter's name, source and constants, which are those of the paper.
///
/// Source: Laidig and Seel, "VQF: Highly accurate IMU orientation estimation with bias estimation and magnetic disturbance
/// rejection", Information Fusion 91 (2023), 187–204.
package enum OrientationConstants {
  package static let method = "VQF 6D offline"
  /// The same with the heading by a magnetometer.
  package static let northMethod = "VQF 9D offline"
  package static let source = "doi:10.1016/j.inffus.2022.10.014"
  /// The acceleration that is removed as gravity, m/s²: the standard one (CGPM 1901).
  package static let gravity = 9.80665
  /// Seconds: the time constant of the correction of the inclination by the accelerometer.
  package static let accelerometerTime = 3.0
  /// Seconds: the time constant with which the heading follows a magnetometer.
  package static let magnetometerTime = 9.0
  /// °/s: what a gyroscope's bias may be when nothing is known of it, as a standard deviation.
  static let biasSigma = 0.5
  /// Seconds in which an estimated bias has become uncertain by 0.1 °/s.
  static let biasForgetting = 100.0
  /// °/s: no bias is larger.
  static let biasLimit = 2.0
  /// °/s: how well a bias is known at last from motion, and from rest.
  static let (motionSigma, restSigma) = (0.1, 0.03)
  /// How much less the vertical direction, which motion does not reveal, is pulled to zero.
  static let verticalForgetting = 0.0001
  /// Seconds of rest before it is believed, and the time constant of the means from which deviations count.
  static let (restTime, restFilterTime) = (1.5, 0.5)
  /// °/s and m/s²: deviations that rest does not have.
  static let (restRate, restAcceleration) = (2.0, 0.5)
}

/// Estimates a gyroscope's bias from sample to sample, with the orientation that it needs for that: the paper's filter
/// without a magnetometer. It does not know what is to come: ``OrientationPass`` joins one run of it in each direction.
///
///     rates ──► minus bias ──► integrated ──► earth of the gyroscope ──► inclination corrected
///                  ▲                                                      │
///                  └────── Kalman filter ◄── rest, or how much was corrected
///
/// Variances are in (0.01 °/s)², as in the paper's programs.
struct BiasFilter: BitwiseCopyable {
  /// The bias in radians a second.
  private(set) var bias = SIMD3<Double>.zero
  private(set) var covariance: Matrix3

  private let period: Double
  private var turned = Quaternion.identity
  private var inclination = Quaternion.identity
  private var accelerations: LowPass<SIMD3<Double>>
  private var restSeconds = 0.0
  private var isAtRest = false
  private var restRates: LowPass<SIMD3<Double>>
  private var restAccelerations: LowPass<SIMD3<Double>>
  private var restRate = SIMD3<Double>.zero
  /// Each row of the sensor's orientation, and in the last lane what it makes of the bias.
  private var orientation: (LowPass<SIMD4<Double>>, LowPass<SIMD4<Double>>, LowPass<SIMD4<Double>>)
  private let noise: Noise

  private struct Noise: BitwiseCopyable {
    let initial, growth: Double
    let rest, motion: SIMD3<Double>

    init(period: Double) {
      typealias Constants = OrientationConstants
      func square(_ value: Double) -> Double { value * value }
      initial = square(Constants.biasSigma * 100)
      let growth = square(0.1 * 100) * period / Constants.biasForgetting
      self.growth = growth
      /// The measurement noise with which the variance ends at this one.
      func variance(_ sigma: Double) -> Double {
        let end = square(sigma * 100)
        return square(end) / growth + end
      }
      let motion = variance(Constants.motionSigma)
      self.motion = SIMD3(motion, motion, motion / Constants.verticalForgetting)
      rest = SIMD3(repeating: variance(Constants.restSigma))
    }
  }

  /// A filter at its beginning; `period` in seconds.
  init(period: Double) {
    typealias Constants = OrientationConstants
    self.period = period
    noise = Noise(period: period)
    covariance = Matrix3(diagonal: SIMD3(repeating: noise.initial))
    accelerations = LowPass(timeConstant: Constants.accelerometerTime, period: period)
    restRates = LowPass(timeConstant: Constants.restFilterTime, period: period)
    restAccelerations = LowPass(timeConstant: Constants.restFilterTime, period: period)
    let row = LowPass<SIMD4<Double>>(timeConstant: Constants.accelerometerTime, period: period)
    orientation = (row, row, row)
  }

  private static let limit = OrientationConstants.biasLimit * .pi / 180

  /// Takes a sample: radians a second, m/s².
  mutating func step(rate: SIMD3<Double>, acceleration: SIMD3<Double>) {
    watchRate(rate)
    turned = (turned * Quaternion(rate: rate - bias, seconds: period)).normalized
    // A chip that gives nothing has no direction.
    guard acceleration != .zero else { return }
    watchAcceleration(acceleration)
    let up = inclination.turn(accelerations.step(turned.turn(acceleration))).direction
    inclination = (Inclination.correction(up) * inclination).normalized
    estimate(up)
  }

  /// Ends a rest when the rate leaves its mean, or this cannot be a bias.
  private mutating func watchRate(_ rate: SIMD3<Double>) {
    restRate = restRates.step(rate)
    let deviation = rate - restRate
    let threshold = OrientationConstants.restRate * .pi / 180
    if deviation.dot(deviation) >= threshold * threshold
      || max(abs(restRate.x), abs(restRate.y), abs(restRate.z)) > BiasFilter.limit
    {
      endRest()
    }
  }

  private mutating func watchAcceleration(_ acceleration: SIMD3<Double>) {
    let deviation = acceleration - restAccelerations.step(acceleration)
    let threshold = OrientationConstants.restAcceleration
    guard deviation.dot(deviation) < threshold * threshold else { return endRest() }
    restSeconds += period
    isAtRest = isAtRest || restSeconds >= OrientationConstants.restTime
  }

  private mutating func endRest() {
    (restSeconds, isAtRest) = (0, false)
  }

  /// Corrects the bias by the mean rate at rest, or in motion by how far the inclination had to be corrected.
  ///
  /// - Parameter up: The direction of the accelerations before the correction.
  private mutating func estimate(_ up: SIMD3<Double>) {
    let rows = (inclination * turned).rows
    func withBias(_ row: SIMD3<Double>) -> SIMD4<Double> { SIMD4(row, row.dot(bias)) }
    let (x, y, z) = (
      orientation.0.step(withBias(rows.0)), orientation.1.step(withBias(rows.1)),
      orientation.2.step(withBias(rows.2))
    )
    func row(_ mean: SIMD4<Double>) -> SIMD3<Double> { SIMD3(mean.x, mean.y, mean.z) }
    grow()
    if isAtRest {
      correct(restRate - bias, measured: .identity, noise: noise.rest)
    } else {
      let error = SIMD3(
        -up.y / period + x.w - row(x).dot(bias), up.x / period + y.w - row(y).dot(bias),
        -row(z).dot(bias))
      correct(error, measured: Matrix3(row(x), row(y), row(z)), noise: noise.motion)
    }
  }

  /// What is known becomes uncertain with time.
  private mutating func grow() {
    if covariance.rows.0.x < noise.initial { covariance.rows.0.x += noise.growth }
    if covariance.rows.1.y < noise.initial { covariance.rows.1.y += noise.growth }
    if covariance.rows.2.z < noise.initial { covariance.rows.2.z += noise.growth }
  }

  /// The Kalman filter's step for a measurement of `measured` times the bias.
  private mutating func correct(
    _ error: SIMD3<Double>, measured: Matrix3, noise: SIMD3<Double>
  ) {
    let limit = SIMD3(repeating: BiasFilter.limit)
    let error = error.clamped(lowerBound: -limit, upperBound: limit)
    let spread = covariance * measured.transposed
    let gain = spread * (Matrix3(diagonal: noise) + measured * spread).inverse
    bias = (bias + gain * error).clamped(lowerBound: -limit, upperBound: limit)
    covariance = covariance - gain * measured * covariance
  }
}

enum Inclination {
  /// The shortest turn of a direction to the vertical one, which leaves the heading as it is.
  @inline(__always)
  static func correction(_ up: SIMD3<Double>) -> Quaternion {
    let w = ((up.z + 1) / 2).squareRoot()
    // Within 0.0001° of the opposite direction all axes are as good.
    guard w > 1e-6 else { return Quaternion(w: 0, axis: SIMD3(1, 0, 0)) }
    return Quaternion(w: w, axis: SIMD3(0.5 * up.y / w, -0.5 * up.x / w, 0))
  }
}
