// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel
import Text

/// A file that appears under its name only when it is complete.
///
/// It is written under a temporary name in the same directory, synced, and renamed. Without ``publish()``, or when a signal
/// ends the program, the temporary file is deleted. A link is followed. An existing file keeps its permissions, is refused
/// when it is read-only, and stays if the new contents are not whole. A device or pipe is written to directly, because a
/// rename would replace it.
public struct PendingFile: ~Copyable {
  /// The descriptor to write to.
  public let descriptor: Int32
  private let path: String
  private let remedy: String
  /// `nil` for a device or a pipe.
  private let temporary: TemporaryName?

  /// Creates the temporary file.
  ///
  /// - Parameter remedy: What the user can do when that fails.
  public init(_ path: String, remedy: String = "choose another -o FILE") throws(CommandFailure) {
    guard !path.isEmpty else {
      throw CommandFailure(.usage, "the name of the file to write is empty; \(remedy)")
    }
    var status = stat()
    let isThere = stat(path, &status) == 0
    // Nothing is set before all that can fail has not failed.
    var place = path
    var name: TemporaryName?
    let file: Int32
    if isThere, status.st_mode & S_IFMT != S_IFREG {
      file = open(path, O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { throw PendingFile.failure("cannot make", path, errno, remedy) }
    } else {
      guard let target = PendingFile.target(of: path) else {
        throw PendingFile.failure("cannot make", path, ELOOP, remedy)
      }
      guard !isThere || access(path, W_OK) == 0 else {
        throw PendingFile.failure("cannot make", path, errno, remedy)
      }
      place = target
      let made = try PendingFile.make(
        beside: target, permissions: isThere ? status.st_mode & 0o7777 : nil, path, remedy)
      (name, file) = (made.name, made.file)
    }
    self.remedy = remedy
    self.path = place
    temporary = name
    descriptor = file
  }

  /// Makes the temporary file, with the permissions of the one that it will replace.
  private static func make(
    beside target: String, permissions: mode_t?, _ path: String, _ remedy: String
  ) throws(CommandFailure) -> (name: TemporaryName, file: Int32) {
    let name = try TemporaryName(beside: target)
    let file = open(name.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else {
      let code = errno
      name.release()
      throw failure("cannot make", path, code, remedy)
    }
    if let permissions, fchmod(file, permissions) != 0 {
      let code = errno
      close(file)
      unlink(name.path)
      name.release()
      throw failure("cannot set the permissions of", path, code, remedy)
    }
    return (name, file)
  }

  deinit {
    close(descriptor)
    guard let temporary else { return }
    // After publish() this name is gone.
    unlink(temporary.path)
    temporary.release()
  }

  /// Writes all of `bytes`.
  public func write(_ bytes: [UInt8]) throws(CommandFailure) {
    let code = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    guard code == 0 else {
      throw CommandFailure(.inputOutput, "cannot write \(path): \(Errno.words(code)); \(remedy)")
    }
  }

  /// Refuses to replace a file that has contents, for a reason, a clause; `nil` for none.
  public func keep(for reason: String?) throws(CommandFailure) {
    var status = stat()
    guard let reason, temporary != nil, stat(path, &status) == 0, status.st_size > 0 else { return }
    throw CommandFailure(
      .cannotCreate, "\(path) stays as it is: \(reason); delete it first, or \(remedy)")
  }

  /// Renames the file to its final name; replaces an existing one only if the contents are whole.
  public func publish(isWhole: Bool = true) throws(CommandFailure) {
    guard let temporary = temporary?.path else { return }
    try keep(for: isWhole ? nil : "the recording is damaged or has no end, and so not whole")
    guard fsync(descriptor) == 0 else {
      throw PendingFile.failure("cannot sync", path, errno, remedy)
    }
    guard rename(temporary, path) == 0 else {
      throw PendingFile.failure("cannot name", path, errno, remedy)
    }
    let code = syncNames(in: parent(of: path))
    if code != 0 { throw PendingFile.failure("cannot sync the directory of", path, code, remedy) }
  }

  /// The target of `path`, which need not exist; `nil` for a loop of links.
  public static func target(of path: String) -> String? {
    var target = path
    // As many links as the kernel follows.
    for _ in 0...40 {
      guard let next = link(target) else { return target }
      let directory = target.lastIndex(of: "/").map { target[...$0] } ?? ""
      target = next.hasPrefix("/") ? next : directory + next
    }
    return nil
  }

  /// The target of a link; `nil` for everything else.
  private static func link(_ path: String) -> String? {
    let text = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
      // Safe: readlink fills at most the buffer and returns how much. A path is shorter than PATH_MAX.
      let count = buffer.withMemoryRebound(to: CChar.self) {
        $0.baseAddress.map { start in readlink(path, start, Int(PATH_MAX)) } ?? 0
      }
      return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
    return text.isEmpty ? nil : text
  }

  static func failure(
    _ attempt: String, _ path: String, _ code: Int32, _ remedy: String
  ) -> CommandFailure {
    let status: ExitStatus = code == EACCES || code == EPERM ? .noPermission : .cannotCreate
    return CommandFailure(
      status, "\(attempt) \(path): \(Errno.words(code)); \(remedy)")
  }
}

/// The temporary name of a file or a directory, in the directory of its final one: `.pending-3f9a01c2d4e5b677`.
///
/// Its length is the same whatever the final name, which may have all 255 bytes of a file system's limit. The digits are
/// random, so that no other program's file, and no remains of a power failure, have the name. A signal that ends the program
/// while it is held deletes what has it.
package struct TemporaryName {
  package let path: String
  private let number: Int32

  /// Holds a name beside `final`.
  package init(beside final: String) throws(CommandFailure) {
    let digits = UInt64.random(in: .min ... .max).digits(16, radix: 16)
    let directory = final.lastIndex(of: "/").map { final[...$0] } ?? ""
    path = "\(directory).pending-\(digits)"
    number = clinuxio_temporary_hold(path)
    guard number >= 0 else {
      throw CommandFailure(
        .cannotCreate,
        "cannot make \(final): \(Errno.words(-number)); choose a shorter name, or write fewer files at once"
      )
    }
  }

  /// Ends the holding, once what has the name is renamed or deleted.
  package func release() { clinuxio_temporary_release(number) }
}

/// The directory of a path.
func parent(of path: String) -> String {
  path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
}

/// Makes the names in a directory durable, unless this user may only write to it.
///
/// - Returns: 0 or the errno.
func syncNames(in directory: String) -> Int32 {
  let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return errno == EACCES ? 0 : errno }
  defer { close(descriptor) }
  // EINVAL: a file system without directories on a medium.
  return fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno
}
