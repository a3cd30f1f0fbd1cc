// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// Guides a person through a calibration by hand, from the samples as they come.
///
///     faces   +x −x +y −y +z −z     each still for 3 s: offset and scale
///     diagonals   xy xz yz              two opposite ones each, still for 3 s, between two axes: cross terms, and a check of the faces
///     turns   x  y  z               360° about each, from rest to rest in the same place: the gyroscope's scale
///
/// They may come in any order; ``next`` follows this one. The result is that of a ``CalibrationStudy`` of the recording.
package struct CalibrationGuide {
  package enum Step: Equatable, Sendable {
    /// Lay it still with this side of an axis up.
    case face(Side)
    /// Lay it still with two sides about equally far up.
    case diagonal(Diagonal)
    /// Turn it by 360° about an axis, from rest to rest in the same place.
    case turn(Int)
    case done
  }

  package struct Side: Hashable, Sendable {
    /// 0 for x.
    package var axis: Int
    package var isPositive: Bool

    package init(axis: Int, isPositive: Bool) {
      (self.axis, self.isPositive) = (axis, isPositive)
    }

    /// In the order of instructions.
    static let all = (0..<6).map { Side(axis: $0 / 2, isPositive: $0 % 2 == 0) }
  }

  /// Two sides that are equally far up.
  package struct Diagonal: Hashable, Sendable {
    /// The side of the axis with the lower number.
    package var first: Side
    package var second: Side

    /// The axis that lies level: 2 for a diagonal between x and y.
    package var level: Int { 3 - first.axis - second.axis }
    /// The diagonal that is down when this one is up.
    package var opposite: Diagonal {
      Diagonal(
        first: Side(axis: first.axis, isPositive: !first.isPositive),
        second: Side(axis: second.axis, isPositive: !second.isPositive))
    }
  }

  /// Why the last attempt did not count.
  package enum Trouble: Equatable, Sendable {
    /// It moved too early with this side up; `nil` on a diagonal.
    case moved(Side?)
    /// A turn about this axis was not whole.
    case notWhole(axis: Int, degrees: Double)
    /// A turn was about two axes at once.
    case tilted(axis: Int, other: Int)
    /// Gravity shows that the rate's scale about this axis is wrong, and no other turn helps.
    case contradicted(axis: Int)
    /// Samples are missing in a turn, or at an end of the range: it was too fast.
    case clipped
    /// The bias of the rate is too large a share of a turn.
    case tooSlow
  }

  package private(set) var faces: Set<Side> = []
  /// The diagonals that count: one between each two axes, and its opposite, which checks it and the faces beside it.
  package private(set) var diagonals: Set<Diagonal> = []
  package private(set) var turns: Set<Int> = []
  /// The trouble of the last attempt; `nil` once one counted.
  package private(set) var trouble: Trouble?
  /// The side that is up, or nearly so; `nil` on a diagonal and without a sample.
  package private(set) var up: Side?

  private var study: CalibrationStudy
  private var takenPoses = 0
  private var isOpenTaken = false
  /// Whether the open pose turns evenly, by the rates of those before.
  private var isOpenTurning = false
  private var lastOpen: CalibrationStudy.Pose?

  /// The two axes of diagonals, in the order of instructions.
  package static let planes = [(0, 1), (0, 2), (1, 2)]
  /// The least share of gravity of a side that is up: within 25°.
  private static let leastShare = 0.9
  /// The least share of gravity of both axes of a diagonal.
  private static let leastDiagonalShare = 0.5

  package init(_ sensor: SensorDescription, channels: ChannelSet, rate: SampleRate) {
    study = CalibrationStudy(sensor, channels: channels, rate: rate)
  }

  /// Nanoseconds for which it has been still; `nil` while it moves.
  package var stillFor: Int64? {
    study.openPose.map { study.length(of: $0) }
  }

  /// Whether it has been still for long enough here.
  package var isTaken: Bool { !isOpenTurning && study.openPose.map(isLong) ?? false }

  /// A window longer than a pose, as the recording's windows may begin elsewhere.
  private func isLong(_ pose: CalibrationStudy.Pose) -> Bool {
    study.length(of: pose) - study.shortLength >= CalibrationStudy.leastPose
  }

  /// The first step that is missing.
  package var next: Step {
    if let side = Side.all.first(where: { !faces.contains($0) }) { return .face(side) }
    for isOpposite in [false, true] {
      for (axis, other) in CalibrationGuide.planes {
        let held = diagonals.filter { $0.level == 3 - axis - other }
        guard let diagonal = held.first else {
          return .diagonal(
            Diagonal(
              first: Side(axis: axis, isPositive: true),
              second: Side(axis: other, isPositive: true)))
        }
        if isOpposite, held.count == 1 { return .diagonal(diagonal.opposite) }
      }
    }
    guard study.hasRate, let axis = (0..<3).first(where: { !turns.contains($0) }) else {
      return .done
    }
    return .turn(axis)
  }

  package var hasTurns: Bool { study.hasRate }

  package mutating func add(_ record: TickRecord) {
    guard record.kind == .sample else { return }
    let sample = record.sample
    study.add(record.tick, record.time, sample)
    if study.openPose == nil { isOpenTurning = false }
    up = CalibrationGuide.side(Vector3(Double(sample.ax), Double(sample.ay), Double(sample.az)))
    takeTurns()
    takePose()
  }

  private mutating func takePose() {
    defer { lastOpen = study.openPose }
    if let pose = study.openPose, isLong(pose), !isOpenTurning {
      guard !isOpenTaken else { return }
      isOpenTaken = true
      take(pose.point.acceleration)
    } else {
      // A pose in a wanted direction ended too early; one window of the study is not an attempt.
      if !isOpenTaken, let last = lastOpen, study.openPose?.start != last.start,
        last.windowCount > 1, isWanted(last.point.acceleration)
      {
        trouble = .moved(CalibrationGuide.side(last.point.acceleration))
      }
      isOpenTaken = false
    }
  }

  private mutating func take(_ acceleration: Vector3) {
    if isWanted(acceleration) { trouble = nil }
    if let side = CalibrationGuide.side(acceleration) {
      faces.insert(side)
    } else if let diagonal = CalibrationGuide.diagonal(acceleration), counts(diagonal) {
      diagonals.insert(diagonal)
    }
  }

  private func isWanted(_ acceleration: Vector3) -> Bool {
    if let side = CalibrationGuide.side(acceleration) { return !faces.contains(side) }
    return CalibrationGuide.diagonal(acceleration).map { counts($0) && !diagonals.contains($0) }
      ?? false
  }

  /// Whether a diagonal is the first one between its axes, or its opposite.
  private func counts(_ diagonal: Diagonal) -> Bool {
    let held = diagonals.filter { $0.level == diagonal.level }
    return held.isEmpty || held.contains(diagonal.opposite)
  }

  /// Once a pose has been still for long enough, the turn before it is over.
  private mutating func takeTurns() {
    guard study.keptCount != takenPoses else { return }
    takenPoses = study.keptCount
    let rests = study.rests()
    isOpenTurning = rests.poses.last?.start != study.openPose?.start
    guard !isOpenTurning, rests.poses.count > 1 else {
      if isOpenTurning, let pose = study.openPose {
        trouble = .moved(CalibrationGuide.side(pose.point.acceleration))
      }
      return
    }
    let turn = CalibrationStudy.Turn(
      from: rests.poses[rests.poses.count - 2], to: rests.poses[rests.poses.count - 1],
      among: rests.poses)
    guard turn.isBack else { return }
    if let axis = (0..<3).first(where: study.isMisread) {
      trouble = .contradicted(axis: axis)
      return
    }
    do throws(TurnFit.Failure) {
      let fit = try TurnFit(degrees: turn.degrees, uncertainty: turn.uncertainty)
      guard turn.isWhole else {
        trouble = .clipped
        return
      }
      turns.insert(fit.axis)
      trouble = nil
    } catch {
      switch error {
      case .noTurn: break
      // A turn that was too fast is integrated too low.
      case .notWhole where !turn.isWhole, .tilted where !turn.isWhole: trouble = .clipped
      case .notWhole(let axis, let degrees), .uncertain(let axis, let degrees):
        trouble = .notWhole(axis: axis, degrees: abs(degrees))
      case .tooSlow: trouble = .tooSlow
      case .tilted(let axis, let other, _): trouble = .tilted(axis: axis, other: other)
      }
    }
  }

  /// The side that is up, within 25°.
  static func side(_ acceleration: Vector3) -> Side? {
    let length = acceleration.length
    guard length > 0 else { return nil }
    for axis in 0..<3 where abs(acceleration[axis]) >= leastShare * length {
      return Side(axis: axis, isPositive: acceleration[axis] > 0)
    }
    return nil
  }

  /// The diagonal that is up, if two axes share gravity.
  private static func diagonal(_ acceleration: Vector3) -> Diagonal? {
    let least = leastDiagonalShare * acceleration.length
    let shared = (0..<3).filter { abs(acceleration[$0]) >= least }
    guard shared.count == 2 else { return nil }
    let sides = shared.map { Side(axis: $0, isPositive: acceleration[$0] > 0) }
    return Diagonal(first: sides[0], second: sides[1])
  }
}
