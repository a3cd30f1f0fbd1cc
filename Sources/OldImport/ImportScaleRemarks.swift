// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

extension ImportValues {
  /// The sensor of the new recording, with the scales of the counts.
  func sensor(_ layout: ImportLayout, _ options: ImportOptions) -> SensorDescription {
    func scale(_ group: ImportGroup) -> Fraction {
      scales[group.rawValue]?.scale ?? layout.facts.scale(of: group) ?? options.scale(of: group)
        ?? options.usualScale(of: group)
    }
    return .imported(
      accelerometerRange: layout.facts.accelerometerRange ?? 0,
      gyroscopeRange: layout.facts.gyroscopeRange ?? 0,
      accelerometerScale: scale(.accelerometer), gyroscopeScale: scale(.gyroscope),
      temperatureScale: scale(.temperature),
      temperatureOffset: scales[2]?.offset ?? layout.facts.temperatureOffset
        ?? options.temperatureOffset)
  }

  /// What the scales do to the values, after a pass that made counts: a sentence for each group that is not as written.
  func scaleRemarks(_ name: String) -> [String] {
    var remarks: [String] = []
    for group in ImportGroup.allCases {
      guard let scale = scales[group.rawValue], let unit = units[group.rawValue] else { continue }
      let error = errors[group.rawValue]
      switch scale.source {
      case .counts, .file, .chip, .lattice: continue
      case .finest:
        remarks.append(
          "\(group.name) of \(name) have more digits than counts of 16 bits can hold: they are up to "
            + "\(ImportValues.shown(error)) \(unit.sign) off, at \(ImportValues.shown(scale.step)) \(unit.sign) a count"
        )
      case .given where error > 1e-9 * scale.step:
        remarks.append(
          "\(group.name) of \(name) are no whole counts of the given scale: they are up to "
            + "\(ImportValues.shown(error)) \(unit.sign) off")
      case .given: continue
      }
    }
    return remarks
  }

  /// The sentence for counts of which nothing says how many a unit has.
  static func assumption(_ groups: [ImportGroup]) -> String {
    var scales: [String] = []
    var options: [String] = []
    if groups.contains(.accelerometer) {
      scales.append("16384 a g")
      options.append("--accel-lsb-per-g")
    }
    if groups.contains(.gyroscope) {
      scales.append("131 a °/s")
      options.append("--gyro-lsb-per-dps")
    }
    if groups.contains(.temperature) { scales.append("340 a °C from 36.53 °C on") }
    return
      "its counts are of an unknown scale: the MPU-6050's is assumed, \(scales.joined(separator: ", "))"
      + (options.isEmpty ? "" : "; give others with \(options.joined(separator: " and "))")
  }

  /// A small value with three digits.
  static func shown(_ value: Double) -> String {
    guard value > 0, value.isFinite else { return "0" }
    var power = 0
    var digits = value
    while digits < 100, power < 15 { (digits, power) = (digits * 10, power + 1) }
    return Plain.number(value, per: ImportDecimal.wholePowers[power])
  }
}
