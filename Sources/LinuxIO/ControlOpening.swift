import CLinuxIO
import Glibc

/// The steps to a control socket at a path, and the sentences when one fails.
struct ControlOpening {
  let path: String

  private var lockPath: String { path + ".lock" }
  private var directory: String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// The lock's descriptor; the lock is held until it, or any other for the same file, is closed.
  func takeLock() throws(LinuxIOError) -> Int32 {
    if !directory.isEmpty, mkdir(directory, 0o750) != 0, errno != EEXIST {
      throw refused(errno)
    }
    let lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard lock >= 0 else { throw refused(errno) }
    let answer = clinuxio_lock_byte(lock, 0)
    guard answer == 0 else {
      let isHeld = answer == -EAGAIN || answer == -EACCES
      let holder = isHeld ? clinuxio_lock_holder(lock, 0) : 0
      close(lock)
      // No holder: it was given up meanwhile, or by a process that this one cannot see.
      throw isHeld ? busy(holder > 0 ? holder : nil, -answer) : refused(-answer)
    }
    return lock
  }

  /// The listening socket's descriptor. Only while the lock is held.
  func listen(backlog: Int32) throws(LinuxIOError) -> Int32 {
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFSOCK else {
        throw error(.system, "something is there that is no socket", EEXIST, "Move it away.")
      }
      unlink(path)
    }
    let listener = clinuxio_listen(path, backlog)
    guard listener >= 0 else { throw refused(-listener) }
    guard chmod(path, 0o660) == 0 else {
      let code = errno
      close(listener)
      throw refused(code)
    }
    return listener
  }

  func refused(_ code: Int32) -> LinuxIOError {
    switch code {
    case EACCES, EPERM, EROFS:
      error(
        .notPermitted, "you may not make it there", code,
        "Let the service make it (`sudo systemctl start imulog`), or name another directory.")
    case ENOENT, ENOTDIR:
      error(
        .system, "the directory is not there", code,
        "Make it: `sudo mkdir -p \(directory)`. Under systemd RuntimeDirectory= does.")
    case ENAMETOOLONG:
      error(
        .system, "the path is longer than \(CLINUXIO_LONGEST_SOCKET_PATH) bytes", code,
        "Name a shorter one.")
    default:
      error(.system, "the kernel refused", code, "Look for the reason in `dmesg`.")
    }
  }

  private func busy(_ holder: Int32?, _ code: Int32) -> LinuxIOError {
    error(
      .busy(process: holder), "\(SystemTree.live.processName(holder)) is serving there already",
      code, "Use that one (`imulog status`), or end it: `sudo systemctl stop imulog`.")
  }

  private func error(
    _ kind: LinuxIOError.Kind, _ finding: String, _ code: Int32, _ remedy: String
  ) -> LinuxIOError {
    LinuxIOError(
      kind: kind, attempt: "opening the control socket", place: path, finding: finding,
      errno: code, remedy: remedy)
  }
}
