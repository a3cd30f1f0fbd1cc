// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The meaning of the kernel's error numbers. The remedy depends on the operation, so each module's errors give it.
public enum Errno {
  /// The meaning in a clause, with the number's name; the bare number where this table has none.
  public static func meaning(_ code: Int32) -> String {
    switch code {
    case ENOSPC: return "no space is left on the device (ENOSPC)"
    case EDQUOT: return "this user's disk quota is used up (EDQUOT)"
    case EFBIG: return "the file would be larger than the file system or the limit allows (EFBIG)"
    case EROFS: return "the file system is read-only (EROFS)"
    case EACCES: return "permission denied (EACCES)"
    case EPERM: return "operation not permitted (EPERM)"
    case EIO: return "the device reported an input/output error (EIO)"
    case EPIPE: return "the reader of the pipe went away (EPIPE)"
    case ENOENT: return "there is no such file or directory (ENOENT)"
    case EEXIST: return "it already exists (EEXIST)"
    case ENOTDIR:
      return "it, or a part of the path, is not a directory or is a link to one (ENOTDIR)"
    case EISDIR: return "it is a directory (EISDIR)"
    case ELOOP: return "too many symbolic links (ELOOP)"
    case ENAMETOOLONG: return "the path is too long (ENAMETOOLONG)"
    case ENODEV, ENXIO: return "this is not a file, or its device is gone (errno \(code))"
    case EMFILE, ENFILE: return "too many files are open (errno \(code))"
    case ENOLCK, EOPNOTSUPP: return "the file system cannot lock or sync files (errno \(code))"
    case EBADF: return "the file was not opened for this (EBADF)"
    default: return "errno \(code)"
    }
  }

  /// The C library's words, such as `Permission denied`; never on the sampler thread. The corresponding C function is
  /// `strerror`, which is safe to call from several threads since glibc 2.32.
  public static func words(_ code: Int32) -> String {
    guard let text = strerror(code) else { return "unknown error" }
    // Safe: strerror's text ends in a NUL and is copied before this thread calls strerror again.
    return String(cString: text)
  }
}
