// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Glibc
import IMUModel
import LogStore

/// Failures of a hub's directory and of steps of a round, with their remedies.
enum HubError {
  /// The failure that reports any error; for errors of the disk the remedy is a hub's, not a store's or an output's.
  static func failure(_ error: any Error) -> CommandFailure {
    guard let storage = storage(error) else { return CommandFailure(error, else: .inputOutput) }
    let isInPlace = [EISDIR, ENXIO, ELOOP, ENOTDIR].contains(storage.errno)
    let status: ExitStatus =
      isInPlace ? .damagedData : storage.isMissing ? .inputOutput : storage.exitStatus
    let meaning = storage.holder.map { "\($0) has it locked" } ?? storage.meaning
    let remedy = remedy(storage)
    return CommandFailure(
      status,
      "\(storage.operation.rawValue) \(storage.path): \(meaning)"
        + (remedy.isEmpty ? "" : "; \(remedy)"))
  }

  static func failure(_ error: any Error, of subject: String) -> CommandFailure {
    let failure = failure(error)
    return CommandFailure(failure.status, "\(subject): \(failure.sentence)")
  }

  /// The failed system call, whichever module reports it.
  private static func storage(_ error: any Error) -> StorageError? {
    switch error {
    case let error as StorageError: error
    case CatalogueError.storage(let error): error
    case CatalogueError.missing(let path): StorageError(.open, path: path, errno: ENOENT)
    case CatalogueError.notADirectory(let path): StorageError(.open, path: path, errno: ENOTDIR)
    case ExportError.output(let name, let code): StorageError(.write, path: name, errno: code)
    default: nil
    }
  }

  private static func remedy(_ error: StorageError) -> String {
    switch error.errno {
    case ENOSPC: "free space: `imulog hub prune` with --empty-trash, or delete other files"
    case EDQUOT: "free space in this user's files"
    case EFBIG:
      "free space, as a derived file may have half of what is free, or raise the limit (ulimit -f)"
    case EROFS: "remount it with `sudo mount -o remount,rw`, after a look at `dmesg`"
    case EACCES: "run as the user who owns the hub"
    case EPERM: "check `lsattr` for an immutable flag, and run as the user who owns the hub"
    case EISDIR, ENXIO, ELOOP, ENOTDIR, EEXIST: "move away what has its place"
    case ENOENT:
      "check that no part of the path is a link that leads nowhere, or on a disk that is gone"
    case ENODEV: "check that its disk is there"
    case ENOLCK, EOPNOTSUPP: "put the hub on a local file system"
    case ESTALE: "look where the hub was moved to"
    default: error.remedy
    }
  }

  /// Whether no file can be written any more.
  static func isOfDisk(_ error: any Error) -> Bool {
    storage(error).map { [ENOSPC, EDQUOT, EROFS].contains($0.errno) } ?? false
  }

  /// Reports what a step throws as ``failure(_:)``.
  static func reporting<Result>(_ step: () throws -> Result) throws(CommandFailure) -> Result {
    do {
      return try step()
    } catch {
      throw failure(error)
    }
  }

  static func missing(path: String) -> CommandFailure {
    CommandFailure(
      .noInput, "there is no hub at \(path): make one with `imulog hub \(path) --hosts FILE`")
  }

  /// The directory has other files, and no mark.
  static func noHub(path: String) -> CommandFailure {
    CommandFailure(
      .usage,
      "\(path) has files and is not a hub: name an empty or a new directory")
  }

  /// A log has other bytes than those that were fetched.
  static func changed(path: String) -> CommandFailure {
    CommandFailure(
      .damagedData,
      "\(path) is not what was fetched: it was changed here, or its medium fails; if its machine freed it, restore it there first; "
        + "then remove it alone (NUMBER, of several sensors NUMBER/NAME) with `imulog --store \(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) rm`, which removes its "
        + "files in the tables too, and the next round fetches it again"
    )
  }

  static func twin(of number: UInt32, store: String) -> CommandFailure {
    CommandFailure(
      .damagedData,
      "it has the UUID of recording \(number): remove one of them with `imulog --store \(store) rm`"
    )
  }

  static func elsewhere(owner: String, store: String) -> CommandFailure {
    CommandFailure(
      .damagedData,
      "it is in the store of \(owner) too, where it counts: remove this one with `imulog --store \(store) rm`"
    )
  }

  /// A log is gone, and no `rm` or prune removed it.
  static func lost(_ id: RecordingID, store: String, samples: String?) -> CommandFailure {
    CommandFailure(
      .damagedData,
      "recording \(id) came here, and its log is neither in \(store) nor in its trash: restore a copy of it, or restore it on "
        + "its machine, and run a round"
        + (samples.map { "; its files in the tables stay until you delete \($0)" }
          ?? ""))
  }
}

/// A derivation ended with a signal of its own making; 0 if it took too long.
struct DerivationTrap: StatusError {
  let signal: Int32

  var exitStatus: ExitStatus { .damagedData }
  var description: String {
    "deriving from it \(signal == 0 ? "took too long" : "ended with signal \(signal)"): report that, with its log if you may; its files in "
      + "the tables stay; a round tries again on the next day (UTC), or after its labels or calibration changed"
  }
}
