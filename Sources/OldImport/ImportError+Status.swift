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
    case .guessed(let error, _), .packed(let error): error.exitStatus
    default: .damagedData
    }
  }
}
