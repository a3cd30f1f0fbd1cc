// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Glibc

extension ImportError: StatusError {
  /// Whether the file cannot be read, changes, or holds no samples.
  public var exitStatus: ExitStatus {
    switch self {
    case .file(_, let code): code == ENOENT ? .noInput : .inputOutput
    case .notARegularFile: .noInput
    case .changed: .tryAgain
    case .guessed(let error, _): error.exitStatus
    default: .damagedData
    }
  }
}

extension ImportError {
  /// The error of a table on the grid of the user's rate, whose remedy is not to give one.
  func at(given rate: SampleRate?) -> ImportError {
    guard rate != nil, case .line(let name, let line, let problem) = self else { return self }
    switch problem {
    case .sharesTick(let hertz):
      return .line(name: name, line: line, problem: .notAtRate(hertz: hertz, isShared: true))
    case .late(let hertz):
      return .line(name: name, line: line, problem: .notAtRate(hertz: hertz, isShared: false))
    default: return self
    }
  }

  /// The error of a table whose unit of times is a guess, if that may have caused it.
  func after(guess: String?) -> ImportError {
    guard let guess else { return self }
    switch self {
    case .noRate, .rateBeyondLog, .otherRate, .line(_, _, .sharesTick), .line(_, _, .late),
      .line(_, _, .notAtRate), .line(_, _, .drifts), .line(_, _, .holeTooLong),
      .line(_, _, .timeOutOfRange):
      return .guessed(self, guess: guess)
    default: return self
    }
  }
}
