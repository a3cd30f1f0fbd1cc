// SPDX-License-Identifier: Apache-2.0

import Text

/// A table of a hub as a Parquet file: rows of values, and the same bytes for the same rows.
package struct FlatTable {
  package enum Value: Equatable, Sendable {
    case integer(Int64)
    case double(Double)
    case float(Float)
    case text(String)
  }

  private let columns: [ParquetColumn]
  private var file: ParquetFile

  /// The writer of a hub's files, as they name it: the same in every version.
  static let program = "imulog hub"
  /// Rows of a group: of seconds, some 13 MB.
  private static let groupLength = 65_536

  /// Begins a table. Every column but a constant may be empty in any row.
  package init<Sink: ByteSink & ~Copyable>(
    _ columns: [(name: String, kind: ParquetKind)], to sink: inout Sink
  ) throws(ExportError) {
    self.columns = columns.map { ParquetColumn($0.name, $0.kind, isOptional: true) }
    file = try ParquetFile(self.columns, to: &sink)
  }

  /// Adds a row: a value or `nil` for each column, in their order; `nil` for a constant.
  package mutating func add<Sink: ByteSink & ~Copyable>(
    _ row: [Value?], to sink: inout Sink
  ) throws(ExportError) {
    precondition(row.count == columns.count, "a row has a place for each column")
    for (column, value) in zip(columns, row) {
      switch value {
      case nil: column.addSame(1, arePresent: column.constant != nil)
      case .integer(let number): column.add([number])
      case .double(let number): column.add([number.word])
      case .float(let number): column.add(float: number)
      case .text(let text): column.add(text: Array(text.utf8))
      }
    }
    file.add(rows: 1)
    if file.groupRows == FlatTable.groupLength { try file.endGroup(to: &sink) }
  }

  package mutating func finish<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError)
  {
    var words = TimeWords()
    for column in columns { words.note(column.name) }
    let facts = words.all.map { (name: "imulog.words.\($0.name)", text: $0.word.rawValue) }
    try file.finish(facts, by: FlatTable.program, to: &sink)
    try sink.flush()
  }
}
