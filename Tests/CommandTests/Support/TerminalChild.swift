// SPDX-License-Identifier: Apache-2.0

import CTerminalTesting
import Glibc
import TerminalTesting

/// A run of the program at a terminal of its own: a pseudo-terminal (pty(7)), whose screen is kept.
final class TerminalChild {
  let pid: pid_t
  /// What the terminal shows.
  private(set) var terminal: VirtualTerminal
  /// Bytes that the program sent.
  private(set) var sent: [UInt8] = []
  private let descriptor: Int32
  private var isGone = false

  /// Longer than anything takes on a busy machine; what takes longer hangs.
  private static let patience: Int64 = 60_000

  /// Starts a program in a session of its own, whose terminal is the new one: the one that was built beside this
  /// test bundle unless another is given.
  init(
    _ arguments: [String], environment: [String: String], directory: String, columns: Int = 80,
    rows: Int = 24, program: String = Child.program
  ) {
    terminal = VirtualTerminal(columns: columns, rows: rows)
    var buffer = [CChar](repeating: 0, count: 128)
    descriptor = open_terminal(&buffer, buffer.count)
    precondition(descriptor >= 0, "no pseudo-terminal: errno \(errno)")
    let name = String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    TerminalChild.resize(descriptor, columns, rows)
    pid = Child.spawn(
      arguments, environment: environment, directory: directory, program: program
    ) { actions in
      // The first terminal that a session without one opens becomes its own.
      posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    }
  }

  deinit {
    if !isGone {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    close(descriptor)
  }

  /// Types.
  func type(_ keys: String) {
    var bytes = Array(keys.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { bytes = bytes.dropFirst(count) } else { _ = pump(100) }
    }
  }

  /// Makes the terminal larger or smaller.
  func resize(columns: Int, rows: Int) {
    terminal = VirtualTerminal(columns: columns, rows: rows)
    TerminalChild.resize(descriptor, columns, rows)
  }

  /// Sends the program a signal.
  func signal(_ number: Int32) { kill(pid, number) }

  /// Waits until the screen shows what is asked; `false` when the program ended or time is over before.
  func waits(_ isShown: (VirtualTerminal) -> Bool) -> Bool {
    let end = TerminalChild.milliseconds() + TerminalChild.patience
    while TerminalChild.milliseconds() < end {
      if isShown(terminal) { return true }
      guard pump(50) else { return isShown(terminal) }
    }
    return false
  }

  /// Waits until the screen has the words.
  func waits(for words: String) -> Bool { waits { $0.text.contains(words) } }

  /// Takes what the program sends for a time.
  func watch(milliseconds: Int64) {
    let end = TerminalChild.milliseconds() + milliseconds
    while TerminalChild.milliseconds() < end { _ = pump(20) }
  }

  /// Waits for the program's end: its exit status, or a signal's number below zero.
  func status() -> Int32 {
    let end = TerminalChild.milliseconds() + TerminalChild.patience
    while pump(50), TerminalChild.milliseconds() < end {}
    if TerminalChild.milliseconds() >= end { kill(pid, SIGKILL) }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    isGone = true
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : -signal
  }

  /// Whether the terminal is as programs find it: keys in lines, with an echo.
  var isAsBefore: Bool {
    var mode = termios()
    guard tcgetattr(descriptor, &mode) == 0 else { return false }
    let wanted = tcflag_t(ECHO) | tcflag_t(ICANON) | tcflag_t(ISIG)
    return mode.c_lflag & wanted == wanted && mode.c_oflag & tcflag_t(OPOST) != 0
  }

  /// Takes what there is; `false` when the program has released its terminal.
  private func pump(_ milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, milliseconds) > 0 else { return true }
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0 { return errno == EAGAIN || errno == EINTR }
    sent += buffer.prefix(count)
    terminal.feed(buffer.prefix(count))
    return count > 0
  }

  private static func resize(_ descriptor: Int32, _ columns: Int, _ rows: Int) {
    let answer = resize_terminal(descriptor, Int32(columns), Int32(rows))
    precondition(answer == 0, "the terminal takes no size")
  }

  private static func milliseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}
