/// What the program's exit status says (sysexits.h). Never 255, which is `ssh`'s own.
enum ExitStatus: Int32 {
  /// A question was answered with no: a recording that was checked is not as it should be.
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
  /// Someone else is at it; try again.
  case tryAgain = 75
  /// The system refused permission.
  case noPermission = 77
  /// The asked configuration cannot be had.
  case configuration = 78
}

/// A command that could not do what it was asked: one sentence for a person, one number for a script.
struct CommandFailure: Error {
  let status: ExitStatus
  let sentence: String

  init(_ status: ExitStatus, _ sentence: String) {
    self.status = status
    self.sentence = sentence
  }
}
