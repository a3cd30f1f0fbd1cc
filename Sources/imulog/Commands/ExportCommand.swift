public import ArgumentParser
public import Export
import Glibc
import IMUModel
import LinuxIO
import LogStore

/// `imulog export`: a recording in a form for other programs.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a recording out as JSON or in another form.",
    discussion: """
      Times in the output are nanoseconds from the first scheduled sample. A damaged recording is exported \
      as far as it can be read; the exit status is then 65. html is one page for any browser, which needs no \
      network; svg is a drawing for papers.
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(help: ArgumentHelp("A number, `latest`, or the beginning of a UUID.", valueName: "id"))
  var id: String

  @Option(help: ArgumentHelp("The form of the output.", valueName: "format"))
  var format: ExportFormat = .json

  @Option(
    help: ArgumentHelp(
      Plain.text("si: m/s², rad/s, °C (when not given); g-dps: g, °/s, °C; raw: counts."),
      valueName: "units"))
  var units: ExportUnits?

  @Option(help: "The sensors to export; all that were recorded when not given.")
  var channels: ExportChannels?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Leave out samples before this time, such as 12.5s.", valueName: "time"))
  var from: Span?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Leave out samples from this time on.", valueName: "time"))
  var to: Span?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Write to a file, which appears when it is whole; - for stdout.", valueName: "file"))
  var output = "-"

  @Flag(help: "Go on until a recording that is being written ends; for ndjson, csv and raw.")
  var follow = false

  mutating func run() throws {
    ProcessPriority.stepBack()
    var options = ExportOptions(
      format: format, units: units, channels: channels, from: from?.nanoseconds,
      to: to?.nanoseconds)
    let catalogue = try program.openStore(storeOptions)
    let entry = try catalogue.entry(for: id)
    options.number = entry.number
    options.isLive = try catalogue.isLive(entry)
    if output != "-" { try refuseRecording(of: catalogue) }
    let report =
      try output == "-"
      ? toStandardOutput(entry, of: catalogue, options) : toFile(entry, of: catalogue, options)
    if report.damages > 0 {
      throw CommandFailure(
        .damagedData,
        "recording \(entry.number) is damaged in \(report.damages) "
          + "\(report.damages == 1 ? "place" : "places"), and what can be read was exported; "
          + "`imulog verify \(entry.number)` says what is missing")
    }
  }

  /// An export in the place of a recording would be the end of it, by whatever link or name it is reached.
  private func refuseRecording(of catalogue: Catalogue) throws {
    guard let file = FileIdentity(path: output) else { return }
    for entry in try catalogue.list().entries where FileIdentity(path: entry.path) == file {
      throw CommandFailure(
        .usage, "-o \(output) is recording \(entry.number) itself; choose another -o FILE")
    }
  }

  private func toStandardOutput(
    _ entry: CatalogueEntry, of catalogue: Catalogue, _ options: ExportOptions
  ) throws -> Exporter.Report {
    guard options.format != .raw || !Console.isTerminal(STDOUT_FILENO) else {
      throw CommandFailure(
        .usage, "a raw log on a terminal is no use; give -o FILE, or send it through a pipe")
    }
    var sink = FileDescriptorSink(STDOUT_FILENO, name: "stdout")
    return try write(entry, of: catalogue, options, to: &sink)
  }

  private func toFile(
    _ entry: CatalogueEntry, of catalogue: Catalogue, _ options: ExportOptions
  ) throws -> Exporter.Report {
    let file = try PendingFile(output)
    var sink = FileDescriptorSink(file.descriptor, name: output)
    let report = try write(entry, of: catalogue, options, to: &sink)
    try file.publish()
    return report
  }

  private func write(
    _ entry: CatalogueEntry, of catalogue: Catalogue, _ options: ExportOptions,
    to sink: inout FileDescriptorSink
  ) throws -> Exporter.Report {
    let storage = try catalogue.storage(of: entry)
    guard follow else {
      // On the terminal itself its line would lie among the samples.
      let isApart = output != "-" || !Console.isTerminal(STDOUT_FILENO)
      return try Exporter(options).write(
        try ProgressStorage(
          storage, "exporting recording \(entry.number)", isShown: isApart), to: &sink)
    }
    var live = LiveRecordingWatch(source: try catalogue.copySource(of: entry))
    return try Exporter(options).follow(storage, to: &sink) { () throws(ExportError) -> UInt64? in
      // Nothing may have to be written for long, and then no write tells that nobody reads any more.
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

/// Waits for more of a recording that is being written.
struct LiveRecordingWatch: ~Copyable {
  private var source: CopySource
  private var isFirst = true

  /// Nanoseconds between two looks.
  private static var period: Int64 { 100_000_000 }

  init(source: consuming CopySource) {
    self.source = source
  }

  /// How much of it is final: at once the first time, later after a while; `nil` when its writer is gone.
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

extension ExportFormat: ExpressibleByArgument {}
extension ExportUnits: ExpressibleByArgument {}
extension ExportChannels: ExpressibleByArgument {}
