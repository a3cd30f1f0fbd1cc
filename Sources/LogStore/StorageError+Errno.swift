import Glibc

/// The one table of this module that says what an errno means for a store and what to do about it.
extension StorageError {
  /// No room is left, for any user, for this user or in this file: a take can still be ended cleanly.
  public var isFull: Bool { errno == ENOSPC || errno == EDQUOT || errno == EFBIG }

  /// What is open is no longer what has this path: it is lost, or elsewhere.
  public var isGone: Bool { errno == ESTALE }

  /// Nothing has this name.
  public var isMissing: Bool { errno == ENOENT }

  /// The user may not do this, or no one may.
  public var isForbidden: Bool { errno == EACCES || errno == EPERM || errno == EROFS }

  /// The meaning of the errno in a clause, with its name.
  public var meaning: String { Self.entry(errno).meaning }

  /// What a user can do, in a clause; empty when there is nothing to advise.
  public var remedy: String { Self.entry(errno).remedy }

  private static func entry(_ errno: Int32) -> (meaning: String, remedy: String) {
    switch errno {
    case ENOSPC:
      return (
        "no space is left on the device (ENOSPC)",
        "free space (`imulog rm --empty-trash`, or delete other files) or choose another store with --store"
      )
    case EDQUOT:
      return (
        "this user's disk quota is used up (EDQUOT)",
        "free space in this user's files or choose another store with --store"
      )
    case EFBIG:
      return (
        "the file would be larger than the file system or the limit allows (EFBIG)",
        "raise the limit (ulimit -f) or choose another store with --store"
      )
    case EROFS:
      return (
        "the file system is read-only (EROFS)",
        "remount it with `sudo mount -o remount,rw` (after a look at `dmesg`: the kernel does this "
          + "to a failing card) or choose another store with --store"
      )
    case EACCES:
      return (
        "permission denied (EACCES)",
        "run as the user who owns it or choose another store with --store"
      )
    case EPERM:
      return (
        "operation not permitted (EPERM)",
        "check `lsattr` for an immutable flag, or choose another store with --store"
      )
    case EIO:
      return (
        "the device reported an input/output error (EIO)",
        "look at `dmesg`; a card that does this should be replaced"
      )
    case ENOENT: return ("there is no such file or directory (ENOENT)", "check the name")
    case EEXIST: return ("it already exists (EEXIST)", "choose another name")
    case ENOTDIR:
      return (
        "it, or a part of the path, is not a directory or is a link to one (ENOTDIR)",
        "move what is in its place away, or choose another directory with --store"
      )
    case EISDIR: return ("it is a directory (EISDIR)", "name a file")
    case ELOOP: return ("too many symbolic links (ELOOP)", "check the links in the path")
    case ENAMETOOLONG: return ("the path is too long (ENAMETOOLONG)", "choose a shorter path")
    case ENODEV, ENXIO:
      return (
        "this is no file, or its device is gone (errno \(errno))", "check that the card is in"
      )
    case EMFILE, ENFILE:
      return ("too many files are open (errno \(errno))", "close programs or raise `ulimit -n`")
    case EWOULDBLOCK: return ("another process has it locked (EAGAIN)", "try again later")
    case EINTR: return ("a signal came that ends the program (EINTR)", "")
    case ENOLCK, EOPNOTSUPP:
      return (
        "the file system cannot lock or sync files (errno \(errno))",
        "choose a store on a local file system with --store"
      )
    case ESTALE:
      return (
        "while it was written, it was cut, or it or its directory was deleted, moved, replaced or unmounted (ESTALE)",
        "look for what was recorded where the directory was moved to; the next recording makes the store anew"
      )
    case EBADF: return ("the file was not opened for this (EBADF)", "")
    default: return ("errno \(errno)", "look it up with `errno \(errno)` or `man 3 errno`")
    }
  }
}
