// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel
public import LogStore
import Text

/// Why an export failed.
public enum ExportError: Error, Equatable, Sendable, CustomStringConvertible, StatusError {
  /// Bytes could not be written to the output of this name; `code` is the kernel's errno.
  case output(name: String, code: Int32)
  case log(LogError)
  /// The recording, the format and the options do not go together; `option` of `imulog export` would mend it.
  case refused(_ problem: String, remedy: String, option: String? = nil)
  /// The recording's header, or a calibration, has values that cannot be exported.
  case unusable(_ problem: String, remedy: String, option: String? = nil)

  /// The reader of a pipe went away, as in `imulog export … | head`: not a fault.
  public var isBrokenPipe: Bool {
    if case .output(_, EPIPE) = self { true } else { false }
  }

  /// There is no room for the output.
  public var isFull: Bool {
    if case .output(_, let code) = self { code == ENOSPC || code == EDQUOT } else { false }
  }

  /// What is wrong. The remedies of `imulog export` are its options, which other verbs do not have.
  public var problem: String {
    switch self {
    case .output(let name, let code):
      "writing to \(name): \(Errno.meaning(code))\(ExportError.remedy(code))"
    case .log(let error): error.description
    case .refused(let problem, _, _), .unusable(let problem, _, _): problem
    }
  }

  /// The option of `imulog export` that would mend it; `nil` where there is none.
  public var option: String? {
    switch self {
    case .refused(_, _, let option), .unusable(_, _, let option): option
    case .output, .log: nil
    }
  }

  private static func remedy(_ code: Int32) -> String {
    switch code {
    case ENOSPC, EDQUOT: "; free space or choose another place"
    case EROFS: "; choose another place"
    case EBADF: "; it is closed, so redirect it, or give -o FILE"
    default: ""
    }
  }

  /// One sentence with the remedy where there is one.
  public var description: String {
    switch self {
    case .refused(let problem, let remedy, _), .unusable(let problem, let remedy, _):
      "\(problem): \(remedy)"
    case .output, .log: problem
    }
  }

  /// Whether the output, the log or the request is wrong.
  public var exitStatus: ExitStatus {
    switch self {
    case .output: .inputOutput
    case .log(let cause): cause.exitStatus
    case .refused: .usage
    case .unusable: .damagedData
    }
  }
}

// Refusals of several formats.

extension ExportError {
  static let choosePart = "choose a part with --from and --to"
  static let otherFormat = "choose another --format"
  static let choosePartOrFormat = "\(choosePart), or another --format"
  static let otherCalibration =
    "give a file of `imulog calibrate` with --calibration, or leave --calibrated out"

  package static func channelsNotRecorded(
    _ asked: ExportChannels, recorded: ChannelSet
  ) -> ExportError {
    .refused(
      "the recording has no \(asked.sensorName) channels; it has \(names(recorded))",
      remedy: recorded.isSubset(of: .temperature)
        ? otherFormat : "choose others with --channels")
  }

  /// The scale of a channel in the log's header gives numbers that no text of reasonable length holds.
  package static func unusableScale(
    ofChannel channel: Int, _ sensor: SensorDescription
  ) -> ExportError {
    let name = ["accelerometer", "gyroscope", "temperature"][channel / 3]
    let scale = sensor.scale(ofChannel: channel)
    return .unusable(
      "the scale of the \(name) in the recording's header, \(scale.numerator)/\(scale.denominator) "
        + "a count, cannot be written out", remedy: "export the counts with --units raw",
      option: "--units raw")
  }

  /// Ticks between two samples have none, and the format has no times to show it.
  package static func ticksMissing(
    count: UInt64, format: ExportFormat, isResampled: Bool = false
  ) -> ExportError {
    let fill = "add --fill hold to repeat the sample before them, --fill none to leave them out, "
    return .refused(
      "\(Plain.count(count, "tick has", "ticks have")) no sample, and \(format.rawValue) has no "
        + "times to show that",
      remedy: (isResampled ? "" : fill)
        + (format.takes(.directory) ? "-o DIR/ for a file for each part without gaps, " : "")
        + "or \(otherFormat)", option: "--fill hold")
  }

  /// The format holds so many samples at most.
  package static func tooLong(samples: UInt64, limit: UInt64, format: ExportFormat) -> ExportError {
    .refused(
      "\(samples) samples are more than the \(limit) that --format \(format.rawValue) holds",
      remedy: choosePart, option: "--from 0s --to 1h")
  }

  /// The format has no such times.
  ///
  /// - Parameters:
  ///   - time: Nanoseconds since tick 0's deadline.
  ///   - started: Wall-clock time of that deadline; `nil` where it is not known and times begin at the format's first year.
  package static func timeNotHeld(
    at time: Int64, started: Int64?, format: ExportFormat
  ) -> ExportError {
    let times = format.entry.times
    let begin =
      started.map { "the recording began at \(RFC3339.text(nanoseconds: $0))" }
      ?? "the recording has no date, so its times begin at \(times.firstYear)-01-01T00:00:00Z"
    let distance = Plain.seconds(time < 0 ? -max(time, -.max) : time)
    return .refused(
      "\(begin), and \(format.rawValue) holds times from \(times.words), which excludes what happened "
        + "\(distance) \(time < 0 ? "before" : "after") its beginning",
      remedy: choosePartOrFormat)
  }

  /// The format needs the axes x, y and z of the sensor, which the recording or the choice of channels lacks.
  package static func sensorNeeded(
    _ sensor: ExportChannels, _ format: ExportFormat, recorded: ChannelSet
  ) -> ExportError {
    let need = "\(format.rawValue) needs x, y and z of the \(sensor.sensorName)"
    return recorded.isSuperset(of: sensor.mask)
      ? .refused(
        "\(need), which --channels leaves out", remedy: "leave --channels out, or \(otherFormat)")
      : .refused("\(need), and the recording has \(names(recorded))", remedy: otherFormat)
  }

  /// There is no sample to export, and files of the format cannot be empty.
  package static func noSamples(_ format: ExportFormat) -> ExportError {
    .refused(
      "there is no sample to export, and a file of \(format.rawValue) cannot be empty",
      remedy: "choose another part with --from and --to, or another --format")
  }

  static func optionsTogether(_ one: String, _ other: String, reason: String) -> ExportError {
    .refused("\(one) does not go with \(other)", remedy: "\(reason); leave one of them out")
  }

  package static func optionNotSupported(option: String, format: ExportFormat) -> ExportError {
    switch option {
    case "--labels" where format.entry.hasLabels:
      .refused(
        "--labels is for tables; --format \(format.rawValue) always has the labels",
        remedy: "leave it out")
    case "--labels" where format.takes(.directory):
      .refused(
        "--labels does not go with --format \(format.rawValue), which has labels in a directory",
        remedy: "leave it out and give -o DIR/")
    default:
      .refused(
        "\(option) does not go with --format \(format.rawValue)",
        remedy: "leave it out or choose another format")
    }
  }

  static func names(_ channels: ChannelSet) -> String {
    let names = channels.indices.map { ChannelSet.names[$0] }
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}
