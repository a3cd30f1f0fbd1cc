// SPDX-License-Identifier: Apache-2.0

import Analysis
import ArgumentParser
import Export
import Files
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Terminal
import Text

struct AnalyzeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Show how a recording vibrates and how noisy its sensor is.",
    discussion: """
      Velocity counts 10 Hz to 1 kHz; no spectrum reaches across a gap. Noise terms need a sensor at rest: N \
      and K where they lead the Allan deviation over a factor of two in time, B over four and from 3 h on. Exit \
      status 65: the recording is damaged, and the rest was analysed. At most 16 million samples.

      Examples:
        imulog analyze latest
        imulog analyze 3 --from 2s --to 8s --band 45..55 --json
        imulog analyze latest --svg spectrogram.svg --axis az
        imulog analyze 7 --imu-yaml imu.yaml
      """)

  @ParentCommand var program: Imulog
  @OptionGroup var source: RecordingOptions
  @OptionGroup var range: RangeOptions

  @Option(
    parsing: .unconditionalSingleValue,
    help: .value(
      "low..high", "Report this band, in hertz, instead of the usual ones; may be repeated."),
    transform: Band.parsed)
  var band: [Range<Double>] = []

  @Flag(help: "Print JSON, with the spectra and the Allan curves.")
  var json = false

  @Option(
    help: .value("file", "Write a spectrogram as an SVG drawing; - for stdout."),
    completion: .file(extensions: ["svg"]))
  var svg: String?

  @Option(
    help: .value(
      "axis", "For --svg: magnitude (of the acceleration, the default), ax, ay, az, gx, gy or gz."),
    completion: .list(SpectrogramAxis.names))
  var axis: SpectrogramAxis?

  @Option(
    help: .value("file", "Write noise parameters as Kalibr's imu.yaml; - for stdout."),
    completion: .file(extensions: ["yaml"]))
  var imuYaml: String?

  func validate() throws {
    try OptionRule.refuse(["--axis": axis != nil], without: "--svg FILE", svg != nil)
    if let svg, let imuYaml, svg != "-", imuYaml != "-", OutputPlace.isSame(svg, imuYaml) {
      throw ValidationError("--svg and --imu-yaml name one file; give each its own")
    }
    // Each writes to stdout.
    try OptionRule.expectOne(of: [
      "--json": json, "--svg -": svg == "-", "--imu-yaml -": imuYaml == "-",
    ])
  }

  mutating func run() throws {
    ProcessPriority.stepBack()
    let (catalogue, entry) = try source.open(program)
    for (option, output) in [("--svg", svg), ("--imu-yaml", imuYaml)] {
      guard let output, output != "-" else { continue }
      try OutputPlace.refuse(output, of: option, in: catalogue)
    }
    var reader = try LogReader(
      try ProgressStorage(try catalogue.storage(of: entry), "reading recording \(entry.number)"))
    let isLive = try catalogue.isLive(entry)
    let columns = try SampleColumns.read(
      &reader, from: range.from?.nanoseconds, to: range.to?.nanoseconds)
    columns.isCutOff = try isLive ? false : reader.isCutOff(before: range.to?.nanoseconds ?? .max)
    guard !columns.channels.isEmpty else {
      throw AnalysisError.channelsMissing(
        needed: "an axis of a sensor", recorded: reader.description.channels)
    }
    guard svg != "-" || imuYaml != nil else {
      try draw(try spectrogram(columns), columns, entry.number, to: "-")
      return try end(columns, entry.number)
    }
    let analysis = RecordingAnalysis(columns, bands: band.isEmpty ? nil : band)
    // What is refused is refused before anything is written.
    let noise = try imuYaml.map { ($0, try KalibrNoise.text(analysis, number: entry.number)) }
    let picture = try svg.map { ($0, try spectrogram(columns)) }
    // A file that cannot be written takes neither the other one nor the report away.
    var failure: (any Error)?
    func keep(_ write: () throws -> Void) {
      do {
        try write()
      } catch {
        if failure != nil { Console.talk("\(error)") }
        failure = failure ?? error
      }
    }
    if let (output, spectrogram) = picture {
      keep { try draw(spectrogram, columns, entry.number, to: output) }
    }
    if let (output, text) = noise { keep { try write(text, of: columns, to: output) } }
    if svg != "-" {
      let report = AnalysisReport(
        number: entry.number, description: columns.description, analysis: analysis,
        isMounted: false)
      keep {
        if json {
          try Console.json(report.json)
        } else if imuYaml != "-" {
          try Console.data(report.lines.joined(separator: "\n"))
        }
      }
    }
    if let failure { throw failure }
    try end(columns, entry.number)
  }

  private func spectrogram(_ columns: SampleColumns) throws -> Spectrogram {
    try Spectrogram(columns, of: axis?.source ?? .magnitude)
  }

  private func end(_ columns: SampleColumns, _ number: UInt32) throws {
    let damages = columns.account.damages
    if damages > 0 { throw CommandFailure.damaged(number, damages, "analysed") }
  }

  private func draw(
    _ spectrogram: Spectrogram, _ columns: SampleColumns, _ number: UInt32, to output: String
  ) throws {
    if let axes = columns.description.axes, case .channel = spectrogram.source {
      Console.talk("axes of the drawing are the chip's, not those of the mounting \(axes)")
    }
    var text = ""
    SpectrogramDrawing(spectrogram, number: number).write { text += $0 }
    try write(text, of: columns, to: output)
  }

  /// Writes to stdout, or to a file that appears once it is complete.
  private func write(_ text: String, of columns: SampleColumns, to output: String) throws {
    guard output != "-" else { return try BufferedSink.toStandardOutput(Array(text.utf8)) }
    let file = try PendingFile(output, remedy: "choose another FILE")
    try file.write(Array(text.utf8))
    try file.publish(isWhole: columns.account.damages == 0 && !columns.isCutOff)
  }
}

extension AnalysisReport {
  /// For a terminal: what was analysed, its faults, a table by axis, why terms are missing, and pictures of the densities.
  fileprivate var lines: [String] {
    let reasons = noiseReasons.isEmpty ? [] : [""] + noiseReasons
    let head = [subject] + remarks.map { "note: \($0)" } + [covered, ""]
    let pictures = DensityPicture.all(analysis).flatMap { [""] + $0.lines }
    return head.map(Plain.text) + [table] + reasons.map(Plain.text) + pictures
  }

  /// The rows with their columns below each other.
  private var table: String {
    let columns = rows.reduce(0) { max($0, $1.cells.count) }
    let cells = rows.map { row in
      let blanks = repeatElement("", count: columns - row.cells.count)
      return ([row.name] + row.cells + blanks).map(Plain.text)
    }
    return TextTable.text(cells, isNumeric: [false] + repeatElement(true, count: columns))
  }
}

/// A band of frequencies on the command line: `45..55`.
enum Band {
  static func parsed(_ argument: String) throws -> Range<Double> {
    guard let dots = argument.parts(around: ".."),
      let low = SampleRate(decimal: dots.before)?.hertz,
      let high = SampleRate(decimal: dots.after)?.hertz
    else { throw ValidationError("give it as LOW..HIGH, two frequencies above 0 such as 45..55") }
    guard low < high else {
      throw ValidationError("its end is not above its beginning: give the lower frequency first")
    }
    return low..<high
  }
}

/// What a spectrogram shows, on the command line.
struct SpectrogramAxis: ExpressibleByArgument {
  static let names = ["magnitude"] + ChannelSet.names.prefix(6)
  let source: Spectrogram.Source

  init?(argument: String) {
    guard let place = SpectrogramAxis.names.firstIndex(of: argument) else { return nil }
    source = place == 0 ? .magnitude : .channel(place - 1)
  }

  static var allValueStrings: [String] { names }
}
