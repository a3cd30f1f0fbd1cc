import Glibc
import IMUModel
import LinuxIO
import Synchronization

/// A line at the bottom of a terminal that says how far a long piece of work is.
///
/// It goes to stderr, only where a terminal is, only for work that takes longer than half a second, and is drawn
/// anew at most ten times a second. Several threads may report.
final class ProgressLine: Sendable {
  private struct State {
    var isShown = false
    var lastDrawn: MonotonicTime?
  }

  private let start: MonotonicTime
  private let isTerminal: Bool
  private let state = Mutex(State())

  /// Nanoseconds before the line is drawn the first time.
  private static let delay: Int64 = 500_000_000
  /// Nanoseconds between two drawings.
  private static let period: Int64 = 100_000_000
  /// Goes to the line's begin and erases it (ECMA-48: carriage return, EL).
  private static let erase = "\r\u{1B}[K"

  /// Work that begins now.
  ///
  /// - Parameter isShown: `false` for work whose results go to the same terminal: the line would lie among them.
  init(isShown: Bool = true) {
    start = SystemClock().now()
    isTerminal =
      isShown && Console.isTerminal(STDERR_FILENO) && Environment.value("TERM") != "dumb"
  }

  /// Draws `text` if it is time to; it is not even made otherwise.
  func show(_ text: () -> String) {
    guard isTerminal else { return }
    let now = SystemClock().now()
    state.withLock { state in
      guard now - start >= ProgressLine.delay else { return }
      if let last = state.lastDrawn, now - last < ProgressLine.period { return }
      state.lastDrawn = now
      state.isShown = true
      let width = max(20, ProgressLine.width - 1)
      ProgressLine.write(ProgressLine.erase + String(Plain.text(text()).prefix(width)))
    }
  }

  /// Writes a line of talk above the line.
  func talk(_ line: String) {
    state.withLock { state in
      ProgressLine.clear(&state)
      Console.talk(line)
    }
  }

  /// Takes the line away.
  func end() {
    state.withLock { ProgressLine.clear(&$0) }
  }

  private static func clear(_ state: inout State) {
    guard state.isShown else { return }
    state.isShown = false
    write(erase)
  }

  private static func write(_ text: String) {
    let bytes = Array(text.utf8)
    // There is no way to report that reporting failed.
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }

  /// The terminal's columns; 80 when it does not say.
  private static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
