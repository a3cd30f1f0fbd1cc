// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogStore

/// Why a recording cannot be used, as a screen that shows which one it is says it.
///
///     not an imulog recording: it begins with the bytes 55 55 55 55 (000002-20261121T140411Z-e18bf2a1.imulog)
///
/// The reason comes first, because a row is cut at its end, and the file has no directory: the screen names the store.
public enum RecordingProblem {
  /// The sentence about a file.
  ///
  /// - Parameter file: The file's name without a directory.
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
