// SPDX-License-Identifier: Apache-2.0

import CTerminalTesting
import Glibc

/// A terminal in place of this process's standard input, for a test during which no program starts.
public final class OwnTerminal {
  private let far: Int32
  private let before = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)

  /// A terminal of that size, which neither echoes nor waits for lines; `nil` where there are none.
  public init?(columns: Int32, rows: Int32) {
    var name = [CChar](repeating: 0, count: 100)
    far = open_terminal(&name, name.count)
    let near = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard far >= 0, near >= 0 else { return nil }
    var mode = termios()
    tcgetattr(near, &mode)
    cfmakeraw(&mode)
    guard tcsetattr(near, TCSANOW, &mode) == 0, resize_terminal(far, columns, rows) == 0,
      dup2(near, STDIN_FILENO) == STDIN_FILENO
    else { return nil }
    close(near)
  }

  deinit {
    if before >= 0 {
      dup2(before, STDIN_FILENO)
      close(before)
    }
    close(far)
  }

  /// Types.
  public func type(_ text: String) {
    var bytes = Array(text.utf8)
    write(far, &bytes, bytes.count)
  }

  /// What was written to it since the last call.
  public func written() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65536)
    return Array(bytes[..<max(0, read(far, &bytes, bytes.count))])
  }
}
