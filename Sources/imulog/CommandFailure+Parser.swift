// SPDX-License-Identifier: Apache-2.0

import IMUModel
import ArgumentParser

/// One sentence for what the command line's parser refuses in four lines.
extension CommandFailure {
  /// The failure for an error of the parser; `nil` for a request for help or the version.
  init?(parser error: any Error) {
    guard Imulog.exitCode(for: error) != .success else { return nil }
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "label", !arguments.contains("--"),
      let stretch = arguments.first(where: { $0.hasPrefix("-") && LabelRange(argument: $0) != nil })
    {
      // The parser takes it for options, and the name for the stretch.
      self.init(
        .usage,
        "\(Plain.text(stretch)) looks like options; write -- before it: `imulog label ID -- \(Plain.text(stretch)) NAME`"
      )
      return
    }
    if arguments.first == "label", let sentence = CommandFailure.optionLikeName(arguments) {
      self.init(.usage, sentence)
      return
    }
    let sentence =
      CommandFailure.sentence(parser: error) + CommandFailure.optionLikeValue(error, arguments)
    let help = CommandFailure.helpCommand(Imulog.fullMessage(for: error))
    self.init(.usage, sentence + (sentence.hasSuffix("?") ? " See" : "; see") + " `\(help)`")
  }

  /// What is wrong with a label whose name has a word that looks like an option; `nil` without one.
  private static func optionLikeName(_ arguments: ArraySlice<String>) -> String? {
    guard !arguments.contains("--"),
      let stretch = arguments.firstIndex(where: { LabelRange(argument: $0) != nil }),
      let word = arguments[(stretch + 1)...].first(where: { word in
        word.hasPrefix("-")
          && !["-h", "--remove", "--json", "--help", "--version", "--store"].contains {
            word == $0 || word.hasPrefix($0 + "=")
          }
      })
    else { return nil }
    let shown = "\(Plain.text(word)) looks like an option"
    return word == arguments[stretch + 1]
      ? "\(shown), and the name of a label cannot begin with -: choose another one"
      : "\(shown); write -- before the stretch: `imulog label ID -- \(Plain.text(arguments[stretch])) NAME`"
  }

  /// How to give an option a value that looks like an option, if that is what the parser misses; else empty.
  private static func optionLikeValue(_ error: any Error, _ arguments: ArraySlice<String>) -> String
  {
    guard Imulog.message(for: error).hasPrefix("Missing value for "),
      let (option, value) = zip(arguments, arguments.dropFirst()).first(where: {
        $0.hasPrefix("-") && $1.hasPrefix("-") && Imulog.message(for: error).contains("'\($0) ")
      })
    else { return "" }
    return
      "; one that begins with - comes after =, as in \(option)=\(Plain.text(value))"
  }

  /// The parser's message, without its pointer to the help.
  static func sentence(parser error: any Error) -> String {
    var message = CommandFailure.onOneLine(Imulog.message(for: error))
    while message.hasSuffix(".") || message.hasSuffix("\n") { message.removeLast() }
    return message.prefix(1).lowercased() + message.dropFirst()
  }

  /// Refuses an unknown verb, which the parser would call an unexpected argument.
  ///
  /// - Parameter arguments: What follows the program's name. The verb is the first word after options of the program
  ///   and after `help`.
  static func refuseUnknownVerb(_ arguments: [String]) throws(CommandFailure) {
    guard let word = firstWord(arguments), !word.hasPrefix("-") else { return }
    let verbs = Imulog.configuration.subcommands.map { $0.configuration }
    guard !verbs.contains(where: { $0.commandName == word }) else { return }
    let names = verbs.filter(\.shouldDisplay).compactMap(\.commandName)
    let question = Suggestion.question(word, among: names)
    let end = question.isEmpty ? "; see" : question + " See"
    throw CommandFailure(.usage, "there is no verb \(word)\(end) `imulog --help`")
  }

  private static func firstWord(_ arguments: [String]) -> String? {
    var index = 0
    while index < arguments.count {
      let word = arguments[index]
      if word == "--store" {
        index += 2
      } else if word.hasPrefix("--store=") || word == "--beneath" || word == "help" {
        index += 1
      } else {
        return word
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
