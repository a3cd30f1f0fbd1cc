// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Import

/// What a user says about a file, and what comes of it.
enum Tables {
  static let request = ImportRequest(id: RecordingID(high: 1, low: 2))

  /// A request with options as they are typed, such as `--rate 100 --units g,s`.
  static func request(_ options: String) throws -> ImportRequest {
    try ImportLine(options).request
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
    let reader = try TableReader(
      ByteSource(Array(text.utf8), name: file, piece: piece), request(options))
    var rows: [Row] = []
    while let row = try reader.next() { rows.append(row) }
    return (rows, reader.understanding)
  }
}

/// A text, what the user says of it, and what comes of it.
struct TableCase: CustomTestStringConvertible {
  let text: String
  let said: String
  let words: String
  var testDescription: String { "\(said) \(text)" }

  /// A case from each line `text ⇒ words` or `text ⇒ options ⇒ words`, in which `\n` and `\r` are ends of lines.
  static func list(_ lines: String) -> [TableCase] {
    lines.split(separator: "\n").map { line in
      let parts = line.split(separator: " ⇒ ", omittingEmptySubsequences: false).map(String.init)
      precondition(parts.count == 2 || parts.count == 3, "no case: \(line)")
      let text = parts[0].replacing(#"\n"#, with: "\n").replacing(#"\r"#, with: "\r")
      return TableCase(
        text: text, said: parts.count == 3 ? parts[1] : "", words: parts[parts.count - 1])
    }
  }
}
