// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Files
import IMUModel
import LogStore
import Text

struct LabelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "label",
    abstract: "Name parts of a recording, or list their names.",
    discussion: """
      A label is a stretch and a name; times are those of exports. 3s.. lasts to the end, ..8s from the \
      beginning. Without a stretch it lists the labels. They are kept beside the recording, and exports, \
      info, list and pull have them. A label may be ahead of a running recording. \
      The recordings of a take are labelled together; 3/left is one sensor's alone.
      """,
    examples: "imulog label latest 3s..8s walking",
    "imulog label latest",
    "imulog label latest 3s..8s walking --remove",
    "imulog label 4 --remove -- -2s..8s walking")

  @ParentCommand var program: Imulog
  @OptionGroup var source: RecordingOptions

  @Argument(
    help: .value("from..to", "The stretch, such as 3s..8s; one that begins with - comes after --."),
    transform: LabelRange.parsed)
  var range: LabelRange?

  @Argument(help: .value("name", "Its name; several words need no quotes."))
  var name: [String] = []

  @Flag(help: "Remove this label.")
  var remove = false

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    // After -- every word is one of the name.
    if let option = name.last(where: LabelCommand.isOption) {
      let shown = option == "--store" ? "--store DIR" : Plain.text(option)
      throw ValidationError(
        "\(Plain.text(option)) is an option and comes before --: imulog label ID \(shown) -- FROM..TO NAME"
      )
    }
    if range != nil, name.isEmpty {
      throw ValidationError("name the stretch: imulog label ID FROM..TO NAME")
    }
    if remove, range == nil {
      throw ValidationError(
        "give the label as it is listed: imulog label ID FROM..TO NAME --remove")
    }
  }

  /// Options, which cannot be words of a name.
  static let options = ["--remove", "--json", "--store", "--help", "--version"]

  /// Whether a word is an option, perhaps with its value.
  static func isOption(_ word: String) -> Bool {
    options.contains { word == $0 || word.hasPrefix($0 + "=") }
  }

  mutating func run() throws {
    let catalogue = try program.openStore(source.storeOptions)
    let take = try catalogue.take(source.id)
    let entries = take.recordings
    for remark in take.remarks { Console.talk(remark) }
    guard entries.count < 2 || !json else {
      throw CommandFailure.usage(
        "--json has the labels of one sensor, and recording \(source.id) is of \(entries.count); give \(source.id)/NAME"
      )
    }
    // All are read first: a recording that cannot be read leaves the labels of the others as they are.
    let targets = try entries.map { entry in
      var reader = try catalogue.reader(of: entry)
      let isLive = try catalogue.isLive(entry)
      let recording = reader.description.id
      let list = try catalogue.labels(of: recording)
      // Without labels their times are not needed.
      let isTimed = range != nil || !list.labels.isEmpty
      let times = isTimed ? try reader.labelTimes(isLive: isLive) : nil
      let label = try range.flatMap { range in
        try times.map {
          try range.label(
            named: name.joined(separator: " "), in: $0, of: entry.number, isLimited: !remove)
        }
      }
      let isThere = label.map { list.labels.contains($0) } ?? true
      return (
        entry: entry, recording: recording, isLive: isLive, times: times, label: label,
        isThere: isThere
      )
    }
    // Of a label that only some have, those are meant.
    let isAnywhere = targets.contains { $0.isThere }
    for target in targets where !remove || target.isThere || !isAnywhere {
      try set(target.label, of: target.recording, target.entry, isLive: target.isLive, catalogue)
      guard range == nil || json else { continue }
      try list(try catalogue.labels(of: target.recording), of: target.entry, target.times)
    }
  }

  private func set(
    _ label: RecordingLabel?, of recording: RecordingID, _ entry: CatalogueEntry, isLive: Bool,
    _ catalogue: Catalogue
  ) throws {
    guard let label else { return }
    if remove {
      try catalogue.remove(label, from: recording)
      Console.talk("recording \(entry.number): removed \(label)")
    } else {
      try catalogue.add(label, to: recording)
      let ahead = isLive ? "; it is being written and may end before the label does" : ""
      Console.talk("recording \(entry.number): \(label)\(ahead)")
    }
  }

  private func list(
    _ list: LabelList, of entry: CatalogueEntry, _ times: (first: Int64, end: Int64?)?
  ) throws {
    if json {
      try Console.document { json in
        json.member("labels", list.labels, onNewLines: true) { $0.add($1) }
      }
    } else {
      for label in list.labels { try Console.data("\(label)") }
      if list.labels.isEmpty, list.damageSentence == nil {
        Console.talk("recording \(entry.number) has no labels")
      }
    }
    if let times, let sentence = LabelCommand.outside(entry.number, times, list.labels) {
      Console.talk(sentence)
    }
    guard let sentence = list.damageSentence else { return }
    throw CommandFailure(.damagedData, "recording \(entry.number): \(sentence)")
  }

  /// Reports the labels and marks that are outside a recording; `nil` if none is.
  ///
  /// - Parameter times: The recording's beginning and end, as labels have them; no end while it is being written.
  static func outside(
    _ number: UInt32, _ times: (first: Int64, end: Int64?), _ labels: [RecordingLabel],
    _ marks: [Mark] = []
  ) -> String? {
    func part(_ found: [String], _ name: String, _ place: String) -> String? {
      guard let first = found.first else { return nil }
      return
        "\(found.count) of its \(name) \(found.count == 1 ? "is" : "are") not \(place) it, such as \(first)"
    }
    let parts = [
      part(
        labels.filter { !$0.isWithin(first: times.first, end: times.end) }.map { "\($0)" },
        "labels", "all within"),
      part(
        marks.filter { mark in mark.time < times.first || times.end.map { mark.time > $0 } ?? false
        }
        .map { "at \(SpanText.text(time: $0.time))" }, "marks", "within"),
    ].compactMap { $0 }
    guard !parts.isEmpty else { return nil }
    let begin = SpanText.text(time: times.first)
    let end = times.end.map { " and ends at \(SpanText.text(time: $0))" } ?? ""
    return "recording \(number) begins at \(begin)\(end): \(parts.joined(separator: ", and "))"
  }
}

/// A stretch of time on the command line: `3s..8s`, `3s..`, `..8s`, `..`.
struct LabelRange {
  let from: RangeTime?
  let to: RangeTime?

  static func parsed(_ argument: String) throws -> LabelRange {
    guard let range = LabelRange(argument: argument) else {
      throw ValidationError("give it as FROM..TO, such as 3s..8s, or 1m.. and ..2h for an open end")
    }
    return range
  }

  init?(argument: String) {
    guard let (first, last) = argument.parts(around: "..") else { return nil }
    func time(_ text: Substring) -> RangeTime?? {
      guard !text.isEmpty else { return .some(nil) }
      return RangeTime(argument: String(text)).map { .some($0) }
    }
    guard let from = time(first), let to = time(last) else { return nil }
    (self.from, self.to) = (from, to)
  }

  /// - Parameters:
  ///   - times: The recording's beginning and end; no end while it is being written.
  ///   - isLimited: Whether the label must be within them.
  /// - Throws: ``LabelProblem``; ``CommandFailure`` for a stretch that is not all within the recording.
  func label(
    named name: String, in times: (first: Int64, end: Int64?), of number: UInt32, isLimited: Bool
  ) throws -> RecordingLabel {
    func refuse(_ what: String) -> CommandFailure {
      CommandFailure.usage("recording \(number) \(what)")
    }
    guard let end = to?.nanoseconds ?? times.end else {
      throw refuse("is being written and has no end yet; give the label's end")
    }
    let from = from?.nanoseconds ?? times.first
    if isLimited, from < times.first {
      throw refuse(
        "begins at \(RangeTime(nanoseconds: times.first).text), and the label before that; give a later beginning"
      )
    }
    if isLimited, let last = times.end, end > last || from >= last {
      throw refuse(
        "ends at \(RangeTime(nanoseconds: last).text), and the label after that; leave the label's end out"
      )
    }
    // A label that is there already may be removed, whatever its name.
    return isLimited
      ? try RecordingLabel.given(name, from: from, to: end)
      : try RecordingLabel(name, from: from, to: end)
  }
}

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
