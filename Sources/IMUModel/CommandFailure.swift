// SPDX-License-Identifier: Apache-2.0

/// The program's exit statuses (sysexits.h). Never 255, which `ssh` uses for its own errors.
public enum ExitStatus: Int32, Sendable {
  /// A checked recording is flawed or damaged.
  case flawed = 1
  /// The command line was wrong.
  case usage = 64
  /// The data were damaged or of another kind; everything readable was saved.
  case damagedData = 65
  /// No such recording or file.
  case noInput = 66
  /// No sensor was found, or the bus does not exist.
  case unavailable = 69
  /// A file could not be made.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Another program is using it; try again.
  case tryAgain = 75
  /// The system refused permission.
  case noPermission = 77
  /// The requested configuration is not possible.
  case configuration = 78
}

/// A module's error with a sentence for a person and a status for a script.
public protocol StatusError: Error, CustomStringConvertible {
  /// The program's exit status when this error ends it.
  var exitStatus: ExitStatus { get }
}

/// A command that failed: one sentence for a person, one number for a script.
public struct CommandFailure: Error, Sendable {
  /// For a script.
  public let status: ExitStatus
  /// For a person, without a full stop.
  public let sentence: String

  /// A failure with its status and sentence.
  public init(_ status: ExitStatus, _ sentence: String) {
    (self.status, self.sentence) = (status, sentence)
  }

  /// The failure that reports a module's error; `nil` for errors of the command-line parser.
  public init?(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as any StatusError: self.init(error.exitStatus, "\(error)")
    default: return nil
    }
  }

  /// The failure that reports any error; one that no module declares keeps its own description and gets `status`.
  public init(_ error: any Error, else status: ExitStatus) {
    self = CommandFailure(error) ?? CommandFailure(status, "\(error)")
  }
}
