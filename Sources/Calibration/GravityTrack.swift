// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Where gravity points after a move, by the gyroscope alone, for each way in which its counts may have to be read.
///
///     ġ = −f · P (rate − bias) × g          in the accelerometer's axes; f of 1 and no other P is as recorded
struct GravityTrack {
  /// What the true rates may be of the recorded ones.
  struct Reading: Equatable, Sendable {
    /// Of the scale. A full scale that is taken for another one is off by a factor of two or four; some relatives and wrong
    /// imports by others.
    var factor = 1.0
    /// The axis that alone has this factor; `nil` for all.
    var axis: Int?
    /// The recorded axis that each true one is.
    var sources = [0, 1, 2]
    /// 1, or −1 where it is against it.
    var signs = [1.0, 1, 1]

    /// Whether all three turn the other way.
    var isReversed: Bool { sources == [0, 1, 2] && signs.allSatisfy { $0 < 0 } }

    fileprivate func rates(_ recorded: Vector3) -> Vector3 {
      var rates = Vector3(
        recorded[sources[0]] * signs[0], recorded[sources[1]] * signs[1],
        recorded[sources[2]] * signs[2])
      guard let axis else { return rates * factor }
      rates[axis] *= factor
      return rates
    }
  }

  /// As recorded first; then other scales, those of one axis, and all 47 other axes and signs.
  static let readings: [Reading] = {
    let factors = [1, 0.25, 1.0 / 3, 0.5, 2.0 / 3, 1.5, 2, 3, 4].map { Reading(factor: $0) }
    let orders = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]]
    let axes = orders.flatMap { sources in
      (0..<8).map { bits in
        Reading(sources: sources, signs: (0..<3).map { bits & 1 << $0 == 0 ? 1 : -1 })
      }
    }
    return factors + single.flatMap { $0 } + axes.dropFirst()
  }()

  /// For each axis those in which it alone is off by two: they fit factors of 1.6 to 2.4.
  fileprivate static let single = (0..<3).map { axis in
    [0.5, 2].map { Reading(factor: $0, axis: axis) }
  }

  /// A direction for each reading.
  private var directions: [Vector3]
  private let start: Vector3
  private let bias: Vector3
  /// What was integrated since `directions` were turned, in degrees: at rest nothing is to be done.
  private var pending = Vector3()
  /// How long the move has taken.
  private(set) var seconds = 0.0

  /// A track from a rest in which gravity is `start`, and the gyroscope's rate `bias` in °/s.
  init(from start: Vector3, bias: Vector3) {
    (self.start, self.bias) = (start, bias)
    directions = Array(repeating: start, count: GravityTrack.readings.count)
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
    for (place, reading) in GravityTrack.readings.enumerated() {
      let turned = reading.rates(angle)
      let direction = directions[place]
      let first = direction.cross(turned)
      directions[place] = direction + first + first.cross(turned) / 2
    }
  }

  /// The cosine of the angle by which gravity turned, when it points to `end` now.
  func cosine(to end: Vector3) -> Double { (start * end).sum() / (start.length * end.length) }

  /// The cosines of the angles between gravity now and what each reading gives, in their order.
  mutating func agreements(_ end: Vector3) -> [Double] {
    turnPending()
    return directions.map { ($0 * end).sum() / ($0.length * end.length) }
  }
}

/// How the gyroscope's counts have to be read, from the moves between poses.
///
/// A move votes for each reading that brings gravity to where it is: of a half turn 1.5 does as well as 0.5, and three
/// quarters of a turn are one the other way; moves by other angles and about other axes tell them apart.
struct ReadingVotes {
  private var votes = Array(repeating: 0, count: GravityTrack.readings.count)
  private var moveCount = 0
  /// The axes of which a move showed that their scale is not off by a factor of two.
  private(set) var shownAxes: Set<Int> = []

  /// The least turn of gravity that shows a scale: 30°, as its cosine.
  private static let leastTurn = 0.866
  /// How near the right reading comes: 20°, as an offset of 0.1 g turns the direction of gravity by 6° at either end, and a
  /// scale that is off by a tenth is 18° of a half turn.
  private static let agreement = 0.94
  /// After so many seconds too much of a direction is the bias.
  private static let longest = 20.0
  /// Moves that must agree.
  private static let leastVotes = 4
  /// Moves that other axes must fit beyond those that the recorded ones fit: moves about the other axes fit both.
  private static let leastMore = 3

  /// Moves that the recorded rates do not fit.
  var misfitCount: Int { moveCount - votes[0] }

  /// Takes a move that ended with gravity there.
  mutating func add(_ track: GravityTrack, _ end: Vector3) {
    guard track.seconds < ReadingVotes.longest, track.cosine(to: end) < ReadingVotes.leastTurn
    else { return }
    moveCount += 1
    var track = track
    let agreements = track.agreements(end)
    for (place, agreement) in agreements.enumerated() where agreement > ReadingVotes.agreement {
      votes[place] += 1
    }
    guard agreements[0] > ReadingVotes.agreement else { return }
    for axis in 0..<3 {
      let others = zip(GravityTrack.readings, agreements).filter { $0.0.axis == axis }
      if others.allSatisfy({ $0.1 <= ReadingVotes.agreement }) { shownAxes.insert(axis) }
    }
  }

  /// The readings that fit the moves best where those as recorded do not; none where these do.
  ///
  /// Another scale must fit most of the moves, and the recorded one not half of these. Other axes, or another scale of one of
  /// them, must fit three quarters of the moves, and three more than the recorded ones.
  var others: [GravityTrack.Reading] {
    let fitting = votes.indices.dropFirst().filter { place in
      guard votes[place] >= ReadingVotes.leastVotes else { return false }
      let reading = GravityTrack.readings[place]
      return reading.factor == 1 || reading.axis != nil
        ? 4 * votes[place] >= 3 * moveCount && votes[place] >= votes[0] + ReadingVotes.leastMore
        : votes[place] > moveCount / 2 && votes[place] > 2 * votes[0]
    }
    guard let most = fitting.map({ votes[$0] }).max() else { return [] }
    return fitting.filter { votes[$0] == most }.map { GravityTrack.readings[$0] }
  }
}
