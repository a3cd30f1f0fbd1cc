import Glibc

/// A file that appears under its name when it is whole, and not at all before.
///
/// It is written under a temporary name in the same directory, synced, and renamed. A value that goes without
/// ``publish()`` takes its file away.
struct PendingFile: ~Copyable {
  /// Where to write.
  let descriptor: Int32
  private let path: String
  private let temporary: String

  init(_ path: String) throws(CommandFailure) {
    self.path = path
    temporary = "\(path).part-\(getpid())"
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw PendingFile.failure("cannot make", path, errno) }
  }

  deinit {
    close(descriptor)
    // Gone already when it was published.
    unlink(temporary)
  }

  /// Gives the file its name, in place of what had it.
  func publish() throws(CommandFailure) {
    guard fsync(descriptor) == 0 else { throw PendingFile.failure("cannot sync", path, errno) }
    guard rename(temporary, path) == 0 else {
      throw PendingFile.failure("cannot name", path, errno)
    }
  }

  private static func failure(_ attempt: String, _ path: String, _ code: Int32) -> CommandFailure {
    let status: ExitStatus = code == EACCES || code == EPERM ? .noPermission : .cannotCreate
    return CommandFailure(
      status, "\(attempt) \(path): \(String(cString: strerror(code))); choose another -o FILE")
  }
}
