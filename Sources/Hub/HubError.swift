// SPDX-License-Identifier: Apache-2.0

import Export
import Glibc
public import IMUModel
import LogStore

/// Why a hub's directory cannot be used, or a step of a round failed.
public enum HubError: StatusError {
  /// There is no such directory.
  case missing(path: String)
  /// The directory has other files, and no mark of a hub.
  case noHub(path: String)
  /// A later version made the hub.
  case later(path: String, version: String)
  /// Another program works on the hub.
  case busy(path: String, holder: String?)
  /// A log of the hub is not what was fetched.
  case changed(path: String)
  /// A store has the recording of this number a second time.
  case twin(of: UInt32)
  /// Another host's store has the recording too.
  case elsewhere(owner: String)
  /// A module's own error.
  case step(CommandFailure)

  init(_ error: any Error) {
    self = error as? HubError ?? .step(CommandFailure(error, else: .inputOutput))
  }

  /// Whether no file can be written: the disk is full, the quota is used up, or the file system is read-only.
  static func isOfDisk(_ error: any Error) -> Bool {
    let code: Int32?
    switch error {
    case let error as StorageError: code = error.errno
    case CatalogueError.storage(let error): code = error.errno
    case ExportError.output(_, let number): code = number
    default: code = nil
    }
    return code.map { [ENOSPC, EDQUOT, EROFS].contains($0) } ?? false
  }

  /// One sentence.
  public var description: String {
    switch self {
    case .missing(let path):
      "there is no hub at \(path): make one with `imulog hub \(path) --hosts FILE`"
    case .noHub(let path):
      "\(path) has files and is no hub: name an empty directory, or one that is to be made"
    case .later(let path, let version):
      "the hub at \(path) is of version \(version), which this imulog does not know: install a newer one"
    case .busy(let path, let holder):
      "\(holder ?? "another imulog") works on the hub at \(path): wait until it has ended"
    case .changed(let path):
      "\(path) is not what was fetched: it was changed here, or its medium fails; remove it with `imulog rm`, and it is "
        + "fetched again if it is still there"
    case .twin(let number):
      "it has the UUID of recording \(number): remove one of them with `imulog rm`"
    case .elsewhere(let owner):
      "it is in the store of \(owner) too, where it counts: remove one of them with `imulog rm`"
    case .step(let failure): failure.sentence
    }
  }

  /// The program's exit status.
  public var exitStatus: ExitStatus {
    switch self {
    case .missing: .noInput
    case .noHub: .usage
    case .later: .configuration
    case .busy: .tryAgain
    case .changed, .twin, .elsewhere: .damagedData
    case .step(let failure): failure.status
    }
  }
}
