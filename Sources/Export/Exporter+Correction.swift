// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
package import LogStore
import Text

/// Samples in the axes of a mounting, and without a sensor's errors.
extension Exporter {
  /// Has the reader, which is at its beginning, return samples in the axes of the mounting, and without the sensor's errors
  /// if that is asked for; returns what was done, in sentences.
  package func correct<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>
  ) throws(ExportError) -> [String] {
    let log = reader.description
    let chosen = options.chosenCalibration(of: log)
    guard !options.isCalibrated || chosen != nil else {
      let unread = log.whyUnread("calibration")
      throw unread.map {
        ExportError.unusable(
          "the calibration in the recording's header cannot be read: \($0)",
          remedy: ExportError.otherCalibration)
      }
        ?? ExportError.refused(
          "the recording has no calibration in its header", remedy: ExportError.otherCalibration)
    }
    if let chosen {
      guard chosen.sensor == log.sensor.model else {
        throw .refused(
          "the calibration \(chosen.name) is of \(chosen.sensor), and the recording of \(log.sensor.model)",
          remedy: "give its own with --calibration")
      }
      // A header keeps what it has: a file is refused where it is read, and an older or foreign log here.
      if let fault = chosen.implausible {
        throw .unusable(
          "the calibration \(chosen.name) is implausible: \(fault)",
          remedy: ExportError.otherCalibration)
      }
    }
    let calibration = options.calibration(of: log)
    // A reader that is exported in pieces is corrected once.
    guard !reader.isCorrected else { return [] }
    var remarks =
      log.whyUnread("axes").map {
        ["the axes are the chip's: the header's axes of the mounting cannot be read, \($0)"]
      } ?? []
    let axes = log.channels.intersection(.accelerometer)
    if chosen?.accelerometer != nil, !axes.isEmpty, axes != .accelerometer {
      remarks.append(
        "the values of the accelerometer are not calibrated, which needs x, y and z of it")
    } else if let chosen, calibration == nil {
      remarks.append(Exporter.ofNone(chosen))
    }
    guard log.axes != nil || calibration != nil else { return remarks }
    guard
      var correction = SampleCorrection(
        axes: log.axes, calibration: calibration, sensor: log.sensor)
    else {
      throw .unusableScale(ofChannel: 0, log.sensor)
    }
    let (from, end) = (options.from ?? .min, options.to.map { $0 == .max ? $0 : $0 &- 1 } ?? .max)
    correction.counted = ((options.channels ?? .both).mask, min(from, end)...end)
    reader.correct(correction)
    if let axes = log.axes {
      remarks.append("the axes are those of the mounting, \(axes) of the chip")
    }
    if let calibration {
      remarks += sentence(calibration, log).map { [$0] } ?? []
    }
    return remarks
  }

  private static func ofNone(_ calibration: SensorCalibration) -> String {
    "the calibration (\(calibration.name)) is of no sensor whose values are here"
  }

  /// What a corrected reader has read of clipped values that calibration hides, and of temperatures that the calibration
  /// does not know.
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
    for part in parts(calibration, log) {
      // A mean over a rest is within its samples by so many °C.
      let beside = 1.0
      guard let span = part.drift?.span,
        ends[0] < span.lowerBound - beside || ends[1] > span.upperBound + beside
      else { continue }
      remarks.append(
        "the temperature was \(celsius(ends)), and the \(part.name)'s change with it is known at \(celsius([span.lowerBound, span.upperBound])): beyond that it stays as at the end"
      )
    }
    return remarks
  }

  /// Such as `18 to 41.5 °C`.
  private func celsius(_ ends: [Double]) -> String {
    let texts = ends.map { Plain.number($0, per: 10) }
    return (texts[0] == texts[1] ? texts[0] : "\(texts[0]) to \(texts[1])") + " °C"
  }

  /// A sensor with the full scales that it was calibrated at and recorded with, 0 where these are not known.
  private typealias Part = (
    name: String, unit: String, channels: ChannelSet, isCalibrated: Bool, drift: TemperatureDrift?,
    made: Int, recorded: Int
  )

  /// The calibrated sensors with exported values.
  private func parts(_ calibration: SensorCalibration, _ log: RecordingDescription) -> [Part] {
    let (made, sensor) = (calibration.conditions, log.sensor)
    let (first, second) = (calibration.accelerometer, calibration.gyroscope)
    let all: [Part] = [
      (
        "accelerometer", "g", .accelerometer, first != nil, first?.drift,
        made?.accelerometerRange ?? 0, sensor.accelerometerRange
      ),
      (
        "gyroscope", "°/s", .gyroscope, second != nil, second?.drift, made?.gyroscopeRange ?? 0,
        sensor.gyroscopeRange
      ),
    ]
    let exported = log.channels.intersection((options.channels ?? .both).mask)
    return all.filter { $0.isCalibrated && !exported.isDisjoint(with: $0.channels) }
  }

  private func sentence(_ calibration: SensorCalibration, _ log: RecordingDescription) -> String? {
    let parts = parts(calibration, log)
    // Of the magnetometer's values another remark is made.
    guard !parts.isEmpty else {
      return calibration.field == nil ? Exporter.ofNone(calibration) : nil
    }
    var text =
      "the values of the \(parts.map(\.name).joined(separator: " and ")) are calibrated (\(calibration.name)), in steps of 1.25 counts"
    if !log.channels.contains(.temperature) {
      let references = parts.compactMap { $0.drift?.reference }
      if let low = references.min(), let high = references.max() {
        text +=
          ", without the change with temperature, which was not recorded: as at \(celsius([low, high]))"
      }
    }
    for part in parts where part.made != part.recorded && min(part.made, part.recorded) > 0 {
      text +=
        "; the \(part.name)'s calibration was made at ±\(part.made) \(part.unit), and its offset may be another at ±\(part.recorded) \(part.unit)"
    }
    return text
  }
}
