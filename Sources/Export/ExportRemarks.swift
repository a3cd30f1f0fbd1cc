// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

// Remarks that formats share: what was left out, and which times stand for the want of a date.

extension Exporter {
  /// A remark about labels and marks that the format has no place for; none where the export has none.
  func leftOut(labels: Int, marks: UInt64) -> [String] {
    let parts =
      (labels > 0 ? [Plain.count(labels, "label")] : [])
      + (marks > 0 ? [Plain.count(marks, "mark")] : [])
    guard !parts.isEmpty else { return [] }
    let isOne = UInt64(labels).addingSaturated(marks) == 1
    return [
      parts.joined(separator: " and ")
        + " \(isOne ? "is" : "are") left out: \(options.format.rawValue) has no place for \(isOne ? "it" : "them")"
    ]
  }

  /// A remark about the magnetometer's values where the output does not have them, or they are calibrated.
  func fieldRemarks(_ log: RecordingDescription, isFollowed: Bool = false) -> [String] {
    guard let field = log.sensor.field, options.format != .raw else { return [] }
    if options.hasField(log), !isFollowed {
      guard let calibration = options.calibration(of: log), calibration.field != nil else {
        return []
      }
      return ["the values of the magnetometer are calibrated (\(calibration.name))"]
    }
    let name = Plain.text(field.model)
    return ["the values of the magnetometer \(name) are left out: --format json has them"]
  }

  /// A remark about the times of a recording without a date, which programs take for dates of 1970; none where it has one,
  /// or where the range has no sample.
  ///
  /// - Parameters:
  ///   - shift: Nanoseconds that the export adds to them.
  ///   - begin: Where the file begins, if that is not the time of the range's first sample.
  func dateRemarks<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>, _ plan: ExportPlan, _ notes: RecordingNotes, shift: Int64,
    begin: Int64? = nil
  ) throws(ExportError) -> [String] {
    guard plan.started(notes.clock) == nil, let first = try reader.firstSample(in: plan) else {
      return []
    }
    let time = (begin ?? first.time).addingReportingOverflow(shift).partialValue
    let added = shift == 0 ? "" : ", with \(Plain.seconds(shift)) added to its time"
    return [
      "the recording has no date: programs show its first sample at \(RFC3339.text(nanoseconds: time))\(added)"
    ]
  }

  /// Whole seconds, in nanoseconds, that are added to the times of a recording without a date, so that none is before the
  /// format's first time; 0 with a date. They are those of the whole recording, so that a part of it has the same times.
  ///
  /// - Parameters:
  ///   - others: Times beside those of samples.
  ///   - least: The format's first time, whole seconds in nanoseconds.
  func undatedShift<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>, _ plan: ExportPlan, _ notes: RecordingNotes,
    others: [Int64] = [], atLeast least: Int64 = 0
  ) throws(ExportError) -> Int64 {
    guard plan.started(notes.clock) == nil else { return 0 }
    let earliest = others.reduce(try reader.firstSample(in: nil)?.time ?? 0, min)
    guard earliest < least else { return 0 }
    let second: Int64 = 1_000_000_000
    let (shift, overflow) = (least / second - Int64.floored(earliest, by: second).whole)
      .multipliedReportingOverflow(by: second)
    guard !overflow else {
      throw .timeNotHeld(at: earliest, started: nil, format: options.format)
    }
    return shift
  }
}

extension RecordingNotes {
  /// What is missing of more marks than a program can hold.
  var remarks: [String] {
    let held = UInt64(marks.count)
    guard markCount > held else { return [] }
    return [
      "\(markCount - held) of \(markCount) marks are left out: an export holds \(held), and --format json has all"
    ]
  }
}
