// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Export
import Files
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Text

/// The option that names the store.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The directory of recordings.",
      discussion: "By default IMULOG_STORE, else the user's data directory.", valueName: "dir"),
    completion: .directory)
  var store: String?
}

/// A recording of a store.
struct RecordingOptions: ParsableArguments {
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: ArgumentHelp("A number, `latest`, or the beginning of a UUID.", valueName: "id"),
    completion: .recordings)
  var id: String
}

/// The options that choose a part of a recording.
struct RangeOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only samples from this time on, such as 12.5s or 1h30m.", valueName: "time"))
  var from: RangeTime?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only samples before this time.", valueName: "time"))
  var to: RangeTime?

  func validate() throws {
    guard let from, let to, to.nanoseconds <= from.nanoseconds else { return }
    throw ValidationError(RangeOptions.noTime(from, to))
  }

  static func noTime(_ from: RangeTime, _ to: RangeTime) -> String {
    "no time is from --from \(from.text) on and before --to \(to.text); give a --to that is later"
  }
}

/// The options that take a sensor's errors out of what is shown or exported.
struct CorrectionOptions: ParsableArguments {
  @Flag(
    help:
      "Take the sensor's errors out of the values, by the calibration in the recording's header."
  )
  var calibrated = false

  @Option(
    help: ArgumentHelp(
      "Take them out by this file of imulog calibrate, which may be made later.", valueName: "file"),
    completion: .file())
  var calibration: String?

  /// Whether anything is taken out.
  var isGiven: Bool { calibrated || calibration != nil }

  /// Sets the options of an export, or of an exporter that corrects a reader for another use.
  func set(_ options: inout ExportOptions) throws {
    options.isCalibrated = isGiven
    options.calibration = try calibration.map { try CalibrationFile.read($0) }
  }
}

/// Finds the store's directory.
enum StoreLocation {
  /// The first of: the verb's `--store`, the program's, `IMULOG_STORE`, `$XDG_DATA_HOME/imulog/recordings`,
  /// `~/.local/share/imulog/recordings`.
  static func path(
    verb: String?, program: String?, environment: (String) -> String?
  ) throws(CommandFailure) -> String {
    for candidate in [verb, program, environment("IMULOG_STORE")] {
      guard let candidate else { continue }
      guard !candidate.isEmpty else {
        throw CommandFailure(
          .usage, "the store's directory is empty; give one with --store DIR")
      }
      return candidate
    }
    // The XDG base directory specification ignores relative paths.
    if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
      return data + "/imulog/recordings"
    }
    guard let home = environment("HOME"), !home.isEmpty else {
      throw CommandFailure(
        .configuration, "there is no home directory to keep recordings in; give --store DIR")
    }
    return home + "/.local/share/imulog/recordings"
  }
}

/// Opens the store.
enum OpenStore {
  /// An existing store.
  static func reading(
    _ path: String, followsLinks: Bool = true
  ) throws(CatalogueError) -> Catalogue {
    try Catalogue(path: path, followsLinks: followsLinks)
  }

  /// A store that is created when it is missing, and tidied after a crash or a power cut.
  ///
  /// - Parameter now: The time for the age of what is in the trash.
  static func writing(_ path: String, now: WallTime) throws(CatalogueError) -> Catalogue {
    let catalogue = try making(path)
    catalogue.tidy(now: now) { Console.talk($0) }
    return catalogue
  }

  /// A store that is created when it is missing. It is not tidied: the caller runs ``Catalogue/tidy(now:while:report:)`` in
  /// another thread, or later.
  static func making(_ path: String) throws(CatalogueError) -> Catalogue {
    try Catalogue(path: path, create: true)
  }
}

/// The argument of a verb that works on recordings and on log files: an ID or a path.
struct LogTarget {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// An ID has no slash and no dot. Any other word is a path if it does not look like an ID and such a file exists.
  var isPath: Bool {
    if text.contains("/") || text.contains(".") { return true }
    return !RecordingReference(text).isPossible && FileIdentity(path: text) != nil
  }

  /// The log's path; for an ID, that of the recording in `store`.
  ///
  /// - Parameter isEnded: Whether to refuse a recording that is being written.
  func path(isEnded: Bool = false, store: () throws -> String) throws -> String {
    guard !isPath else { return text }
    let catalogue = try OpenStore.reading(try store())
    let entry = try catalogue.entry(for: text)
    if isEnded, try catalogue.isLive(entry) { throw CatalogueError.isLive(file: entry.path) }
    return entry.path
  }
}

/// The option that names the control socket.
struct SocketOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The service's control socket.",
      discussion: "By default IMULOG_SOCKET, else /run/imulog/control or the user's run directory.",
      valueName: "path"))
  var socket: String?

  func path(isService: Bool) throws(CommandFailure) -> String {
    try ControlPath.path(
      socket, isService: isService, environment: Environment.value,
      exists: { access($0, F_OK) == 0 })
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
