import Glibc
import IMUModel
import LinuxIO
import Terminal

/// What happened at the terminal.
enum TerminalEvent {
  case key(Key)
  /// It has another size, or may show anything.
  case resized
  /// A signal that ends the program, or the terminal went away.
  case ended
}

/// The terminal while a view is on it: screens out, keys in.
///
///     view's screen ─► difference to what is shown ─► bytes ─► terminal, as it takes them
///     keys ◄─ parser ◄─ bytes ◄───────────────────────────────┘
///
/// A terminal that takes nothing for a while gets no new screens meanwhile: frames are left out, and no one waits.
final class TerminalSession {
  /// What the terminal can show.
  let look: Look
  private let palette: Palette
  private let device: TerminalDevice
  private let clock = SystemClock()
  private var parser = KeyParser()
  /// When a lone ESC is the Escape key.
  private var flushAt: MonotonicTime?
  private var shown: Screen?
  private var unwritten: ArraySlice<UInt8> = []
  /// Keys that came with the terminal's answers.
  private var early: [Key] = []
  private var isGone = false
  /// Whether Ctrl-Z gives the terminal back to the shell, as for other programs; else it is a key like all others.
  var isStoppable = true
  /// Bytes that went to the terminal so far.
  private(set) var byteCount = 0

  /// Takes the terminal.
  ///
  /// - Throws: `LinuxIOError` when it cannot be had.
  init() throws(LinuxIOError) {
    let device = try TerminalDevice()
    look = Look(isASCII: Console.isASCII)
    var typed: [UInt8] = []
    palette = TerminalTraits.palette(Environment.value) { BackgroundColour.ask(device, &typed) }
    self.device = device
    early = parser.keys(typed)
  }

  /// Its size in cells.
  var size: (columns: Int, rows: Int) { device.size }

  /// Shows a screen, if the terminal has taken the one before.
  func show(_ screen: Screen) {
    writeOut()
    guard unwritten.isEmpty else { return }
    let screen = look.isASCII ? screen.inASCII() : screen
    let bytes = ScreenDifference.bytes(from: shown, to: screen, palette: palette)
    shown = screen
    byteCount += bytes.count
    unwritten = bytes[...]
    writeOut()
  }

  /// What to poll for: keys, and room for what it has not taken.
  var descriptors: [pollfd] {
    [
      pollfd(
        fd: device.fileDescriptor,
        events: Int16(POLLIN) | (unwritten.isEmpty ? 0 : Int16(POLLOUT)), revents: 0)
    ]
  }

  /// When ``events()`` has something to do though nothing came; `nil` when never.
  var deadline: MonotonicTime? { early.isEmpty ? flushAt : MonotonicTime(nanoseconds: 0) }

  /// What happened since the last call.
  func events() -> [TerminalEvent] {
    writeOut()
    defer { early = [] }
    return (early + takeKeys()).map { .key($0) } + (isGone ? [.ended] : [])
  }

  /// What a signal of ``SignalWatch/atTerminal`` means.
  func event(of signal: Int32) -> TerminalEvent {
    switch signal {
    case SIGWINCH: return .resized
    case SIGTSTP:
      device.lend()
      unwritten = []
      SignalWatch.stop()
      takeAgain()
      return .resized
    case SIGCONT:
      takeAgain()
      return .resized
    default: return .ended
    }
  }

  /// Waits for something to happen, until `deadline` at most.
  ///
  /// - Parameter other: A descriptor to wait for beside the terminal.
  func wait(
    _ signals: borrowing SignalWatch, until deadline: MonotonicTime?, other: Int32? = nil
  ) -> [TerminalEvent] {
    var descriptors =
      self.descriptors + [pollfd(fd: signals.fileDescriptor, events: Int16(POLLIN), revents: 0)]
    if let other { descriptors.append(pollfd(fd: other, events: Int16(POLLIN), revents: 0)) }
    let until = [deadline, self.deadline].compactMap { $0 }.min()
    // Every end of the wait is looked into, also one by a signal.
    _ = poll(
      &descriptors, nfds_t(descriptors.count),
      PollTimeout.milliseconds(until: until, now: clock.now()))
    var events: [TerminalEvent] = []
    while let signal = signals.wait(timeoutNanoseconds: 0) { events.append(event(of: signal)) }
    return events + self.events()
  }

  /// After others had the terminal, nothing is known of what it shows.
  private func takeAgain() {
    device.takeAgain()
    shown = nil
  }

  private func takeKeys() -> [Key] {
    guard let bytes = device.read() else {
      isGone = true
      return []
    }
    var keys = parser.keys(bytes)
    let now = clock.now()
    if !bytes.isEmpty {
      flushAt = parser.hasPending ? now + TerminalSession.escapePatience : nil
    } else if let due = flushAt, now >= due {
      flushAt = nil
      keys += parser.flush()
    }
    if isStoppable, keys.contains(.control("z")) {
      keys.removeAll { $0 == .control("z") }
      // To all of the job, as the terminal would send it; it comes back to this program by its signals.
      kill(0, SIGTSTP)
    }
    return keys
  }

  /// How long the rest of an escape sequence may take, in nanoseconds: long for a person, short for a network.
  private static let escapePatience: Int64 = 50_000_000

  private func writeOut() {
    while !unwritten.isEmpty, !isGone {
      guard let count = device.write(unwritten) else {
        isGone = true
        return
      }
      if count == 0 { return }
      unwritten = unwritten.dropFirst(count)
    }
  }
}

extension SignalWatch {
  /// Signals that end a view, change its size, send it away, or bring it back.
  static var atTerminal: [Int32] { endings + [SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT] }
}
