// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
package import LogStore
import Text

/// Samples in the axes of a mounting, and without a sensor's errors.
extension Exporter {
  /// Has the reader return samples in the axes of the mounting, and without the sensor's errors if that is asked for;
  /// returns what was done, in sentences. Of a reader at its beginning.
  package func correct<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>
  ) throws(ExportError) -> [String] {
    let log = reader.description
    let chosen = options.chosenCalibration(of: log)
    guard !options.isCalibrated || chosen != nil else {
      throw log.whyUnread("calibration").map { .unreadCalibration($0) } ?? .noCalibration
    }
    if let chosen, chosen.sensor != log.sensor.model {
      throw .calibrationOfOther(
        name: chosen.name, sensor: chosen.sensor, recorded: log.sensor.model)
    }
    // A header keeps what it has: a file is refused where it is read, and an older or foreign log here.
    if let chosen, let fault = chosen.implausible {
      throw .implausibleCalibration(name: chosen.name, fault: fault)
    }
    let calibration = options.calibration(of: log)
    // A reader that is exported in pieces is corrected once.
    guard !reader.isCorrected else { return [] }
    var remarks =
      log.whyUnread("axes").map {
        ["the axes are the chip's: the header's axes of the mounting cannot be read, \($0)"]
      } ?? []
    if let chosen { remarks += Exporter.remarks(leftOut: chosen, log) }
    guard log.axes != nil || calibration != nil else { return remarks }
    guard
      var correction = SampleCorrection(
        axes: log.axes, calibration: calibration, sensor: log.sensor)
    else {
      throw .unusableScale(channels: "the accelerometer", scale: log.sensor.accelerometerScale)
    }
    let (from, end) = (options.from ?? .min, options.to.map { $0 == .max ? $0 : $0 &- 1 } ?? .max)
    correction.counted = ((options.channels ?? .both).mask, min(from, end)...end)
    reader.correct(correction)
    if let axes = log.axes {
      remarks.append("the axes are those of the mounting, \(axes) of the chip")
    }
    if let calibration {
      remarks.append(Exporter.sentence(calibration, log, channels(of: log)))
    }
    return remarks
  }

  /// What of a calibration does not apply, in sentences.
  private static func remarks(
    leftOut calibration: SensorCalibration, _ log: RecordingDescription
  ) -> [String] {
    var remarks: [String] = []
    if calibration.accelerometer != nil, !log.channels.isDisjoint(with: .accelerometer),
      !log.channels.isSuperset(of: .accelerometer)
    {
      remarks.append(
        "the values of the accelerometer are not calibrated, which needs x, y and z of it")
    }
    if remarks.isEmpty, calibration.limited(to: log.channels) == nil {
      remarks.append(
        "the calibration (\(calibration.name)) is of no sensor whose values are here")
    }
    return remarks
  }

  /// What the samples that were read showed of a correction: clipped values that calibration hides, and temperatures that the
  /// calibration does not know. Of a reader that was corrected, once it has read.
  package func correctionRemarks<Storage: LogStorage & ~Copyable>(
    _ reader: borrowing LogReader<Storage>
  ) -> [String] {
    let log = reader.description
    var remarks: [String] = []
    if reader.hiddenClipCount > 0 {
      remarks.append(
        "some values were at an end of the chip's range, or are beyond that of calibrated ones: the true ones are further from zero"
      )
    }
    guard let calibration = options.calibration(of: log), let counts = reader.correctedTemperatures
    else { return remarks }
    let (scale, offset) = (log.sensor.temperatureScale.value, log.sensor.temperatureOffset.value)
    let ends = [counts.lowerBound, counts.upperBound].map { Double($0) * scale + offset }.sorted()
    for part in Exporter.parts(calibration, log, channels(of: log)) {
      guard let span = part.drift?.span,
        ends[0] < span.lowerBound - Exporter.beside || ends[1] > span.upperBound + Exporter.beside
      else { continue }
      remarks.append(
        "the temperature was \(Exporter.celsius(ends)), and the \(part.name)'s change with it is known at \(Exporter.celsius([span.lowerBound, span.upperBound])): beyond that it stays as at the end"
      )
    }
    return remarks
  }

  /// What a temperature may be beyond those that were seen before it is said, in °C: a mean over a rest is within its samples.
  private static let beside = 1.0

  /// Such as `18 to 41.5 °C`.
  private static func celsius(_ ends: [Double]) -> String {
    let texts = ends.map { Plain.number($0, per: 10) }
    return (texts[0] == texts[1] ? texts[0] : "\(texts[0]) to \(texts[1])") + " °C"
  }

  private func channels(of log: RecordingDescription) -> ChannelSet {
    log.channels.intersection((options.channels ?? .both).mask)
  }

  /// A sensor that is calibrated, and of which there are values.
  private struct Part {
    let name: String
    let drift: TemperatureDrift?
    /// The full scales that it was calibrated at and recorded with, where these are known.
    let ranges: (made: Int, recorded: Int)?
    let unit: String
  }

  private static func parts(
    _ calibration: SensorCalibration, _ log: RecordingDescription, _ channels: ChannelSet
  ) -> [Part] {
    let (made, sensor) = (calibration.conditions, log.sensor)
    var parts: [Part] = []
    if let part = calibration.accelerometer, !channels.isDisjoint(with: .accelerometer) {
      parts.append(
        Part(
          name: "accelerometer", drift: part.drift,
          ranges: made.map { ($0.accelerometerRange, sensor.accelerometerRange) }, unit: "g"))
    }
    if let part = calibration.gyroscope, !channels.isDisjoint(with: .gyroscope) {
      parts.append(
        Part(
          name: "gyroscope", drift: part.drift,
          ranges: made.map { ($0.gyroscopeRange, sensor.gyroscopeRange) }, unit: "°/s"))
    }
    return parts
  }

  private static func sentence(
    _ calibration: SensorCalibration, _ log: RecordingDescription, _ channels: ChannelSet
  ) -> String {
    let parts = Exporter.parts(calibration, log, channels)
    guard !parts.isEmpty else {
      return "the calibration (\(calibration.name)) is of no sensor whose values are here"
    }
    var text =
      "the values of the \(parts.map(\.name).joined(separator: " and ")) are calibrated (\(calibration.name)), in steps of 1.25 counts"
    if !log.channels.contains(.temperature) {
      let references = parts.compactMap { $0.drift?.reference }
      if let low = references.min(), let high = references.max() {
        text +=
          ", without the change with temperature, which was not recorded: as at \(Exporter.celsius([low, high]))"
      }
    }
    for part in parts {
      guard let (made, recorded) = part.ranges, made != recorded, made > 0, recorded > 0 else {
        continue
      }
      text +=
        "; the \(part.name)'s calibration was made at ±\(made) \(part.unit), and its offset may be another at ±\(recorded) \(part.unit)"
    }
    return text
  }
}
