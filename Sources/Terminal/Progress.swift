// SPDX-License-Identifier: Apache-2.0

package import Files
import Glibc
import IMUModel
import LinuxIO
package import LogStore
import Synchronization
import Text

/// A line that shows the progress of long work on stderr, if that is a terminal: from half a second on, and at most ten
/// times a second. Several threads may report.
public final class ProgressLine: Sendable {
  private struct State {
    var isShown = false
    var lastDrawn: MonotonicTime?
  }

  private let start: MonotonicTime
  private let isTerminal: Bool
  private let state = Mutex(State())

  /// Nanoseconds before the line appears.
  private static let delay: Int64 = 500_000_000
  /// Nanoseconds between two changes.
  private static let period: Int64 = 100_000_000
  /// Erases the line (ECMA-48: carriage return, EL).
  private static let erase = "\r\u{1B}[K"

  /// - Parameter isShown: `false` for work whose results go to the same terminal: the line would mix with them.
  public init(isShown: Bool = true) {
    start = SystemClock().now()
    isTerminal =
      isShown && Console.isTerminal(STDERR_FILENO) && Environment.value("TERM") != "dumb"
  }

  /// Shows `text`, which is evaluated only when it is due.
  public func show(_ text: () -> String) {
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

  /// Shows the share of work that is done: `exporting recording 7: 43 %`; only the work when the whole is unknown.
  public func show(_ work: String, _ done: UInt64, of all: UInt64) {
    show {
      guard all > 0 else { return work }
      return "\(work): \(min(100, UInt64(Double(done) / Double(all) * 100))) %"
    }
  }

  /// Writes a message above the line.
  public func talk(_ line: String) {
    state.withLock { state in
      ProgressLine.clear(&state)
      Console.talk(line)
    }
  }

  /// Removes the line.
  public func end() {
    state.withLock { ProgressLine.clear(&$0) }
  }

  private static func clear(_ state: inout State) {
    guard state.isShown else { return }
    state.isShown = false
    write(erase)
  }

  private static func write(_ text: String) {
    let bytes = Array(text.utf8)
    // If writing to stderr fails there is nowhere to report it.
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }

  /// The terminal's columns; 80 when unknown.
  private static var width: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}

/// A recording's file with a progress line for the present pass of reading.
package struct ProgressStorage: LogStorage, ~Copyable {
  private var storage: FileStorage
  private let line: ProgressLine
  private let attempt: String
  private let length: UInt64

  /// Opens the file for reading; `attempt` is the work, such as `exporting recording 7`.
  package init(reading path: String, _ attempt: String) throws(StorageError) {
    try self.init(try FileStorage(reading: path), attempt)
  }

  /// Reads an open file; without a line when the output goes to the terminal itself.
  package init(
    _ file: consuming FileStorage, _ attempt: String, isShown: Bool = true
  ) throws(StorageError) {
    var storage = file
    // All that can fail comes first: Swift 6.0 cannot destroy a partly initialised value.
    let length = try storage.size()
    self.length = length
    self.attempt = attempt
    self.storage = storage
    line = ProgressLine(isShown: isShown)
  }

  deinit {
    line.end()
  }

  package var name: String { storage.name }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    try storage.append(bytes)
  }

  package mutating func sync() throws(StorageError) { try storage.sync() }

  package mutating func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer)
    throws(StorageError) -> Int
  {
    line.show(attempt, offset, of: length)
    return try storage.read(at: offset, into: buffer)
  }

  package mutating func size() throws(StorageError) -> UInt64 { try storage.size() }

  package mutating func nextData(from offset: UInt64) throws(StorageError) -> UInt64? {
    try storage.nextData(from: offset)
  }

  package mutating func finish() throws(StorageError) { try storage.finish() }
}
