// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Calibration
import Files
import Glibc
import IMUDrivers
import IMUModel
import LinuxIO
import LogStore
import Terminal
import Text

struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Find a sensor's errors by hand, without equipment.",
    discussion: """
      Without an ID it records, and guides on the terminal: let the sensor lie still for 3 s on each of its six \
      faces and on six edges, then turn it by 360° about each axis, from rest to rest in one place; s ends it. \
      With an ID it uses a recording of that; for the accelerometer, hours of wearing the sensor do, too.

      Recordings copy the file into their headers (record --calibration), and exports apply it with \
      --calibrated. `known to` bounds the error of the worst axis in 95 of 100 cases.

      Exit status: 0 offset and scale of each recorded sensor are found on all axes, 1 a part is missing or the \
      recording is damaged, 65 nothing is found.
      """,
    examples: "imulog calibrate --name \"left shoe\" -o left.cal",
    "imulog record --rate 100 --for 2m && imulog calibrate latest -o left.cal")

  @ParentCommand var program: Imulog
  @OptionGroup var storeOptions: StoreOptions

  @Argument(
    help: .value("id", "A number, `latest`, or the beginning of a UUID; none for a new recording."),
    completion: .recordings)
  var id: String?

  @OptionGroup var sensorOptions: SensorOptions

  @Option(
    parsing: .unconditional,
    help: .value("text", "The sensor's name; by default the recording's note or chip."))
  var name: String?

  @Option(
    name: .shortAndLong,
    help: .value("file", "The file to write; without it the result is only printed."),
    completion: .file())
  var output: String?

  @Flag(help: "Let -o replace any file, also a calibration that has more.")
  var force = false

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    try OptionRule.refuse(sensorOptions.given, with: ["the ID": id != nil])
    if let output, output.isEmpty || output == "-" {
      throw ValidationError("-o takes a file; without it the result is printed")
    }
    if let name, name.isEmpty || name.utf8.count > CalibrationText.nameLimit || !isLine(name) {
      throw ValidationError("--name needs one line of 1 to \(CalibrationText.nameLimit) bytes")
    }
  }

  private func isLine(_ text: String) -> Bool {
    text.first != " " && text.unicodeScalars.allSatisfy { !ForeignText.isObeyed($0) }
  }

  mutating func run() throws {
    let id = try id ?? recorded()
    let catalogue = try program.openStore(storeOptions)
    let entry = try catalogue.entry(for: id)
    if let output { try OutputPlace.refuse(output, in: catalogue) }
    var reader = try LogReader(
      try ProgressStorage(reading: entry.path, "reading recording \(entry.number)"))
    var study = CalibrationStudy(reader.description)
    var damageCount = 0
    while let item = try reader.next() {
      switch item {
      case .samples: study.add(reader.block)
      case .field(let reading): study.add(reading)
      case .damage: damageCount += 1
      default: break
      }
    }
    study.finish()
    var generator = SystemRandomNumberGenerator()
    var result = study.calibration(
      id: .random(using: &generator), name: chosenName(reader.description),
      made: SystemClock().readWallClock().wall,
      zeroRate: SensorModel.allCases.first { $0.name == reader.description.sensor.model }?.zeroRate)
    if damageCount > 0 {
      result.refusals.append(
        "the recording is damaged in \(Plain.count(damageCount, "place")), and the rest was used"
      )
    }
    var failure: CommandFailure?
    if let output, let calibration = result.calibration {
      do throws(CommandFailure) {
        let file = try PendingFile(output)
        try file.keep(for: reason(output, calibration.parts))
        try file.write(Array(calibration.fileText.utf8))
        try file.publish()
      } catch {
        // The result is printed all the same.
        failure = error
      }
    }
    try report(CalibrationReport(number: entry.number, id: reader.description.id, result: result))
    if let failure {
      for refusal in result.refusals { Console.talk(Plain.text(refusal)) }
      throw failure
    }
    if let output, result.calibration != nil {
      Console.talk(
        "wrote \(Plain.text(output)); use it with `imulog record --calibration "
          + "\(Plain.text(ShellWord.quoted(output)))`")
    }
    guard let refusal = result.refusals.first else { return }
    let rest = result.refusals.dropFirst().map { "; " + $0 }.joined()
    throw CommandFailure(
      result.calibration == nil ? .damagedData : .flawed, Plain.text(refusal + rest))
  }

  /// Why a result does not replace a file: `nil` where it has all that a calibration there has.
  private func reason(_ output: String, _ new: [CalibrationResult.Part]?) -> String? {
    guard !force else { return nil }
    do {
      let lacking = try SensorCalibration(readingFile: output).parts.filter {
        new?.contains($0) == false
      }
      guard !lacking.isEmpty else { return nil }
      let names = lacking.map(\.rawValue).joined(separator: ", ")
      return "this result lacks its \(names), and --force is not given"
    } catch {
      return "it cannot be read as a calibration, and --force is not given"
    }
  }

  /// Makes a recording that is guided, and returns its number.
  private func recorded() throws -> String {
    guard TerminalDevice.isThere(term: Environment.value("TERM")) else {
      throw CommandFailure.usage(
        "calibrate needs a terminal to guide on (over SSH: ssh -t), or a recording's ID")
    }
    let request = try RecordRequest(guided: self)
    // Refused before minutes of work by hand.
    if let output {
      let store = try program.storePath(storeOptions)
      try OutputPlace.refuse(output, in: try Catalogue(path: store, create: true))
      try PendingFile(output).keep(for: reason(output, nil))
    }
    // To the end: a second signal must not cut off the result.
    let signals = try SignalWatch()
    let result = Result {
      try RecordOutcome.recording(request, store: try program.storePath(storeOptions))
    }
    signals.keepToExit()
    let outcome = try result.get()
    outcome.talk.forEach { Console.talk($0) }
    if let failure = outcome.failure { throw failure }
    return "\(outcome.logs[0].number)"
  }

  private func chosenName(_ description: RecordingDescription) -> String {
    if let name { return name }
    let note = description.note
    let isName = !note.isEmpty && note.utf8.count <= CalibrationText.nameLimit && isLine(note)
    return isName ? note : description.sensor.model
  }

  private func report(_ report: CalibrationReport) throws {
    let result = report.result
    if json {
      try Console.json(report.json)
    } else {
      for line in report.lines { try Console.data(line) }
    }
    for remark in result.remarks { Console.talk(Plain.text(remark)) }
  }
}

/// A calibration and its recording, for people or as JSON.
struct CalibrationReport {
  let number: UInt32
  let id: RecordingID
  let result: CalibrationResult

  var lines: [String] {
    var lines = [
      "recording     \(number), \(id)",
      "still         \(Plain.count(result.poseCount, "pose")) of 2 s or more, \(Plain.count(result.windowCount, "window")) of \(Plain.length(result.windowLength))",
    ]
    guard let calibration = result.calibration else { return lines.map(Plain.text) }
    if let made = calibration.conditions { lines.append("made at       " + text(made)) }
    if let part = calibration.accelerometer { lines += self.lines(part) }
    if let part = calibration.gyroscope { lines += self.lines(part) }
    if let part = calibration.field { lines += self.lines(part) }
    return lines.map(Plain.text)
  }

  private func lines(_ part: SensorCalibration.Accelerometer) -> [String] {
    var lines = [
      "offset        " + CalibrationReport.text(part.offset * 1000, "mg", decimals: 10),
      "scale         "
        + CalibrationReport.text(
          Vector3(part.matrix.rows[0].x, part.matrix.rows[1].y, part.matrix.rows[2].z), "",
          decimals: 10_000),
    ]
    if !result.missing.contains(.crossTerms) {
      lines.append(
        "cross terms   "
          + CalibrationReport.text(
            Vector3(part.matrix.rows[0].y, part.matrix.rows[0].z, part.matrix.rows[1].z), "",
            decimals: 10_000, names: ["xy", "xz", "yz"]))
    }
    if let offset = result.bounds.offset, let scale = result.bounds.scale {
      let ends = [offset * 1000, scale * 100].map { Plain.number($0, per: 100) }
      let unless =
        result.uncheckedCount == 0
        ? "" : ", unless one of the \(result.uncheckedCount) moved that no other pose checks"
      lines.append("known to      \(ends[0]) mg, \(ends[1]) %\(unless)")
    }
    let residuals = [part.residual.before, part.residual.after].map {
      Plain.number($0 * 1000, per: 10)
    }
    lines.append("error         \(residuals[0]) mg before, \(residuals[1]) mg afterwards")
    if let drift = part.drift { lines.append("with warmth   " + CalibrationReport.text(drift)) }
    return lines
  }

  private func lines(_ part: SensorCalibration.Gyroscope) -> [String] {
    var lines = ["rate at rest  " + CalibrationReport.text(part.offset, "°/s", decimals: 1000)]
    if let rate = result.bounds.rate {
      lines.append("known to      \(Plain.number(max(rate, 0.0001), per: 10_000)) °/s")
    }
    let scales = (0..<3).map { axis in
      result.missing.contains(.gyroscopeScale(axis))
        ? "-" : Plain.number(part.scale[axis], per: 10_000)
    }
    if scales != ["-", "-", "-"] {
      lines.append("rate's scale  x \(scales[0])  y \(scales[1])  z \(scales[2])")
      if let known = result.bounds.rateScale {
        lines.append("known to      \(Plain.number(known * 100, per: 100)) %")
      }
    }
    if let drift = part.drift { lines.append("with warmth   " + CalibrationReport.text(drift)) }
    return lines
  }

  private func lines(_ part: SensorCalibration.Field) -> [String] {
    let rows = part.matrix.rows
    let left = Plain.number((result.bounds.field ?? 0) * 100, per: 10)
    return [
      "hard iron     " + CalibrationReport.text(part.offset, "µT", decimals: 10),
      "soft iron     "
        + CalibrationReport.text(Vector3(rows[0].x, rows[1].y, rows[2].z), "", decimals: 1000),
      "error         \(left) % afterwards, dip \(Plain.number(result.dip ?? 0, per: 1))°",
    ]
  }

  private func text(_ made: SensorCalibration.Conditions) -> String {
    var parts = [Plain.number(made.rate, per: 10_000) + " Hz"]
    if made.accelerometerRange > 0 { parts.append("\(made.accelerometerRange) g") }
    if made.gyroscopeRange > 0 { parts.append("\(made.gyroscopeRange) °/s") }
    if let span = made.temperatures {
      let ends = [span.lowerBound, span.upperBound].map { Plain.number($0, per: 10) }
      parts.append("\(ends[0]) to \(ends[1]) °C")
    }
    return parts.joined(separator: ", ")
  }

  private static func text(_ drift: TemperatureDrift) -> String {
    let ends = [drift.span.lowerBound, drift.span.upperBound].map { Plain.number($0, per: 10) }
    let order = drift.coefficients.map(\.count).max() ?? 1
    return "order \(order) from \(ends[0]) to \(ends[1]) °C"
  }

  private static func text(
    _ vector: Vector3, _ unit: String, decimals: Int64, names: [String] = ["x", "y", "z"]
  ) -> String {
    let parts = (0..<3).map { "\(names[$0]) \(Plain.number(vector[$0], per: decimals))" }
    return parts.joined(separator: "  ") + (unit.isEmpty ? "" : " \(unit)")
  }

  var json: String {
    JSONWriter.document { json in
      json.member("number", number)
      json.member("id", "\(id)")
      json.member("orientations", result.poseCount)
      json.member("unchecked", result.uncheckedCount)
      json.member("windows", result.windowCount)
      json.member("turns", result.turnCount)
      json.member("method", result.method?.rawValue)
      json.member("offsetKnownTo_g", number: result.bounds.offset.map { "\($0)" })
      json.member("scaleKnownTo", number: result.bounds.scale.map { "\($0)" })
      json.member("rateKnownTo_dps", number: result.bounds.rate.map { "\($0)" })
      json.member("rateScaleKnownTo", number: result.bounds.rateScale.map { "\($0)" })
      json.member("fieldResidual", number: result.bounds.field.map { "\($0)" })
      json.member("dip_deg", number: result.dip.map { "\($0)" })
      json.key("calibration")
      json.calibration(result.calibration)
      json.member("missing", result.missing.map(\.rawValue))
      json.member("remarks", result.remarks)
      json.member("refusals", result.refusals)
    }
  }
}
