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

/// `imulog export`: a recording in a form for other programs.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export a recording as JSON or in another format.",
    discussion: """
      Times in the output are nanoseconds from the first scheduled tick; an import has its file's times. A \
      damaged recording is exported as far as it can be read, and the exit status is then 65. html is one \
      page for any browser that needs no network; svg is a drawing for papers; parquet is a table for DuckDB, \
      pandas, polars and the like; mcap has messages of ROS 2, for PlotJuggler, Foxglove and `ros2 bag`.

      Where the chip kept the time, times are when it made the samples, as its clock's readings show: \
      --uncertainty adds the interval that must hold each, --grid resamples to even times.

      Examples:
        imulog export latest > walk.json
        imulog export 3 --units g-dps --from 2s --to 8s -o walk.csv
        imulog export latest --format ndjson --follow
        imulog export latest -o walk.parquet
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var source: RecordingOptions

  @Option(
    help: ArgumentHelp(
      "The output format; by default that of the ending of -o's name, and json without an ending.",
      valueName: "format"))
  var format: ExportFormat?

  @Option(
    help: ArgumentHelp(
      Plain.text(
        "si: m/s², rad/s, °C (the default); g-dps: g, °/s, °C; raw: counts (the default of \(ExportFormat.list(ExportFormat.ofCounts)))."
      ),
      valueName: "units"))
  var units: ExportUnits?

  @Option(help: "The sensors to export; by default all that were recorded.")
  var channels: ExportChannels?

  @Option(
    help:
      "For \(ExportOption.fill.formatNames): fill ticks without a sample with the sample before, or leave them out."
  )
  var fill: ExportFill?

  @Option(
    help:
      "For \(ExportOption.gaps.formatNames): a row for each run of ticks without a sample, with its cause and length, or none."
  )
  var gaps: ExportGaps?

  @Flag(
    help:
      "For \(ExportOption.labels.formatNames): add a column with the names of the labels at each sample, with ; between them."
  )
  var labels = false

  @Flag(
    help:
      "For a chip's times: add t_lo_ns and t_hi_ns, between which each is proved to be; \(ExportOption.uncertainty.formatNames)."
  )
  var uncertainty = false

  @Flag(
    help:
      "For a chip's times: resample to the exact grid of the nominal rate, never across a gap; \(ExportOption.grid.formatNames)."
  )
  var grid = false

  @Flag(
    help:
      "Add the sensor's orientation, as a quaternion qw, qx, qy, qz; \(ExportOption.orientation.formatNames)."
  )
  var orientation = false

  @Flag(
    help:
      "Add the acceleration without gravity in the sensor's frame, lx, ly, lz; \(ExportOption.linear.formatNames)."
  )
  var linear = false

  @Flag(
    help:
      "For \(ExportOption.analysis.formatNames): show vibration and noise too, as imulog analyze does."
  )
  var analysis = false

  @OptionGroup var correctionOptions: CorrectionOptions

  @Option(
    help:
      "For \(ExportOption.time.formatNames): times in seconds from the first scheduled tick or since 1970 (unix), or as dates in UTC or the local zone."
  )
  var time: ExportTime?

  @Flag(
    help:
      "For \(ExportOption.unitNames.formatNames): names of columns with their units, such as ax_mps2."
  )
  var unitNames = false

  @Flag(
    help:
      "For \(ExportOption.preamble.formatNames): begin with the facts of the recording, in lines that begin with \"# \"."
  )
  var preamble = false

  @Option(
    help: ArgumentHelp(
      "For \(ExportOption.hmacKeyFile.formatNames): sign with the key in this file, by default with IMULOG_HMAC_KEY if it is set.",
      valueName: "file"),
    completion: .file())
  var hmacKeyFile: String?

  @OptionGroup var range: RangeOptions

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Write to a file, which appears once it is complete; - for stdout. For \(ExportOption.directory.formatNames) DIR/ writes a file for each part without gaps, and one with the labels.",
      valueName: "file"),
    completion: .file())
  var output = "-"

  @Flag(
    help:
      "Continue until a recording that is being written ends; \(ExportOption.follow.formatNames) only."
  )
  var follow = false

  mutating func run() throws {
    ProcessPriority.stepBack()
    let catalogue = try program.openStore(source.storeOptions)
    let entry = try catalogue.entry(for: source.id)
    if output != "-" { try OutputPlace.refuse(output, in: catalogue) }
    let chosen = try chosenFormat()
    guard !isDirectory || chosen.takes(.directory) else {
      throw CommandFailure(
        .usage,
        "-o \(Plain.text(output)) is a directory, and --format \(chosen.rawValue) makes one file: name the file; only "
          + "--format \(ExportOption.directory.formatNames) fills a directory")
    }
    var options = ExportOptions(
      format: chosen, units: units, channels: channels, from: range.from?.nanoseconds,
      to: range.to?.nanoseconds)
    options.fill = fill
    options.gaps = gaps
    options.hasUncertainty = uncertainty
    options.isResampled = grid
    (options.hasOrientation, options.hasLinear) = (orientation, linear)
    options.hasAnalysis = analysis
    try correctionOptions.set(&options)
    (options.time, options.hasUnitNames, options.hasPreamble) = (time, unitNames, preamble)
    options.hasLabels = labels
    options.hmacKey = try SigningKey.key(file: hmacKeyFile, for: options.format)
    let labelRemark = try options.take(entry, in: catalogue)
    if options.format != .raw {
      try refuseOutside(entry, of: catalogue, isLive: options.isLive)
    }
    var report: Exporter.Report
    if output == "-" {
      report = try toStandardOutput(entry, of: catalogue, options)
    } else if isDirectory {
      report = try toDirectory(entry, of: catalogue, options)
    } else {
      report = try toFile(entry, of: catalogue, options)
    }
    report.add(labelRemark)
    if report.isCutOff { report.remarks.append("its end is missing; what is there was exported") }
    guard report.damages > 0 else {
      for remark in report.remarks { Console.talk("recording \(entry.number): \(remark)") }
      guard report.areLabelsDamaged else { return }
      throw CommandFailure(
        .damagedData,
        "labels of recording \(entry.number) are damaged, and those that can be read were exported; `imulog label "
          + "\(entry.number)` shows them")
    }
    throw CommandFailure(
      .damagedData,
      ([
        "recording \(entry.number) is damaged in "
          + "\(Plain.count(report.damages, "place")), and what can be read was exported; "
          + "`imulog verify \(entry.number)` says what is missing"
      ]
        + report.remarks).joined(separator: "; "))
  }

  private var isDirectory: Bool {
    var status = stat()
    return output != "-"
      && (output.hasSuffix("/")
        || stat(output, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR)
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

  /// The format of `--format`, else that of the file's name, else JSON.
  private func chosenFormat() throws(CommandFailure) -> ExportFormat {
    let named = output == "-" ? [] : ExportFormat.named(output)
    guard let format else {
      if let ending = ExportCommand.ending(of: output), output != "-", named.isEmpty, !isDevice {
        let endings = ExportFormat.allCases.flatMap(\.extensions)
        let known = endings.indices.filter { !endings[..<$0].contains(endings[$0]) }.map {
          ".\(endings[$0])"
        }
        throw CommandFailure(
          .usage,
          "no format has files that end in .\(Plain.text(ending)), as -o \(Plain.text(output)) does; choose from "
            + "\(known.joined(separator: ", ")), or give --format")
      }
      return named.first ?? .json
    }
    guard named.isEmpty || named.contains(format) else {
      throw CommandFailure(
        .usage,
        "-o \(Plain.text(output)) is the name of a file of format \(named[0].rawValue), and --format "
          + "\(format.rawValue) makes another; change one of them")
    }
    return format
  }

  /// What follows the last point of a file's name; `nil` without one, as in `walk`, and in a name that begins with its
  /// only point, as `.walk`, but for the ending of a format, as `.csv`.
  static func ending(of path: String) -> String? {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let ending = String(name[name.index(after: dot)...])
    let isHidden = dot == name.startIndex
    return isHidden && ExportFormat.named(extension: ending.lowercased()).isEmpty ? nil : ending
  }

  /// Whether -o names a pipe or a device, whose name says nothing.
  private var isDevice: Bool {
    var status = stat()
    return stat(output, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Refuses a range after the end of a recording, unless it is being written, and one before an import's first sample.
  private func refuseOutside(_ entry: CatalogueEntry, of catalogue: Catalogue, isLive: Bool) throws
  {
    var reader = try catalogue.reader(of: entry)
    if let to = range.to, !reader.description.isImported, to.nanoseconds <= 0 {
      throw CommandFailure(.usage, RangeOptions.noTime(RangeTime(nanoseconds: 0), to))
    }
    guard !isLive else { return }
    if let to = range.to, reader.description.isImported, let first = try reader.firstTickTime(),
      first >= to.nanoseconds
    {
      throw CommandFailure(
        .usage,
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
      // The last tick, with a sample or without: from the last sample on the rate says where ticks are.
      end = last.time &+ rate.nanoseconds(atTick: max(next - min(next, last.tick), 1) - 1)
      isOutside = end < from.nanoseconds
    }
    guard isOutside else { return }
    throw CommandFailure(
      .usage,
      "recording \(entry.number) ends at \(RangeTime(nanoseconds: end).text), and --from "
        + "\(from.text) is not before that; give an earlier --from")
  }

  private func toStandardOutput(
    _ entry: CatalogueEntry, of catalogue: Catalogue, _ options: ExportOptions
  ) throws -> Exporter.Report {
    guard !options.format.isBinary || !Console.isTerminal(STDOUT_FILENO) else {
      throw CommandFailure(
        .usage,
        "--format \(options.format.rawValue) on a terminal is no use; give -o FILE, or send it through a pipe"
      )
    }
    var sink = BufferedSink(STDOUT_FILENO, name: "stdout")
    return try write(entry, of: catalogue, options, to: &sink)
  }

  private func toFile(
    _ entry: CatalogueEntry, of catalogue: Catalogue, _ options: ExportOptions
  ) throws -> Exporter.Report {
    let file = try PendingFile(output)
    var sink = BufferedSink(file.descriptor, name: output)
    let report = try write(entry, of: catalogue, options, to: &sink)
    try file.publish(isWhole: report.isWhole)
    return report
  }

  private func write(
    _ entry: CatalogueEntry, of catalogue: Catalogue, _ options: ExportOptions,
    to sink: inout BufferedSink
  ) throws -> Exporter.Report {
    let storage = try catalogue.storage(of: entry)
    guard follow else {
      // The progress line must not mix with samples on the terminal.
      let isApart = output != "-" || !Console.isTerminal(STDOUT_FILENO)
      return try Exporter(options).write(
        try ProgressStorage(
          storage, "exporting recording \(entry.number)", isShown: isApart), to: &sink)
    }
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
struct LiveRecordingWatch: ~Copyable {
  private var source: CopySource
  private var isFirst = true

  /// Nanoseconds between two polls.
  private static var period: Int64 { 100_000_000 }

  init(source: consuming CopySource) {
    self.source = source
  }

  /// How many bytes are final, after a pause except for the first time; `nil` when its writer is gone.
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
