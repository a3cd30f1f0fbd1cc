// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
import IMUModel
import Text

/// A child program with pipes to its stdin and from its stdout and stderr, in a process group of its own.
///
/// Dropping the value closes the pipes, kills the whole group and waits for it: the program may itself be waiting for a
/// lost network. The program also ends with the thread that started it.
public struct OtherProcess: ~Copyable {
  /// Its stdin: written to with `write(2)`, which fails with EAGAIN while the pipe is full.
  public let input: Int32
  /// Its stdout: read with `read(2)`.
  public let output: Int32
  /// Its stderr: read with `read(2)`, which fails with EAGAIN while there is nothing. Read it: the program blocks when the
  /// pipe, 64 KiB, is full.
  public let talk: Int32
  private let pid: pid_t

  /// Starts a program, searched for in `PATH`, with these arguments.
  public init(_ program: String, _ arguments: [String]) throws(LinuxIOError) {
    var child = clinuxio_child()
    let words = ([program] + arguments).map { strdup($0) }
    // Safe: each word was made by strdup, and spawning copies them.
    defer { for word in words { free(word) } }
    let code = (words + [nil]).withUnsafeBufferPointer { list in
      list.baseAddress.map { clinuxio_start($0, &child) } ?? -EINVAL
    }
    guard code == 0 else {
      throw Attempt(attempt: "starting a program", place: program).error(
        code == -ENOENT ? "there is no such program" : "the kernel refused", -code,
        OtherProcess.remedy(program, -code))
    }
    input = child.input
    output = child.output
    talk = child.talk
    pid = child.pid
  }

  private static func remedy(_ program: String, _ errno: Int32) -> String {
    switch errno {
    case ENOENT where program == "ssh":
      "Install it (Debian: apt-get install openssh-client)."
    case ENOENT: "Install it, or name it by its path."
    case EACCES, ENOEXEC, ENOTDIR:
      "Name a program; a script begins with #! and is made one by chmod +x."
    default: "End other programs."
    }
  }

  deinit {
    for descriptor in [input, output, talk] { close(descriptor) }
    _ = clinuxio_end(pid, 0)
  }

  /// Closes the pipes, waits, and returns its exit status, or 128 plus a signal's number. After `milliseconds` it is sent
  /// SIGTERM, and SIGKILL a second later.
  public consuming func end(within milliseconds: Int32) -> Int32 {
    for descriptor in [input, output, talk] { close(descriptor) }
    let status = clinuxio_end(pid, milliseconds)
    discard self
    return status
  }

  /// Whether it has ended.
  public var hasEnded: Bool { clinuxio_has_ended(pid) != 0 }

  /// How a program ended.
  public struct Ending: Sendable {
    /// Its exit status, or 128 plus a signal's number.
    public let status: Int32
    /// Whether it took too long and was killed.
    public let isLate: Bool
    /// The first 4 MiB that it wrote to stdout.
    public let output: [UInt8]
    /// The last line that it wrote to stderr.
    public let lastLine: String

    /// The failure as the end of a sentence about the program; `nil` if it ended with status 0.
    public var trouble: String? {
      guard status != 0 || isLate else { return nil }
      let reason = lastLine.isEmpty ? "" : ": " + ForeignText.shown(lastLine)
      return (isLate ? "took too long, and was ended" : "ended with status \(status)") + reason
    }
  }

  /// Writes to its stdin as much as the pipe has room for, 64 KiB at the beginning; returns whether that was all.
  public func offer(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // Safe: the count is that of the bytes.
      let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Closes its stdin, reads its output, and waits for its end, at most `nanoseconds`; then kills its process group.
  public consuming func finish(within nanoseconds: Int64) -> Ending {
    let clock = SystemClock()
    let end = clock.now() + nanoseconds
    close(input)
    var line = LastLine()
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    var isOpen = [true, true]
    // Not the end of its outputs: it may close them first, or leave them to another program, which may write without end.
    // What it wrote itself is in the pipes by its end.
    var hasEnded = false
    var unread = 2 * OtherProcess.pipe
    while true {
      let left = end - clock.now()
      hasEnded = hasEnded || clinuxio_has_ended(pid) != 0
      guard left > 0, !hasEnded || unread > 0 && isOpen.contains(true) else { break }
      var waiting = [output, talk].enumerated().map {
        pollfd(fd: isOpen[$0] ? $1 : -1, events: Int16(POLLIN), revents: 0)
      }
      let milliseconds = hasEnded ? 0 : min(OtherProcess.lookEvery, (left + 999_999) / 1_000_000)
      guard poll(&waiting, 2, Int32(milliseconds)) > 0 else {
        if hasEnded { break }
        continue
      }
      for index in 0..<2 where waiting[index].revents != 0 {
        let count = read(waiting[index].fd, &buffer, buffer.count)
        if count > 0 {
          if hasEnded { unread -= count }
          if index == 1 {
            line.add(buffer[..<count])
          } else if text.count < OtherProcess.mostOutput {
            text += buffer[..<count]
          }
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
          isOpen[index] = false
        }
      }
    }
    let isLate = !hasEnded
    for descriptor in [output, talk] { close(descriptor) }
    let status = clinuxio_end(pid, 0)
    discard self
    return Ending(status: status, isLate: isLate, output: text, lastLine: line.text)
  }

  /// Milliseconds between two looks whether it has ended, while it writes nothing.
  private static var lookEvery: Int64 { 5 }
  /// Bytes that the pipe from its stdout holds, the larger one (Processes.c).
  private static var pipe: Int { 1 << 20 }
  /// Bytes of output that are kept.
  private static var mostOutput: Int { 4 << 20 }

  /// The last line of a text that comes in pieces.
  private struct LastLine {
    private var bytes: [UInt8] = []
    private static let longest = 1000

    mutating func add(_ piece: ArraySlice<UInt8>) {
      for byte in piece {
        if bytes.last == UInt8(ascii: "\n") { bytes.removeAll(keepingCapacity: true) }
        if bytes.count < LastLine.longest || byte == UInt8(ascii: "\n") { bytes.append(byte) }
      }
    }

    var text: String {
      String(
        decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }
  }
}

/// The process's priority.
public enum ProcessPriority {
  /// Lowers the calling thread, and those that it starts, to nice value 10 and the lowest I/O priority. Not to SCHED_BATCH,
  /// whose wake-ups are late: a pull wakes up often.
  public static func stepBack() { clinuxio_step_back() }
}

/// The system's log (syslog(3), facility auth).
public enum SystemLog {
  /// Writes a line; lost where no log listens.
  public static func write(_ line: String, isRefusal: Bool) {
    clinuxio_log(isRefusal ? 1 : 0, line)
  }
}
