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
  /// The error of a table whose unit of times is a guess, if that may have caused it.
  func after(guess: String?) -> ImportError {
    guard let guess else { return self }
    switch self {
    case .noRate, .rateBeyondLog, .otherRate, .line(_, _, .sharesTick), .line(_, _, .late),
      .line(_, _, .drifts), .line(_, _, .holeTooLong), .line(_, _, .timeOutOfRange):
      return .guessed(self, guess: guess)
    default: return self
    }
  }
}
