// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// A study's calibration, its bounds, and sentences about what is not in it.
package struct CalibrationResult: Sendable {
  /// How the accelerometer's errors were found.
  package enum Method: String, Sendable {
    /// From six faces.
    case faces
    /// From nine poses or more, with cross terms.
    case orientations
    /// From the still windows of a long recording.
    case windows
  }

  /// A part of a calibration, by its name in JSON.
  package enum Part: String, Sendable {
    /// Offset and scale of the accelerometer.
    case accelerometer
    /// The effect of an acceleration on other axes.
    case crossTerms = "accelerometer.crossTerms"
    /// The accelerometer's change with temperature.
    case accelerometerDrift = "accelerometer.drift"
    case gyroscope
    case gyroscopeScaleX = "gyroscope.scale.x"
    case gyroscopeScaleY = "gyroscope.scale.y"
    case gyroscopeScaleZ = "gyroscope.scale.z"
    /// The change of the rate at rest with temperature.
    case gyroscopeDrift = "gyroscope.drift"
    /// Hard and soft iron beside the magnetometer.
    case field

    package static func gyroscopeScale(_ axis: Int) -> Part {
      [gyroscopeScaleX, gyroscopeScaleY, gyroscopeScaleZ][axis]
    }
  }

  /// Bounds of errors that hold in 95 of 100 cases; `nil` for what is not determined.
  package struct Bounds: Equatable, Sendable {
    /// Of the worst axis's offset, in g.
    package internal(set) var offset: Double?
    /// Of the worst axis's scale.
    package internal(set) var scale: Double?
    /// Of the worst axis's rate at rest, in °/s.
    package internal(set) var rate: Double?
    /// Of the worst of the axes whose scale of the rate is determined.
    package internal(set) var rateScale: Double?
    /// What is left of the variation of the field's strength, as a part of it: a root mean square.
    package internal(set) var field: Double?
  }

  /// `nil` if nothing is determined.
  package internal(set) var calibration: SensorCalibration?
  /// How the accelerometer's errors were found; `nil` if they were not.
  package internal(set) var method: Method?
  package internal(set) var bounds = Bounds()
  package internal(set) var poseCount = 0
  /// Degrees below the horizontal at which the calibrated field points; `nil` without one.
  package internal(set) var dip: Double?
  /// Still windows for the accelerometer.
  package internal(set) var windowCount = 0
  /// The length of a window in nanoseconds: 10 s, more for samples further apart than half a second.
  package internal(set) var windowLength = CalibrationStudy.longWindow
  /// Movements from rest to rest by half a turn or more in the same place, and by 270° or more elsewhere.
  package internal(set) var turnCount = 0
  /// Poses that no other one checks: the bounds of offset and scale assume that they did not move.
  package internal(set) var uncheckedCount = 0
  /// What was recorded and is not determined.
  package internal(set) var missing: [Part] = []
  /// What was left out of a calibration that is complete without it.
  package internal(set) var remarks: [String] = []
  /// What could not be determined, why, and what to do: a part of the calibration is missing, or all of it.
  package var refusals: [String] = []
}

extension SensorCalibration {
  /// The parts that it has; see ``CalibrationResult/missing``.
  package var parts: [CalibrationResult.Part] {
    let rows = (accelerometer?.matrix ?? .identity).rows
    let hasCrossTerms = (0..<3).contains { row in
      (0..<3).contains { $0 != row && rows[row][$0] != 0 }
    }
    // An axis that was not turned has a scale of 1.
    let scales = (0..<3).filter { (gyroscope?.scale[$0] ?? 1) != 1 }
    return [
      accelerometer.map { _ in .accelerometer }, hasCrossTerms ? .crossTerms : nil,
      accelerometer?.drift.map { _ in .accelerometerDrift }, gyroscope.map { _ in .gyroscope },
      gyroscope?.drift.map { _ in .gyroscopeDrift }, field.map { _ in .field },
    ].compactMap { $0 } + scales.map { .gyroscopeScale($0) }
  }
}
