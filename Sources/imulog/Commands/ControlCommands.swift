// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import Glibc
import IMUModel
import LinuxIO
import Recorder
import Text

/// `imulog status`: prints the state of the service.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the service.",
    examples: "imulog status --json")

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    let (status, line) = try socketOptions.status()
    try json ? Console.json(line) : Console.data(status.text)
  }
}

/// `imulog start`: a short press between two recordings.
struct StartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start a recording of the service; returns when it has its first sample.",
    examples: "imulog start")

  @Flag(help: "Note in the recording that the calendar's timer began it.")
  var calendar = false

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try socketOptions.ask(calendar ? .startByCalendar : .start)
  }
}

/// `imulog stop`: a short press during a recording.
struct StopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "End the service's recording and keep it; returns when all is on the card.",
    examples: "imulog stop")

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try socketOptions.ask(.stop)
  }
}

/// `imulog mark`: two short presses.
struct MarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Set a mark in the service's recording, at the time when the request arrives.",
    examples: "imulog mark \"kerb\"")

  @Argument(help: .value("words", "A label for the mark."))
  var words: [String] = []

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    let label = words.joined(separator: " ")
    guard label.utf8.count <= ControlRequest.longestLabel else {
      let (count, limit) = (label.utf8.count, ControlRequest.longestLabel)
      throw CommandFailure.usage("the mark has \(count) bytes, and \(limit) fit; shorten it")
    }
    guard !label.unicodeScalars.contains(where: ForeignText.isObeyed) else {
      throw CommandFailure.usage(
        "the mark has a line feed or another character that cannot be seen; leave it out")
    }
    try socketOptions.ask(.mark(label))
  }
}

/// `imulog keep`: a long press between two recordings.
struct KeepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep",
    abstract: "Keep what the service has just sampled as a recording.",
    discussion: """
      It has the last samples in memory: 59 s at 10 Hz, 0.4 s at 1000 Hz.
      """,
    examples: "imulog keep")

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try socketOptions.ask(.keep)
  }
}

/// `imulog discard`: a long press during a recording.
struct DiscardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard",
    abstract: "Move the service's recording to the trash and start another.",
    examples: "imulog discard")

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try socketOptions.ask(.discard)
  }
}

/// The caller's side of a request.
enum ControlReply {
  /// Nanoseconds to wait for the answer: longer than the service lets a caller wait.
  private static func patience(_ request: ControlRequest) -> Int64 {
    request == .status
      ? 10_000_000_000
      : PendingRequests<Int>.patience(period: .max) + 10_000_000_000
  }

  /// Sends a request to the service at `path`, and throws its refusal.
  ///
  /// - Returns: The answer, parsed and as its line.
  @discardableResult
  static func ask(
    _ request: ControlRequest, at path: String
  ) throws -> (ControlAnswer, line: String) {
    let line = try ControlClient.ask(
      path: path, line: request.line, timeoutNanoseconds: patience(request))
    let answer: ControlAnswer
    do {
      answer = try ControlAnswer(line: line)
    } catch {
      throw CommandFailure(.inputOutput, "asking the service (\(path)): \(error)")
    }
    if case .refused(let status, let message) = answer {
      throw CommandFailure(ExitStatus(rawValue: status) ?? .tryAgain, message)
    }
    return (answer, line)
  }
}

/// Finds the service's control socket.
enum ControlPath {
  /// The first of: `given`, `IMULOG_SOCKET`, `$RUNTIME_DIRECTORY/control` (set by systemd for the service),
  /// `/run/imulog/control` where such a service runs, `$XDG_RUNTIME_DIR/imulog/control`.
  static func path(_ given: String?, isService: Bool) throws(CommandFailure) -> String {
    for candidate in [given, Environment.value("IMULOG_SOCKET")] {
      if let candidate, !candidate.isEmpty { return candidate }
    }
    // The first of several run directories is imulog's.
    let run = Environment.value("RUNTIME_DIRECTORY")?.split(separator: ":").first
    if isService, let run { return "\(run)/control" }
    let system = "/run/imulog/control"
    if !isService, access(system, F_OK) == 0 { return system }
    if let own = Environment.value("XDG_RUNTIME_DIR"), own.hasPrefix("/") {
      return own + "/imulog/control"
    }
    if !isService { return system }
    throw CommandFailure(
      .configuration,
      "there is no directory for the control socket (neither RUNTIME_DIRECTORY nor XDG_RUNTIME_DIR is set);"
        + " give --socket PATH")
  }
}
