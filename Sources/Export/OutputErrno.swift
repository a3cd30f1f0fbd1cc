import Glibc

/// What an errno of `write` means for an export: the one table of it in this module.
enum OutputErrno {
  static let brokenPipe = EPIPE
  static let full = [ENOSPC, EDQUOT]

  static func meaning(_ code: Int32) -> String {
    switch code {
    case EPIPE: return "the reader of the pipe went away (EPIPE)"
    case ENOSPC:
      return "no space is left on the device (ENOSPC); free space or choose another place with -o"
    case EDQUOT:
      return "the disk quota is used up (EDQUOT); free space or choose another place with -o"
    case EFBIG: return "the file would be larger than the file system or the limit allows (EFBIG)"
    case EIO: return "the device reported an input/output error (EIO)"
    case EBADF: return "it is not open for writing (EBADF)"
    case EROFS: return "the file system is read-only (EROFS); choose another place with -o"
    default: return "errno \(code)"
    }
  }
}
