// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc

/// The user's terminal while a program draws on it: single keys, no echo, the alternate screen, no cursor. Restored when
/// this value is destroyed, and after a crash.
///
/// It is opened anew by its name, so that neither reading nor writing waits: an inherited descriptor is shared with the
/// shell and must not be made nonblocking.
public struct TerminalDevice: ~Copyable {
  /// Ready for reading when keys were pressed.
  public let fileDescriptor: Int32

  /// The alternate screen (DECSET 1049), no cursor (25). (xterm control sequences.)
  private static var enter: String { "\u{1B}[?1049h\u{1B}[?25l" }
  /// Normal style, no reports of the mouse, the cursor, the first screen.
  private static var leave: String {
    "\u{1B}[m" + mouse(isReported: false) + "\u{1B}[?25h\u{1B}[?1049l"
  }

  /// Switches reports of the mouse: presses, releases and moves with a button (DECSET 1002), in decimal (1006). The user
  /// then selects text with Shift.
  public static func mouse(isReported: Bool) -> String {
    isReported ? "\u{1B}[?1002h\u{1B}[?1006h" : "\u{1B}[?1006l\u{1B}[?1002l"
  }

  /// Whether stdin and stdout are a terminal that can be drawn on: `TERM` is neither missing nor `dumb`.
  public static func isThere(term: String?) -> Bool {
    guard let term, !term.isEmpty, term != "dumb" else { return false }
    return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
  }

  /// Takes the terminal. One value at a time.
  ///
  /// - Throws: ``LinuxIOError`` when it cannot be opened or switched; it is unchanged then.
  public init() throws(LinuxIOError) {
    let descriptor = TerminalDevice.open()
    guard descriptor >= 0 else { throw TerminalDevice.refused(errno) }
    let answer = clinuxio_terminal_take(descriptor, TerminalDevice.enter, TerminalDevice.leave)
    guard answer == 0 else {
      close(descriptor)
      throw TerminalDevice.refused(-answer)
    }
    fileDescriptor = descriptor
  }

  deinit {
    clinuxio_terminal_restore()
    close(fileDescriptor)
  }

  /// Its size in cells; 80 × 24 where it reports none (a serial line).
  public var size: (columns: Int, rows: Int) {
    var columns: Int32 = 0
    var rows: Int32 = 0
    let answer = clinuxio_terminal_size(fileDescriptor, &columns, &rows)
    guard answer >= 0, columns > 0, rows > 0 else { return (80, 24) }
    return (Int(columns), Int(rows))
  }

  /// Restores it until ``resume()``.
  public func suspend() { clinuxio_terminal_suspend() }

  /// Takes it again after another program had it; its contents are unknown then.
  public func resume() {
    // It was granted before; if it is refused now, drawing continues as well as possible.
    _ = clinuxio_terminal_resume()
  }

  /// Typed bytes, without waiting; `nil` when the terminal is gone.
  public func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1024)
    // Safe: the count is the array's.
    let count = Glibc.read(fileDescriptor, &buffer, buffer.count)
    if count > 0 { return Array(buffer.prefix(count)) }
    if count < 0, errno == EAGAIN || errno == EINTR { return [] }
    return nil
  }

  /// Writes as much as there is room for; returns how many bytes, `nil` when the terminal is gone.
  public func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let count = bytes.withUnsafeBytes { Glibc.write(fileDescriptor, $0.baseAddress, $0.count) }
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  private static func open() -> Int32 {
    let flags = O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    var name = [CChar](repeating: 0, count: 256)
    if ttyname_r(STDIN_FILENO, &name, name.count) == 0 {
      let descriptor = Glibc.open(name, flags)
      if descriptor >= 0 { return descriptor }
    }
    // In a container the name may lead nowhere.
    return Glibc.open("/dev/tty", flags)
  }

  private static func refused(_ code: Int32) -> LinuxIOError {
    Attempt(attempt: "drawing on the terminal", place: "stdin").refused(
      code, "Give --plain, or send the output through a pipe.")
  }
}
