import Glibc
public import IMUModel

/// A call to the storage that failed: what was attempted, on which file, and why.
public struct StorageError: Error, Equatable, Sendable {
  /// What was attempted.
  public enum Operation: String, CaseIterable, Sendable {
    /// `open`, `stat`.
    case open = "opening"
    /// `stat` of a name, without opening it.
    case look = "looking at"
    /// `pread`, `fstat`.
    case read = "reading"
    /// `lseek` with `SEEK_DATA`.
    case seek = "looking for holes in"
    /// `pwrite`.
    case write = "writing to"
    /// `pwrite`, which was not tried because `statvfs` says that only the reserve is free.
    case reserve = "leaving the reserve free beside"
    /// `fdatasync`, `fsync`.
    case sync = "syncing"
    /// `ftruncate`.
    case truncate = "cutting to length"
    /// `flock`.
    case lock = "locking"
    /// `fcntl` with `F_SETLEASE`.
    case lease = "asking who has open"
    /// `opendir`, `readdir`.
    case list = "listing"
    /// `rename`.
    case rename = "renaming"
    /// `unlink`.
    case remove = "removing"
    /// `mkdir`.
    case makeDirectory = "making the directory"
    /// `stat` of the path of a file that is open.
    case find = "finding again"
    /// `fchown`, `fchmod`.
    case handOver = "setting owner and permissions of"
  }

  /// What was attempted.
  public var operation: Operation
  /// The file or directory.
  public var path: String
  /// The kernel's errno.
  public var errno: Int32
  /// Who has the file locked, where that is why and is known.
  public var holder: String?

  /// A failed call.
  public init(_ operation: Operation, path: String, errno: Int32) {
    self.operation = operation
    self.path = path
    self.errno = errno
  }
}

extension StorageError: CustomStringConvertible {
  /// One sentence, such as `writing to /var/x: no space is left on the device (ENOSPC); free space
  /// or …`.
  public var description: String {
    let meaning = holder.map { "\($0) has it locked" } ?? meaning
    return "\(operation.rawValue) \(path): \(meaning)" + (remedy.isEmpty ? "" : "; \(remedy)")
  }
}

extension StorageError: StatusError {
  /// Whether permission, another program, a name or the medium is in the way.
  public var exitStatus: ExitStatus {
    if isForbidden { return errno == EROFS ? .cannotCreate : .noPermission }
    if operation == .lock, errno == EWOULDBLOCK { return .tryAgain }
    let isName = operation == .open || operation == .look
    if isName, isMissing || [EISDIR, ENXIO].contains(errno) { return .noInput }
    switch operation {
    case .open, .makeDirectory, .rename, .handOver: return .cannotCreate
    case .look, .read, .seek, .write, .reserve, .sync, .truncate, .lock, .lease, .list, .remove,
      .find:
      return .inputOutput
    }
  }
}
