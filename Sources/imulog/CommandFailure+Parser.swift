// SPDX-License-Identifier: Apache-2.0

import IMUModel
import ArgumentParser
import Text

/// One sentence for a refusal of the parser, which takes four lines.
extension CommandFailure {
  /// The failure for an error of the parser; `nil` for a request for help or the version.
  init?(parser error: any Error) {
    guard Imulog.exitCode(for: error) != .success else { return nil }
    let arguments = CommandLine.arguments.dropFirst()
    if let sentence = LabelWords(Array(arguments))?.sentence {
      self.init(.usage, sentence)
      return
    }
    let sentence =
      CommandFailure.sentence(parser: error) + CommandFailure.optionLikeValue(error, arguments)
    let help = CommandFailure.helpCommand(Imulog.fullMessage(for: error))
    self.init(.usage, sentence + (sentence.hasSuffix("?") ? " See" : "; see") + " `\(help)`")
  }

  /// How to give an option a value that begins with a dash, where the parser took one for an option; else empty. After an
  /// option whose value was forgotten, `--json` or `-o` is an option.
  private static func optionLikeValue(_ error: any Error, _ arguments: ArraySlice<String>) -> String
  {
    guard Imulog.message(for: error).hasPrefix("Missing value for "),
      let (option, value) = zip(arguments, arguments.dropFirst()).first(where: {
        $0.hasPrefix("-") && $1.hasPrefix("-") && Imulog.message(for: error).contains("'\($0) ")
      }), !value.hasPrefix("--"), value.utf8.count > 2
    else { return "" }
    return "; one that begins with - comes after =, as in \(option)=\(Plain.text(value))"
  }

  /// The parser's message, without its pointer to the help.
  static func sentence(parser error: any Error) -> String {
    var message = CommandFailure.onOneLine(Imulog.message(for: error))
    while message.hasSuffix(".") || message.hasSuffix("\n") { message.removeLast() }
    return message.prefix(1).lowercased() + message.dropFirst() + form(of: message)
  }

  /// The form of a value that the parser refuses; empty where the value's name shows it.
  private static func form(of message: String) -> String {
    guard message.contains(" is invalid for ") else { return "" }
    if message.hasSuffix(" <time>'") {
      return "; a length of time has the form 90s, 5m, 1h30m or 7d"
    }
    return message.hasSuffix(" <bytes>'") ? "; an amount of bytes has the form 500GB or 2TB" : ""
  }

  /// Refuses an unknown verb, which the parser would call an unexpected argument.
  ///
  /// - Parameter arguments: What follows the program's name. The verb is the first word after options of the program
  ///   and after `help`.
  static func refuseUnknownVerb(_ arguments: [String]) throws(CommandFailure) {
    guard let word = verbIndex(arguments).map({ arguments[$0] }), !word.hasPrefix("-") else {
      return
    }
    let verbs = Imulog.configuration.subcommands.map { $0.configuration }
    guard !verbs.contains(where: { $0.commandName == word }) else { return }
    let names = verbs.filter(\.shouldDisplay).compactMap(\.commandName)
    let question = Suggestion.question(word, among: names)
    let end = question.isEmpty ? "; see" : question + " See"
    throw CommandFailure.usage("there is no verb \(word)\(end) `imulog --help`")
  }

  /// The place of the first word after options of the program and after `help`.
  static func verbIndex(_ arguments: [String]) -> Int? {
    var index = 0
    while index < arguments.count {
      let word = arguments[index]
      if word == "--store" {
        index += 2
      } else if word.hasPrefix("--store=") || word == "--beneath" || word == "help" {
        index += 1
      } else {
        return index
      }
    }
    return nil
  }

  /// Joins the values of a choice, which the parser lists on lines of their own.
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
