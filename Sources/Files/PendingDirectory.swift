// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel

/// A directory of files that appears under its name only when all of them are complete.
///
///     .pending-3f9a01c2d4e5b677/walk.1.json, walk.2.json ──► walk/
///
/// It is filled under a temporary name beside the final one, synced, and renamed. Without ``publish()``, or when a signal
/// ends the program, it is deleted. An existing directory must be empty, so that nothing of another export is mixed with
/// this one or replaced.
public struct PendingDirectory: ~Copyable {
  private let path: String
  private let temporaryName: TemporaryName
  private var temporary: String { temporaryName.path }

  /// The last part of the path.
  package let name: String

  /// Makes the temporary directory; ignores slashes at the end of the path.
  public init(_ path: String) throws(CommandFailure) {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
    // A link is followed, as that of a file is.
    guard let final = PendingFile.target(of: String(trimmed)) else {
      throw CommandFailure(
        .cannotCreate, "cannot make \(path): \(Errno.words(ELOOP)); choose another -o DIR/")
    }
    let last = final.split(separator: "/").last.map(String.init) ?? ""
    guard !last.isEmpty, last != ".", last != ".." else {
      throw CommandFailure(.usage, "\(path) cannot be a new directory; choose another -o DIR/")
    }
    var status = stat()
    if stat(final, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR, PendingDirectory.names(in: final).isEmpty else {
        throw CommandFailure(
          .cannotCreate, "\(final) exists and is not an empty directory; choose another -o DIR/")
      }
    }
    let held = try TemporaryName(beside: final)
    guard mkdir(held.path, 0o777) == 0 else {
      let failure = PendingDirectory.failure("cannot make", final, errno)
      held.release()
      throw failure
    }
    self.path = final
    name = last
    temporaryName = held
  }

  deinit {
    // After publish() this name is gone.
    for name in PendingDirectory.names(in: temporary) { unlink("\(temporary)/\(name)") }
    rmdir(temporary)
    temporaryName.release()
  }

  /// Makes a file in it with what `fill` writes to its descriptor, and syncs it.
  ///
  /// - Parameter error: Makes the error of a kernel call, for the file's final name.
  package func add<Failure: Error>(
    _ file: String, error: (_ name: String, _ code: Int32) -> Failure,
    _ fill: (_ descriptor: Int32, _ name: String) throws(Failure) -> Void
  ) throws(Failure) {
    let final = "\(path)/\(file)"
    let descriptor = open("\(temporary)/\(file)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw error(final, errno) }
    defer { close(descriptor) }
    try fill(descriptor, final)
    guard fsync(descriptor) == 0 else { throw error(final, errno) }
  }

  /// Renames the directory to its final name.
  public func publish() throws(CommandFailure) {
    try PendingDirectory.sync(temporary)
    // An empty directory of that name is replaced.
    guard rename(temporary, path) == 0 else {
      throw PendingDirectory.failure("cannot name", path, errno)
    }
    try PendingDirectory.sync(parent(of: path))
  }

  private static func sync(_ path: String) throws(CommandFailure) {
    let code = syncNames(in: path)
    if code != 0 { throw failure("cannot sync", path, code) }
  }

  /// The names in a directory; none where it cannot be read.
  private static func names(in path: String) -> [String] {
    do { return try FileSystem(gate: .open).names(in: path) } catch { return [] }
  }

  private static func failure(_ attempt: String, _ path: String, _ code: Int32) -> CommandFailure {
    PendingFile.failure(attempt, path, code, "choose another -o DIR/")
  }
}
