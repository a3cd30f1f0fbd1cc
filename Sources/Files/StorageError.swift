// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel

/// A call to the storage that failed: what was attempted, on which file, and why.
public struct StorageError: Error, Equatable, Sendable, StatusError {
  /// What was attempted: the words before a file's name.
  public enum Operation: String, CaseIterable, Sendable {
    case open = "opening"
    case look = "looking at"
    case read = "reading"
    case seek = "looking for holes in"
    case write = "writing to"
    /// A write that was not attempted because only the reserve is free.
    case reserve = "leaving the reserve free beside"
    case sync = "syncing"
    case truncate = "cutting to length"
    case lock = "locking"
    case lease = "asking who has open"
    case list = "listing"
    case rename = "renaming"
    case remove = "removing"
    case makeDirectory = "making the directory"
    /// A look at the path of a file that is open.
    case find = "finding again"
    case handOver = "setting owner and permissions of"
  }

  /// What was attempted.
  public var operation: Operation
  /// The file or directory.
  public var path: String
  /// The kernel's reason.
  public var errno: Int32
  /// The program that has the file locked, if known.
  public var holder: String?

  /// A failed call.
  public init(_ operation: Operation, path: String, errno: Int32) {
    (self.operation, self.path, self.errno) = (operation, path, errno)
  }

  /// One sentence: `writing to /var/x: no space is left on the device (ENOSPC); free space or …`.
  public var description: String { "\(operation.rawValue) \(path): \(reason)" }

  /// What follows the file's name in ``description``: for a place that names the recording already.
  public var reason: String {
    let meaning = holder.map { "\($0) has it locked" } ?? meaning
    return meaning + (remedy.isEmpty ? "" : "; \(remedy)")
  }

  /// Whether permission, another program, a name or the medium is the cause.
  public var exitStatus: ExitStatus {
    if isForbidden { return errno == EROFS ? .cannotCreate : .noPermission }
    if operation == .lock, errno == EWOULDBLOCK { return .tryAgain }
    let isName = operation == .open || operation == .look
    if isName, isMissing || [EISDIR, ENXIO].contains(errno) { return .noInput }
    switch operation {
    case .open, .makeDirectory, .rename, .handOver: return .cannotCreate
    default: return .inputOutput
    }
  }
}

/// An errno's meaning for a store, and its remedy.
extension StorageError {
  /// No room is left for any user, this user or this file; a recording can still be ended cleanly.
  public var isFull: Bool { errno == ENOSPC || errno == EDQUOT || errno == EFBIG }

  /// The open file no longer has this path: it is lost, or elsewhere.
  public var isGone: Bool { errno == ESTALE }

  /// Nothing has this name.
  public var isMissing: Bool { errno == ENOENT }

  /// What `body` returns; `nil` where it fails because nothing has the name.
  package static func unlessMissing<Result: ~Copyable>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    do {
      return try body()
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  /// The user may not do this, or no user may.
  public var isForbidden: Bool { errno == EACCES || errno == EPERM || errno == EROFS }

  /// The errno's meaning in a clause, with its name.
  public var meaning: String {
    switch errno {
    case EWOULDBLOCK: return "another process has it locked (EAGAIN)"
    case EINTR: return "a signal is about to end the program (EINTR)"
    case ESTALE:
      return
        "while it was written, it was cut, or it or its directory was deleted, moved, replaced or unmounted (ESTALE)"
    default: return Errno.meaning(errno)
    }
  }

  /// The user's remedy in a clause; empty when there is none.
  public var remedy: String {
    switch errno {
    case ENOSPC:
      return
        "free space (`imulog rm --empty-trash`, or delete other files) or choose another store with --store"
    case EDQUOT: return "free space in this user's files or choose another store with --store"
    case EFBIG: return "raise the limit (ulimit -f) or choose another store with --store"
    case EROFS:
      return
        "remount it with `sudo mount -o remount,rw` (after a look at `dmesg`: the kernel does this "
        + "to a failing card), let the service write there (`sudo systemctl edit imulog`: [Service] and ReadWritePaths=DIR) "
        + "or choose another store with --store"
    case EACCES:
      return "let this user use it, run as the one who owns it or choose another store with --store"
    case EPERM: return "check `lsattr` for an immutable flag, or choose another store with --store"
    case EIO: return "look at `dmesg`; a card that does this should be replaced"
    case ENOENT: return "check the name"
    case EEXIST: return "choose another name"
    case ENOTDIR:
      return
        "move what is in its place away, or choose another directory with --store"
    case EISDIR: return "name a file"
    case ELOOP: return "check the links in the path"
    case ENAMETOOLONG: return "choose a shorter path"
    case ENODEV, ENXIO: return "check that the card is in"
    case EMFILE, ENFILE: return "close programs or raise `ulimit -n`"
    case EWOULDBLOCK: return "try again later"
    case ENOLCK, EOPNOTSUPP: return "choose a store on a local file system with --store"
    case ESTALE:
      return
        "look for the recording where the directory was moved to; the next recording makes a new store"
    case EINTR, EBADF: return ""
    default: return "look it up with `errno \(errno)` or `man 3 errno`"
    }
  }
}
