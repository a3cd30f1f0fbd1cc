// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Rests, and what is between them.
extension CalibrationStudy {
  /// The poses at rest and those that turned, both in order.
  struct Rests {
    var poses: [Pose] = []
    /// With the distance of their rate from that of the others, in °/s.
    var turned: [(pose: Pose, rate: Double)] = []
  }

  /// What the gyroscope integrated from rest to rest.
  struct Turn {
    /// Less the bias, which changes evenly from rest to rest.
    let degrees: Vector3
    let seconds: Double
    /// Two standard errors of that bias, in °/s: the noise of the rests, and half of its change.
    let biasError: Double
    /// The error of the turn by the bias, in degrees.
    var uncertainty: Double { biasError * seconds }
    /// Whether no sample is missing or at an end of its range.
    let isWhole: Bool
    /// Whether the sensor points as before, within ``CalibrationStudy/sameDirection``.
    let isBack: Bool
    /// The beginnings of the rests before and after it, in nanoseconds from tick 0's deadline.
    let start: Int64
    let end: Int64

    /// The mean rate in °/s below which the beginning of a turn may look like rest: 65 s for 360°.
    private static let softest = 5.5

    /// - Parameter poses: All poses at rest.
    init(from before: Pose, to after: Pose, among poses: [Pose]) {
      seconds = after.arrival.seconds - before.departure.seconds
      let (first, last) = (before.point.rate, after.point.rate)
      degrees =
        after.arrival.degrees - before.departure.degrees - (first + last) * (seconds / 2)
      // A soft beginning may pass for rest, and is in the bias; its rests then differ from the others.
      let isSoft = degrees.length < Turn.softest * seconds
      let usual = isSoft ? Turn.usualRate(before, after, poses) : Vector3()
      let noise =
        max(before.point.rateNoise, after.point.rateNoise) * 2 / RestRates.standardErrors
      biasError = max(
        (noise * noise + ((first - last) * (first - last)).sum() / 4).squareRoot(),
        isSoft ? max((first - usual).length, (last - usual).length) : 0)
      isWhole = after.arrival.flaws == before.departure.flaws
      isBack = CalibrationStudy.isSame(before.point.acceleration, after.point.acceleration)
      (start, end) = (before.start, after.start)
    }

    /// The rate that the rests of a turn should have by the others in their direction, or else by all, in °/s.
    private static func usualRate(_ before: Pose, _ after: Pose, _ poses: [Pose]) -> Vector3 {
      let alike = poses.filter { pose in
        pose.start != before.start && pose.start != after.start
          && CalibrationStudy.isSame(pose.point.acceleration, before.point.acceleration)
      }
      return RestRates.median(of: (alike.isEmpty ? poses : alike).map(\.point))
    }
  }

  /// The least change of temperature that counts, in °C.
  static let leastWarmth = 1.0

  func turns(_ rests: Rests) -> [Turn] {
    zip(rests.poses, rests.poses.dropFirst()).map { before, after in
      Turn(from: before, to: after, among: rests.poses)
    }
  }

  /// The poses so far, judged by their gravity and by their rates.
  func rests() -> Rests {
    let kept = kept
    guard hasRate else { return Rests(poses: kept) }
    var rates = kept.map { turned($0) }
    let others = kept.indices.filter { rates[$0] == nil }
    let found = RestRates.turning(
      others.map { kept[$0].point }, stretches: others.map { kept[$0].stretch })
    for (index, rate) in zip(others, found) { rates[index] = rate }
    var rests = Rests()
    for (pose, rate) in zip(kept, rates) {
      if let rate { rests.turned.append((pose, rate)) } else { rests.poses.append(pose) }
    }
    return rests
  }

  /// The °/s at which gravity turned in a pose, if more than at rest.
  private func turned(_ pose: Pose) -> Double? {
    let (first, last) = (pose.firstAcceleration, pose.lastAcceleration)
    guard channels.isSuperset(of: .accelerometer), pose.windowCount > 1 else { return nil }
    let seconds = Double(length(of: pose) - shortLength) / 1e9
    let size = first.length * last.length
    // The sine of a small angle keeps the digits.
    let cosine = (first * last).sum() / size
    let rate = max(0, 1 - cosine * cosine).squareRoot() * 180 / Double.pi / seconds
    let noise = RestRates.noise(pose.spread.acceleration, shortCount) * 2.0.squareRoot()
    let allowed =
      max(RestRates.leastTurn, pose.point.rateNoise)
      + noise / first.length * 180 / Double.pi / seconds
    return rate > allowed ? rate : nil
  }

  /// The means of the poses at rest, or of the windows of one whose temperature changes: at one temperature they would show
  /// the same rate again. Without a pose at rest, the windows that do not turn.
  func stillPoints(_ rests: Rests) -> [StillPoint] {
    guard !rests.poses.isEmpty else {
      let others = windows(outside: rests.turned.map(\.pose))
      let turning = RestRates.turning(others, stretches: Array(others.indices))
      return zip(others, turning).filter { $0.1 == nil }.map(\.0)
    }
    var rest = windows[...]
    return rests.poses.flatMap { pose in
      rest = rest.drop { $0.start < pose.start }
      let last = CalibrationStudy.time(end(of: pose), less: longLength)
      let inside = rest.prefix { $0.start <= last }
      let temperatures = inside.compactMap(\.temperature)
      let width = (temperatures.max() ?? 0) - (temperatures.min() ?? 0)
      return width < CalibrationStudy.leastWarmth ? [pose.point] : Array(inside)
    }
  }

  /// The windows outside of poses, in one pass over both.
  private func windows(outside poses: [Pose]) -> [StillPoint] {
    var poses = poses[...]
    return windows.filter { window in
      poses = poses.drop { end(of: $0) <= window.start }
      guard let pose = poses.first else { return true }
      return window.start <= CalibrationStudy.time(pose.start, less: longLength)
    }
  }

  /// Imports may have times near an end of 64 bits.
  private static func time(_ time: Int64, less length: Int64) -> Int64 {
    let (early, overflow) = time.subtractingReportingOverflow(length)
    return overflow ? .min : early
  }

  private func end(of pose: Pose) -> Int64 {
    let (end, overflow) = pose.start.addingReportingOverflow(length(of: pose))
    return overflow ? .max : end
  }
}
