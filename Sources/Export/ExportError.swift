// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel
public import LogStore
import Text

/// Why an export failed.
public enum ExportError: Error, Equatable, Sendable {
  /// Bytes could not be written to the output of this name; `code` is the kernel's errno.
  case output(name: String, code: Int32)
  /// The log could not be read.
  case log(LogError)
  /// The recording has none of the channels asked for.
  case channelsNotRecorded(ExportChannels, recorded: ChannelSet)
  /// gyrodata holds one sensor, and both were asked for.
  case oneSensorOnly
  /// gyrodata needs x, y and z of a sensor, and the recording has not all of them.
  case axesMissing(recorded: ChannelSet)
  /// The scale of these channels in the log's header gives numbers that no text of reasonable length holds.
  case unusableScale(channels: String, scale: Fraction)
  /// Ticks between two samples have none, and the format has no times that would show it.
  case ticksMissing(count: UInt64, format: ExportFormat, isResampled: Bool = false)
  /// A page or a drawing of this many samples would be too large.
  case tooLong(samples: UInt64, limit: UInt64, format: ExportFormat)
  /// The format has no such times. The instant is in nanoseconds since tick 0's deadline; `started` is that's wall-clock time,
  /// `nil` where it is not known and times begin at the format's first year.
  case timeNotHeld(at: Int64, started: Int64?, format: ExportFormat)
  /// The option needs a chip that keeps the time, and the computer kept it.
  case noChipTimes(option: String)
  /// The option or format needs the recording's date, and the log has no reading of a wall clock.
  case noDate(String)
  /// The format needs the axes x, y and z of the sensor, which the recording or the choice of channels lacks.
  case sensorNeeded(ExportChannels, ExportFormat, recorded: ChannelSet)
  /// The format has a rate and no times, and the chip's own clock kept those of the recording.
  case evenTimesNeeded(ExportFormat)
  /// The format has no such rate, and none to which it could be resampled.
  case rateNotHeld(SampleRate, held: [SampleRate], format: ExportFormat)
  /// The format has a rate, and most samples do not come a period of it after the sample before them.
  case noRate(jumps: UInt64, of: UInt64, SampleRate, format: ExportFormat)
  /// The format needs the axes x, y and z of the accelerometer, and all of the gyroscope or none.
  case accelerometerNeeded(ExportFormat, exported: String)
  /// Values are beyond the largest that the format has.
  case valuesNotHeld(String, limit: String, format: ExportFormat)
  /// There is no sample to export, and files of the format cannot be empty.
  case noSamples(ExportFormat)
  /// A directory of pieces would have more files than this.
  case tooManyPieces(limit: Int)
  /// The option needs the axes x, y and z of accelerometer and gyroscope.
  case bothSensorsNeeded(option: String, recorded: ChannelSet)
  /// An orientation is computed for this many samples at most.
  case tooLongForOrientation(limit: Int)
  /// Calibrated values need a calibration, and the recording has none.
  case noCalibration
  /// The recording's calibration cannot be read, and why, as a clause.
  case unreadCalibration(String)
  /// The calibration is of another chip.
  case calibrationOfOther(name: String, sensor: String, recorded: String)
  /// No sensor is off by so much as this calibration says; which value is, as a clause.
  case implausibleCalibration(name: String, fault: String)
  /// Two options exclude each other, and why.
  case optionsTogether(String, String, reason: String)
  /// The format does not support the option.
  case optionNotSupported(option: String, format: ExportFormat)
}

extension ExportError {
  /// The reader of a pipe went away, which is no fault: `imulog export … | head`.
  public var isBrokenPipe: Bool {
    if case .output(_, let code) = self { return code == EPIPE }
    return false
  }

  /// There is no room for the output.
  public var isFull: Bool {
    if case .output(_, let code) = self { return code == ENOSPC || code == EDQUOT }
    return false
  }
}

extension ExportError: CustomStringConvertible {
  /// One sentence with the remedy where there is one.
  public var description: String {
    let (problem, remedy) = sentence
    return remedy.isEmpty ? problem : "\(problem): \(remedy)"
  }

  /// What is wrong, without the remedy: those of `imulog export` are its options, which other verbs do not have.
  public var problem: String { sentence.problem }

  /// The remedy is empty where there is none.
  private var sentence: (problem: String, remedy: String) {
    switch self {
    case .output(let name, let code):
      return ("writing to \(name): \(Errno.meaning(code))\(ExportError.remedy(code))", "")
    case .log(let error):
      return (error.description, "")
    case .channelsNotRecorded(let asked, let recorded):
      return (
        "the recording has no \(asked == .gyro ? "gyroscope" : "accelerometer") channels; it has "
          + ExportError.names(recorded),
        recorded.isSubset(of: .temperature)
          ? "choose another --format" : "choose others with --channels"
      )
    case .oneSensorOnly:
      return ("gyrodata holds one sensor", "add --channels accel or --channels gyro")
    case .axesMissing(let recorded):
      return (
        "gyrodata needs x, y and z of a sensor, and the recording has \(ExportError.names(recorded))",
        "choose another --format"
      )
    case .unusableScale(let channels, let scale):
      return (
        "the scale of \(channels) in the recording's header, \(scale.numerator)/\(scale.denominator) "
          + "a count, cannot be written out", "export the counts with --units raw"
      )
    case .ticksMissing(let count, let format, let isResampled):
      return (
        "\(count) \(count == 1 ? "tick has" : "ticks have") no sample, and \(format.rawValue) has no times that "
          + "could say so",
        (isResampled
          ? ""
          : "add --fill hold to repeat the sample before them, --fill none to leave them out, ")
          + (format.takes(.directory) ? "-o DIR/ for a file for each part without gaps, " : "")
          + "or choose another --format"
      )
    case .tooLong(let samples, let limit, let format):
      return (
        "\(samples) samples are more than the \(limit) that --format \(format.rawValue) holds",
        ExportError.choosePart
      )
    case .timeNotHeld(let time, let started, let format):
      let times = format.entry.times
      let begin = started.map { "the recording began at \(RFC3339.text(nanoseconds: $0))" }
      return (
        "\(begin ?? "the recording has no date, so its times begin at \(times.firstYear)-01-01T00:00:00Z"), and "
          + "\(format.rawValue) holds times from \(times.words), which excludes what happened "
          + (time < 0
            ? "\(Plain.seconds(-max(time, -.max))) before its beginning"
            : "\(Plain.seconds(time)) after its beginning"),
        ExportError.choosePart + ", or another --format"
      )
    case .noChipTimes(let option):
      return (
        "\(option) is for recordings of a chip that keeps the time; the computer kept that of this one, which has no "
          + "readings of a chip's clock", "leave it out"
      )
    case .noDate(let what):
      return (
        "\(what) needs the date of the recording, and its log has no reading of a wall clock",
        "leave it out; \"--time seconds\" counts from the first scheduled tick"
      )
    case .sensorNeeded(let sensor, let format, let recorded):
      let name = sensor == .gyro ? "gyroscope" : "accelerometer"
      guard !recorded.isSuperset(of: sensor.mask) else {
        return (
          "\(format.rawValue) needs x, y and z of the \(name), which --channels leaves out",
          "leave --channels out, or choose another --format"
        )
      }
      return (
        "\(format.rawValue) needs x, y and z of the \(name), and the recording has \(ExportError.names(recorded))",
        "choose another --format"
      )
    case .evenTimesNeeded(let format):
      return (
        "\(format.rawValue) has a rate and no times, and the chip's own clock kept the times of this recording",
        "`imulog export --grid` resamples it to even ones"
      )
    case .tooManyPieces(let limit):
      return (
        "the recording has more than \(limit) parts without gaps, and each would be a file",
        "choose some with --from and --to, or add --fill hold and write one file"
      )
    case .rateNotHeld(let rate, let held, let format):
      return (
        "\(format.rawValue) has no rate of \(Plain.hertz(rate)) Hz, but \(held.map(Plain.hertz).joined(separator: ", "))",
        "record with one of these as --rate, or choose another --format"
      )
    case .noRate(let jumps, let steps, let rate, let format):
      return (
        "\(format.rawValue) has a rate and no times of samples, and \(jumps) of \(steps) steps from sample to sample are "
          + "no period of \(Plain.hertz(rate)) Hz long, as in packets",
        "choose --format csv, which has every time, or import the table without its times, with --columns and --rate"
      )
    case .accelerometerNeeded(let format, let exported):
      return (
        "\(format.rawValue) needs x, y and z of the accelerometer, and of the gyroscope if it is exported, and there would be "
          + exported, "choose others with --channels, or another --format"
      )
    case .valuesNotHeld(let values, let limit, let format):
      return (
        "\(format.rawValue) holds \(values) up to \(limit), and the recording has larger ones",
        ExportError.choosePart + ", or another --format"
      )
    case .noSamples(let format):
      return (
        "there is no sample to export, and a file of \(format.rawValue) cannot be empty",
        "choose another part with --from and --to, or another --format"
      )
    case .bothSensorsNeeded(let option, let recorded):
      return (
        "\(option) needs x, y and z of accelerometer and gyroscope, and the recording has \(ExportError.names(recorded))",
        "leave it out"
      )
    case .tooLongForOrientation(let limit):
      return (
        "the orientation is computed for at most \(limit) samples at a time, and there are more",
        ExportError.choosePart
      )
    case .noCalibration:
      return (
        "the recording has no calibration in its header",
        "give a file of `imulog calibrate` with --calibration, or leave --calibrated out"
      )
    case .unreadCalibration(let reason):
      return (
        "the calibration in the recording's header cannot be read: \(reason)",
        "give a file of `imulog calibrate` with --calibration, or leave --calibrated out"
      )
    case .calibrationOfOther(let name, let sensor, let recorded):
      return (
        "the calibration \(name) is of \(sensor), and the recording of \(recorded)",
        "give its own with --calibration"
      )
    case .implausibleCalibration(let name, let fault):
      return (
        "no sensor is off by so much as the calibration \(name) says: \(fault)",
        "give a file of `imulog calibrate` with --calibration, or leave --calibrated out"
      )
    case .optionsTogether(let one, let other, let reason):
      return ("\(one) does not go with \(other): \(reason); leave one of them out", "")
    case .optionNotSupported("--labels", let format) where format.entry.hasLabels:
      return (
        "--labels is for tables; --format \(format.rawValue) always has the labels", "leave it out"
      )
    case .optionNotSupported("--labels", let format) where format.takes(.directory):
      return (
        "--labels does not go with --format \(format.rawValue), which has labels in a directory",
        "leave it out and give -o DIR/"
      )
    case .optionNotSupported(let option, let format):
      return (
        "\(option) does not go with --format \(format.rawValue)",
        "leave it out or choose another format"
      )
    }
  }

  private static let choosePart = "choose a part with --from and --to"

  private static func names(_ channels: ChannelSet) -> String {
    let names = channels.indices.map { ChannelSet.names[$0] }
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}

extension ExportError: StatusError {
  /// Whether the output, the log or the request is wrong.
  public var exitStatus: ExitStatus {
    switch self {
    case .output: .inputOutput
    case .log(let cause): cause.exitStatus
    case .channelsNotRecorded, .oneSensorOnly, .axesMissing, .optionNotSupported, .tooLong,
      .ticksMissing, .timeNotHeld, .noChipTimes, .noDate, .sensorNeeded, .evenTimesNeeded,
      .rateNotHeld, .noRate, .accelerometerNeeded, .valuesNotHeld, .noSamples, .tooManyPieces,
      .bothSensorsNeeded, .tooLongForOrientation, .optionsTogether, .noCalibration,
      .calibrationOfOther:
      .usage
    case .unusableScale, .implausibleCalibration, .unreadCalibration: .damagedData
    }
  }
}

extension ExportError {
  private static func remedy(_ code: Int32) -> String {
    switch code {
    case ENOSPC, EDQUOT: return "; free space or choose another place"
    case EROFS: return "; choose another place"
    case EBADF: return "; it is closed, so redirect it, or give -o FILE"
    default: return ""
    }
  }
}
