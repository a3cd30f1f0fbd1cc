// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The sensors in a list of the records of several, as Sensor Logger writes it.
///
///     [{"sensor":"Gyroscope","time":…},{"sensor":"Magnetometer","time":…},…]
struct ImportSensors {
  /// The records to import, the accelerometer's first; empty for a list without names of sensors, and for other files.
  private(set) var filters: [ImportFilter] = []
  /// The records that are left out.
  private(set) var remark: String?

  /// The most names that are told apart.
  private static let most = 100

  /// Counts the records in the whole file.
  init<Source: ImportSource & ~Copyable>(_ source: consuming Source) throws(ImportError) {
    var lines = ImportLines(source)
    try lines.skipMark()
    guard try lines.consume("[") else { return }
    var counts: [String: UInt64] = [:]
    var (names, others) = ([String](), UInt64(0))
    // Rows that name no sensor.
    var unnamed: UInt64 = 0
    var isFirst = true
    while let object = try lines.nextObject(.list, isFirst: isFirst) {
      isFirst = false
      do throws(ImportFieldError) {
        var name: String?
        try ImportMember.each(of: object) { key, value in
          if key.elementsEqual("sensor".utf8) { name = String(decoding: value, as: UTF8.self) }
        }
        guard let name else {
          unnamed += 1
          continue
        }
        if counts[name] == nil {
          guard names.count < ImportSensors.most else {
            others += 1
            continue
          }
          names.append(name)
        }
        counts[name, default: 0] += 1
      } catch {
        throw .line(name: lines.source.name, line: lines.valuePlace, problem: error.problem)
      }
    }
    var chosen = [ImportSensors.accelerometers, ImportSensors.gyroscopes].compactMap { kinds in
      kinds.first { counts[$0] != nil }
    }
    // Several of other names must not become one.
    if chosen.isEmpty, names.count > 1 { chosen = [names[0]] }
    filters = chosen.map { ImportFilter(key: "sensor", value: $0) }
    remark = ImportSensors.remark(
      lines.source.name, names.filter { !chosen.contains($0) }.map { ($0, counts[$0] ?? 0) },
      others, unnamed, isChosen: !chosen.isEmpty)
  }

  private static func remark(
    _ file: String, _ left: [(name: String, rows: UInt64)], _ others: UInt64, _ unnamed: UInt64,
    isChosen: Bool
  ) -> String? {
    guard isChosen, !left.isEmpty || unnamed > 0 else { return nil }
    let rest = left.dropFirst(12).reduce(others) { $0 + $1.rows }
    var parts = left.prefix(12).map { "\(ImportText.shown(Array($0.name.utf8))) (\($0.rows))" }
    if rest > 0 { parts.append("others (\(rest))") }
    if unnamed > 0 { parts.append("without a name (\(unnamed))") }
    return
      "\(file): rows of these sensors are left out: \(parts.joined(separator: ", "))"
  }

  /// With gravity before without it.
  private static let accelerometers = [
    "TotalAcceleration", "Accelerometer", "AccelerometerUncalibrated",
  ]
  private static let gyroscopes = ["Gyroscope", "GyroscopeUncalibrated"]
}
