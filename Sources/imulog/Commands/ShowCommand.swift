// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Export
import Files
import IMUModel
import LinuxIO
import Terminal
import Text

/// `imulog show`: draws a recording's graph.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the graph of a recording.",
    discussion: """
      On a terminal the graph can be zoomed and moved, and a cursor shows values; the last line names the \
      keys. A part that is dragged with the mouse, or whose ends are set with l, gets a name: see `imulog \
      label`. In a pipe, or with --plain, it is printed once as text, 80 columns wide. The exit status is 65 \
      when the recording is damaged.

      Counts are shown as they were recorded, in the chip's axes, unless --calibrated or --calibration takes \
      the sensor's errors out; the axes are then those of the mounting.

      Examples:
        imulog show latest
        imulog show 3 --calibration left.cal
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var source: RecordingOptions

  @OptionGroup var correctionOptions: CorrectionOptions
  @OptionGroup var terminalOptions: TerminalOptions

  mutating func run() throws {
    let catalogue = try OpenStore.reading(try program.storePath(source.storeOptions))
    let entry = try catalogue.entry(for: source.id)
    var options = ExportOptions()
    try correctionOptions.set(&options)
    let exporter = Exporter(options)
    // Before the terminal switches its screen, so that an error remains visible.
    func read() throws -> RecordingOnScreen {
      guard correctionOptions.isGiven else { return try RecordingOnScreen(entry, in: catalogue) }
      func say(_ sentences: [String]) {
        for sentence in sentences { Console.talk("recording \(entry.number): \(sentence)") }
      }
      return try RecordingOnScreen(
        entry, in: catalogue,
        correct: { reader in
          say(try exporter.correct(&reader))
          let calibration = options.calibration ?? reader.description.calibration
          let applied = calibration?.limited(to: reader.description.channels)
          return applied.map { "calibrated (\(Plain.text($0.name)))" } ?? ""
        }, corrected: { say(exporter.correctionRemarks($0)) })
    }
    guard terminalOptions.isInteractive else {
      let recording = try read()
      try Console.data(recording.text)
      guard recording.damageCount > 0 else { return }
      throw CommandFailure(
        .damagedData,
        "recording \(entry.number) is damaged in "
          + "\(Plain.count(recording.damageCount, "place")), and what can be read was drawn; "
          + "`imulog verify \(entry.number)` says what is missing")
    }
    let signals = try SignalWatch(SignalWatch.atTerminal)
    let recording = try read()
    _ = recording.show(on: try TerminalSession(), signals, in: catalogue)
  }
}
