// SPDX-License-Identifier: Apache-2.0

import Export
import Files
import Glibc
import IMUModel
import LogStore

/// Why a hub's directory cannot be used, or a step of a round failed: the sentences, and what mends each.
enum HubError {
  /// The failure that reports any error of a step: those of the disk name what mends a hub, which is neither a single store
  /// nor an output.
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

  /// The failure of a host or a recording, which is named.
  static func failure(_ error: any Error, of subject: String) -> CommandFailure {
    let failure = failure(error)
    return CommandFailure(failure.status, "\(subject): \(failure.sentence)")
  }

  /// The failed call to the kernel, whichever module reports it.
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

  /// What a user can do, in a clause.
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

  /// Whether no file can be written: the disk is full, the quota is used up, or the file system is read-only.
  static func isOfDisk(_ error: any Error) -> Bool {
    storage(error).map { [ENOSPC, EDQUOT, EROFS].contains($0.errno) } ?? false
  }

  /// Does a step; what it throws is reported as ``failure(_:)``.
  static func reporting<Result>(_ step: () throws -> Result) throws(CommandFailure) -> Result {
    do {
      return try step()
    } catch {
      throw failure(error)
    }
  }

  /// There is no such directory.
  static func missing(path: String) -> CommandFailure {
    CommandFailure(
      .noInput, "there is no hub at \(path): make one with `imulog hub \(path) --hosts FILE`")
  }

  /// The directory has other files, and no mark of a hub.
  static func noHub(path: String) -> CommandFailure {
    CommandFailure(
      .usage,
      "\(path) has files and is no hub: name an empty directory, or one that is to be made")
  }

  /// A log of the hub has other bytes than those that were fetched.
  static func changed(path: String) -> CommandFailure {
    CommandFailure(
      .damagedData,
      "\(path) is not what was fetched: it was changed here, or its medium fails; if its machine freed it, restore it there "
        + "first, as its files in the tables go with the log; then remove it with `imulog --store "
        + "\(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) rm`, and the next round fetches it again if it is there"
    )
  }

  /// A store has the recording of this number a second time.
  static func twin(of number: UInt32, store: String) -> CommandFailure {
    CommandFailure(
      .damagedData,
      "it has the UUID of recording \(number): remove one of them with `imulog --store \(store) rm`"
    )
  }

  /// Another host's store has the recording too.
  static func elsewhere(owner: String, store: String) -> CommandFailure {
    CommandFailure(
      .damagedData,
      "it is in the store of \(owner) too, where it counts: remove this one with `imulog --store \(store) rm`"
    )
  }

  /// The log of a recording that came here is gone, and nothing here removed it.
  static func lost(_ id: RecordingID, store: String, samples: String?) -> CommandFailure {
    CommandFailure(
      .damagedData,
      "recording \(id) came here, and its log is neither in \(store) nor in its trash: a disk or a person removed it; put it "
        + "back from a copy, or restore it on its machine, and run a round"
        + (samples.map { "; its files in the tables stay meanwhile, and go if you delete \($0)" }
          ?? ""))
  }
}

/// What derives from a recording ended with a signal of its own making, or took too long: 0.
struct DerivationTrap: StatusError {
  let signal: Int32

  var exitStatus: ExitStatus { .damagedData }
  var description: String {
    "deriving from it \(signal == 0 ? "took too long" : "ended with signal \(signal)"): report that, with its log if you may; its files in "
      + "the tables stay as they are; the first round of the next day (UTC) tries again, and so does one after its labels or "
      + "its calibration changed"
  }
}
