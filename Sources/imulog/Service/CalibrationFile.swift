// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore

/// The file of a calibration.
enum CalibrationFile {
  /// Reads it; a longer file than any calibration is not read to its end.
  static func read(_ path: String) throws -> SensorCalibration {
    let bytes = try WholeFile.read(path, atMost: CalibrationText.byteLimit + 1)
    do throws(CalibrationText.Fault) {
      return try SensorCalibration(text: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw CommandFailure(
        .damagedData,
        "\(path) is no calibration: \(error); make one with `imulog calibrate`")
    }
  }
}
