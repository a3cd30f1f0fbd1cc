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
    case "imulog.started": started = RFC3339.nanoseconds(text)
    case "imulog.sensor.accelerometerRange_g": accelerometerRange = Int(text)
    case "imulog.sensor.gyroscopeRange_dps": gyroscopeRange = Int(text)
    case "imulog.sensor.accelerometerScale_g": accelerometerScale = ImportFacts.ratio(text)
    case "imulog.sensor.gyroscopeScale_dps": gyroscopeScale = ImportFacts.ratio(text)
    case "imulog.sensor.temperatureScale_c": temperatureScale = ImportFacts.ratio(text)
    case "imulog.sensor.temperatureOffset_c": temperatureOffset = ImportFacts.ratio(text)
    case "imulog.units.ax", "imulog.units.ay", "imulog.units.az":
      units.accelerometer = ImportUnit(word: text)
    case "imulog.units.gx", "imulog.units.gy", "imulog.units.gz":
      units.gyroscope = ImportUnit(word: text)
    case "imulog.units.temp": units.temperature = ImportUnit(word: text)
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
