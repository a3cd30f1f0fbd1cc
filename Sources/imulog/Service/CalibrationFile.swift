// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The file of a calibration.
enum CalibrationFile {
  /// Reads it; a longer file than any calibration is not read to its end.
  static func read(_ path: String) throws -> SensorCalibration {
    try SensorCalibration(
      try WholeFile.read(path, atMost: CalibrationText.fileLimit + 1), ofFile: path)
  }
}
