// SPDX-License-Identifier: Apache-2.0

import Glibc
public import IMUModel
import Text

/// The program's output: data goes to stdout, messages go to stderr.
///
/// All text for a person leaves the program here or as a `Screen`: without anything that a terminal obeys, and in ASCII
/// where the locale has no UTF-8. JSON and exports are UTF-8 in every locale; JSON escapes what a terminal could obey.
public enum Console {
  /// Writes lines for a person to stdout. A closed pipe is not an error: its reader has seen enough.
  public static func data(_ lines: String) throws(CommandFailure) {
    // Line feeds inside cells were replaced earlier; this replaces everything else that a terminal would obey.
    try write(Console.lines(lines).map(Plain.text), to: STDOUT_FILENO)
  }

  /// Writes JSON to stdout, as UTF-8 in every locale. A closed pipe is not an error.
  public static func json(_ text: String) throws(CommandFailure) {
    // A service's JSON may not be as clean as the program's own.
    try write(Console.lines(text).map(ForeignText.shown), to: STDOUT_FILENO)
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }

  /// Writes a message to stderr. A closed stderr is not an error.
  public static func talk(_ line: String) { talk([line]) }

  /// Writes a message of several lines to stderr.
  public static func talk(_ lines: [String]) {
    var text = "imulog: " + lines.map { Plain.text($0) + "\n" }.joined()
    text.withUTF8 { bytes in
      // There is no way to report that reporting failed.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }

  /// Whether the descriptor is a terminal.
  public static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// Whether the last reader of the pipe at the descriptor has gone.
  public static func isReaderGone(_ descriptor: Int32) -> Bool {
    // Without requested events, poll reports errors only: POLLERR for a pipe, POLLHUP for a socket.
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && Int32(entry.revents) & (POLLERR | POLLHUP) != 0
  }

  private static func write(_ lines: [String], to descriptor: Int32) throws(CommandFailure) {
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    let code = bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    guard code != 0, code != EPIPE else { return }
    let words =
      code == EBADF
      ? "stdout is closed; redirect it to a file, a pipe or /dev/null" : Errno.words(code)
    throw CommandFailure(.inputOutput, "cannot write the output: \(words)")
  }
}
