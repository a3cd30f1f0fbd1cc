// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
import IMUModel

/// The caller's end of a ``ControlSocket``.
public enum ControlClient {
  /// Longest answer in bytes that is accepted.
  public static let longestAnswer = 65536

  /// Asks the service that listens at `path`.
  ///
  /// - Parameters:
  ///   - path: The socket.
  ///   - line: The question, without an end; shorter than ``ControlSocket/longestLine``.
  ///   - timeoutNanoseconds: How long to wait for the whole answer.
  /// - Returns: The answer without its end.
  /// - Throws: ``LinuxIOError`` of kind `notRunning`, `notPermitted` or `system`.
  public static func ask(
    path: String, line: String, timeoutNanoseconds: Int64 = 10_000_000_000
  ) throws(LinuxIOError) -> String {
    let clock = SystemClock()
    let end = clock.now() + max(0, min(timeoutNanoseconds, .max / 2))
    let stream = try open(path: path, line: line, timeoutNanoseconds: timeoutNanoseconds)
    var answer: [UInt8] = []
    while answer.last != 0x0A {
      let now = clock.now()
      var waiting = pollfd(fd: stream.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard now < end else { throw silent(path, ETIMEDOUT, "did not answer in time") }
      if poll(&waiting, 1, PollTimeout.milliseconds(until: end, now: now)) <= 0 { continue }
      var buffer = [UInt8](repeating: 0, count: 4096)
      // Safe: the count is the array's.
      let count = recv(stream.fileDescriptor, &buffer, buffer.count, 0)
      if count < 0 && errno == EINTR { continue }
      let code = count < 0 ? errno : 0
      guard count > 0 else { throw silent(path, code, "hung up without an answer") }
      answer += buffer.prefix(count)
      guard answer.count <= longestAnswer else {
        throw silent(path, EMSGSIZE, "sent too long an answer")
      }
    }
    return String(decoding: answer.dropLast(), as: UTF8.self)
  }

  /// Requests an endless answer.
  ///
  /// - Throws: As ``ask(path:line:timeoutNanoseconds:)`` before there is an answer.
  public static func open(
    path: String, line: String, timeoutNanoseconds: Int64 = 10_000_000_000
  ) throws(LinuxIOError) -> ControlStream {
    let milliseconds = Int32(clamping: max(1, timeoutNanoseconds / 1_000_000))
    let descriptor = clinuxio_connect(path, milliseconds)
    guard descriptor >= 0 else { throw refused(-descriptor, path) }
    let stream = ControlStream(fileDescriptor: descriptor)
    let bytes = Array((line + "\n").utf8)
    // Safe: the count is the array's. A line is shorter than any buffer of the kernel's, so it is sent whole.
    let sent = clinuxio_send(descriptor, bytes, bytes.count)
    guard sent == bytes.count else { throw refused(sent < 0 ? -sent : EIO, path) }
    return stream
  }

  private static func refused(_ code: Int32, _ path: String) -> LinuxIOError {
    switch code {
    case ENOENT, ECONNREFUSED, ENOTDIR:
      return attempt(path).error(
        "no imulog daemon is listening there", code, "Start it with `sudo systemctl start imulog`.",
        kind: .notRunning)
    case EACCES, EPERM:
      return attempt(path).error(
        "you may not use the service", code, groupRemedy(path), kind: .notPermitted)
    case EAGAIN, ETIMEDOUT:
      return silent(path, code, "did not accept the question in time")
    default: return attempt(path).refused(code, "Look for the reason in `dmesg`.")
    }
  }

  private static func silent(_ path: String, _ code: Int32, _ what: String) -> LinuxIOError {
    attempt(path).error("the service \(what)", code, "Look at `journalctl -u imulog`.")
  }

  private static func attempt(_ path: String) -> Attempt {
    Attempt(attempt: "speaking to the service", place: path)
  }

  /// Names the group that owns the socket, or its directory when that is what is closed.
  private static func groupRemedy(_ path: String) -> String {
    var status = stat()
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let isKnown = stat(path, &status) == 0 || stat(directory, &status) == 0
    let group = isKnown && status.st_gid != 0 ? SystemTree.live.groupName(status.st_gid) : nil
    guard let group else { return "Run it with `sudo`." }
    return "Run `sudo usermod -aG \(group) $USER` and log in again, or use `sudo`."
  }
}

/// An endless answer. Releasing the value hangs up.
public struct ControlStream: ~Copyable {
  /// Ready for reading when there is more.
  public let fileDescriptor: Int32

  deinit { close(fileDescriptor) }

  /// The bytes received so far, without waiting; `nil` when the other end hung up.
  public func read() -> [UInt8]? {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16384)
    // Bounded; a busy service may send more meanwhile.
    while all.count < 1 << 20 {
      // Safe: the count is the array's.
      let count = recv(fileDescriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        all += buffer.prefix(count)
      } else if count < 0, errno == EAGAIN || errno == EINTR {
        return all
      } else {
        return all.isEmpty ? nil : all
      }
    }
    return all
  }
}
