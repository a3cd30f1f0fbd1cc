// SPDX-License-Identifier: Apache-2.0

import Export
import IMUModel
import Testing

/// Readings of tables for their tests.
enum FieldTable {
  static let degree = Double.pi / 180

  /// The last sample in g and °/s, and the times.
  static func read(
    _ text: String, columns: String? = nil, units: String? = nil, rate: SampleRate? = nil
  ) throws -> (times: [Int64], values: [Double], remarks: [String]) {
    var options = Imports.given(rate: rate)
    options.columns = try columns.map { try #require(ImportColumnNames($0)) }
    options.units = try units.map { try #require(ImportUnits($0)) }
    let importer = try Imports.csv(text, options)
    let (description, remarks) = (importer.description, importer.remarks)
    let records = try Imports.records(importer)
    let last = try #require(records.last?.sample)
    let values = description.channels.indices.map { channel in
      let sensor = description.sensor
      let scale = channel < 3 ? sensor.accelerometerScale : sensor.gyroscopeScale
      return Double(last[channel]) * scale.value
    }
    return (records.map(\.time), values, remarks)
  }

  static func isNear(_ found: [Double], _ wanted: [Double]) -> Bool {
    found.count == wanted.count
      && zip(found, wanted).allSatisfy { abs($0 - $1) < 1e-5 * max(1, abs($1)) }
  }
}
