import Glibc

/// The two ways to speak: stdout is data, stderr is talk.
enum Console {
  /// Writes a line of data to stdout. A reader of the pipe that went away has had enough, hence no error.
  static func data(_ line: String) throws(CommandFailure) {
    try write(line + "\n", to: STDOUT_FILENO)
  }

  /// Writes a line of talk to stderr. A closed stderr is nobody listening, hence no error.
  static func talk(_ line: String) {
    var text = "imulog: " + line + "\n"
    text.withUTF8 { bytes in
      // Nobody could be told that telling failed.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }

  /// Whether a person's terminal is at the descriptor.
  static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// Whether nobody reads the pipe at the descriptor any more.
  static func isReaderGone(_ descriptor: Int32) -> Bool {
    // Asked for nothing, poll tells errors alone: POLLERR at a pipe's end, POLLHUP at a socket's.
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && Int32(entry.revents) & (POLLERR | POLLHUP) != 0
  }

  private static func write(_ text: String, to descriptor: Int32) throws(CommandFailure) {
    let bytes = Array(text.utf8)
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
