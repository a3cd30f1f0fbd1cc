/// A call to the storage that failed: what was attempted, on which file, and why.
public struct StorageError: Error, Equatable, Sendable {
  /// What was attempted.
  public enum Operation: String, CaseIterable, Sendable {
    case open = "opening"
    case read = "reading"
    case write = "writing to"
    case sync = "syncing"
    case truncate = "cutting to length"
    case lock = "locking"
    case list = "listing"
    case rename = "renaming"
    case remove = "removing"
    case makeDirectory = "making the directory"
  }

  /// What was attempted.
  public var operation: Operation
  /// The file or directory.
  public var path: String
  /// The kernel's errno.
  public var errno: Int32

  /// A failed call.
  public init(_ operation: Operation, path: String, errno: Int32) {
    self.operation = operation
    self.path = path
    self.errno = errno
  }
}

extension StorageError: CustomStringConvertible {
  /// One sentence, such as `writing to /var/x: no space is left on the device (ENOSPC); free space or …`.
  public var description: String {
    "\(operation.rawValue) \(path): \(meaning)" + (remedy.isEmpty ? "" : "; \(remedy)")
  }
}
