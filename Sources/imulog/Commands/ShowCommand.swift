import IMUModel
import ArgumentParser
import LinuxIO
import LogStore
import Terminal

/// `imulog show`: a recording's graph.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the graph of a recording.",
    discussion: """
      On a terminal it can be zoomed and moved, and a cursor shows values; the last line names the keys. In a \
      pipe, or with --plain, it is printed once as text, 80 columns wide; the exit status is 65 when the \
      recording is damaged.
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(help: ArgumentHelp("A number, `latest`, or the beginning of a UUID.", valueName: "id"))
  var id: String

  @OptionGroup var terminalOptions: TerminalOptions

  mutating func run() throws {
    let catalogue = try OpenStore.reading(try program.storePath(storeOptions))
    let entry = try catalogue.entry(for: id)
    guard terminalOptions.isInteractive else {
      let recording = try RecordingOnScreen(entry, in: catalogue)
      try ShowCommand.print(recording)
      guard recording.damageCount > 0 else { return }
      throw CommandFailure(
        .damagedData,
        "recording \(entry.number) is damaged in \(recording.damageCount) "
          + "\(recording.damageCount == 1 ? "place" : "places"), and what can be read was drawn; "
          + "`imulog verify \(entry.number)` says what is missing")
    }
    let signals = try SignalWatch(SignalWatch.atTerminal)
    // Before the terminal changes: an error is reported on the screen that stays.
    let recording = try RecordingOnScreen(entry, in: catalogue)
    _ = ShowScreen(recording: recording).run(try TerminalSession(), signals)
  }

  /// The graph as text.
  private static func print(_ recording: RecordingOnScreen) throws {
    let look = Look(isASCII: Console.isASCII)
    let view = ShowView(
      title: recording.title, sensor: recording.sensor, trace: recording.trace, look: look)
    let screen = view.plainScreen(columns: 80, rows: 24)
    try Console.data(screen.lines.joined(separator: "\n"))
  }
}
