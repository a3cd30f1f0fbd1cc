import ArgumentParser

/// What the command line's parser refuses, as one sentence: it would say it in four lines.
extension CommandFailure {
  /// The failure that an error of the parser is; `nil` when it is no failure but help or the version, asked
  /// for.
  init?(parser error: any Error) {
    guard Imulog.exitCode(for: error) != .success else { return nil }
    var message = CommandFailure.onOneLine(Imulog.message(for: error))
    while message.hasSuffix(".") || message.hasSuffix("\n") { message.removeLast() }
    let help = CommandFailure.helpCommand(Imulog.fullMessage(for: error))
    message += message.hasSuffix("?") ? " See" : "; see"
    self.init(.usage, message.prefix(1).lowercased() + message.dropFirst() + " `\(help)`")
  }

  /// A choice of many values comes as a list of lines: the values are told behind each other.
  private static func onOneLine(_ message: String) -> String {
    let lines = message.split(separator: "\n")
    guard let first = lines.first, lines.count > 1 else { return message }
    let values = lines.dropFirst().map { line in line.drop { " -".contains($0) } }
    return first + " " + values.joined(separator: ", ")
  }

  /// The command that the message's last line names: `See 'imulog record --help' for more information.`
  private static func helpCommand(_ text: String) -> Substring {
    let quoted = text.split(separator: "'").last { $0.hasSuffix(" --help") }
    return quoted ?? "imulog --help"
  }
}
