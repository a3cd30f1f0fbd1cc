import IMUModel
import ArgumentParser
import Recorder

/// `imulog status`: how the service is.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say how the service is.")

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

/// `imulog start`: as a short press.
struct StartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Let the service begin a recording, as a press of the button does.")

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try ControlReply.ask(.start, at: try socketOptions.path(isService: false))
  }
}

/// `imulog stop`: as a short press in a take.
struct StopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Let the service end the recording and keep it.")

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try ControlReply.ask(.stop, at: try socketOptions.path(isService: false))
  }
}

/// `imulog mark`: as two short presses.
struct MarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mark", abstract: "Mark this moment in the service's recording.")

  @Argument(help: ArgumentHelp("Words to go with the mark.", valueName: "words"))
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
    try ControlReply.ask(.mark(label), at: try socketOptions.path(isService: false))
  }
}

/// `imulog keep`: as a long press while no take runs.
struct KeepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Let the service keep what it has just sampled, as a recording.")

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try ControlReply.ask(.keep, at: try socketOptions.path(isService: false))
  }
}

/// `imulog discard`: as a long press in a take.
struct DiscardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discard",
    abstract: "Let the service throw its recording away (to the trash) and begin anew.")

  @OptionGroup var socketOptions: SocketOptions

  mutating func run() throws {
    try ControlReply.ask(.discard, at: try socketOptions.path(isService: false))
  }
}
