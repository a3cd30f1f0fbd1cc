import Glibc
import IMUModel

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
  public var meaning: String {
    switch errno {
    case EWOULDBLOCK: return "another process has it locked (EAGAIN)"
    case EINTR: return "a signal came that ends the program (EINTR)"
    case ESTALE:
      return
        "while it was written, it was cut, or it or its directory was deleted, moved, replaced or unmounted (ESTALE)"
    default: return Errno.meaning(errno)
    }
  }

  /// What a user can do, in a clause; empty when there is nothing to advise.
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
        + "to a failing card) or choose another store with --store"
    case EACCES: return "run as the user who owns it or choose another store with --store"
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
        "look for what was recorded where the directory was moved to; the next recording makes the store anew"
    case EINTR, EBADF: return ""
    default: return "look it up with `errno \(errno)` or `man 3 errno`"
    }
  }
}
