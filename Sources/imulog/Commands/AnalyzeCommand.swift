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
      """,
    examples: "imulog analyze latest",
    "imulog analyze 3 --from 2s --to 8s --band 45..55 --json",
    "imulog analyze latest --svg spectrogram.svg --axis az",
    "imulog analyze 7 --imu-yaml imu.yaml")

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
      Console.talk("the drawing's axes are the chip's, without the mounting \(axes)")
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

extension AnalysisReport {
  /// The document of `imulog analyze --json`.
  var json: String {
    JSONWriter.document { json in
      json.times.areClaimed = description.isImported
      json.member("number", number)
      json.member("id", "\(description.id)")
      json.member("sampleCount", analysis.sampleCount)
      json.member("segmentCount", analysis.segmentCount)
      json.member("gapCount", analysis.account.gaps)
      json.member("unevenTimeCount", analysis.account.unevenTimes)
      json.member("leftOutCount", analysis.account.leftOut)
      json.member("clippedCount", analysis.clipped)
      json.member("damageCount", analysis.account.damages)
      json.member("duration_s", analysis.duration)
      json.member("rate_hz", analysis.rate)
      json.times.note("rate_hz", as: description.isFreeRunning ? .estimated : .claimed)
      json.member("rateError_ppm", analysis.rateError.map { $0 * 1e6 })
      json.member("rateDrift_ppm", analysis.rateDrift.map { $0 * 1e6 })
      json.member("mounting", mounting.map { "\($0)" })
      json.member("filter", description.sensor.filter.isEmpty ? nil : description.sensor.filter)
      json.member("motion", analysis.motion)
      if let spectrum = analysis.axes.first?.spectrum {
        json.member("windows") { json in
          json.member("shape", "hann")
          json.member("length", spectrum.length)
          json.member("windowCount", spectrum.windows)
          json.member("resolution_hz", spectrum.resolution)
          json.member("relativeError", spectrum.relativeError)
          json.member("outsideCount", analysis.outsideWindows)
        }
      }
      json.member("bands", analysis.bands) { json, band in
        json.object { json in
          json.member("from_hz", band.lowerBound)
          json.member("to_hz", band.upperBound)
        }
      }
      json.member("bandRefusals", analysis.bandRefusals)
      json.member("rms_g", analysis.total(\.rms))
      json.member("velocity_mm_s", analysis.total(\.velocity))
      json.member("accelerometer", analysis.axes.filter(\.isAcceleration)) {
        $0.add($1, bands: analysis.bands)
      }
      json.member("gyroscope", analysis.axes.filter { !$0.isAcceleration }) {
        $0.add($1, bands: analysis.bands)
      }
    }
  }
}

extension JSONWriter {
  /// A number, or `null` where it is not finite.
  fileprivate mutating func member(_ name: String, _ value: Double?) {
    member(name, number: value.flatMap { $0.isFinite ? "\($0)" : nil })
  }

  fileprivate mutating func add(_ value: Double?) {
    if let value, value.isFinite { number("\(value)") } else { null() }
  }

  fileprivate mutating func add(_ axis: AxisAnalysis, bands: [Range<Double>]) {
    let unit = axis.isAcceleration ? "g" : "dps"
    object { json in
      json.member("channel", axis.name)
      json.member("mean_\(unit)", axis.mean)
      json.member("rms_\(unit)", axis.rms)
      json.member("peak_\(unit)", axis.peak)
      json.member("crest", axis.moments.crest)
      json.member("kurtosis", axis.moments.kurtosis)
      json.member("clippedCount", axis.moments.clipped)
      if axis.isAcceleration { json.member("velocity_mm_s", axis.velocity) }
      json.member("bandRMS_\(unit)", bands.map { axis.spectrum.rms(in: $0) }) { $0.add($1) }
      json.member("peaks", axis.peaks) { json, peak in
        json.object { json in
          json.member("frequency_hz", peak.frequency)
          json.member("rms_\(unit)", peak.rms)
          json.member("prominence", peak.prominence)
        }
      }
      json.member("density_\(unit)2_hz", axis.spectrum.density) { $0.add($1) }
      json.member("allan", axis.allan.points) { json, point in
        json.object { json in
          json.member("tau_s", point.tau)
          json.member("deviation_\(unit)", point.deviation * axis.scale)
          json.member("differenceCount", point.count)
          json.member("relativeError", point.relativeError)
        }
      }
      json.member("randomWalk_\(unit)_rthz", axis.noise.randomWalk, axis.scale)
      json.member("biasInstability_\(unit)", axis.noise.biasInstability, axis.scale)
      json.member("rateRandomWalk_\(unit)_s_rthz", axis.noise.rateRandomWalk, axis.scale)
    }
  }

  /// A noise term: its value, or the reason why there is none.
  private mutating func member(_ name: String, _ term: NoiseTerms.Term, _ scale: Double) {
    member(name) { json in
      switch term {
      case .found(let value, let error, let taus):
        json.member("value", value * scale)
        json.member("relativeError", error)
        json.member("from_s", taus.lowerBound)
        json.member("to_s", taus.upperBound)
        json.member("reason", String?.none)
      case .refused(let reason):
        for key in ["value", "relativeError", "from_s", "to_s"] { json.member(key, Double?.none) }
        json.member("reason", reason)
      }
    }
  }
}
