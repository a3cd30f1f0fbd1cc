// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Export
import Files
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Terminal
import Text

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export a recording as JSON or in another format.",
    discussion: """
      Times are nanoseconds from the first scheduled tick, or those of an imported file. Where the chip kept \
      the time, they follow its clock: --uncertainty adds their bounds, --grid resamples to even ones. \
      Exit status 65: the recording is damaged, and the rest was exported.

      html is one page without network; svg a drawing for papers; parquet a table for DuckDB, pandas and \
      polars; mcap ROS 2 messages for PlotJuggler, Foxglove and `ros2 bag`.
      """,
    examples: "imulog export latest > walk.json",
    "imulog export 3 --units g-dps --from 2s --to 8s -o walk.csv",
    "imulog export latest --format ndjson --follow",
    "imulog export latest -o walk.parquet")

  @ParentCommand var program: Imulog
  @OptionGroup var source: RecordingOptions

  @Option(
    help: .value("format", "The format; by default by the ending of -o's name, json without one."))
  var format: ExportFormat?

  @Option(
    help: ArgumentHelp(
      Plain.text(
        "si: m/s², rad/s, °C (the default); g-dps: g, °/s, °C; raw: counts (the default of \(ExportFormat.list(ExportFormat.ofCounts)))."
      ),
      valueName: "units"))
  var units: ExportUnits?

  @Option(help: "The sensors to export; by default all.")
  var channels: ExportChannels?

  @Option(
    help: .formats(.fill, "repeat the sample before a tick without one, or leave the tick out"))
  var fill: ExportFill?

  @Option(help: .formats(.gaps, "a row for each gap, with its cause and length, or none"))
  var gaps: ExportGaps?

  @Flag(help: .formats(.labels, "add a column of labels, with ; between them"))
  var labels = false

  @Flag(
    help: .formats(.uncertainty, "add the proved bounds of a chip's times, t_lo_ns and t_hi_ns"))
  var uncertainty = false

  @Flag(help: .formats(.grid, "resample a chip's times to the nominal rate, never across a gap"))
  var grid = false

  @Flag(help: .formats(.orientation, "add the orientation, a quaternion qw, qx, qy, qz"))
  var orientation = false

  @Flag(
    help: .formats(
      .linear, "add the acceleration without gravity in the sensor's frame, lx, ly, lz")
  )
  var linear = false

  @Flag(help: .formats(.analysis, "show vibration and noise, as imulog analyze does"))
  var analysis = false

  @OptionGroup var correctionOptions: CorrectionOptions

  @Option(
    help: .formats(.time, "seconds from the first scheduled tick or since 1970 (unix), or dates"))
  var time: ExportTime?

  @Flag(help: .formats(.unitNames, "names of columns with units, such as ax_mps2"))
  var unitNames = false

  @Flag(
    help: .formats(.preamble, "begin with the recording's facts, in lines that begin with \"# \""))
  var preamble = false

  @Option(
    help: .formats(
      .hmacKeyFile, "the file of the key that signs; by default IMULOG_HMAC_KEY", value: "file"),
    completion: .file())
  var hmacKeyFile: String?

  @OptionGroup var range: RangeOptions

  @Option(
    name: [.customShort("o"), .long],
    help: .value(
      "file",
      "The file, which appears once it is complete; - for stdout. For \(ExportOption.directory.formatNames) DIR/ gets a file for each part without gaps, and one of labels."
    ),
    completion: .file())
  var output = "-"

  @Flag(help: .formats(.follow, "continue until a running recording ends"))
  var follow = false

  @Flag(
    help: .formats(
      .take,
      "export all sensors of the take, in rows with a column sensor; with --grid csv has them side by side"
    )
  )
  var take = false

  mutating func run() throws {
    ProcessPriority.stepBack()
    let (catalogue, entry) = try source.open(program)
    if output != "-" { try OutputPlace.refuse(output, in: catalogue) }
    let chosen = try chosenFormat()
    guard !isDirectory || chosen.takes(.directory) else {
      throw CommandFailure.usage(
        "-o \(Plain.text(output)) is a directory, and --format \(chosen.rawValue) makes one file; name the file "
          + "(only --format \(ExportOption.directory.formatNames) fills a directory)")
    }
    var options = ExportOptions(
      format: chosen, units: units, channels: channels, from: range.from?.nanoseconds,
      to: range.to?.nanoseconds)
    (options.fill, options.gaps, options.hasLabels) = (fill, gaps, labels)
    (options.hasUncertainty, options.isResampled) = (uncertainty, grid)
    (options.hasOrientation, options.hasLinear) = (orientation, linear)
    options.hasAnalysis = analysis
    try correctionOptions.set(&options)
    (options.time, options.hasUnitNames, options.hasPreamble) = (time, unitNames, preamble)
    options.hmacKey = try SigningKey.key(file: hmacKeyFile, for: options.format)
    if take {
      guard !follow else {
        throw CommandFailure.usage(
          "--take and --follow exclude each other: the rows of one sensor come after those of another"
        )
      }
      return try exportTake(catalogue, options)
    }
    let labelRemark = try options.take(entry, in: catalogue)
    if options.format != .raw {
      try refuseOutside(entry, of: catalogue, isLive: options.isLive)
    }
    let report =
      isDirectory
      ? try toDirectory(entry, of: catalogue, options)
      : try toOutput(options) { descriptor, name in
        var sink = BufferedSink(descriptor, name: name)
        let report = try write(entry, of: catalogue, options, to: &sink)
        return (report, isWhole: report.isWhole)
      }
    if let failure = outcome(of: report, entry, labelRemark) { throw failure }
  }

  /// Says what a user must know of an export; returns the failure that it has after all.
  func outcome(
    of report: Exporter.Report, _ entry: CatalogueEntry, _ labelRemark: StoreRemark?
  ) -> CommandFailure? {
    var report = report
    report.add(labelRemark)
    if report.isCutOff { report.remarks.append("its end is missing; what is there was exported") }
    guard report.damages == 0 else {
      return .damaged(entry.number, report.damages, "exported", report.remarks)
    }
    for remark in report.remarks { Console.talk("recording \(entry.number): \(remark)") }
    guard report.areLabelsDamaged else { return nil }
    return CommandFailure(
      .damagedData,
      "labels of recording \(entry.number) are damaged, and those that can be read were exported; `imulog label "
        + "\(entry.number)` shows them")
  }

  private var isDirectory: Bool {
    output != "-" && (output.hasSuffix("/") || FileIdentity(path: output)?.isDirectory ?? false)
  }

  private func toDirectory(
    _ entry: CatalogueEntry, of catalogue: Catalogue, _ options: ExportOptions
  ) throws -> Exporter.Report {
    let directory = try PendingDirectory(output)
    var reader = try catalogue.reader(of: entry)
    let report = try Exporter(options).write(&reader, into: directory)
    try directory.publish()
    return report
  }

  /// The format of `--format`, else by the file's name, else JSON.
  private func chosenFormat() throws(CommandFailure) -> ExportFormat {
    let named = output == "-" ? [] : ExportFormat.named(output)
    guard let format else {
      if let ending = ExportCommand.ending(of: output), output != "-", named.isEmpty, !isDevice {
        let known = ExportFormat.allCases.flatMap(\.extensions).withoutRepeats.map { ".\($0)" }
        throw CommandFailure.usage(
          "no format has files that end in .\(Plain.text(ending)), as -o \(Plain.text(output)) does; choose from "
            + "\(known.joined(separator: ", ")), or give --format")
      }
      return named.first ?? .json
    }
    guard named.isEmpty || named.contains(format) else {
      throw CommandFailure.usage(
        "-o \(Plain.text(output)) is the name of a file of format \(named[0].rawValue), and --format "
          + "\(format.rawValue) makes another; change one of them")
    }
    return format
  }

  /// What follows the last point of a file's name, such as `csv`; `nil` in `walk` and `.walk`, but not in `.csv`.
  static func ending(of path: String) -> String? {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let ending = String(name[name.index(after: dot)...])
    let isHidden = dot == name.startIndex
    return isHidden && ExportFormat.named(extension: ending.lowercased()).isEmpty ? nil : ending
  }

  /// Whether -o names a pipe or a device, whose name tells no format.
  private var isDevice: Bool {
    var status = stat()
    return stat(output, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Refuses a range after the end of a recording that has ended, and one before an import's first sample.
  private func refuseOutside(_ entry: CatalogueEntry, of catalogue: Catalogue, isLive: Bool) throws
  {
    var reader = try catalogue.reader(of: entry)
    if let to = range.to, !reader.description.isImported, to.nanoseconds <= 0 {
      throw CommandFailure.usage(RangeOptions.noTime(RangeTime(nanoseconds: 0), to))
    }
    guard !isLive else { return }
    if let to = range.to, reader.description.isImported, let first = try reader.firstTickTime(),
      first >= to.nanoseconds
    {
      throw CommandFailure.usage(
        "recording \(entry.number) begins at \(RangeTime(nanoseconds: first).text), and --to "
          + "\(to.text) is not after that; give a later --to")
    }
    let isImported = reader.description.isImported
    guard let from = range.from, from.nanoseconds > 0 || isImported else { return }
    try reader.seek(toTime: from.nanoseconds)
    var last: (tick: UInt64, time: Int64)?
    while let item = try reader.next() {
      if case .samples = item, let tick = reader.block.ticks.last,
        let time = reader.block.times.last
      {
        last = (tick, time)
      }
      if let last, last.time >= from.nanoseconds { return }
    }
    let (rate, next) = (reader.description.rate, reader.nextTick)
    var end = max(last?.time ?? 0, rate.nanoseconds(atTick: next))
    var isOutside = end <= from.nanoseconds
    if let last, reader.description.isFreeRunning {
      // The last tick, with a sample or without: after the last sample, ticks follow the rate.
      end = last.time &+ rate.nanoseconds(atTick: max(next - min(next, last.tick), 1) - 1)
      isOutside = end < from.nanoseconds
    }
    guard isOutside else { return }
    throw CommandFailure.usage(
      "recording \(entry.number) ends at \(RangeTime(nanoseconds: end).text), and --from "
        + "\(from.text) is not before that; give an earlier --from")
  }

  /// Writes to stdout, or to a file that appears at the end.
  func toOutput<Value>(
    _ options: ExportOptions, _ body: (Int32, _ name: String) throws -> (Value, isWhole: Bool)
  ) throws -> Value {
    guard output == "-" else {
      let file = try PendingFile(output)
      let (value, isWhole) = try body(file.descriptor, output)
      try file.publish(isWhole: isWhole)
      return value
    }
    guard !options.format.isBinary || !Console.isTerminal(STDOUT_FILENO) else {
      throw CommandFailure.usage(
        "--format \(options.format.rawValue) is not for a terminal; give -o FILE, or send it through a pipe"
      )
    }
    return try body(STDOUT_FILENO, "stdout").0
  }

  /// The recording's storage, with a progress line that does not mix with samples on the terminal.
  func progress(_ catalogue: Catalogue, _ entry: CatalogueEntry) throws -> ProgressStorage {
    try ProgressStorage(
      try catalogue.storage(of: entry), "exporting recording \(entry.number)",
      isShown: output != "-" || !Console.isTerminal(STDOUT_FILENO))
  }

  func write(
    _ entry: CatalogueEntry, of catalogue: Catalogue, _ options: ExportOptions,
    to sink: inout BufferedSink
  ) throws -> Exporter.Report {
    guard follow else {
      return try Exporter(options).write(try progress(catalogue, entry), to: &sink)
    }
    let storage = try catalogue.storage(of: entry)
    var live = LiveRecordingWatch(source: try catalogue.copySource(of: entry))
    return try Exporter(options).follow(storage, to: &sink) { () throws(ExportError) -> UInt64? in
      // Without samples to write, no failing write reports that the reader has gone.
      if output == "-", Console.isReaderGone(STDOUT_FILENO) {
        throw .output(name: "stdout", code: EPIPE)
      }
      do throws(LogError) {
        return try live.next()
      } catch {
        throw .log(error)
      }
    }
  }
}

/// Waits until a recording that is being written has grown.
private struct LiveRecordingWatch: ~Copyable {
  private var source: CopySource
  private var isFirst = true

  /// Nanoseconds between two polls.
  private static var period: Int64 { 100_000_000 }

  init(source: consuming CopySource) {
    self.source = source
  }

  /// The bytes that are final, after a pause except for the first time; `nil` when its writer is gone.
  mutating func next() throws(LogError) -> UInt64? {
    if !isFirst {
      let clock = SystemClock()
      clock.sleep(until: clock.now() + LiveRecordingWatch.period)
      try source.update()
    }
    isFirst = false
    return source.state == .live ? source.byteCount : nil
  }
}

extension ExportFormat: ExpressibleByArgument {
  /// The formats of files with this extension, the usual one first; none for an unknown extension.
  static func named(_ path: String) -> [ExportFormat] {
    ExportCommand.ending(of: path).map { named(extension: $0.lowercased()) } ?? []
  }
}

extension ExportFill: ExpressibleByArgument {}
extension ExportGaps: ExpressibleByArgument {}
extension ExportUnits: ExpressibleByArgument {}
extension ExportTime: ExpressibleByArgument {}
extension ExportChannels: ExpressibleByArgument {}

/// The key that signs an export. It is never on the command line, which other users of the machine see.
enum SigningKey {
  static let variable = "IMULOG_HMAC_KEY"

  /// The key in a file, else in the environment; `nil` without one.
  static func key(file: String?, for format: ExportFormat) throws -> [UInt8]? {
    if let file {
      return try word(try WholeFile.read(file), in: Plain.text(file))
    }
    guard format.takes(.hmacKeyFile), let value = Environment.value(variable) else { return nil }
    return try word(Array(value.utf8), in: variable)
  }

  private static func word(
    _ text: [UInt8], in place: String
  ) throws(CommandFailure) -> [UInt8] {
    func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    let word = text.prefix { !isEnd($0) }
    guard !word.isEmpty, text[word.count...].allSatisfy(isEnd) else {
      throw CommandFailure(
        .configuration, "\(place) has no key; put the project's HMAC key there, as one line")
    }
    return Array(word)
  }
}
