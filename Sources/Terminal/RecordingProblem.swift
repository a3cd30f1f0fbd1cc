// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogStore

/// Why a recording cannot be used, for a screen. The reason comes first, because a row is cut at its end:
///
///     not an imulog recording: it begins with the bytes 55 55 55 55 (000002-20261121T140411Z-e18bf2a1.imulog)
public enum RecordingProblem {
  /// - Parameter file: The file's name without its directory.
  public static func text(_ error: any Error, file: String) -> String {
    switch error {
    case CatalogueError.log(let error): text(error, file: file)
    case CatalogueError.storage(let error): text(error, file: file)
    case CatalogueError.isLive:
      "the recording is being written, or another program has it locked; stop that first (\(file))"
    case LogError.storage(let error): text(error, file: file)
    case let error as StorageError: "\(error.reason) (\(file))"
    case let error as LogError:
      if case .damagedHeader = error {
        "the header is \(error.reason) (\(file))"
      } else {
        "\(error.reason) (\(file))"
      }
    default: CommandFailure(error)?.sentence ?? "\(error)"
    }
  }
}
