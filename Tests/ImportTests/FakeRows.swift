// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

@testable import Import

/// Rows in memory, for tests of what stands around readers.
final class FakeRows: SampleRows {
  var name: String { understanding.name }
  var understanding: Understanding
  var facts = OwnFacts()
  private let rows: [(row: Row, numbers: [Decimal])]
  private(set) var index = 0

  var place: Place { Place(line: index + 1) }
  var mark: RowMark { RowMark(byte: UInt64(index - 1), line: index + 1) }
  var numbers: [Decimal] { rows[index - 1].numbers }

  init(_ understanding: Understanding, _ rows: [(row: Row, numbers: [Decimal])]) {
    (self.understanding, self.rows) = (understanding, rows)
  }

  func next() throws(ImportError) -> Row? {
    guard index < rows.count else { return nil }
    defer { index += 1 }
    return rows[index].row
  }

  func settle(_ understanding: Understanding) { self.understanding = understanding }
  func rewind(to mark: RowMark?) throws(ImportError) { index = Int(mark?.byte ?? 0) }
}

/// A table as a head states it, and its rows.
struct FakeTable {
  var understanding: Understanding
  var rows: [(row: Row, numbers: [Decimal])] = []
  var request = ImportRequest(id: RecordingID(high: 1, low: 2))

  /// - Parameters:
  ///   - names: Of the columns, a time first unless `hasTime` is false.
  ///   - channels: Of the other columns.
  init(_ names: [String], _ channels: [Int], file: String = "table.csv", hasTime: Bool = true) {
    understanding = Understanding(file)
    for (index, name) in names.enumerated() {
      let role: Understanding.Role =
        hasTime && index == 0
        ? .time : .channel(channels[index - (hasTime ? 1 : 0)], isReversed: false)
      understanding.columns.append(
        Understanding.Column(index: index, name: name, role: role, source: .file("the header")))
    }
    understanding.syntax.headLines = 1
  }

  mutating func add(_ time: Int64, _ values: [String], begin: Understanding.Session.Begin? = nil) {
    var numbers = [Decimal](repeating: Decimal(digits: 0), count: 7)
    var channels: [Int] = []
    for case .channel(let channel, _) in understanding.columns.map(\.role) {
      channels.append(channel)
    }
    for (channel, value) in zip(channels, values) {
      let parts = value.split(separator: ".")
      let decimals = parts.count > 1 ? parts[1].count : 0
      numbers[channel] = Decimal(
        digits: Int64(value.filter { $0 != "." }) ?? 0, exponent: -decimals)
    }
    rows.append((Row(time: time, begin: begin), numbers))
  }

  /// The table as it is read with a request.
  func tables(_ request: ImportRequest) -> [TableRows] {
    [TableRows(FakeRows(understanding, rows), request)]
  }

  func importer() throws(ImportError) -> ImportedRecording {
    try ImportedRecording(Opening(tables: tables), request)
  }

  /// The error of an import; `nil` if there is none.
  var error: ImportError? {
    do throws(ImportError) {
      _ = try importer()
      return nil
    } catch {
      return error
    }
  }

  func records() throws -> [TickRecord] {
    var importer = try importer()
    var records: [TickRecord] = []
    while let record = try importer.next() { records.append(record) }
    return records
  }
}
