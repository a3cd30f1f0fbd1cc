// SPDX-License-Identifier: Apache-2.0

/// A table of a hub as a Parquet file: rows of values, and the same bytes for the same rows.
package struct FlatTable {
  /// What a column holds. Every column but a constant may be empty in any row.
  package enum Kind: Equatable, Sendable {
    case integer, double, float, text
    /// Microseconds since 1970 in UTC.
    case time
    /// The same text in every row.
    case constant(String)
  }

  /// A value, of its column's kind.
  package enum Value: Equatable, Sendable {
    case integer(Int64)
    case double(Double)
    case float(Float)
    case text(String)
  }

  private let columns: [ParquetColumn]
  private let kinds: [Kind]
  private var file: ParquetFile

  /// What a hub's files are said to be written by: the same in every version.
  static let program = "imulog hub"
  /// Rows of a group: of seconds, some 13 MB.
  private static let groupLength = 65_536

  /// Begins a table.
  package init<Sink: ByteSink & ~Copyable>(
    _ columns: [(name: String, kind: Kind)], to sink: inout Sink
  ) throws(ExportError) {
    self.columns = columns.map { name, kind in
      switch kind {
      case .integer: ParquetColumn(name, .integer, isOptional: true)
      case .double: ParquetColumn(name, .double, isOptional: true)
      case .float: ParquetColumn(name, .float, isOptional: true)
      case .text: ParquetColumn(name, .text, isOptional: true)
      case .time: ParquetColumn(name, .time(isUTC: true), isOptional: true)
      case .constant(let text): ParquetColumn(name, .constant(text))
      }
    }
    kinds = columns.map(\.kind)
    file = try ParquetFile(self.columns, to: &sink)
  }

  /// Adds a row: a value or `nil` for each column, in their order; nothing is asked of a constant.
  package mutating func add<Sink: ByteSink & ~Copyable>(
    _ row: [Value?], to sink: inout Sink
  ) throws(ExportError) {
    for (place, column) in columns.enumerated() {
      if case .constant = kinds[place] {
        column.addSame(1, arePresent: true)
        continue
      }
      switch row[place] {
      case nil: column.add(nil)
      case .integer(let number): column.add([number])
      case .double(let number): column.add([Int64(bitPattern: number.bitPattern).littleEndian])
      case .float(let number): column.add(float: number)
      case .text(let text): column.add(text: Array(text.utf8))
      }
    }
    file.add(rows: 1)
    if file.groupRows == FlatTable.groupLength { try file.endGroup(to: &sink) }
  }

  /// Writes the last rows and the footer.
  package mutating func finish<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError)
  {
    try file.finish([], by: FlatTable.program, to: &sink)
    try sink.flush()
  }
}
