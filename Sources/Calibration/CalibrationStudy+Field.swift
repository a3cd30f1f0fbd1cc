// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import Text

/// A magnetometer's values, and accelerations beside them; of both the first ``CalibrationStudy/limit``.
struct FieldTrack: Sendable {
  /// In µT along the accelerometer's axes.
  private(set) var values: [(time: Int64, field: Vector3)] = []
  /// In g.
  private var pulls: [(time: Int64, pull: Vector3)] = []
  private(set) var saturatedCount = 0

  /// The least time between accelerations that are kept, in nanoseconds, and the most between one and a value.
  private static let (spacing, nearest): (Int64, UInt64) = (20_000_000, 25_000_000)
  /// The largest distance of an acceleration from 1 g, in g, that passes for gravity.
  private static let pull = 0.1

  mutating func add(_ reading: FieldReading, _ sensor: FieldDescription) {
    guard !reading.flags.contains(.saturated) else { return saturatedCount += 1 }
    guard values.count < CalibrationStudy.limit else { return }
    values.append((reading.middle, sensor.microteslas(reading)))
  }

  mutating func add(_ time: Int64, _ acceleration: Vector3) {
    guard pulls.count < CalibrationStudy.limit,
      pulls.last.map({ time &- $0.time >= FieldTrack.spacing }) ?? true
    else { return }
    pulls.append((time, acceleration))
  }

  /// Each value with the direction of gravity's reaction, where the nearest acceleration shows it.
  func points(
    _ accelerometer: SensorCalibration.Accelerometer?
  ) -> [(field: Vector3, pull: Vector3?)] {
    var index = 0
    return values.map { time, field in
      func distance(_ index: Int) -> UInt64 { (pulls[index].time &- time).magnitude }
      while index + 1 < pulls.count, distance(index + 1) <= distance(index) { index += 1 }
      guard index < pulls.count, distance(index) <= FieldTrack.nearest else { return (field, nil) }
      let measured = pulls[index].pull
      let pull = accelerometer?.corrected(measured, temperature: nil) ?? measured
      return (field, abs(pull.length - 1) < FieldTrack.pull ? pull.direction : nil)
    }
  }
}

extension CalibrationStudy {
  /// Adds a value of the magnetometer.
  package mutating func add(_ reading: FieldReading) {
    if let field = sensor.field { self.field.add(reading, field) }
  }

  /// The magnetometer's iron; `nil` where nothing or too little is recorded of it.
  func field(
    _ made: SensorCalibration, _ result: inout CalibrationResult
  ) -> SensorCalibration.Field? {
    guard sensor.field != nil else { return nil }
    do throws(FieldFit.Failure) {
      guard field.saturatedCount == 0 else { throw .saturated(field.saturatedCount) }
      let fit = try FieldFit(field.points(made.accelerometer))
      let found = SensorCalibration.Field(offset: fit.offset, matrix: fit.matrix)
      var alone = made
      (alone.accelerometer, alone.gyroscope, alone.field) = (nil, nil, found)
      if let fault = alone.implausible {
        result.refuse(
          .field,
          "the magnetometer is not calibrated: \(fault): iron bends the field too much, or its axes are not the accelerometer's"
        )
        return nil
      }
      (result.bounds.field, result.dip) = (fit.residual, fit.dip)
      return found
    } catch {
      result.refuse(.field, "the magnetometer is not calibrated: " + sentence(error))
      return nil
    }
  }

  private func sentence(_ failure: FieldFit.Failure) -> String {
    func percent(_ part: Double) -> String { milli(part * 100, 10) + " %" }
    let turning = "turn it slowly in one place, so that each side of each axis points everywhere"
    let iron = "iron near it moved, a motor ran, or it was carried about"
    switch failure {
    case .shape(.tooFew(let count, let needed)):
      return
        "it shows the field in \(Plain.count(count, "direction")), and \(needed) are needed: \(turning)"
    case .shape(.notTurned(let axis, let isPositive)):
      return
        "the field never was along \(isPositive ? "+" : "−")\(CalibrationStudy.axes[axis]): \(turning)"
    case .shape(.undetermined(let axis)):
      return
        "the directions are too much alike for its \(CalibrationStudy.axes[axis]) axis: \(turning)"
    case .shape(.notConverged):
      return "its values lie on no ellipsoid: \(iron); \(turning)"
    case .saturated(let count):
      return "it was saturated in \(Plain.count(count, "value")): a magnet is too near"
    case .shape(.wrongScale(_, let scale)):
      return "iron changes the field \(milli(scale, 100)) times along an axis: it is too near"
    case .uneven(let part):
      return
        "the field's strength still varies by \(percent(part)), and at most \(percent(FieldFit.largestResidual)) are accepted: \(iron)"
    case .withoutGravity where !channels.isSuperset(of: .accelerometer):
      return "gravity is needed beside it, and the accelerometer is not recorded"
    case .withoutGravity(let count):
      return
        "gravity alone was beside \(Plain.count(count, "value")) of the field, and \(FieldFit.leastPulls) in all directions are needed: \(turning)"
    case .tilting(let part):
      return
        "the field's angle to gravity still varies by \(percent(part)) of its range: its axes are not the accelerometer's, or \(iron)"
    }
  }
}
