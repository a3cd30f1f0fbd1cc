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
    let (status, line) = try socketOptions.status()
    try json ? Console.json(line) : Console.data(status.text)
  }
}

/// `imulog start`: a short press between two recordings.
struct StartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Start a recording of the service; returns when it has its first sample.",
    discussion: """
      Example:
        imulog start
      """)

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
    discussion: """
      Example:
        imulog stop
      """)

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
    discussion: """
      Example:
        imulog mark "kerb"
      """)

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

      Example:
        imulog keep
      """)

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
    discussion: """
      Example:
        imulog discard
      """)

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try socketOptions.ask(.discard)
  }
}
