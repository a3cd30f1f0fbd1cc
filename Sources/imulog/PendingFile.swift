import Glibc

/// A file that appears under its name when it is whole, and not at all before.
///
/// It is written under a temporary name in the same directory, synced, and renamed. A value that goes without
/// ``publish()`` takes its file away. What is there already and no regular file (a device, a pipe) is written
/// to as it is: a rename would put a file in its place.
struct PendingFile: ~Copyable {
  /// Where to write.
  let descriptor: Int32
  private let path: String
  /// `nil` when the name is written to directly.
  private let temporary: String?

  init(_ path: String) throws(CommandFailure) {
    let isSpecial = try PendingFile.isSpecial(path)
    let temporary = isSpecial ? nil : "\(path).part-\(getpid())"
    let flags = isSpecial ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL
    let descriptor = open(temporary ?? path, flags | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw PendingFile.failure("cannot open", path, errno) }
    self.path = path
    self.temporary = temporary
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
    // Gone already when it was published.
    if let temporary { unlink(temporary) }
  }

  /// Gives the file its name, in place of what had it.
  func publish() throws(CommandFailure) {
    guard let temporary else { return }
    guard fsync(descriptor) == 0 else { throw PendingFile.failure("cannot sync", path, errno) }
    guard rename(temporary, path) == 0 else {
      throw PendingFile.failure("cannot name", path, errno)
    }
  }

  /// Whether there is something at `path` that is neither a regular file nor a directory.
  private static func isSpecial(_ path: String) throws(CommandFailure) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return false }
      throw failure("cannot open", path, errno)
    }
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFDIR else { throw failure("cannot open", path, EISDIR) }
    return kind != S_IFREG
  }

  private static func failure(_ attempt: String, _ path: String, _ code: Int32) -> CommandFailure {
    let status: ExitStatus = code == EACCES || code == EPERM ? .noPermission : .cannotCreate
    return CommandFailure(
      status, "\(attempt) \(path): \(String(cString: strerror(code))); choose another -o FILE")
  }
}
