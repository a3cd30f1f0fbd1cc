// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Export
import IMUModel
import Remote

/// The request of a restricted key, checked.
///
///     SSH_ORIGINAL_COMMAND ─► words ─► verb, options ─► the program's parser ─► values ─► run
///                      RequestTokeniser       └ closed lists below              └ typed
///
/// The program's own parser reads the words, so a request means the same as on the local command line. Three checks
/// surround it. Each is an allow list: a verb or an option that is not listed is refused, including new ones. No listed
/// option names a file, a directory, a socket or a link; `-o` takes only `-`; an ID is checked by ``RecordingReference``.
struct ServeRequest {
  /// The program for a request.
  enum Work {
    case help
    /// The far end of a pull.
    case pull
    case command(any ParsableCommand)
  }

  let work: Work
  /// The request's words, for the journal.
  let words: [String]

  /// The verbs of a key, and the options that each may have, as the help shows them.
  private static let verbs: KeyValuePairs<String, [String]> = [
    "list": ["--page N", "--label NAME", "--since TIME", "--until TIME", "--host NAME", "--json"],
    "info ID": ["--json"],
    "export ID": [
      "--format \(ExportFormat.allCases.map(\.rawValue).joined(separator: "|"))",
      "--units si|g-dps|raw", "--channels accel|gyro|both", "--fill hold|none", "--gaps none|rows",
      "--time seconds|unix|utc|local", "--unit-names", "--preamble", "--labels", "--uncertainty",
      "--grid", "--orientation", "--linear", "--calibrated", "--analysis", "--from TIME",
      "--to TIME",
      "--take", "--follow",
    ],
    "verify ID": ["--json"],
    "status": ["--json"],
    "doctor": ["--json"],
  ]

  /// The requests that a key may send, for a person.
  static var help: String {
    let lines = verbs.map { verb, options in
      let begin = "  \(verb)"
      let indent = String(repeating: " ", count: begin.count)
      var lines = [begin]
      for option in options.map({ " [\($0)]" }) {
        let last = lines.count - 1
        let isFull = lines[last].count + option.count > 80 && lines[last] != begin
        if isFull { lines.append(indent + option) } else { lines[last] += option }
      }
      return lines.joined(separator: "\n")
    }
    return """
      This key reads recordings and does nothing else:

      \(lines.joined(separator: "\n"))

      ID is a recording's number, latest, or the beginning of its UUID. To fetch recordings, run
      imulog pull HOST on your machine.
      """
  }

  /// The names of the verbs with those of their options.
  private static var options: [(verb: String, names: Set<String>)] {
    func word(_ text: String) -> String { String(text.prefix { $0 != " " }) }
    let listed = verbs.map { verb, options -> (verb: String, names: Set<String>) in
      let output: Set = word(verb) == "export" ? ["-o", "--output"] : []
      return (word(verb), output.union(options.map(word)))
    }
    return listed + [("pull-server", [])]
  }

  /// Reads a request. The program's name may come first: `ssh pi imulog list` sends it.
  ///
  /// - Parameter store: The key's store.
  /// - Throws: ``RequestRefusal``; ``CommandFailure`` for refusals of the parser.
  init(_ request: [UInt8], store: String) throws {
    var words = try RequestTokeniser.words(request)
    if words.first == "imulog" { words.removeFirst() }
    guard let verb = words.first, words != ["--help"], words != ["-h"], words != ["help"] else {
      self.work = .help
      self.words = ["help"]
      return
    }
    try ServeRequest.check(words.dropFirst(), of: verb)
    self.work = try ServeRequest.admit(ServeRequest.parse(words, store: store))
    self.words = words
  }

  /// Refuses a verb and options that are not on the lists, before the parser sees any of them.
  private static func check(
    _ words: ArraySlice<String>, of verb: String
  ) throws(RequestRefusal) {
    guard let allowed = options.first(where: { $0.verb == verb })?.names else {
      // --store is known and forbidden: a key has its own store.
      let isKnown =
        verb.hasPrefix("--store") || verb == "help"
        || Imulog.configuration.subcommands.contains { $0.configuration.commandName == verb }
      let verbs = options.map(\.verb)
      throw isKnown
        ? .forbiddenVerb(verb.hasPrefix("-") ? "--store" : verb, allowed: verbs)
        : .unknownVerb(verb, allowed: verbs)
    }
    var seen: Set<String> = []
    // Whatever the parser would make of it, a word that begins with a dash is an option here, except a negative time after
    // --from or --to.
    for (before, word) in zip([verb] + words, words) where word.hasPrefix("-") && word != "-" {
      if before == "--from" || before == "--to", RangeTime(argument: word) != nil { continue }
      let option = String(word.prefix { $0 != "=" })
      guard allowed.contains(option) else {
        throw .option(option, verb: verb, allowed: allowed.sorted())
      }
      // Two spellings of one option.
      let name = option == "--output" ? "-o" : option
      guard seen.insert(name).inserted else { throw .repeatedOption(option) }
    }
  }

  private static func parse(
    _ words: [String], store: String
  ) throws(CommandFailure) -> any ParsableCommand {
    do {
      return try Imulog.parseAsRoot(["--store", store, "--beneath"] + words)
    } catch {
      let sentence = CommandFailure.sentence(parser: error)
      throw CommandFailure.usage(String(sentence.prefix(300)))
    }
  }

  /// Checks the values of a command. Other commands were refused earlier; this repeats the refusal.
  private static func admit(_ command: any ParsableCommand) throws(RequestRefusal) -> Work {
    switch command {
    case is ListCommand, is StatusCommand, is DoctorCommand: break
    case is PullServerCommand: return .pull
    case let info as InfoCommand: _ = try RecordingReference(request: info.source.id)
    case let verify as VerifyCommand: _ = try RecordingReference(request: verify.log.target)
    case let export as ExportCommand:
      _ = try RecordingReference(request: export.source.id)
      guard export.output == "-" else { throw .output }
    default: throw .forbiddenVerb("this", allowed: options.map(\.verb))
    }
    return .command(command)
  }
}
