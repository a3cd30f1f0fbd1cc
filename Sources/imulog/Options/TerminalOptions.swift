import ArgumentParser
import IMUModel
import LinuxIO

/// Whether a verb draws on the terminal.
struct TerminalOptions: ParsableArguments {
  @Flag(help: "Print plain text, even on a terminal.")
  var plain = false

  /// Whether stdin and stdout are a terminal, it can be drawn on, and the user did not say otherwise.
  var isInteractive: Bool {
    !plain && TerminalDevice.isThere(term: Environment.value("TERM"))
  }
}
