// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Where gravity points after a move, by the gyroscope alone, for each factor that its scale may be wrong by.
///
///     ġ = −f · (rate − bias) × g          in the sensor's axes; f of 1 is the scale as recorded
struct GravityTrack {
  /// What the true rates may be of the recorded ones. A full scale that is taken for another one is off by a factor of two
  /// or four; some relatives and wrong imports by others.
  static let factors: [Double] = [1, 0.25, 1.0 / 3, 0.5, 2.0 / 3, 1.5, 2, 3, 4]

  /// A direction for each factor, by axis; lanes beyond them are not used.
  private var directions: (x: SIMD16<Double>, y: SIMD16<Double>, z: SIMD16<Double>)
  private let start: Vector3
  private let bias: Vector3
  /// What was integrated since `directions` were turned, in degrees: at rest nothing is to be done.
  private var pending = Vector3()
  /// How long the move has taken.
  private(set) var seconds = 0.0

  private static let lanes: SIMD16<Double> = {
    var lanes = SIMD16<Double>()
    for (index, factor) in factors.enumerated() { lanes[index] = factor }
    return lanes
  }()

  /// A track from a rest in which gravity is `start`, and the gyroscope's rate `bias` in °/s.
  init(from start: Vector3, bias: Vector3) {
    (self.start, self.bias) = (start, bias)
    directions = (
      SIMD16(repeating: start.x), SIMD16(repeating: start.y), SIMD16(repeating: start.z)
    )
  }

  /// Goes on by a sample: what the gyroscope integrated in it, in degrees, its bias included.
  mutating func turn(by degrees: Vector3, _ seconds: Double) {
    pending += degrees - bias * seconds
    self.seconds += seconds
    if (pending * pending).sum() > GravityTrack.largestStep { turnPending() }
  }

  /// The square of 2°. Right to the second order of the angle, so that 10° in a sample cost a hundredth of them.
  private static let largestStep = 4.0

  private mutating func turnPending() {
    let angle = pending * (Double.pi / 180)
    pending = Vector3()
    let (x, y, z) = (
      GravityTrack.lanes * angle.x, GravityTrack.lanes * angle.y, GravityTrack.lanes * angle.z
    )
    let d = directions
    let first = (d.y * z - d.z * y, d.z * x - d.x * z, d.x * y - d.y * x)
    let second = (
      first.1 * z - first.2 * y, first.2 * x - first.0 * z, first.0 * y - first.1 * x
    )
    directions.x += first.0 + second.0 / 2
    directions.y += first.1 + second.1 / 2
    directions.z += first.2 + second.2 / 2
  }

  /// The cosine of the angle by which gravity turned, when it points to `end` now.
  func cosine(to end: Vector3) -> Double { (start * end).sum() / (start.length * end.length) }

  /// The cosines of the angles between gravity now and what each factor gives, in their order.
  mutating func agreements(_ end: Vector3) -> [Double] {
    turnPending()
    return GravityTrack.factors.indices.map { index in
      let direction = Vector3(directions.x[index], directions.y[index], directions.z[index])
      return (direction * end).sum() / (direction.length * end.length)
    }
  }
}

/// By which factor the gyroscope's scale is wrong, from the moves between poses.
///
/// A move votes for each factor that brings gravity to where it is: of a half turn 1.5 does as well as 0.5, and moves by
/// other angles tell them apart.
struct ScaleVotes {
  private var votes = Array(repeating: 0, count: GravityTrack.factors.count)
  private var moveCount = 0

  /// The least turn of gravity that shows a scale: 30°, as its cosine.
  private static let leastTurn = 0.866
  /// How near the right factor comes: 20°, as an offset of 0.1 g turns the direction of gravity by 6° at either end, and a
  /// scale that is off by a tenth is 18° of a half turn.
  private static let agreement = 0.94
  /// After so many seconds too much of a direction is the bias.
  private static let longest = 20.0
  /// Moves that must agree.
  private static let leastVotes = 4

  /// Takes a move that ended with gravity there.
  mutating func add(_ track: GravityTrack, _ end: Vector3) {
    guard track.seconds < ScaleVotes.longest, track.cosine(to: end) < ScaleVotes.leastTurn else {
      return
    }
    moveCount += 1
    var track = track
    for (place, agreement) in track.agreements(end).enumerated()
    where agreement > ScaleVotes.agreement {
      votes[place] += 1
    }
  }

  /// What the true rates are of the recorded ones, where most of the moves fit another factor than 1, and not half of these
  /// fit 1; else `nil`.
  var wrongFactor: Double? {
    guard let place = votes.indices.max(by: { votes[$0] < votes[$1] }),
      votes[place] >= max(ScaleVotes.leastVotes, moveCount / 2 + 1), votes[place] > 2 * votes[0]
    else { return nil }
    return GravityTrack.factors[place]
  }
}
