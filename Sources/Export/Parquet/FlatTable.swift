// SPDX-License-Identifier: Apache-2.0

/// A table as a Parquet file, written from front to back; the same bytes for the same rows.
///
///     PAR1 │ row group: chunk of each column │ row group │ … │ footer │ its length │ PAR1
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
  private let schemas: [Thrift]
  private var (rowCount, groupRows) = (0, 0)
  private var offset: Int
  private var groups: [Thrift] = []

  private static let magic = Array("PAR1".utf8)
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
    schemas = self.columns.map(\.schema)
    offset = FlatTable.magic.count
    try sink.write(FlatTable.magic)
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
    groupRows += 1
    if groupRows == FlatTable.groupLength { try endGroup(to: &sink) }
  }

  private mutating func endGroup<Sink: ByteSink & ~Copyable>(to sink: inout Sink)
    throws(ExportError)
  {
    guard groupRows > 0 else { return }
    var chunks: [Thrift] = []
    let begin = offset
    for column in columns {
      let (pages, entry) = column.endChunk(of: groupRows, at: offset)
      chunks.append(entry)
      for page in pages {
        try sink.write(page)
        offset += page.count
      }
    }
    let size = Thrift.int64(offset - begin)
    groups.append([1: .list(chunks), 2: size, 3: .int64(groupRows), 5: .int64(begin), 6: size])
    (rowCount, groupRows) = (rowCount + groupRows, 0)
  }

  /// Writes the last rows and the footer.
  package mutating func finish<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError)
  {
    try endGroup(to: &sink)
    let root: Thrift = [4: .text("imulog"), 5: .int32(columns.count)]
    let footer: Thrift = [
      1: .int32(2), 2: .list([root] + schemas), 3: .int64(rowCount), 4: .list(groups),
      6: .text("imulog hub"),
      7: .list(columns.map { _ in [1: [:]] }),
    ]
    var end = footer.bytes
    end.append(littleEndian: UInt32(end.count))
    try sink.write(end + FlatTable.magic)
    try sink.flush()
  }
}
