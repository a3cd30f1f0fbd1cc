// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The sensors in a list of the records of several, as Sensor Logger writes it.
///
///     [{"sensor":"Gyroscope","time":…},{"sensor":"Magnetometer","time":…},…]
struct JSONSensors {
  /// The records to read, the accelerometer's first; empty for a list without names of sensors, and for other files.
  private(set) var filters: [JSONFilter] = []
  /// The records that are left out: a sentence.
  private(set) var remark: String?

  /// The most names that are told apart.
  private static let most = 20
  /// With gravity before without it.
  private static let accelerometers = [
    "TotalAcceleration", "Accelerometer", "AccelerometerUncalibrated",
  ]
  private static let gyroscopes = ["Gyroscope", "GyroscopeUncalibrated"]

  /// Counts the records in the whole file.
  init<Source: ImportSource & ~Copyable>(_ source: consuming Source) throws(ImportError) {
    var text = try TextSource(source)
    guard try text.isJSON() else { return }
    var rows = try JSONRows(text)
    guard rows.shape == .list, rows.names.contains("sensor") else { return }
    var counts: [(name: String, rows: UInt64)] = []
    var others: UInt64 = 0
    while let object = try rows.next() {
      var name: String?
      do throws(FieldError) {
        name = try Members.value("sensor", of: object).map { String(decoding: $0, as: UTF8.self) }
      } catch {
        throw error.at(rows.name, rows.place)
      }
      if let place = counts.firstIndex(where: { $0.name == name }) {
        counts[place].rows += 1
      } else if let name, counts.count < JSONSensors.most {
        counts.append((name, 1))
      } else {
        others += 1
      }
    }
    var chosen = [JSONSensors.accelerometers, JSONSensors.gyroscopes].compactMap { kinds in
      kinds.first { kind in counts.contains { $0.name == kind } }
    }
    // Several of other names must not become one.
    if chosen.isEmpty, counts.count > 1 { chosen = [counts[0].name] }
    filters = chosen.map { JSONFilter(key: "sensor", value: $0) }
    var parts = counts.filter { !chosen.contains($0.name) }
      .map { "\(FieldText.shown($0.name.utf8)) (\($0.rows))" }
    if others > 0 { parts.append("others (\(others))") }
    guard !chosen.isEmpty, !parts.isEmpty else { return }
    remark = "\(rows.name): rows of these sensors are left out: \(parts.joined(separator: ", "))"
  }
}

extension TextSource where Base: ~Copyable {
  /// Whether the text begins as JSON; it is then at the beginning again.
  mutating func isJSON() throws(ImportError) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
    defer { buffer.deallocate() }
    let count = try read(into: buffer)
    rewind()
    let first = buffer[..<count].first { $0 > UInt8(ascii: " ") }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}
