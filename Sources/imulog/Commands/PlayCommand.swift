// SPDX-License-Identifier: Apache-2.0

import IMUModel
import ArgumentParser
import LinuxIO
import Terminal
import Text

struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Replay a recording at its recorded times, on a terminal.",
    discussion: """
      The last line names the keys. Playback stops at the end; space starts it again.
      """,
    examples: "imulog play latest --speed 0.5")

  @ParentCommand var program: Imulog
  @OptionGroup var source: RecordingOptions

  @Option(
    parsing: .unconditional, help: .value("x", "Recorded seconds a second, such as 0.25 or 10."))
  var speed = 1.0

  func validate() throws {
    guard RecordingOnScreen.speeds.contains(speed) else {
      throw ValidationError("--speed goes from 1/64 (0.015625) to 1024")
    }
  }

  mutating func run() throws {
    guard TerminalDevice.isThere(term: Environment.value("TERM")) else {
      throw CommandFailure.usage(
        "play needs a terminal for input and output; `imulog show \(source.id)` prints the graph, "
          + "`imulog export \(source.id)` the samples")
    }
    let (catalogue, entry) = try source.open(program)
    let signals = try SignalWatch(SignalWatch.atTerminal)
    let recording = try RecordingOnScreen(entry, in: catalogue)
    _ = recording.play(on: try TerminalSession(), signals, speed: speed)
  }
}
