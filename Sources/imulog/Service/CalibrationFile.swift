// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStore

/// The file of a calibration.
enum CalibrationFile {
  /// Reads it; a longer file than any calibration is not read to its end. One of values that no sensor can be off by is
  /// refused: corrected values would be cut, or mean nothing. (A log's header keeps what it has.)
  static func read(_ path: String) throws -> SensorCalibration {
    let bytes = try WholeFile.read(path, atMost: CalibrationText.byteLimit + 1)
    let calibration: SensorCalibration
    do throws(CalibrationText.Fault) {
      calibration = try SensorCalibration(text: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw CommandFailure(
        .damagedData,
        "\(path) is no calibration: \(error); make one with `imulog calibrate`")
    }
    if let fault = calibration.implausible {
      throw CommandFailure(
        .damagedData,
        "\(path): \(fault): no sensor is off by so much; make one with `imulog calibrate`")
    }
    return calibration
  }
}
