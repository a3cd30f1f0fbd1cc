// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// A Parquet file that is written from front to back.
///
///     PAR1 │ row group: chunk of each column │ row group │ … │ footer │ its length │ PAR1
struct ParquetFile {
  let columns: [ParquetColumn]
  private var offset: Int64 = 4
  private var (rows, groupRows): (Int64, Int64) = (0, 0)
  /// The footer's entries: some 80 bytes for each column of a row group.
  private var groups: [UInt8] = []
  private var groupCount = 0

  /// A row group ends with the rows that reach this many bytes, and before those that exceed this many rows.
  private static let (groupSize, groupLength): (Int, Int64) = (8_000_000, 1_000_000)
  private static let mark = Array("PAR1".utf8)

  init<Sink: ByteSink & ~Copyable>(_ columns: [ParquetColumn], to sink: inout Sink)
    throws(ExportError)
  {
    self.columns = columns
    try sink.write(ParquetFile.mark)
  }

  /// Makes room for rows in the open row group: to be called before they are added to each column.
  mutating func begin<Sink: ByteSink & ~Copyable>(rows count: Int, to sink: inout Sink)
    throws(ExportError)
  {
    let size = columns.reduce(0) { $0 + $1.byteCount }
    if size >= ParquetFile.groupSize || groupRows + Int64(count) > ParquetFile.groupLength {
      try endGroup(to: &sink)
    }
    groupRows += Int64(count)
  }

  private mutating func endGroup<Sink: ByteSink & ~Copyable>(to sink: inout Sink)
    throws(ExportError)
  {
    guard groupRows > 0 else { return }
    let begin = offset
    var entries: [UInt8] = []
    for column in columns {
      let (entry, size) = try column.endChunk(at: offset, to: &sink)
      entries += entry
      offset += size
    }
    groups += ThriftWriter.structure {
      $0.list(1, of: .structure, columns.count, entries)
      $0.integer(2, offset - begin, .int64)
      $0.integer(3, groupRows, .int64)
      $0.integer(5, begin, .int64)
      $0.integer(6, offset - begin, .int64)
    }
    groupCount += 1
    rows += groupRows
    groupRows = 0
  }

  /// Writes the last row group and the footer.
  mutating func finish<Sink: ByteSink & ~Copyable>(
    _ facts: [(name: String, text: String)], to sink: inout Sink
  ) throws(ExportError) {
    try endGroup(to: &sink)
    let root = ThriftWriter.structure {
      $0.bytes(4, "imulog".utf8)
      $0.integer(5, Int64(columns.count))
    }
    let footer = ThriftWriter.structure {
      $0.integer(1, 2)
      $0.list(2, of: .structure, columns.count + 1, columns.reduce(root) { $0 + $1.schema })
      $0.integer(3, rows, .int64)
      $0.list(4, of: .structure, groupCount, groups)
      $0.list(
        5, of: .structure, facts.count,
        facts.flatMap { fact in
          ThriftWriter.structure {
            $0.bytes(1, fact.name.utf8)
            $0.bytes(2, fact.text.utf8)
          }
        })
      $0.bytes(6, Software.name.utf8)
      // Each column is in the order of its type.
      let order = ThriftWriter.structure { $0.structure(1) { _ in } }
      $0.list(7, of: .structure, columns.count, columns.flatMap { _ in order })
    }
    try sink.write(footer)
    var length: [UInt8] = []
    length.append(littleEndian: UInt32(footer.count))
    try sink.write(length + ParquetFile.mark)
  }
}
