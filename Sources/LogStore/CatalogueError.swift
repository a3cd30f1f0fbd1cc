// SPDX-License-Identifier: Apache-2.0

public import Files
public import IMUModel

/// Why a store, or a recording in it, cannot be used, and the remedy.
public enum CatalogueError: Error, Equatable, Sendable {
  /// There is nothing at the store's path.
  case missing(path: String)
  /// The store's path is a file.
  case notADirectory(path: String)
  /// A call to the kernel failed.
  case storage(StorageError)
  /// No recording is meant by `id`; `existing` is a clause about those there are.
  case notFound(id: String, path: String, existing: String)
  /// The recording is being written, or another program has its file locked.
  case isLive(file: String)
  /// The recording is in the store already, under this number.
  case present(id: String, number: UInt32)
  /// The recording's header cannot be read, or cannot be written because a text is too long.
  case log(LogError)
  /// Anything else: a sentence with the remedy.
  case refused(String, ExitStatus)

  static func outOfNumbers(_ path: String) -> CatalogueError {
    .refused(
      "the numbers of store \(path) are used up; start another store with --store", .cannotCreate)
  }

  /// Whether the disk, or the user's quota, is full.
  public var isFull: Bool {
    guard case .storage(let error) = self else { return false }
    return error.isFull
  }
}

extension CatalogueError: StatusError {
  /// One sentence with the remedy.
  public var description: String {
    switch self {
    case .missing(let path):
      return "there is no store at \(path); a recording makes one, or name another with --store"
    case .notADirectory(let path):
      return "the store \(path) is a file and not a directory; name a directory with --store"
    case .storage(let error): return error.description
    case .notFound(let id, let path, let existing):
      return "no recording \(id) in \(path): \(existing)"
    case .isLive(let file):
      return "\(file) is being written, or locked by another program; stop that first"
    case .present(let id, let number):
      return "recording \(id) is in the store already, as number \(number)"
    case .log(let error): return error.description
    case .refused(let sentence, _): return sentence
    }
  }

  /// Whether the recording, the directory or the storage is in the way.
  public var exitStatus: ExitStatus {
    switch self {
    case .missing, .notFound: .noInput
    case .notADirectory, .present: .cannotCreate
    case .isLive: .tryAgain
    case .storage(let cause): cause.exitStatus
    case .log(let cause): cause.exitStatus
    case .refused(_, let status): status
    }
  }
}
