// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The rows of a Parquet file of this program, row group by row group.
///
///     PAR1 │ row group: chunk of each column │ row group │ … │ footer │ its length │ PAR1
final class ParquetFile: OwnRows {
  let name: String
  let own: OwnColumns
  var facts: OwnFacts { own.facts }
  private(set) var numbers = Array(repeating: Decimal(digits: 0), count: 7)
  private(set) var row = 0

  private let source: any SeekableSource
  private let groups: [(rows: Int, chunks: [ThriftValue])]
  /// Those that are read, by channel and then as in ``ParquetPlace``.
  private let columns: [ParquetColumn?]
  /// The chunks of the row group that is in memory, its number and its first row, from 0.
  private var chunks: [ParquetChunk?] = []
  private var (group, first) = (-1, 0)

  init(_ source: any SeekableSource, _ request: ImportRequest) throws(ImportError) {
    let name = source.name
    let (footer, end) = try ParquetFile.footer(source)
    let pairs = (footer[5]?.list ?? []).compactMap { pair in
      pair[1]?.text.flatMap { name in pair[2]?.text.map { (name: name, text: $0) } }
    }
    let own = try OwnColumns(pairs, name, "Parquet", request)
    let leaves = (footer[2]?.list ?? []).dropFirst()
    func column(_ name: String, _ kinds: ParquetChunk.Kind...) -> ParquetColumn? {
      let index = leaves.firstIndex { $0[4]?.text == name }
      let column = index.flatMap { ParquetColumn(leaves[$0], index: $0 - 1) }
      return column.flatMap { kinds.contains($0.kind) ? $0 : nil }
    }
    let channels = own.facts.channels.indices
    let columns =
      (0..<7).map { channels.contains($0) ? column(ChannelSet.names[$0], .int32, .double) : nil }
      + [
        column("t_ns", .int64) ?? column("t_grid_ns", .int64), column("tick", .int64),
        column("mark", .text), column(ExportedNames.gaps[0], .text),
        column(ExportedNames.gaps[1], .int64),
      ]
    let groups = (footer[4]?.list ?? []).map { group in
      (rows: Int(clamping: group[3]?.number ?? 0), chunks: group[1]?.list ?? [])
    }
    let wanted = channels + [ParquetPlace.time, ParquetPlace.tick]
    // More rows than this program puts into a group.
    guard wanted.allSatisfy({ columns[$0] != nil }),
      groups.allSatisfy({ (1...1 << 21).contains($0.rows) }),
      footer[3]?.number == groups.reduce(0, { $0 + Int64($1.rows) })
    else { throw .damaged(name, "it lacks rows, or columns that its metadata states") }
    // Places count from the first of two files in one.
    let last = groups.last?.chunks.last?[3]
    let begin = (last?[11] ?? last?[9])?.number ?? Int64(clamping: end)
    guard begin.addingReportingOverflow(last?[7]?.number ?? 0).partialValue == end else {
      throw .damaged(name, "its rows do not end at its footer: two files may be in it")
    }
    (self.name, self.own, self.columns, self.groups) = (name, own, columns, groups)
    self.source = source
  }

  private static func footer(_ source: any SeekableSource) throws(ImportError) -> (
    ThriftValue, place: UInt64
  ) {
    let size = source.size
    var end = try source.reader(at: max(8, size) - 8, 8)
    let length = UInt64(try end.integer(UInt32.self))
    guard end.text == "PAR1", length + 12 <= size else {
      throw end.wrong("it is cut off: its end is missing")
    }
    // Some 80 bytes for each column of a row group of megabytes.
    guard length <= 4 << 20 else { throw end.wrong("its footer is larger than 4 MiB") }
    var reader = try source.reader(at: size - 8 - length, length)
    return (try ThriftValue(&reader), size - 8 - length)
  }

  func rewind(to mark: RowMark?) throws(ImportError) { row = (mark?.line ?? 1) - 1 }

  func next() throws(ImportError) -> Row? {
    guard let place = try move() else { return nil }
    let row = row(place)
    guard row.gap == nil else { return row }
    for channel in 0..<7 {
      guard let column = columns[channel] else { continue }
      guard let number = chunks[channel]?.number(place) else {
        throw .damaged(name, "\(self.place) has no value of \(ChannelSet.names[channel])")
      }
      let value = Double(bitPattern: UInt64(bitPattern: number))
      numbers[channel] =
        column.kind == .double
        ? try own.count(of: value, channel: channel, self.place) : Decimal(digits: number)
    }
    return row
  }

  private func row(_ place: Int) -> Row {
    let tick = UInt64(clamping: chunks[ParquetPlace.tick]?.number(place) ?? 0)
    var row = Row(time: chunks[ParquetPlace.time]?.number(place) ?? 0, tick: tick)
    if let cause = chunks[ParquetPlace.gap]?.text(place).flatMap(GapCause.init(name:)) {
      let count = UInt64(clamping: max(1, chunks[ParquetPlace.gapTicks]?.number(place) ?? 1))
      row.gap = Gap(firstTick: tick, count: count, cause: cause)
    }
    row.mark = chunks[ParquetPlace.mark]?.text(place)
    return row
  }

  /// Goes to the next row; its place in the row group that is then in memory, or `nil` after the last one.
  private func move() throws(ImportError) -> Int? {
    if row < first || group < 0 { (group, first) = (-1, 0) }
    while group < 0 || row >= first + groups[group].rows {
      if group >= 0 { first += groups[group].rows }
      group += 1
      guard group < groups.count else {
        group = -1
        return nil
      }
      if row < first + groups[group].rows { try read(groups[group].rows, groups[group].chunks) }
    }
    row += 1
    return row - 1 - first
  }

  private func read(_ rows: Int, _ entries: [ThriftValue]) throws(ImportError) {
    chunks = []
    for column in columns {
      guard let column else {
        chunks.append(nil)
        continue
      }
      guard column.index < entries.count, let facts = entries[column.index][3],
        facts[4]?.number == 0, let size = facts[7]?.number, (0...64 << 20).contains(size),
        let begin = (facts[11] ?? facts[9])?.number, begin >= 0
      else { throw .damaged(name, "a row group is not as this program writes it") }
      let chunk = try source.reader(at: UInt64(begin), UInt64(size))
      chunks.append(
        try ParquetChunk(chunk, column.kind, isOptional: column.isOptional, rows: rows))
    }
  }
}

/// Places of columns after the channels.
private enum ParquetPlace { static let (time, tick, mark, gap, gapTicks) = (7, 8, 9, 10, 11) }

private struct ParquetColumn {
  let index: Int
  let kind: ParquetChunk.Kind
  let isOptional: Bool

  /// `nil` of one that this program does not write.
  init?(_ leaf: ThriftValue, index: Int) {
    guard let kind = leaf[1]?.number.flatMap(ParquetChunk.Kind.init),
      let repetition = leaf[3]?.number, repetition < 2
    else { return nil }
    (self.index, self.kind, isOptional) = (index, kind, repetition == 1)
  }
}
