// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
public import LinuxIO
import Text

/// The terminal while it shows a view: screens out, keys in.
///
///     view's screen ─► difference to the shown one ─► bytes ─► terminal, as it accepts them
///     keys ◄─ parser ◄─ bytes ◄───────────────────────────────┘
///
/// While the terminal accepts no bytes, frames are dropped; the program never waits for it.
public final class TerminalSession {
  /// The glyphs that the terminal can show.
  let glyphs: GlyphSet
  private let palette: Palette
  private let device: TerminalDevice
  private let clock = SystemClock()
  private var parser = KeyParser()
  /// When a lone ESC is the Escape key.
  private var flushAt: MonotonicTime?
  private var shown: Screen?
  private var unwritten: ArraySlice<UInt8> = []
  /// Keys that arrived with the terminal's replies.
  private var early: [Key] = []
  /// Whether the terminal is gone.
  private(set) var isGone = false
  /// Whether Ctrl-Z suspends the program; otherwise it is an ordinary key.
  var isStoppable = true

  /// Whether the mouse is reported as keys.
  var hasMouse = false {
    didSet {
      guard hasMouse != oldValue else { return }
      unwritten += Array(TerminalDevice.mouse(isReported: hasMouse).utf8)
      writeOut()
    }
  }

  /// Opens the terminal; throws when it cannot be opened or switched.
  public init() throws(LinuxIOError) {
    let device = try TerminalDevice()
    glyphs = GlyphSet(isASCII: Environment.isASCII)
    var typed: [UInt8] = []
    palette = Palette(device, typed: &typed)
    self.device = device
    early = parser.keys(typed)
  }

  /// Its size in cells.
  var size: (columns: Int, rows: Int) { device.size }

  /// Shows a screen, if the terminal has accepted the previous one.
  func show(_ screen: Screen) {
    writeOut()
    guard unwritten.isEmpty else { return }
    let screen = glyphs.isASCII ? screen.inASCII() : screen
    let bytes = ScreenDifference.bytes(from: shown, to: screen, palette: palette)
    shown = screen
    unwritten = bytes[...]
    writeOut()
  }

  /// What to poll for.
  var descriptors: [pollfd] {
    [
      pollfd(
        fd: device.fileDescriptor,
        events: Int16(POLLIN) | (unwritten.isEmpty ? 0 : Int16(POLLOUT)), revents: 0)
    ]
  }

  /// When to call ``keys()`` although no descriptor is ready; `nil` for never.
  var deadline: MonotonicTime? { early.isEmpty ? flushAt : MonotonicTime(nanoseconds: 0) }

  /// The keys since the last call; see also ``isGone``.
  func keys() -> [Key] {
    writeOut()
    defer { early = [] }
    return early + readKeys()
  }

  /// Handles a signal of ``SignalWatch/atTerminal``; `false` when the program must end.
  func handle(signal: Int32) -> Bool {
    switch signal {
    case SIGWINCH: break
    case SIGTSTP:
      device.suspend()
      unwritten = []
      SignalWatch.stop()
      resume()
    case SIGCONT: resume()
    default: return false
    }
    return true
  }

  /// Waits for keys, signals, a new size or another descriptor, until `deadline` at most. `nil` when the program must end.
  func wait(
    _ signals: borrowing SignalWatch, until deadline: MonotonicTime?, other: Int32? = nil
  ) -> [Key]? {
    var descriptors =
      self.descriptors + [pollfd(fd: signals.fileDescriptor, events: Int16(POLLIN), revents: 0)]
    if let other { descriptors.append(pollfd(fd: other, events: Int16(POLLIN), revents: 0)) }
    let until = [deadline, self.deadline].compactMap { $0 }.min()
    // The result does not matter: all sources are read after each wait.
    _ = poll(
      &descriptors, nfds_t(descriptors.count),
      PollTimeout.milliseconds(until: until, now: clock.now()))
    while let signal = signals.wait(timeoutNanoseconds: 0) {
      guard handle(signal: signal) else { return nil }
    }
    let keys = keys()
    return isGone ? nil : keys
  }

  /// After other programs used the terminal, its contents are unknown.
  private func resume() {
    device.resume()
    shown = nil
    if hasMouse { unwritten += Array(TerminalDevice.mouse(isReported: true).utf8) }
  }

  private func readKeys() -> [Key] {
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
      // To the whole job, as the terminal would send it; this program handles it with its other signals.
      kill(0, SIGTSTP)
    }
    return keys
  }

  /// Nanoseconds that the rest of an escape sequence may take: within a network's delay, unnoticed by a person.
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
  /// Signals that end, resize, suspend or resume a view.
  public static var atTerminal: [Int32] { endings + [SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT] }
}
