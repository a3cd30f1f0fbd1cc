// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Import

/// What a user says about a file, and what comes of it.
enum Tables {
  static let request = ImportRequest(id: RecordingID(high: 1, low: 2))

  /// A request with options as they are typed, such as `--rate 100 --units g,s`.
  static func request(_ options: String) throws -> ImportRequest {
    var request = Tables.request
    for option in (" " + options).split(separator: " --")
    where option.contains(where: { $0 != " " }) {
      let parts = option.split(separator: " ", maxSplits: 1).map(String.init)
      let value = parts.count > 1 ? parts[1] : ""
      switch parts[0] {
      case "rate": request.rate = try #require(SampleRate(decimal: value)) as SampleRate
      case "units": request.units = try #require(UnitsOption(value), "\(value)") as UnitsOption
      case "columns":
        request.columns = try #require(ColumnsOption(value), "\(value)") as ColumnsOption
      case "accel-lsb-per-g": request.accelerometerScale = ImportRequest.scale(countsPerUnit: value)
      case "gyro-lsb-per-dps": request.gyroscopeScale = ImportRequest.scale(countsPerUnit: value)
      case "sort": request.isSorted = true
      case "each": request.isEach = true
      case "anyway": request.isAnyway = true
      default: Issue.record("\(option) is no option")
      }
    }
    return request
  }

  static func importer(_ bytes: [UInt8], _ options: String = "", file: String = "table.csv") throws
    -> ImportedRecording
  {
    try ImportedRecording(ByteSource(bytes, name: file), request(options))
  }

  static func importer(_ text: String, _ options: String = "", file: String = "table.csv") throws
    -> ImportedRecording
  {
    try importer(Array(text.utf8), options, file: file)
  }

  /// The refusal of a table; `nil` if it is imported.
  static func refusal(_ text: String, _ options: String = "", file: String = "table.csv") throws
    -> String?
  {
    let request = try request(options)
    do throws(ImportError) {
      _ = try ImportedRecording(ByteSource(Array(text.utf8), name: file), request)
      return nil
    } catch {
      return error.description
    }
  }

  /// The times and the values in g, °/s and °C of the samples.
  static func samples(_ importer: consuming ImportedRecording) throws -> (
    times: [Int64], values: [[Double]]
  ) {
    let sensor = importer.description.sensor
    let channels = importer.description.channels.indices
    var (times, values): ([Int64], [[Double]]) = ([], [])
    while let record = try importer.next() {
      guard record.gap == nil else { continue }
      times.append(record.time)
      values.append(
        channels.map { channel in
          let scale =
            channel < 3
            ? sensor.accelerometerScale
            : channel < 6 ? sensor.gyroscopeScale : sensor.temperatureScale
          return Double(record.sample[channel]) * scale.value
        })
    }
    return (times, values)
  }

  /// All rows that a reader finds in its first pass.
  static func rows(
    _ text: String, _ options: String = "", file: String = "table.csv", piece: Int = .max
  )
    throws -> (rows: [Row], understanding: Understanding)
  {
    var reader = try TableReader(
      ByteSource(Array(text.utf8), name: file, piece: piece), request(options))
    var rows: [Row] = []
    while let row = try reader.next() { rows.append(row) }
    return (rows, reader.understanding)
  }
}
