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

/// `imulog analyze`: how a recording vibrates, and how noisy its sensor is.
struct AnalyzeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Show how a recording vibrates and how noisy its sensor is.",
    discussion: """
      Spectra are means of Hann windows that overlap by half; none reaches across a gap, and nothing is filled in. \
      Velocity is that from 10 Hz to 1 kHz. Noise terms are fitted to the overlapping Allan deviation of a sensor \
      at rest, and printed where they lead the curve: N and K over a factor of two in time, B over one of four and \
      from 3 h on.

      A recording with gaps, clipped values or damage is analysed as far as it can be, and what is wrong is said; \
      the exit status of a damaged one is 65. At most 16 million samples are analysed at once.

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
    help: ArgumentHelp(
      "Report this band, in hertz, in place of the usual ones; may be repeated.",
      valueName: "low..high"),
    transform: Band.parsed)
  var band: [Range<Double>] = []

  @Flag(help: "Print JSON, with the spectra and the Allan curves.")
  var json = false

  @Option(
    help: ArgumentHelp("Write a spectrogram as an SVG drawing; - for stdout.", valueName: "file"),
    completion: .file(extensions: ["svg"]))
  var svg: String?

  @Option(
    help: ArgumentHelp(
      "For --svg: magnitude (of the acceleration, the default), ax, ay, az, gx, gy or gz.",
      valueName: "axis"),
    completion: .list(SpectrogramAxis.names))
  var axis: SpectrogramAxis?

  @Option(
    help: ArgumentHelp(
      "Write noise parameters as Kalibr's imu.yaml has them; - for stdout.", valueName: "file"),
    completion: .file(extensions: ["yaml"]))
  var imuYaml: String?

  func validate() throws {
    if axis != nil, svg == nil {
      throw ValidationError("--axis chooses what --svg draws; give --svg FILE too")
    }
    if let svg, let imuYaml, svg != "-", imuYaml != "-", OutputPlace.isSame(svg, imuYaml) {
      throw ValidationError("--svg and --imu-yaml name one file; give each its own")
    }
    let outputs = [
      json ? "--json" : nil, svg == "-" ? "--svg -" : nil, imuYaml == "-" ? "--imu-yaml -" : nil,
    ]
    .compactMap { $0 }
    if outputs.count > 1 {
      throw ValidationError(
        "\(outputs.joined(separator: " and ")) both write to stdout; give one of them a file, or leave one out"
      )
    }
  }

  mutating func run() throws {
    ProcessPriority.stepBack()
    let catalogue = try program.openStore(source.storeOptions)
    let entry = try catalogue.entry(for: source.id)
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
    if let (output, text) = noise { keep { try write(columns, to: output) { try $0(text) } } }
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
    guard damages > 0 else { return }
    throw CommandFailure(
      .damagedData,
      "recording \(number) is damaged in \(Plain.count(damages, "place")), and what can be read was "
        + "analysed; `imulog verify \(number)` says what is missing")
  }

  private func draw(
    _ spectrogram: Spectrogram, _ columns: SampleColumns, _ number: UInt32, to output: String
  ) throws {
    if let axes = columns.description.axes, case .channel = spectrogram.source {
      Console.talk("axes of the drawing are the chip's, not those of the mounting \(axes)")
    }
    let drawing = SpectrogramDrawing(spectrogram, number: number)
    try write(columns, to: output) { put in try drawing.write { try put($0) } }
  }

  /// Writes a text in pieces to stdout, or to a file that appears once it is complete.
  private func write(
    _ columns: SampleColumns, to output: String, _ fill: ((String) throws -> Void) throws -> Void
  ) throws {
    func fillSink(_ sink: inout BufferedSink) throws {
      try fill { text in try Array(text.utf8).withUnsafeBytes { try sink.write($0) } }
      try sink.flush()
    }
    guard output != "-" else {
      var sink = BufferedSink(STDOUT_FILENO, name: "stdout")
      return try fillSink(&sink)
    }
    let file = try PendingFile(output, remedy: "choose another FILE")
    var sink = BufferedSink(file.descriptor, name: output)
    try fillSink(&sink)
    try file.publish(isWhole: columns.account.damages == 0 && !columns.isCutOff)
  }
}

extension AnalysisReport {
  /// Lines for the terminal: what was analysed, what is wrong with it, a table by axis, why terms are missing, and
  /// pictures of the densities.
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
