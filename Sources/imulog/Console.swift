import Glibc
import IMUModel

/// The two ways to speak: stdout is data, stderr is talk. All text that a person reads leaves the program here, or as
/// a `Screen`: nothing in it is obeyed by a terminal, and it is ASCII where the locale knows no other characters. JSON
/// and exports are data for programs: they leave in UTF-8, and JSON escapes what a terminal could obey.
enum Console {
  /// Whether the locale knows ASCII alone.
  static let isASCII = TerminalTraits.isASCII(Environment.value)

  /// Writes lines for a person to stdout. A reader of the pipe that went away has had enough, hence no error.
  static func data(_ lines: String) throws(CommandFailure) {
    // A cell's own line feeds are gone by now; what else would be obeyed and got here is stopped here.
    try write(Console.lines(lines).map(Plain.text), to: STDOUT_FILENO)
  }

  /// Writes JSON to stdout, in UTF-8 whatever the locale. A reader that went away is no error.
  static func json(_ text: String) throws(CommandFailure) {
    // JSON of this program has nothing to be obeyed in it; that of the service at the other end of a socket may.
    try write(Console.lines(text).map(ForeignText.shown), to: STDOUT_FILENO)
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }

  /// Writes a line of talk to stderr. Where stderr is closed no program listens, hence no error.
  static func talk(_ line: String) {
    var text = "imulog: " + Plain.text(line) + "\n"
    text.withUTF8 { bytes in
      // There is no way to report that reporting failed.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }

  /// Whether a person's terminal is at the descriptor.
  static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// Whether no program reads the pipe at the descriptor any more.
  static func isReaderGone(_ descriptor: Int32) -> Bool {
    // Asked for nothing, poll reports errors alone: POLLERR at a pipe's end, POLLHUP at a socket's.
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && Int32(entry.revents) & (POLLERR | POLLHUP) != 0
  }

  private static func write(_ lines: [String], to descriptor: Int32) throws(CommandFailure) {
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { all in
        // Safe: `done` is below the count, so the pointer stays inside the array.
        Glibc.write(descriptor, all.baseAddress?.advanced(by: done), all.count - done)
      }
      if count >= 0 {
        done += count
      } else if errno == EPIPE {
        return
      } else if errno != EINTR {
        let reason = String(cString: strerror(errno))
        throw CommandFailure(.inputOutput, "cannot write the output: \(reason)")
      }
    }
  }
}
