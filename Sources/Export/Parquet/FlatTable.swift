// SPDX-License-Identifier: Apache-2.0

/// A small table as a Parquet file of one row group, the same bytes for the same rows.
///
///     PAR1 │ chunk of each column │ footer │ its length │ PAR1
package struct FlatTable {
  /// What a column holds. Every column may be empty in any row.
  package enum Kind: Sendable {
    case integer, double, text
    /// Microseconds since 1970 in UTC.
    case time
  }

  /// A value, of its column's kind.
  package enum Value: Equatable, Sendable {
    case integer(Int64)
    case double(Double)
    case text(String)
  }

  private let columns: [ParquetColumn]
  private let schemas: [Thrift]
  private var rowCount = 0

  /// A table without rows.
  package init(_ columns: [(name: String, kind: Kind)]) {
    self.columns = columns.map { name, kind in
      let own: ParquetColumn.Kind
      switch kind {
      case .integer: own = .integer
      case .double: own = .double
      case .text: own = .text
      case .time: own = .time(isUTC: true)
      }
      return ParquetColumn(name, own, isOptional: true)
    }
    schemas = self.columns.map(\.schema)
  }

  /// Adds a row: a value or `nil` for each column, in their order.
  package mutating func add(_ row: [Value?]) {
    for (column, value) in zip(columns, row) {
      switch value {
      case nil: column.add(nil)
      case .integer(let number): column.add([number])
      case .double(let number): column.add([Int64(bitPattern: number.bitPattern).littleEndian])
      case .text(let text): column.add(text: Array(text.utf8))
      }
    }
    rowCount += 1
  }

  /// Writes the file.
  package mutating func write<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    let magic = Array("PAR1".utf8)
    try sink.write(magic)
    var offset = magic.count
    var groups: [Thrift] = []
    if rowCount > 0 {
      var chunks: [Thrift] = []
      let begin = offset
      for column in columns {
        let (pages, entry) = column.endChunk(of: rowCount, at: offset)
        chunks.append(entry)
        for page in pages {
          try sink.write(page)
          offset += page.count
        }
      }
      let size = Thrift.int64(offset - begin)
      groups.append([1: .list(chunks), 2: size, 3: .int64(rowCount), 5: .int64(begin), 6: size])
    }
    let root: Thrift = [4: .text("imulog"), 5: .int32(columns.count)]
    let footer: Thrift = [
      1: .int32(2), 2: .list([root] + schemas), 3: .int64(rowCount), 4: .list(groups),
      6: .text("imulog hub"),
      7: .list(columns.map { _ in [1: [:]] }),
    ]
    var end = footer.bytes
    end.append(littleEndian: UInt32(end.count))
    try sink.write(end + magic)
    try sink.flush()
  }
}
