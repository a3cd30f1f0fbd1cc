/// What the program's exit status says (sysexits.h). Never 255, which is `ssh`'s own.
public enum ExitStatus: Int32, Sendable {
  /// The answer to a question is no: a recording that was checked is not as it should be.
  case flawed = 1
  /// The command line was wrong.
  case usage = 64
  /// The data were damaged or of another kind; what could be saved was.
  case damagedData = 65
  /// No such recording or file.
  case noInput = 66
  /// No sensor, or the bus is not there.
  case unavailable = 69
  /// A file could not be made.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Another program is at it; try again.
  case tryAgain = 75
  /// The system refused permission.
  case noPermission = 77
  /// The configuration that was asked for cannot be had.
  case configuration = 78
}

/// An error with a sentence for a person and a status for a script: each module's own errors.
public protocol StatusError: Error, CustomStringConvertible {
  /// The program's exit status when this error ends it.
  var exitStatus: ExitStatus { get }
}

/// A command that could not do what it was asked: one sentence for a person, one number for a script.
public struct CommandFailure: Error, Sendable {
  /// For a script.
  public let status: ExitStatus
  /// For a person, without a full stop.
  public let sentence: String

  /// A failure that says so.
  public init(_ status: ExitStatus, _ sentence: String) {
    self.status = status
    self.sentence = sentence
  }

  /// The failure that a module's error is to the user; `nil` for errors of the command line's parser.
  public init?(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as any StatusError: self.init(error.exitStatus, "\(error)")
    default: return nil
    }
  }

  /// The failure that any error is to the user: of one that is no module's, its own words with `status`.
  public init(_ error: any Error, else status: ExitStatus) {
    self = CommandFailure(error) ?? CommandFailure(status, "\(error)")
  }
}
