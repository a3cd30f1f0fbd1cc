import CLinuxIO
import Glibc

/// A program that was started, with pipes to its stdin and from its stdout.
///
/// What it writes to stderr is kept for ``end(isKilled:)``. A value that is dropped closes both pipes, ends the
/// program with SIGTERM and waits for it: it may be waiting itself for a network that is gone.
public struct OtherProcess: ~Copyable {
  /// Its stdin: written to with `write(2)`.
  public let input: Int32
  /// Its stdout: read with `read(2)`.
  public let output: Int32
  private let talk: Int32
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
    for descriptor in [input, output] { close(descriptor) }
    kill(pid, SIGTERM)
    _ = clinuxio_await(pid)
    close(talk)
  }

  /// Closes both pipes, waits, and says how it ended: its exit status, 128 and a signal's number, and what it wrote
  /// to stderr, at most 64 KiB.
  ///
  /// - Parameter isKilled: Whether to send SIGTERM first; else the end of its input is to end it.
  public consuming func end(isKilled: Bool) -> (status: Int32, talk: String) {
    for descriptor in [input, output] { close(descriptor) }
    if isKilled { kill(pid, SIGTERM) }
    let status = clinuxio_await(pid)
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = pread(talk, &bytes, bytes.count, 0)
    close(talk)
    discard self
    return (status, String(decoding: bytes[..<max(0, count)], as: UTF8.self))
  }
}

/// The process's place among others.
public enum ProcessPriority {
  /// Lets everything else go first, on the processor and at the card: nice value 10, the lowest priority of input
  /// and output. Not SCHED_BATCH, which is woken late, and a pull is many wake-ups. For the calling thread and those
  /// that it starts.
  public static func stepBack() { clinuxio_step_back() }
}

/// The system's log (syslog(3), facility auth).
public enum SystemLog {
  /// Writes a line; lost where no log listens.
  public static func write(_ line: String, isRefusal: Bool) {
    clinuxio_log(isRefusal ? 1 : 0, line)
  }
}
