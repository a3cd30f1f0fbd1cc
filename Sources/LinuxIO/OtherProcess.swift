// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc

/// A child program with pipes to its stdin and from its stdout and stderr, in a process group of its own.
///
/// Dropping the value closes the pipes, ends the whole group and waits for it, because the program may itself be waiting
/// for a lost network. The program also ends with the thread that started it, however that ends.
public struct OtherProcess: ~Copyable {
  /// Its stdin: written to with `write(2)`, which fails with EAGAIN while the pipe is full.
  public let input: Int32
  /// Its stdout: read with `read(2)`.
  public let output: Int32
  /// Its stderr: read with `read(2)`, which fails with EAGAIN while there is nothing. A program whose stderr is not read
  /// stops when the pipe is full, 64 KiB.
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
      throw LinuxIOError(
        kind: .system, attempt: "starting a program", place: program,
        finding: code == -ENOENT ? "there is no such program" : "the kernel refused", errno: -code,
        remedy: code == -ENOENT
          ? "Install it (Debian: apt-get install openssh-client)." : "End other programs.")
    }
    input = child.input
    output = child.output
    talk = child.talk
    pid = child.pid
  }

  deinit {
    for descriptor in [input, output, talk] { close(descriptor) }
    _ = clinuxio_end(pid, 0)
  }

  /// Closes the pipes, waits, and returns its exit status, or 128 plus a signal's number.
  ///
  /// - Parameter milliseconds: How long it may take to end by itself before it is sent SIGTERM, and SIGKILL a second
  ///   later.
  public consuming func end(within milliseconds: Int32) -> Int32 {
    for descriptor in [input, output, talk] { close(descriptor) }
    let status = clinuxio_end(pid, milliseconds)
    discard self
    return status
  }
}

/// The process's priority.
public enum ProcessPriority {
  /// Yields to everything else, on the processor and at the card: nice value 10, the lowest I/O priority. Not
  /// SCHED_BATCH, whose wake-ups are late: a pull wakes up often. For the calling thread and those that it starts.
  public static func stepBack() { clinuxio_step_back() }
}

/// The system's log (syslog(3), facility auth).
public enum SystemLog {
  /// Writes a line; lost where no log listens.
  public static func write(_ line: String, isRefusal: Bool) {
    clinuxio_log(isRefusal ? 1 : 0, line)
  }
}
