// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Export
import Files
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Recorder
import Text

extension ArgumentHelp {
  static func value(_ name: String, _ words: String) -> ArgumentHelp {
    ArgumentHelp(words, valueName: name)
  }

  /// The help of an option of `export` that some formats have.
  static func formats(_ option: ExportOption, _ words: String, value: String? = nil) -> ArgumentHelp
  {
    ArgumentHelp("For \(option.formatNames): \(words).", valueName: value)
  }
}

extension CommandConfiguration {
  /// A verb whose help ends in examples of its use.
  init(
    commandName: String, abstract: String, discussion: String = "", examples first: String,
    _ more: String...
  ) {
    let lines = [more.isEmpty ? "Example:" : "Examples:"] + ([first] + more).map { "  " + $0 }
    self.init(
      commandName: commandName, abstract: abstract,
      discussion: (discussion.isEmpty ? "" : discussion + "\n\n") + lines.joined(separator: "\n"))
  }
}

/// Options that do not go together. Each is a name, with whether it is given.
enum OptionRule {
  typealias Options = KeyValuePairs<String, Bool>

  /// Refuses more than one of several.
  static func expectOne(of options: Options) throws {
    let given = options.filter { $0.value }
    if given.count > 1 { throw excluded(given[0].key, given[1].key) }
  }

  /// Refuses any of some options together with any of others.
  static func refuse(_ options: Options, with others: Options) throws {
    if let option = options.first(where: { $0.value }),
      let other = others.first(where: { $0.value })
    {
      throw excluded(option.key, other.key)
    }
  }

  private static func excluded(_ one: String, _ other: String) -> ValidationError {
    ValidationError("\(one) and \(other) exclude each other; leave one out")
  }

  /// Refuses options that need another one, which is not given.
  static func refuse(_ options: Options, without needed: String, _ isGiven: Bool) throws {
    guard !isGiven, let option = options.first(where: { $0.value }) else { return }
    throw ValidationError("\(option.key) needs \(needed); give that, too")
  }
}

struct StoreOptions: ParsableArguments {
  @Option(
    help: .value(
      "dir", "The directory of recordings; by default IMULOG_STORE, else the user's data directory."
    ),
    completion: .directory)
  var store: String?
}

/// A recording of a store.
struct RecordingOptions: ParsableArguments {
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: .value("id", "A number, `latest`, or the beginning of a UUID."), completion: .recordings)
  var id: String

  func open(_ program: Imulog) throws -> (Catalogue, CatalogueEntry) {
    let catalogue = try program.openStore(storeOptions)
    // One sensor of a take, which is one recording.
    let isMember = id.parts(around: "/") != nil
    return (catalogue, try isMember ? catalogue.take(id).recordings[0] : catalogue.entry(for: id))
  }
}

extension Array where Element: Equatable {
  /// The first of equal elements, in their order.
  var withoutRepeats: [Element] {
    indices.filter { !self[..<$0].contains(self[$0]) }.map { self[$0] }
  }
}

extension CommandFailure {
  /// A wrong command line.
  static func usage(_ sentence: String) -> CommandFailure { CommandFailure(.usage, sentence) }

  /// A recording that is damaged, while the rest of it was used.
  static func damaged(
    _ number: UInt32, _ places: some BinaryInteger, _ done: String, _ remarks: [String] = []
  ) -> CommandFailure {
    let sentence =
      "recording \(number) is damaged in \(Plain.count(places, "place")), and the rest was \(done); "
      + "`imulog verify \(number)` says what is missing"
    return CommandFailure(.damagedData, ([sentence] + remarks).joined(separator: "; "))
  }
}

struct RangeOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: .value("time", "Only samples from this time on, such as 12.5s or 1h30m."))
  var from: RangeTime?

  @Option(parsing: .unconditional, help: .value("time", "Only samples before this time."))
  var to: RangeTime?

  func validate() throws {
    guard let from, let to, to.nanoseconds <= from.nanoseconds else { return }
    throw ValidationError(RangeOptions.noTime(from, to))
  }

  static func noTime(_ from: RangeTime, _ to: RangeTime) -> String {
    "no time is from --from \(from.text) on and before --to \(to.text); give a --to that is later"
  }
}

/// The options that apply a calibration to what is shown or exported.
struct CorrectionOptions: ParsableArguments {
  @Flag(help: "Apply the calibration in the recording's header.")
  var calibrated = false

  @Option(
    help: .value("file", "Apply this calibration, a file of imulog calibrate."),
    completion: .file())
  var calibration: String?

  /// Whether one is applied.
  var isGiven: Bool { calibrated || calibration != nil }

  /// Refuses a file for several sensors: the errors that it corrects are one chip's.
  func refuse(for recordings: [CatalogueEntry], named id: String) throws {
    guard calibration != nil, recordings.count > 1 else { return }
    throw CommandFailure.usage(
      "a calibration is of one chip, and recording \(id) is of \(recordings.count); give \(id)/NAME, or --calibrated for what "
        + "their headers have")
  }

  /// Sets the options of an export, or of an exporter that corrects a reader for another use.
  func set(_ options: inout ExportOptions) throws {
    options.isCalibrated = isGiven
    options.calibration = try calibration.map { try SensorCalibration(readingFile: $0) }
  }
}

/// Finds the store's directory.
enum StoreLocation {
  /// The first of: the verb's `--store`, the program's, `IMULOG_STORE`, `$XDG_DATA_HOME/imulog/recordings`,
  /// `~/.local/share/imulog/recordings`.
  static func path(verb: String?, program: String?) throws(CommandFailure) -> String {
    for candidate in [verb, program, Environment.value("IMULOG_STORE")] {
      guard let candidate else { continue }
      guard !candidate.isEmpty else {
        throw CommandFailure.usage("the store's directory is empty; give one with --store DIR")
      }
      return candidate
    }
    // The XDG base directory specification ignores relative paths.
    if let data = Environment.value("XDG_DATA_HOME"), data.hasPrefix("/") {
      return data + "/imulog/recordings"
    }
    guard let home = Environment.value("HOME"), !home.isEmpty else {
      throw CommandFailure(
        .configuration, "there is no home directory to keep recordings in; give --store DIR")
    }
    return home + "/.local/share/imulog/recordings"
  }
}

extension Catalogue {
  /// A store that is created when it is missing, and tidied after a crash or a power cut.
  ///
  /// - Parameter now: The time for the age of what is in the trash.
  static func tidied(_ path: String, now: WallTime) throws(CatalogueError) -> Catalogue {
    let catalogue = try Catalogue(path: path, create: true)
    catalogue.tidy(now: now) { Console.talk($0) }
    return catalogue
  }
}

/// A recording of a store, or a log file.
struct LogOptions: ParsableArguments {
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: .value("id|file", "A recording of the store, or the path of a log."),
    completion: .recordingsAndFiles)
  var target: String

  /// An ID has no slash and no dot. Any other word is a path if it does not look like an ID and such a file exists.
  var isPath: Bool {
    if target.contains("/") || target.contains(".") { return true }
    return !RecordingReference(target).isPossible && FileIdentity(path: target) != nil
  }
}

struct SocketOptions: ParsableArguments {
  @Option(
    help: .value(
      "path",
      "The service's socket; by default IMULOG_SOCKET, else /run/imulog/control or the user's."))
  var socket: String?

  /// Asks the service, and throws its refusal.
  func ask(_ request: ControlRequest) throws {
    try ControlReply.ask(request, at: try path(isService: false))
  }

  /// The state of the service, and its line.
  func status() throws -> (RecorderStatus, line: String) {
    let (answer, line) = try ControlReply.ask(.status, at: try path(isService: false))
    guard case .status(let status) = answer else {
      throw CommandFailure(.inputOutput, "the service answered something else: \(line)")
    }
    return (status, line)
  }

  func path(isService: Bool) throws(CommandFailure) -> String {
    try ControlPath.path(socket, isService: isService)
  }
}

/// The option that keeps a verb from drawing on the terminal.
struct TerminalOptions: ParsableArguments {
  @Flag(help: "Print plain text, even on a terminal.")
  var plain = false

  /// Whether stdin and stdout are a terminal that can be drawn on, and the user did not ask for plain text.
  var isInteractive: Bool {
    !plain && TerminalDevice.isThere(term: Environment.value("TERM"))
  }
}

/// A length of time on the command line. The parser makes none without ``SpanLimits``.
struct Span {
  static let minute = Span(nanoseconds: 60_000_000_000)

  let nanoseconds: Int64
}

extension SpanLimits {
  /// Reads the value of an option.
  func span(_ argument: String) throws -> Span {
    guard let nanoseconds = nanoseconds(argument) else {
      throw ValidationError("give \(words), such as 90s, 5m or 1h30m")
    }
    return Span(nanoseconds: nanoseconds)
  }
}

/// A time within a recording on the command line: a time from its beginning; a negative one occurs in imported files.
struct RangeTime: ExpressibleByArgument {
  let nanoseconds: Int64

  init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  init?(argument: String) {
    guard let nanoseconds = SpanText.time(argument) else { return nil }
    self.nanoseconds = nanoseconds
  }

  /// The time as ``init(argument:)`` reads it.
  var text: String { SpanText.text(time: nanoseconds) }
}
