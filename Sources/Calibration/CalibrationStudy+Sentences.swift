// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension CalibrationStudy {
  /// A value in thousandths, to a tenth.
  func milli(_ value: Double) -> String { milli(value * 1000, 10) }

  /// A value to so many parts of one.
  func milli(_ value: Double, _ parts: Int64) -> String { Plain.number(value, per: parts) }

  /// The length of a rest that holds enough windows wherever they begin, such as `3 s`.
  var restText: String {
    // Imports may have samples centuries apart.
    let year: Int64 = 31_557_600_000_000_000
    guard shortLength < year else { return "some years" }
    let windows = (CalibrationStudy.leastPose + shortLength - 1) / max(1, shortLength) + 1
    return "\((windows * shortLength + 999_999_999) / 1_000_000_000) s"
  }

  /// The width of the temperatures of points, such as `2.1 °C`.
  func spanText(_ points: [StillPoint]) -> String {
    milli(StillPoint.width(of: points), 10) + " °C"
  }

  private func name(_ side: CalibrationGuide.Side) -> String {
    (side.isPositive ? "+" : "−") + CalibrationStudy.axes[side.axis]
  }

  /// Such as `the pose at 41.2 s with +z up`.
  func name(_ pose: Pose) -> String {
    let side = CalibrationGuide.side(pose.point.acceleration)
    return
      "the pose at \(Plain.length(pose.start)) \(side.map { "with \(name($0)) up" } ?? "on an edge")"
  }

  /// So many unchecked poses are named one by one: six faces beside three edges are all unchecked.
  private static let namedUnchecked = 6

  func sentence(unchecked poses: [Pose]) -> String {
    let more = poses.count - CalibrationStudy.namedUnchecked
    let names =
      poses.prefix(CalibrationStudy.namedUnchecked).map(name) + (more > 0 ? ["\(more) more"] : [])
    return
      "no other pose would show that one of these moved: \(names.joined(separator: ", ")); what the result is known to holds only if none did; hold each a second time, or lay the sensor on the edges on both sides of each axis"
  }

  /// Reports a pose that is left out, with possible causes.
  func noteLeftOut(
    _ place: Int, _ fit: GravityFit, _ used: [StillPoint], _ rests: Rests,
    _ result: inout CalibrationResult
  ) {
    let pose = rests.poses[place]
    let off = milli(abs(fit.model.residual(pose.point)))
    let others = used.compactMap(\.temperature)
    var cause = "so it moved; take it again"
    if let own = pose.point.temperature, let low = others.min(), let high = others.max(),
      max(own - high, low - own) >= CalibrationStudy.leastWarmth
    {
      let ends = high - low < 0.05 ? milli(low, 10) : "\(milli(low, 10)) to \(milli(high, 10))"
      cause =
        "so it moved, or that is its temperature's: \(milli(own, 10)) °C, and the others' \(ends) °C; take it again at theirs, or all at both"
    }
    result.remarks.append(
      "\(name(pose)) is left out: its magnitude is off by \(off) mg from what the others say, \(cause)"
    )
  }

  /// Reports poses one of which moved; nothing shows which one.
  func noteRivals(
    _ sorted: GravityFit.Sorted, _ rests: Rests, _ result: inout CalibrationResult
  ) {
    let poses = sorted.rivals.map { rests.poses[$0] }
    guard let last = poses.last else { return }
    let warmth = orWarmth(rests.poses.map(\.point))
    let cross = sorted.fit.terms.hasCross ? "" : ", or the cross terms are large"
    let move = "moved by up to \(milli(sorted.move)) mg\(warmth)\(cross)"
    guard poses.count > 1 else {
      result.remarks.append(
        "\(name(last)) contradicts the others, and they are too few without it: it \(move); take it again"
      )
      return
    }
    let names = poses.dropLast().map(name).joined(separator: ", ") + " and " + name(last)
    result.remarks.append(
      "\(names) contradict each other: one of them \(move), and which one cannot be told; take \(poses.count == 2 ? "both" : "all of them") again"
    )
  }

  /// Names the temperature as another possible cause, if it changed.
  func orWarmth(_ points: [StillPoint]) -> String {
    guard StillPoint.width(of: points) >= CalibrationStudy.leastWarmth else { return "" }
    return ", or the temperature did it, which changed by \(spanText(points))"
  }

  /// Why a turn is left out; `nil` if it is not a turn.
  func sentence(_ failure: TurnFit.Failure, _ turn: Turn) -> String? {
    switch failure {
    case .noTurn: return nil
    case .tilted(let axis, let other, _):
      return
        "it is about \(CalibrationStudy.axes[axis]) and \(CalibrationStudy.axes[other]) at once"
    case .notWhole(let axis, let degrees):
      return
        "\(milli(abs(degrees), 1))° about \(CalibrationStudy.axes[axis]) are not whole turns"
        + (abs(degrees) > 540 ? "; of several in one go, make a single one too" : "")
    case .uncertain(let axis, let degrees):
      return
        "how many turns \(milli(abs(degrees), 1))° about \(CalibrationStudy.axes[axis]) are is not certain; make a single one too"
    case .tooSlow(let axis, let share):
      return
        "its scale about \(CalibrationStudy.axes[axis]) would be known to \(milli(share * 100, 10)) %: \(sentence(bias: turn)); turn it faster, or rest for longer before and after it"
    }
  }

  func sentence(bias turn: Turn) -> String {
    "the rate at rest is known to \(milli(turn.biasError, 1000)) °/s in its \(milli(turn.seconds, 1)) s"
  }

  func sentence(_ failure: GravityFit.Failure, _ rests: Rests) -> String {
    let subject = "the accelerometer is not calibrated: "
    switch failure {
    case .tooFew(let count, let needed):
      let sides = count == 0 && attempts.isEmpty ? [] : lacking(rests)
      let poses = rests.poses.count
      let still =
        (poses < needed
          ? "it was still in \(count) of \(needed) poses"
          : "its \(poses) poses have \(count) directions, and \(needed) are needed")
        + ": hold it still for \(restText) on each of its six faces"
      return subject + ([still] + sides).joined(separator: "; ")
    case .notTurned:
      return subject + lacking(rests).joined(separator: "; ")
        + ": hold it so for \(restText) too"
    case .undetermined(let axis):
      return subject
        + "the poses are too much alike for its \(CalibrationStudy.axes[axis]) axis: add others"
    case .notConverged:
      return subject
        + "its magnitudes at rest fit no sensor: it moved, or its scale is not that of its chip"
    case .wrongScale(let axis, let scale):
      return subject
        + "its \(CalibrationStudy.axes[axis]) axis would need a scale of \(milli(scale, 100)), and a chip is off by a tenth: \(relative)"
    }
  }

  /// A possible cause of a scale that no chip has.
  private var relative: String {
    switch sensor.model {
    case "LSM6DSO", "LSM6DSOX": "the chip may be an LSM6DSO32, whose ranges are twice as wide"
    case "LSM6DSO32": "the chip may be an LSM6DSO, whose ranges are half as wide"
    case "LSM6DSV", "LSM6DSV16X": "the chip may be an LSM6DSV32X, whose ranges are twice as wide"
    case "LSM6DSV32X": "the chip may be an LSM6DSV16X, whose ranges are half as wide"
    default:
      "the chip may be a relative with other ranges (an LSM6DSO32 taken for an LSM6DSO has 2), or the scale of an import is wrong"
    }
  }

  /// Sides that no rest had up, with what was seen instead.
  private func lacking(_ rests: Rests) -> [String] {
    let points = rests.poses.map(\.point.acceleration)
    let least = GravityFit.leastReach * GravityFit.size(points)
    var never: [String] = []
    var said: [String] = []
    for side in CalibrationGuide.Side.all {
      let sign = side.isPositive ? 1.0 : -1
      guard !points.contains(where: { sign * $0[side.axis] > least }) else { continue }
      if let pose = rests.turned.first(where: {
        CalibrationGuide.side($0.pose.point.acceleration) == side
      }) {
        said.append("with \(name(side)) up it turned at \(milli(pose.rate, 100)) °/s")
      } else if let unrest = attempts[side]?.unrest {
        said.append("with \(name(side)) up " + sentence(unrest))
      } else if let attempt = attempts[side], attempt.stillCount > 0 {
        said.append("with \(name(side)) up it was not still for \(restText) on end")
      } else {
        never.append(name(side))
      }
    }
    if !never.isEmpty {
      said.insert(never.joined(separator: ", ") + " never pointed up while it was still", at: 0)
    }
    return said
  }

  /// Reports the axes of the result, and parts of the recording that are not in it.
  func noteConditions(_ mounting: AxisMap?, _ result: inout CalibrationResult) {
    if let mounting {
      result.remarks.append("axes are the chip's, not those of the mounting \(mounting)")
    }
    if attempt.clippedCount >= CalibrationStudy.leastPoseWindows {
      let length = Double(attempt.clippedCount) * Double(shortLength) / 1e9
      result.remarks.append(
        "\(milli(length, 10)) s of rest are left out: " + sentence(.clipped(attempt.clipped)))
    }
    if gapCount > 0 {
      result.remarks.append(
        "samples are missing in \(Plain.count(gapCount, "place")): a rest and a window end there"
      )
    }
  }

  func sentence(_ unrest: Unrest) -> String {
    switch unrest {
    case .clipped(let channels):
      let names = channels.indices.map { ChannelSet.names[$0] }
      return names.count == 1
        ? "\(names[0]) was at an end of its range"
        : "\(names.joined(separator: ", ")) were at an end of their range"
    case .fast(let rate):
      return
        "the rate was \(milli(rate, 1)) °/s, and less than \(milli(CalibrationStudy.largestRate, 1)) counts as rest"
    case .moving(let acceleration, let rate):
      let limits = (CalibrationStudy.accelerationSpread, CalibrationStudy.rateSpread)
      return acceleration / limits.0 >= rate / limits.1
        ? "it trembled: by \(milli(acceleration)) mg, at most \(milli(limits.0)) count as rest"
        : "it trembled: by \(milli(rate, 100)) °/s, at most \(milli(limits.1, 100)) count as rest"
    }
  }
}
