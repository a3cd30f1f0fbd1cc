// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel

/// How often gravity went round each axis, as the accelerometer alone shows it.
///
///     about z        y
///                1   │   0        each step from a quarter to the next one counts, with its sign;
///               ─────┼───── x     four in one sense are a round
///                2   │   3
///
/// A turn about a level axis has as many rounds as turns, whatever the gyroscope says. About a vertical one gravity does not
/// turn, and nothing is known.
struct GravityRounds: Sendable {
  /// By axis, the sum of the steps.
  private var quarters = SIMD3<Int>()
  /// By axis, the samples in which gravity was nearly along it, or had jumped to the opposite quarter.
  private var lost = SIMD3<Int>()
  private var last = Vector3()
  private var isEmpty = true

  /// What must be at right angles to an axis, in g: with less, the axis of a turn may be on the other side of gravity.
  private static let leastAcross = 0.3

  /// Takes the acceleration of the next sample, in g.
  mutating func add(_ acceleration: Vector3) {
    for axis in 0..<3 {
      let (u, v) = GravityRounds.across(axis, acceleration)
      if u * u + v * v < GravityRounds.leastAcross * GravityRounds.leastAcross { lost[axis] += 1 }
      guard !isEmpty else { continue }
      let (before, now) = (
        GravityRounds.quarter(axis, last), GravityRounds.quarter(axis, acceleration)
      )
      switch (now - before) & 3 {
      case 1: quarters[axis] += 1
      case 3: quarters[axis] -= 1
      case 2: lost[axis] += 1
      default: break
      }
    }
    (last, isEmpty) = (acceleration, false)
  }

  /// By axis the angle by which gravity went round it since an earlier state, in degrees and without its sense; `nil` where it is
  /// not known.
  func angles(since earlier: GravityRounds) -> [Double?] {
    (0..<3).map { axis in
      guard lost[axis] == earlier.lost[axis] else { return nil }
      let whole = Double(quarters[axis] - earlier.quarters[axis]) * 90
      return abs(
        whole + GravityRounds.rest(axis, last) - GravityRounds.rest(axis, earlier.last))
    }
  }

  private static func across(_ axis: Int, _ acceleration: Vector3) -> (u: Double, v: Double) {
    (acceleration[(axis + 1) % 3], acceleration[(axis + 2) % 3])
  }

  private static func quarter(_ axis: Int, _ acceleration: Vector3) -> Int {
    let (u, v) = across(axis, acceleration)
    return u >= 0 ? (v >= 0 ? 0 : 3) : (v >= 0 ? 1 : 2)
  }

  /// The angle within its quarter, in degrees.
  private static func rest(_ axis: Int, _ acceleration: Vector3) -> Double {
    let (u, v) = across(axis, acceleration)
    let angle = atan2(v, u) * 180 / Double.pi
    return (angle < 0 ? angle + 360 : angle) - 90 * Double(quarter(axis, acceleration))
  }
}

extension CalibrationStudy.Turn {
  /// How often gravity went round an axis; `nil` where it is not known.
  func rounds(_ axis: Int) -> Int? { angles[axis].map { Int(($0 / 360).rounded()) } }

  /// An axis about which gravity went round otherwise than the gyroscope says, with the rounds and what it integrated as a part
  /// of these; `nil` for none. The other axes have less than a quarter of the turn, as far as a tilted axis may be.
  var contradiction: (axis: Int, rounds: Int, share: Double)? {
    guard isWhole, isBack else { return nil }
    for axis in 0..<3 {
      guard let rounds = rounds(axis), rounds > 0 else { continue }
      let whole = 360 * Double(rounds)
      let others = (0..<3).filter { $0 != axis }
      let share = abs(degrees[axis]) / whole
      guard others.allSatisfy({ abs(degrees[$0]) < whole / 4 }),
        !SensorCalibration.scales.contains(share)
      else { continue }
      return (axis, rounds, share)
    }
    return nil
  }
}

extension CalibrationStudy {
  /// Moves in which gravity must have turned about an axis that does not answer.
  private static let leastMoves = 2
  /// The least of such a move, in degrees: about the axis, or of gravity's direction.
  private static let leastTurned = 60.0
  /// What the mean rates of half a second differ by at most on an axis that does not answer, in °/s: a hand that turns it by
  /// 60° is faster.
  static let silentRange = 2.0

  /// The turns between the rests, in order.
  func turns(_ rests: Rests) -> [Turn] {
    zip(rests.poses, rests.poses.dropFirst()).map { before, after in
      Turn(from: before, to: after, among: rests.poses)
    }
  }

  /// The gyroscope's axes that have nothing but noise though the sensor turned about them, as the accelerometer shows.
  func silent(_ rests: Rests) -> ChannelSet {
    let quiet = (0..<3).filter { !answering.contains(ChannelSet(rawValue: 1 << UInt8(3 + $0))) }
    guard !quiet.isEmpty, channels.isSuperset(of: .accelerometer) else { return [] }
    let turns = turns(rests)
    // Turns about the two others carry gravity around an axis too, and then the rates fit.
    let isMisfit = readingVotes.misfitCount >= CalibrationStudy.leastMoves
    var found: ChannelSet = []
    for axis in quiet {
      let moves = turns.count { turn in
        if turn.isBack { return (turn.rounds(axis) ?? 0) > 0 }
        let angle = max(turn.angles[axis] ?? 0, quiet.count == 3 ? turn.gravityAngle : 0)
        return isMisfit && angle >= CalibrationStudy.leastTurned
      }
      if moves >= CalibrationStudy.leastMoves {
        found.insert(ChannelSet(rawValue: 1 << UInt8(3 + axis)))
      }
    }
    return found
  }

  /// Axes that gravity turned about, and the gyroscope did not.
  func sentence(silent: ChannelSet) -> String {
    let names = silent.indices.map { ChannelSet.names[$0] }
    let verb = names.count == 1 ? "does" : "do"
    return
      "the gyroscope is not calibrated: \(names.joined(separator: ", ")) \(verb) not answer: the accelerometer shows that the sensor turned about \(names.count == 1 ? "it" : "them"), and there is nothing but noise: it is faulty, or asleep"
  }

  /// A turn that gravity contradicts.
  func sentence(_ turn: (axis: Int, rounds: Int, share: Double)) -> String {
    let name = CalibrationStudy.axes[turn.axis]
    let often = turn.rounds == 1 ? "once" : "\(turn.rounds) times"
    return
      "gravity went round \(name) \(often) in a turn, and the rate says \(milli(turn.share, 100)) times as far: its scale is wrong: the chip had another full scale than the recording states, the import was given a wrong scale, or the axis is faulty"
  }

  /// Scales that may be wrong by a factor of two, which nothing shows.
  func sentence(unshown axes: [Int]) -> String {
    let names = axes.map { CalibrationStudy.axes[$0] }
    return
      "how often it was turned about \(names.joined(separator: ", ")) is known of the gyroscope alone: if its scale is wrong by a factor of two there, nothing shows it; turn it about \(names.count == 1 ? "this axis" : "each of these axes") too while the axis lies level"
  }
}
