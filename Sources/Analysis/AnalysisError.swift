// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import LogStore

/// Why a recording cannot be analysed.
public enum AnalysisError: Error, Equatable, Sendable {
  /// The log could not be read.
  case log(LogError)
  /// The stretch has more samples than memory is meant for.
  case tooLong(limit: Int)
  /// The recording has no samples, or the stretch that was asked for.
  case noSamples(isStretch: Bool)
  /// No segment of the recording, or of the stretch that was asked for, has the samples that the shortest one needs;
  /// `longest` is what the longest has, and what divides it again and again, if anything does.
  case tooShort(longest: Int, needed: Int, isStretch: Bool, by: Division? = nil)
  /// The recording has none of the channels that are needed.
  case channelsMissing(needed: String, recorded: ChannelSet)
  /// The curve does not show the terms that a file of noise parameters needs; a clause for each.
  case noiseUnknown([String])

  /// What divides a recording into segments that are too short, however long it is.
  public enum Division: Equatable, Sendable {
    /// The times of a table, which come in bursts or leave gaps.
    case times
    /// Gaps that the recorder names.
    case gaps

    /// From so many divisions on they are no accident: a longer recording would have more of them.
    static let least: UInt64 = 3
  }
}

extension AnalysisError: CustomStringConvertible {
  /// One sentence with the remedy.
  public var description: String {
    switch self {
    case .log(let error): return error.description
    case .tooLong(let limit):
      return
        "there are more than the \(limit) samples that can be analysed at once: choose a stretch with --from and --to"
    case .noSamples(let isStretch):
      return "there is no sample to analyse: choose another "
        + (isStretch ? "stretch with --from and --to" : "recording")
    case .tooShort(let longest, let needed, let isStretch, let division):
      let remedy: String
      switch division {
      case .times:
        remedy =
          "its times come in bursts or leave gaps: if no row is missing, import the table again with --rate and without time= in --columns, which places its rows evenly"
      case .gaps:
        remedy =
          "gaps leave no longer one, and recording for longer does not help: end what `imulog info` names as their cause, or choose another recording"
      case nil:
        remedy = isStretch ? "choose another stretch, or record for longer" : "record for longer"
      }
      return
        "\(longest) \(longest == 1 ? "sample is" : "samples are") the longest run without a gap or an uneven time, and an "
        + "analysis needs \(needed): \(remedy)"
    case .channelsMissing(let needed, let recorded):
      let names = recorded.indices.map { ChannelSet.names[$0] }.joined(separator: ", ")
      return "this needs \(needed), and the recording has \(names): choose another recording"
    case .noiseUnknown(let reasons):
      return
        "noise parameters cannot be written: \(reasons.joined(separator: "; ")): record for hours at rest, without a "
        + "change of temperature, in a range whose counts are finer than the noise"
    }
  }
}

extension AnalysisError: StatusError {
  /// Whether the log or the request is wrong: without a stretch in the request, it is the log.
  public var exitStatus: ExitStatus {
    switch self {
    case .log(let cause): cause.exitStatus
    case .noSamples(let isStretch), .tooShort(_, _, let isStretch, _):
      isStretch ? .usage : .damagedData
    case .tooLong, .channelsMissing, .noiseUnknown: .usage
    }
  }
}
