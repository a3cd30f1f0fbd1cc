// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
package import LogStore

/// Samples in the axes of a mounting, and without a sensor's errors.
extension Exporter {
  /// Has the reader return samples in the axes of the mounting, and without the sensor's errors if that is asked for;
  /// returns what was done, in sentences. Of a reader at its beginning.
  package func correct<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>
  ) throws(ExportError) -> [String] {
    let log = reader.description
    let calibration = options.calibration(of: log)
    guard !options.isCalibrated || calibration != nil else { throw .noCalibration }
    if let calibration, calibration.sensor != log.sensor.model {
      throw .calibrationOfOther(
        name: calibration.name, sensor: calibration.sensor, recorded: log.sensor.model)
    }
    // A header keeps what it has: a file is refused where it is read, and an older or foreign log here.
    if let calibration, let fault = calibration.implausible {
      throw .implausibleCalibration(name: calibration.name, fault: fault)
    }
    // A reader that is exported in pieces is corrected once.
    guard log.axes != nil || calibration != nil, !reader.isCorrected else { return [] }
    guard
      var correction = SampleCorrection(
        axes: log.axes, calibration: calibration, sensor: log.sensor)
    else {
      throw .unusableScale(channels: "the accelerometer", scale: log.sensor.accelerometerScale)
    }
    let (from, end) = (options.from ?? .min, options.to.map { $0 == .max ? $0 : $0 &- 1 } ?? .max)
    correction.counted = ((options.channels ?? .both).mask, min(from, end)...end)
    reader.correct(correction)
    var remarks: [String] = []
    if let axes = log.axes {
      remarks.append("the axes are those of the mounting, \(axes) of the chip")
    }
    if let calibration {
      remarks.append(
        Exporter.sentence(
          calibration, log, log.channels.intersection((options.channels ?? .both).mask)))
    }
    return remarks
  }

  /// A remark about clipped values that calibration hides; none without such.
  func clipRemarks<Storage: LogStorage & ~Copyable>(
    _ reader: borrowing LogReader<Storage>
  ) -> [String] {
    reader.hiddenClipCount == 0
      ? []
      : [
        "some values were at an end of the chip's range, or are beyond that of calibrated ones: the true ones are further from zero"
      ]
  }

  private static func sentence(
    _ calibration: SensorCalibration, _ log: RecordingDescription, _ channels: ChannelSet
  ) -> String {
    let (made, sensor) = (calibration.conditions, log.sensor)
    let parts = [
      (
        calibration.accelerometer?.drift, "accelerometer",
        calibration.accelerometer != nil && !channels.isDisjoint(with: .accelerometer),
        made.map { ($0.accelerometerRange, sensor.accelerometerRange, "g") }
      ),
      (
        calibration.gyroscope?.drift, "gyroscope",
        calibration.gyroscope != nil && !channels.isDisjoint(with: .gyroscope),
        made.map { ($0.gyroscopeRange, sensor.gyroscopeRange, "°/s") }
      ),
    ].filter(\.2)
    guard !parts.isEmpty else {
      return "the calibration (\(calibration.name)) is of no sensor whose values are here"
    }
    let names = parts.map(\.1).joined(separator: " and ")
    let isCold = !log.channels.contains(.temperature) && parts.contains { $0.0 != nil }
    let other = parts.compactMap(\.3).first { $0.0 != $0.1 && $0.0 > 0 && $0.1 > 0 }
    return
      "the values of the \(names) are calibrated (\(calibration.name)), in steps of 1.25 counts"
      + (isCold ? ", without the change with temperature, which was not recorded" : "")
      + (other.map {
        "; it was made at ±\($0.0) \($0.2), and an offset may be another at ±\($0.1) \($0.2)"
      } ?? "")
  }
}
