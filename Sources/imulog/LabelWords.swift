// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The words of `imulog label` as they were typed, to refuse one that only looks like an option.
///
///     imulog label 1 --store fleet -1s..3s left -foot
///                    ~~~~~~~~~~~~~                     options
///                  ~               ~~~~~~~ ~~~~ ~~~~~  words
struct LabelWords {
  /// The options with their values.
  private var options: [String] = []
  private var words: [String] = []

  /// - Parameter arguments: Those after the program's name.
  /// - Returns: `nil` for another verb, and where `--` is among the words already.
  init?(_ arguments: [String]) {
    guard let verb = CommandFailure.verbIndex(arguments), arguments[verb] == "label",
      !arguments.contains("--")
    else { return nil }
    var rest = arguments[...]
    rest.remove(at: verb)
    while let word = rest.popFirst() {
      guard LabelCommand.isOption(word) else {
        words.append(word)
        continue
      }
      options.append(word)
      if word == "--store", let value = rest.popFirst() { options.append(value) }
    }
  }

  /// The refusal of the stretch or of a word of the name; `nil` if none looks like an option.
  var sentence: String? {
    // The parser reads it as options, and the name as the stretch.
    if let stretch = words.first(where: { $0.hasPrefix("-") && LabelRange(argument: $0) != nil }) {
      return "\(Plain.text(stretch)) looks like options; write -- before it: \(command(stretch))"
    }
    guard let place = words.firstIndex(where: { LabelRange(argument: $0) != nil }),
      let word = words[(place + 1)...].first(where: { $0.hasPrefix("-") && $0 != "-h" })
    else { return nil }
    let question = Suggestion.question(word, among: LabelCommand.options)
    let shown = "\(Plain.text(word)) looks like an option"
    if word == words[place + 1] {
      return "\(shown), and the name of a label cannot begin with -: choose another one\(question)"
    }
    return question.isEmpty
      ? "\(shown); write -- before the stretch: \(command(words[place]))"
      : "\(shown)\(question) If it is of the name, write -- before the stretch: \(command(words[place]))"
  }

  /// The command with the options that were given.
  private func command(_ stretch: String) -> String {
    let words = ["imulog label ID"] + options.map { Plain.text(ShellWord.quoted($0)) }
    return "`\(words.joined(separator: " ")) -- \(Plain.text(ShellWord.quoted(stretch))) NAME`"
  }
}
