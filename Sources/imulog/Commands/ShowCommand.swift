// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Export
import Files
import IMUModel
import LinuxIO
import LogStore
import Terminal
import Text

struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the graph of a recording.",
    discussion: """
      On a terminal, zoom and move it, read values at a cursor, and label a part (l, or the mouse); the last \
      line names the keys. In a pipe, or with --plain, it is text of 80 columns. Exit status 65: the recording \
      is damaged. Of several sensors' recordings all are shown, on a terminal one at a time (Tab); ID/NAME shows \
      one.

      Axes are the chip's; with a calibration, those of the mounting.
      """,
    examples: "imulog show latest",
    "imulog show 3 --calibration left.cal")

  @ParentCommand var program: Imulog
  @OptionGroup var source: RecordingOptions

  @OptionGroup var correctionOptions: CorrectionOptions
  @OptionGroup var terminalOptions: TerminalOptions

  mutating func run() throws {
    let (catalogue, entry) = try source.open(program)
    let take = try catalogue.take(source.id)
    for remark in take.remarks { Console.talk(remark) }
    try correctionOptions.refuse(for: take.recordings, named: source.id)
    var options = ExportOptions()
    try correctionOptions.set(&options)
    let exporter = Exporter(options)
    // Before the terminal switches its screen, so that an error remains visible.
    func read(_ entry: CatalogueEntry) throws -> RecordingOnScreen {
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
      let recordings = try take.recordings.map(read)
      try Console.data(RecordingOnScreen.text(recordings))
      guard take.missing == 0 else { throw CommandFailure(.damagedData, take.remarks[0]) }
      for (entry, recording) in zip(take.recordings, recordings) where recording.damageCount > 0 {
        throw CommandFailure.damaged(entry.number, recording.damageCount, "drawn")
      }
      return
    }
    let signals = try SignalWatch(SignalWatch.atTerminal)
    let recordings = try take.recordings.map(read)
    let start = take.recordings.firstIndex(of: entry) ?? 0
    _ = RecordingOnScreen.show(
      recordings, from: start, on: try TerminalSession(), signals, in: catalogue)
  }
}
