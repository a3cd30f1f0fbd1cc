// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Rests, and what is between them.
extension CalibrationStudy {
  /// The poses at rest and those that turned, both in order.
  struct Rests {
    var poses: [Pose] = []
    /// With how far their rate is from that of the others, in °/s.
    var turned: [(pose: Pose, rate: Double)] = []
  }

  /// What the gyroscope integrated from rest to rest, its bias included.
  struct Turn {
    let degrees: Vector3
    let seconds: Double
    /// Whether no sample is missing or at the end of its range.
    let isWhole: Bool
    /// Whether the sensor points where it did before, within ``CalibrationStudy/sameDirection``.
    let isBack: Bool
    /// When the rest before it began and the one after it, in nanoseconds from tick 0's deadline.
    let start: Int64
    let end: Int64
    /// Its mean temperature in °C.
    let temperature: Double?

    init(from before: Pose, to after: Pose) {
      degrees = after.arrival.degrees - before.departure.degrees
      seconds = after.arrival.seconds - before.departure.seconds
      isWhole = after.arrival.flaws == before.departure.flaws
      isBack = CalibrationStudy.isSame(before.point.acceleration, after.point.acceleration)
      (start, end) = (before.start, after.start)
      if let one = before.point.temperature, let other = after.point.temperature {
        temperature = (one + other) / 2
      } else {
        temperature = nil
      }
    }
  }

  /// The poses so far, told apart by their rates.
  func rests() -> Rests {
    var rests = Rests()
    let kept = kept
    guard hasRate else { return Rests(poses: kept) }
    for (pose, rate) in zip(kept, RestRates.turning(kept.map(\.point))) {
      if let rate { rests.turned.append((pose, rate)) } else { rests.poses.append(pose) }
    }
    return rests
  }
}
