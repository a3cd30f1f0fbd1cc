// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import ArgumentParser
import Recorder
import Text

/// `imulog status`: prints the state of the service.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the service.",
    discussion: """
      Example:
        imulog status --json
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    let (answer, line) = try ControlReply.ask(
      .status, at: try socketOptions.path(isService: false))
    guard case .status(let status) = answer else {
      throw CommandFailure(.inputOutput, "the service answered something else: \(line)")
    }
    try json ? Console.json(line) : Console.data(status.text)
  }
}

/// `imulog start`: the same as a short press between two recordings.
struct StartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Ask the service to start a recording, as a press of its button does.",
    discussion: """
      Returns when the recording has its first sample.

      Example:
        imulog start
      """)

  @Flag(help: "Note in the recording that the calendar's timer began it.")
  var calendar = false

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try ControlReply.ask(
      calendar ? .startByCalendar : .start, at: try socketOptions.path(isService: false))
  }
}

/// `imulog stop`: the same as a short press during a recording.
struct StopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Ask the service to end its recording and keep it.",
    discussion: """
      Returns when the recording is complete on the card.

      Example:
        imulog stop
      """)

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try ControlReply.ask(.stop, at: try socketOptions.path(isService: false))
  }
}

/// `imulog mark`: the same as two short presses.
struct MarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark",
    abstract: "Set a mark in the service's recording.",
    discussion: """
      The mark has the time at which the request arrived.

      Example:
        imulog mark "kerb"
      """)

  @Argument(help: ArgumentHelp("A label for the mark.", valueName: "words"))
  var words: [String] = []

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    let label = words.joined(separator: " ")
    guard label.utf8.count <= ControlRequest.longestLabel else {
      throw CommandFailure(
        .usage,
        "the mark has \(label.utf8.count) bytes, and \(ControlRequest.longestLabel) fit; shorten it"
      )
    }
    guard !label.unicodeScalars.contains(where: ForeignText.isObeyed) else {
      throw CommandFailure(
        .usage, "the mark has a line feed or another character that cannot be seen; leave it out")
    }
    try ControlReply.ask(.mark(label), at: try socketOptions.path(isService: false))
  }
}

/// `imulog keep`: the same as a long press between two recordings.
struct KeepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep",
    abstract: "Ask the service to keep what it has just sampled as a recording.",
    discussion: """
      The service keeps the last samples in memory: 59 s at 10 Hz, 0.4 s at 1000 Hz.

      Example:
        imulog keep
      """)

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try ControlReply.ask(.keep, at: try socketOptions.path(isService: false))
  }
}

/// `imulog discard`: the same as a long press during a recording.
struct DiscardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard",
    abstract: "Ask the service to move its recording to the trash and start another.",
    discussion: """
      Example:
        imulog discard
      """)

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try ControlReply.ask(.discard, at: try socketOptions.path(isService: false))
  }
}
