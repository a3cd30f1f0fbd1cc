// SPDX-License-Identifier: Apache-2.0

/// A Parquet file that is written from front to back: its row groups and its footer.
///
///     PAR1 │ row group: chunk of each column │ row group │ … │ footer │ its length │ PAR1
struct ParquetFile {
  private let columns: [ParquetColumn]
  private var offset = ParquetFile.magic.count
  private var rows = 0
  private(set) var groupRows = 0
  /// The footer's entries: some 80 bytes for each column of a row group.
  private var groups: [Thrift] = []

  private static let magic = Array("PAR1".utf8)

  init<Sink: ByteSink & ~Copyable>(
    _ columns: [ParquetColumn], to sink: inout Sink
  ) throws(ExportError) {
    self.columns = columns
    try sink.write(ParquetFile.magic)
  }

  /// The columns have so many more rows.
  mutating func add(rows count: Int) { groupRows += count }

  /// Ends the row group; nothing without rows.
  mutating func endGroup<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    guard groupRows > 0 else { return }
    let begin = offset
    var chunks: [Thrift] = []
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
    (rows, groupRows) = (rows + groupRows, 0)
  }

  /// Writes the last row group and the footer.
  ///
  /// - Parameters:
  ///   - facts: Names and texts of the file's metadata.
  ///   - program: What wrote it.
  mutating func finish<Sink: ByteSink & ~Copyable>(
    _ facts: [(name: String, text: String)], by program: String, to sink: inout Sink
  ) throws(ExportError) {
    try endGroup(to: &sink)
    let root: Thrift = [4: .text("imulog"), 5: .int32(columns.count)]
    let pairs = facts.map { [1: .text($0.name), 2: .text($0.text)] as Thrift }
    let footer: Thrift = [
      1: .int32(2), 2: .list([root] + columns.map(\.schema)), 3: .int64(rows), 4: .list(groups),
      5: pairs.isEmpty ? nil : .list(pairs), 6: .text(program),
      // Each column is in the order of its type.
      7: .list(columns.map { _ in [1: [:]] }),
    ]
    var end = footer.bytes
    end.append(littleEndian: UInt32(end.count))
    try sink.write(end + ParquetFile.magic)
  }
}
