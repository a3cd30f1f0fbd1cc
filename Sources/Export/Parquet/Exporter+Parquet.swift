// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

extension Exporter {
  /// Writes a Parquet file: one pass over the log for its date and marks, a second one for its rows.
  func writeParquet<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(&reader, units: .raw)
    let notes = try notes(&reader, of: plan)
    var table = try ParquetTable(plan, notes, hasGaps: options.gaps == .rows, to: &sink)
    try reader.begin(plan)
    var pass = SamplePass(plan)
    var report = try pass.run(&table, &reader, to: &sink)
    report.remarks += try table.finish(options, damages: report.damages, to: &sink)
    return report
  }
}

/// The rows of a recording as columns, in a file that is written from front to back.
///
///     PAR1 │ row group: chunk of each column │ row group │ … │ footer │ its length │ PAR1
struct ParquetTable: SampleFormat {
  private typealias Channel = (column: ParquetColumn, position: Int, values: [Double]?)

  private let plan: ExportPlan
  private let notes: RecordingNotes
  private let (time, nanoseconds, tick): (ParquetColumn, ParquetColumn, ParquetColumn)
  private let bounds: [ParquetColumn]
  private let channels: [Channel]
  /// Those that are computed from the whole recording.
  private let derived: [ParquetColumn]
  /// Labels of marks; present if there are any.
  private let mark: ParquetColumn?
  private let label: ParquetColumn?
  private let gaps: (cause: ParquetColumn, ticks: ParquetColumn)?
  private let columns: [ParquetColumn]
  private var nextMark = 0
  private var labels: LabelColumn
  private var ledger = TickLedger()
  private var offset: Int64 = 4
  private var (rows, groupRows): (Int64, Int64) = (0, 0)
  /// The footer's entries: some 80 bytes for each column of a row group.
  private var groups: [Thrift] = []

  /// A row group ends with the block of rows that reaches either of these. Readers share groups among threads, and a
  /// reader of one column skips the others.
  private static let (groupSize, groupLength): (Int, Int64) = (2_000_000, 1_000_000)
  private static let magic = Array("PAR1".utf8)

  init<Sink: ByteSink & ~Copyable>(
    _ plan: ExportPlan, _ notes: RecordingNotes, hasGaps: Bool, to sink: inout Sink
  ) throws(ExportError) {
    (self.plan, self.notes) = (plan, notes)
    time = ParquetColumn("t", .time(isUTC: notes.started != nil))
    nanoseconds = ParquetColumn(plan.timeName, .integer)
    tick = ParquetColumn("tick", .integer)
    bounds = (plan.hasBounds ? ExportPlan.boundNames : []).map {
      ParquetColumn($0, .integer, isOptional: true)
    }
    let tables = plan.units == .raw ? [] : plan.values
    channels = plan.channels.enumerated().map { index, position in
      let kind: ParquetColumn.Kind = tables.isEmpty ? .count : .double
      let column = ParquetColumn(ChannelSet.names[position], kind, isOptional: hasGaps)
      return (column, position, tables.isEmpty ? nil : tables[index])
    }
    derived = plan.derivedColumns.map { ParquetColumn($0.name, .double, isOptional: hasGaps) }
    func text(_ name: String) -> ParquetColumn { ParquetColumn(name, .text, isOptional: true) }
    mark = notes.markCount > 0 ? text("mark") : nil
    label = plan.hasLabels ? text(ExportPlan.labelName) : nil
    labels = LabelColumn(plan.labels, prefix: "", suffix: "", empty: "")
    gaps =
      hasGaps
      ? (text(GapRows.names[0]), ParquetColumn(GapRows.names[1], .integer, isOptional: true)) : nil
    let others: [ParquetColumn?] = [mark, label, gaps?.cause, gaps?.ticks]
    let first: [ParquetColumn] = [time, nanoseconds] + bounds + [tick]
    columns = first + channels.map(\.column) + derived + others.compactMap { $0 }
    try sink.write(ParquetTable.magic)
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ known: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    for row in rows { add(block.times[row], block.ticks[row]) }
    for row in rows where plan.hasBounds {
      let isKnown = known?.isKnown(row) ?? false
      bounds[0].add(isKnown ? known?.earliest[row] : nil)
      bounds[1].add(isKnown ? known?.latest[row] : nil)
    }
    for (column, position, values) in channels {
      let counts = block.counts(ofChannel: position)
      if let values {
        for row in rows {
          column.add(Int64(bitPattern: values[Int(UInt16(bitPattern: counts[row]))].bitPattern))
        }
      } else {
        for row in rows { column.add(Int64(counts[row])) }
      }
    }
    addDerived(rows.count)
    if let gaps {
      for _ in rows {
        gaps.cause.add(text: nil)
        gaps.ticks.add(nil)
      }
    }
    ledger.sampled += UInt64(rows.count)
    try endRows(rows.count, to: &sink)
  }

  mutating func add<Sink: ByteSink & ~Copyable>(_ gap: Gap, at time: Int64, to sink: inout Sink)
    throws(ExportError)
  {
    ledger.add(gap.count, gap.cause)
    guard let gaps else { return }
    add(time, gap.firstTick)
    for column in bounds + channels.map(\.column) + derived { column.add(nil) }
    gaps.cause.add(text: Array(gap.cause.name.utf8))
    gaps.ticks.add(Int64(clamping: gap.count))
    try endRows(1, to: &sink)
  }

  private func addDerived(_ count: Int) {
    guard let table = plan.derived else { return }
    table.next(count)
    for (place, column) in derived.enumerated() {
      for row in 0..<count {
        let value = table.values[row * derived.count + place]
        column.add(Int64(bitPattern: value.bitPattern))
      }
    }
  }

  /// Adds what every row has, with the marks up to it that no row before has.
  private mutating func add(_ instant: Int64, _ number: UInt64) {
    // In two parts, because the sum of nanoseconds may have more than 64 bits.
    let (start, since) = (
      Int64.floored(notes.started ?? 0, by: 1000), Int64.floored(instant, by: 1000)
    )
    time.add(start.whole + since.whole + (start.rest + since.rest) / 1000)
    nanoseconds.add(instant)
    tick.add(Int64(clamping: number))
    if let mark {
      let begin = nextMark
      while nextMark < notes.marks.count, notes.marks[nextMark].time <= instant { nextMark += 1 }
      let marks = notes.marks[begin..<nextMark].map(\.label)
      mark.add(text: marks.isEmpty ? nil : Array(marks.joined(separator: "; ").utf8))
    }
    if let label {
      _ = labels.move(to: instant)
      label.add(text: labels.text.isEmpty ? nil : labels.text)
    }
  }

  private mutating func endRows<Sink: ByteSink & ~Copyable>(_ count: Int, to sink: inout Sink)
    throws(ExportError)
  {
    groupRows += Int64(count)
    let size = columns.reduce(0) { $0 + $1.byteCount }
    guard size >= ParquetTable.groupSize || groupRows >= ParquetTable.groupLength else { return }
    try endGroup(to: &sink)
  }

  private mutating func endGroup<Sink: ByteSink & ~Copyable>(to sink: inout Sink)
    throws(ExportError)
  {
    guard groupRows > 0 else { return }
    let begin = offset
    var entries: [Thrift] = []
    for column in columns {
      let (entry, size) = try column.endChunk(at: offset, to: &sink)
      entries.append(entry)
      offset += size
    }
    let group: Thrift = [
      1: .list(entries), 2: .int64(offset - begin), 3: .int64(groupRows), 5: .int64(begin),
      6: .int64(offset - begin),
    ]
    groups.append(.encoded(group.encoded))
    rows += groupRows
    groupRows = 0
  }

  /// Writes the last row group and the footer; returns remarks.
  mutating func finish<Sink: ByteSink & ~Copyable>(
    _ options: ExportOptions, damages: UInt64, to sink: inout Sink
  ) throws(ExportError) -> [String] {
    try endGroup(to: &sink)
    let (facts, remarks) = facts(options, damages: damages)
    let root: Thrift = [4: .text("imulog"), 5: .int32(columns.count)]
    let footer: Thrift = [
      1: .int32(2), 2: .list([root] + columns.map(\.schema)), 3: .int64(rows), 4: .list(groups),
      5: .list(facts.map { [1: .text($0.name), 2: .text($0.text)] }), 6: .text(Software.name),
      // Each column is in the order of its type.
      7: .list(columns.map { _ in [1: [:]] }),
    ]
    var bytes = footer.encoded
    bytes.append(littleEndian: UInt32(bytes.count))
    try sink.write(bytes + ParquetTable.magic)
    return remarks
  }

  /// The file's metadata, and what the user should know.
  private func facts(_ options: ExportOptions, damages: UInt64)
    -> (facts: [(name: String, text: String)], remarks: [String])
  {
    var facts = HeaderFacts(plan, clock: notes.clock)
    facts.addScales(plan)
    facts.add("range.from_ns", options.from.map { "\($0)" })
    facts.add("range.to_ns", options.to.map { "\($0)" })
    for (name, count) in ledger.named { facts.add("ticks.\(name)", "\(count)") }
    facts.add("damage", "\(damages)")
    var remarks = notes.remarks
    let left = notes.marks[nextMark...]
    if !left.isEmpty {
      remarks.append(
        "\(left.count) \(left.count == 1 ? "mark is" : "marks are") after the last row, so not in column mark "
          + "but in the file's metadata, as imulog.marksAfterLastRow")
      facts.add("marksAfterLastRow", JSONWriter.list(left) { $0.add($1) })
    }
    if !plan.labels.isEmpty { facts.add("labels", JSONWriter.list(plan.labels) { $0.add($1) }) }
    return (facts.facts, remarks)
  }
}
