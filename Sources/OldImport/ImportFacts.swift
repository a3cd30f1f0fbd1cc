// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import Text

/// What a file says about its samples before them: the preamble of this program's CSV, the members of its JSON
/// document, the keys of gcsv and of Blackbox Explorer.
struct ImportFacts: Equatable {
  /// g a count, °/s a count, °C a count and at count 0.
  var accelerometerScale: Fraction?
  var gyroscopeScale: Fraction?
  var temperatureScale: Fraction?
  var temperatureOffset: Fraction?
  /// Nominal full scales in g and °/s.
  var accelerometerRange: Int?
  var gyroscopeRange: Int?
  /// Units of the groups' values.
  var units = ImportUnits()
  /// Nanoseconds since 1970 at time 0.
  var started: Int64?
  private(set) var note: String?
  /// A note that a log has no room for: its bytes, and where it is.
  private var longNote: LongNote?
  private struct LongNote: Equatable {
    let bytes: Int
    var place: ImportPlace?
  }
  /// The nominal rate.
  var rate: SampleRate?
  /// The samples and all ticks of a document, as it counts them.
  private(set) var statedSamples: Int64?
  private(set) var statedTicks: Int64?
  /// Whether a document says that its recording was damaged or not at its end.
  private(set) var isIncomplete = false
  /// Values that are none of their kind, and left out: clauses.
  private(set) var faults: [String] = []
  /// The unit of a column that is unknown, or another one than that of the same sensor's column before it; a scale that is
  /// no number.
  private(set) var unitProblem: ImportLineProblem?
  /// The first column of each group that has a unit.
  private var unitColumns: [String?] = [nil, nil, nil]
  /// The version of a document that a later version of this program writes.
  private(set) var newerSchema: String?
  /// Of this program's document.
  var notes = ImportNotes()
  /// Of gcsv: what one in each column means, as it is written; a time in seconds, rad/s, g.
  var timeScale: ImportDecimal?
  var rateScale: ImportDecimal?
  var accelerationScale: ImportDecimal?
  /// Of gcsv: which column is which axis, as `XYZ` or `yXZ`; `-` in front of a small letter's.
  var orientation: String?

  /// Takes a fact by its name; one that is not needed is passed over, and so is one that is no value of its kind.
  mutating func take(_ name: String, _ text: String) {
    switch name {
    case "imulog.note": take(note: EscapedLine.plain(text))
    case "note": take(note: text)
    case "imulog.started":
      started = RFC3339.nanoseconds(text)
      if started == nil { refuse("started", text.utf8, kind: "date from 1678 to 2261") }
    case "imulog.rate_hz":
      rate = SampleRate(stated: text)
      if rate == nil { refuse("rate_hz", text.utf8, kind: "rate in hertz") }
    case "imulog.axes": note("axes", begin: 0)
    case "imulog.calibration": note("calibration", begin: 0)
    case "imulog.calibrated": note("calibrated", begin: 0)
    case "imulog.schema":
      if let schema = Int64(text), schema > JSONWriter.schema { newerSchema = text }
    case "imulog.sensor.accelerometerRange_g": accelerometerRange = Int(text)
    case "imulog.sensor.gyroscopeRange_dps": gyroscopeRange = Int(text)
    case "imulog.ticks.sampled": statedSamples = Int64(text)
    case "imulog.ticks.scheduled": statedTicks = Int64(text)
    case "imulog.units.ax", "imulog.units.ay", "imulog.units.az":
      takeUnit(.accelerometer, name, text)
    case "imulog.units.gx", "imulog.units.gy", "imulog.units.gz":
      takeUnit(.gyroscope, name, text)
    case "imulog.units.temp": takeUnit(.temperature, name, text)
    case "timestamp": takeDate(text)
    case "tscale": timeScale = scale(name, text, timeScale)
    case "gscale": rateScale = scale(name, text, rateScale)
    case "ascale": accelerationScale = scale(name, text, accelerationScale)
    case "orientation": orientation = text
    case "acc_1G":
      if let counts = Int64(text), counts > 0 { accelerometerScale = Fraction(1, counts) }
    default: takeRatio(name, text)
    }
  }

  /// Takes a scale or an offset of the sensor; any other fact is passed over.
  private mutating func takeRatio(_ name: String, _ text: String) {
    let sensor = "imulog.sensor."
    guard name.hasPrefix(sensor), let member = Ratio(rawValue: String(name.dropFirst(sensor.count)))
    else { return }
    let ratio = ratio(member, text)
    switch member {
    case .accelerometerScale: accelerometerScale = ratio
    case .gyroscopeScale: gyroscopeScale = ratio
    case .temperatureScale: temperatureScale = ratio
    case .temperatureOffset: temperatureOffset = ratio
    }
  }

  private mutating func take(note text: String) {
    note = text.isEmpty ? nil : text
    let bytes = text.utf8.count
    longNote = bytes > LogFormat.noteLength ? LongNote(bytes: bytes) : nil
  }

  /// Says where what was taken last is.
  mutating func place(_ place: ImportPlace) {
    if longNote?.place == nil { longNote?.place = place }
  }

  /// The error of a note that a log has no room for.
  func noteProblem(_ name: String) -> ImportError? {
    guard let longNote else { return nil }
    return .line(
      name: name, line: longNote.place ?? 1,
      problem: .noteTooLong(bytes: longNote.bytes, limit: LogFormat.noteLength))
  }

  /// Notes what is said about the recording, and the new one cannot keep, by the first byte of the value.
  mutating func note(_ name: String, begin: UInt8?) {
    switch (name, begin) {
    case ("complete", UInt8(ascii: "f")):
      isIncomplete = true
      faults.append(
        "the recording of the file was damaged or not at its end, which the new one does not show")
    case ("complete", _), (_, UInt8(ascii: "n")): break
    case ("calibrated", _):
      faults.append(
        "its values are calibrated already, which the new recording does not show: do not calibrate it again"
      )
    default:
      faults.append(
        "its \(name) \(name == "axes" ? "are" : "is") left out: values are taken as they are in the file"
      )
    }
  }

  /// Notes that a value is none of its kind.
  mutating func refuse(_ name: String, _ text: some Sequence<UInt8>, kind: String) {
    faults.append("its \(name) \"\(ImportText.shown(Array(text)))\" is no \(kind), and is left out")
  }

  /// Takes the unit of a column; those of a group must agree.
  private mutating func takeUnit(_ group: ImportGroup, _ name: String, _ text: String) {
    let column = String(name.split(separator: ".").last ?? "")
    let shown = ImportText.shown(Array(text.utf8))
    guard let unit = ImportUnit(word: text), unit.measures(group) else {
      unitProblem =
        unitProblem
        ?? .unknownStatedUnit(column: column, found: shown, choices: group.choices)
      return
    }
    if let before = unitColumns[group.rawValue], let other = units[group], other != unit {
      unitProblem =
        unitProblem
        ?? .mixedStatedUnits(column: column, found: shown, other: before, unit: other.sign)
      return
    }
    if unitColumns[group.rawValue] == nil { unitColumns[group.rawValue] = column }
    units[group] = unit
  }

  /// The members of a document's sensor that are ratios.
  enum Ratio: String {
    case accelerometerScale = "accelerometerScale_g"
    case gyroscopeScale = "gyroscopeScale_dps"
    case temperatureScale = "temperatureScale_c"
    case temperatureOffset = "temperatureOffset_c"
  }

  /// A ratio as `61/1000000`; one that is none, or a scale of 0, is left out.
  private mutating func ratio(_ member: Ratio, _ text: String) -> Fraction? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2, let above = Int64(parts[0]), let below = Int64(parts[1]),
      above != 0 || member == .temperatureOffset, let ratio = Fraction(above, over: below)
    {
      return ratio
    }
    refuse(
      member.rawValue, text.utf8, kind: "ratio of two whole numbers, such as 1/16384")
    return nil
  }

  /// A gcsv's scale; another one than before is a problem, too.
  private mutating func scale(_ name: String, _ text: String, _ before: ImportDecimal?)
    -> ImportDecimal?
  {
    let number = Array(text.utf8).withUnsafeBytes { ImportNumber($0) }
    guard case .number(let decimal) = number, decimal.digits > 0,
      before?.value ?? decimal.value == decimal.value
    else {
      let expected = before == nil ? "a number above 0" : "the same as before"
      unitProblem =
        unitProblem
        ?? .otherKind(
          of: name, expected: expected, found: "\"\(ImportText.shown(Array(text.utf8)))\"")
      return before
    }
    return decimal
  }

  /// Takes a gcsv's date, in whole seconds since 1970, which may be left empty.
  private mutating func takeDate(_ text: String) {
    guard !text.isEmpty else { return }
    guard let seconds = Int64(text), seconds.magnitude < 9_000_000_000 else {
      return refuse("timestamp", text.utf8, kind: "number of whole seconds since 1970")
    }
    let date = seconds * 1_000_000_000
    if let started, started != date {
      faults.append(
        "it has two dates: \(RFC3339.text(nanoseconds: started)) is taken, and "
          + "\(RFC3339.text(nanoseconds: date)) left out")
      return
    }
    started = date
  }

  /// The scale of a group in the units of logs.
  func scale(of group: ImportGroup) -> Fraction? {
    switch group {
    case .accelerometer: accelerometerScale
    case .gyroscope: gyroscopeScale
    case .temperature: temperatureScale
    }
  }
}
