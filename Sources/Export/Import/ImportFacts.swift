// SPDX-License-Identifier: Apache-2.0

import IMUModel

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
  var note: String?
  /// The nominal rate.
  var rate: SampleRate?
  /// Values that are none of their kind, and left out: clauses.
  private(set) var faults: [String] = []
  /// The unit of a column that is unknown, or another one than that of the same sensor's column before it.
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
    case "imulog.note", "note": note = text.isEmpty ? nil : text
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
    case "imulog.sensor.accelerometerScale_g": accelerometerScale = ImportFacts.ratio(text)
    case "imulog.sensor.gyroscopeScale_dps": gyroscopeScale = ImportFacts.ratio(text)
    case "imulog.sensor.temperatureScale_c": temperatureScale = ImportFacts.ratio(text)
    case "imulog.sensor.temperatureOffset_c": temperatureOffset = ImportFacts.ratio(text)
    case "imulog.units.ax", "imulog.units.ay", "imulog.units.az":
      takeUnit(.accelerometer, name, text)
    case "imulog.units.gx", "imulog.units.gy", "imulog.units.gz":
      takeUnit(.gyroscope, name, text)
    case "imulog.units.temp": takeUnit(.temperature, name, text)
    case "timestamp":
      started = Int64(text).flatMap { $0.magnitude < 9_000_000_000 ? $0 * 1_000_000_000 : nil }
    case "tscale": timeScale = ImportFacts.decimal(text)
    case "gscale": rateScale = ImportFacts.decimal(text)
    case "ascale": accelerationScale = ImportFacts.decimal(text)
    case "orientation": orientation = text
    case "acc_1G":
      if let counts = Int64(text), counts > 0 { accelerometerScale = Fraction(1, counts) }
    default: break
    }
  }

  /// Notes what is said about the recording, and the new one cannot keep, by the first byte of the value.
  mutating func note(_ name: String, begin: UInt8?) {
    switch (name, begin) {
    case ("complete", UInt8(ascii: "f")):
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

  /// A ratio as `61/1000000`.
  private static func ratio(_ text: String) -> Fraction? {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let above = Int64(parts[0]), let below = Int64(parts[1]) else {
      return nil
    }
    return Fraction(above, over: below)
  }

  private static func decimal(_ text: String) -> ImportDecimal? {
    let number = Array(text.utf8).withUnsafeBytes { ImportNumber($0) }
    guard case .number(let decimal) = number, decimal.digits > 0 else { return nil }
    return decimal
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
