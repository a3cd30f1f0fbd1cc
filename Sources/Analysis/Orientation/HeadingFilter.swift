// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where north is, from a magnetometer's values in a stretch whose orientation is known but for that: the paper's heading
/// correction, in both directions of time.
///
///     field in the earth's frame ──► north of it ──────────────► followed with 9 s, forwards and backwards
///                              └──► strength and dip off? ──► not followed, for 60 s
struct HeadingFilter {
  /// A value: the sample that it belongs to, the calibrated field in µT in the earth's frame but for north, and the mean speed
  /// of turning since the look before in radians a second.
  struct Look: BitwiseCopyable {
    let place: Int
    let field: SIMD3<Float>
    let speed: Float
  }

  /// Seconds: the time constants of what strength and dip are, and of smoothing both.
  private static let (referenceTime, smoothTime) = (20.0, 0.05)
  /// By how much of itself the strength may be off, and the dip in radians.
  private static let (strength, dip) = (0.1, 10 * Double.pi / 180)
  /// Seconds until a new field counts, the first one, and one that was disturbed.
  private static let (newTime, firstTime, calmTime) = (20.0, 5.0, 0.5)
  /// Radians a second: a field that stays while the sensor turns so fast is the earth's.
  private static let turning = 20 * Float.pi / 180
  /// Seconds for which a disturbed field is not followed, and how much less it then counts.
  private static let (rejection, factor) = (60.0, 2.0)

  private let period: Double
  private var reference = SIMD2<Double>.zero
  private var candidate = SIMD2<Double>.zero
  private var (calmSeconds, candidateSeconds) = (0.0, 0.0)
  private var isDisturbed = true
  private var smoothing: LowPass<SIMD2<Double>>

  private init(period: Double) {
    self.period = period
    smoothing = LowPass(timeConstant: HeadingFilter.smoothTime, period: period)
  }

  /// The angle of north from the Y of each look's earth in radians, and whether the field is disturbed there.
  ///
  /// - Parameter period: Seconds from one look to the next.
  static func north(of looks: [Look], period: Double) -> [(angle: Double, isDisturbed: Bool)] {
    var isDisturbed = Array(repeating: true, count: looks.count)
    var (forward, backward) = (HeadingFilter(period: period), HeadingFilter(period: period))
    for (index, look) in looks.enumerated() {
      isDisturbed[index] = forward.step(SIMD3(look.field), speed: look.speed)
    }
    var speed: Float = 0
    for index in looks.indices.reversed() {
      let isSo = backward.step(SIMD3(looks[index].field), speed: speed)
      isDisturbed[index] = isDisturbed[index] && isSo
      speed = looks[index].speed
    }
    var angles = looks.map { atan2(Double($0.field.x), Double($0.field.y)) }
    follow(&angles, isDisturbed, looks.indices, period)
    follow(&angles, isDisturbed, looks.indices.reversed(), period)
    return Array(zip(angles, isDisturbed))
  }

  private static func isNear(_ one: SIMD2<Double>, _ other: SIMD2<Double>) -> Bool {
    abs(one.x - other.x) < strength * other.x && abs(one.y - other.y) < dip
  }

  /// Takes a value; returns whether it is disturbed.
  private mutating func step(_ field: SIMD3<Double>, speed: Float) -> Bool {
    let size = field.length
    guard size > 0 else { return true }
    let now = smoothing.step(SIMD2(size, -asin(max(-1, min(1, field.z / size)))))
    let gain = 1 - exp(-period / HeadingFilter.referenceTime)
    if HeadingFilter.isNear(now, reference) {
      calmSeconds += period
      if calmSeconds >= HeadingFilter.calmTime {
        isDisturbed = false
        reference += gain * (now - reference)
      }
    } else {
      (calmSeconds, isDisturbed) = (0, true)
    }
    guard HeadingFilter.isNear(now, candidate) else {
      (candidateSeconds, candidate) = (0, now)
      return isDisturbed
    }
    if speed >= HeadingFilter.turning { candidateSeconds += period }
    candidate += gain * (now - candidate)
    let least = reference == .zero ? HeadingFilter.firstTime : HeadingFilter.newTime
    if isDisturbed, candidateSeconds >= least {
      (reference, isDisturbed, calmSeconds) = (candidate, false, HeadingFilter.calmTime)
    }
    return isDisturbed
  }

  /// Smooths angles in an order, with the mean of the first ones at the beginning.
  private static func follow(
    _ angles: inout [Double], _ isDisturbed: [Bool], _ order: some Collection<Int>, _ period: Double
  ) {
    guard let first = order.first else { return }
    let northTime = OrientationConstants.magnetometerTime
    var (angle, gain, rejected) = (angles[first], 1.0, 0.0)
    for index in order {
      var share = 1 - exp(-period / northTime)
      if !isDisturbed[index] {
        rejected = max(rejected - factor * period, 0)
      } else if rejected <= rejection {
        rejected += period
        share = 0
      } else {
        share /= factor
      }
      share = max(share, gain)
      gain /= gain + 1
      if gain * northTime < period { gain = 0 }
      angle = remainder(angle + share * remainder(angles[index] - angle, 2 * .pi), 2 * .pi)
      angles[index] = angle
    }
  }
}
