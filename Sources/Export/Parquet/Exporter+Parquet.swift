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
    let notes: RecordingNotes
    do {
      notes = try reader.notes { plan.contains($0.time) }
    } catch {
      throw .log(error)
    }
    var table = try ParquetTable(plan, notes, hasGaps: options.gaps == .rows, to: &sink)
    try reader.begin(plan)
    var pass = SamplePass(plan)
    var report = try pass.run(&table, &reader, to: &sink)
    report.remarks += try table.finish(options, damages: report.damages, to: &sink)
    return report
  }
}

/// The rows of a recording as columns.
struct ParquetTable: SampleFormat, ~Copyable {
  private let plan: ExportPlan
  private let notes: RecordingNotes
  private let (time, nanoseconds, tick): (ParquetColumn, ParquetColumn, ParquetColumn)
  private let bounds: [ParquetColumn]
  private let channels: [(column: ParquetColumn, position: Int, values: [Double]?)]
  /// Those that are computed from the whole recording.
  private let derived: [ParquetColumn]
  /// Labels of marks; present if there are any.
  private let mark: ParquetColumn?
  private let gaps: (cause: ParquetColumn, ticks: ParquetColumn)?
  private let label: ParquetColumn?
  private var file: ParquetFile
  private var nextMark = 0
  private var labels: LabelColumn
  private var ledger = TickLedger()
  // Safe: a block's length, all initialised, and owned by this value alone; blocks have no more rows.
  private let values: UnsafeMutablePointer<Int64>

  init<Sink: ByteSink & ~Copyable>(
    _ plan: ExportPlan, _ notes: RecordingNotes, hasGaps: Bool, to sink: inout Sink
  ) throws(ExportError) {
    let time = ParquetColumn("t", .time(isUTC: notes.started != nil))
    let nanoseconds = ParquetColumn(plan.timeName, .integer)
    let tick = ParquetColumn("tick", .integer)
    let bounds = (plan.hasBounds ? ExportPlan.boundNames : []).map {
      ParquetColumn($0, .integer, isOptional: true)
    }
    var tables: [(scale: CountScale, values: [Double])] = []
    let channels = zip(plan.channels, plan.scales).map { position, scale in
      let name = ChannelSet.names[position]
      guard plan.units != .raw else {
        return (ParquetColumn(name, .count, isOptional: hasGaps), position, nil as [Double]?)
      }
      let values = tables.first { $0.scale == scale }?.values ?? scale.values
      tables.append((scale, values))
      return (ParquetColumn(name, .double, isOptional: hasGaps), position, values)
    }
    let derived = plan.derivedColumns.map { ParquetColumn($0.name, .double, isOptional: hasGaps) }
    let mark = notes.markCount > 0 ? ParquetColumn("mark", .text, isOptional: true) : nil
    let gaps =
      hasGaps
      ? (
        cause: ParquetColumn("gap", .text, isOptional: true),
        ticks: ParquetColumn("gap_ticks", .integer, isOptional: true)
      ) : nil
    let label =
      plan.hasLabels ? ParquetColumn(ExportPlan.labelName, .text, isOptional: true) : nil
    let others = [mark, label, gaps?.cause, gaps?.ticks].compactMap { $0 }
    let columns = [time, nanoseconds] + bounds + [tick] + channels.map(\.0) + derived + others
    file = try ParquetFile(columns, to: &sink)
    (self.plan, self.notes, self.time, self.nanoseconds, self.tick) = (
      plan, notes, time, nanoseconds, tick
    )
    (self.bounds, self.channels, self.mark, self.gaps) = (bounds, channels, mark, gaps)
    (self.label, self.derived) = (label, derived)
    labels = LabelColumn(plan.labels, prefix: "", suffix: "", empty: "")
    values = .allocate(capacity: SampleBlock.capacity)
    values.initialize(repeating: 0, count: SampleBlock.capacity)
  }

  deinit {
    values.deallocate()
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    try file.begin(rows: rows.count, to: &sink)
    let times = UnsafeBufferPointer(rebasing: block.times[rows])
    addTimes(times)
    tick.add(filled(block.ticks[rows]) { Int64(clamping: $0) })
    if plan.hasBounds { addBounds(bounds, rows) }
    for (column, position, table) in channels {
      let counts = block.counts(ofChannel: position)[rows]
      if let table {
        column.add(
          filled(counts) {
            Int64(bitPattern: table[Int(UInt16(bitPattern: $0))].bitPattern)
          })
      } else {
        column.add(filled(counts) { Int64($0) })
      }
    }
    addDerived(rows.count)
    addMarks(times)
    addLabels(times)
    gaps?.cause.addNulls(rows.count)
    gaps?.ticks.addNulls(rows.count)
    ledger.sampled += UInt64(rows.count)
  }

  mutating func add<Sink: ByteSink & ~Copyable>(_ gap: Gap, at time: Int64, to sink: inout Sink)
    throws(ExportError)
  {
    ledger.add(gap.count, gap.cause)
    guard let gaps else { return }
    try file.begin(rows: 1, to: &sink)
    withUnsafePointer(to: time) {
      let times = UnsafeBufferPointer(start: $0, count: 1)
      addTimes(times)
      addMarks(times)
      addLabels(times)
    }
    for (column, number) in [(tick, gap.firstTick), (gaps.ticks, gap.count)] {
      values[0] = Int64(clamping: number)
      column.add(UnsafeBufferPointer(start: values, count: 1))
    }
    for column in bounds + channels.map(\.column) + derived { column.addNulls(1) }
    gaps.cause.add(gap.cause.name)
  }

  private func addDerived(_ count: Int) {
    guard let table = plan.derived else { return }
    table.next(count)
    for (place, column) in derived.enumerated() {
      for row in 0..<count {
        values[row] = Int64(bitPattern: table.values[row * derived.count + place].bitPattern)
      }
      column.add(UnsafeBufferPointer(start: values, count: count))
    }
  }

  private func addTimes(_ times: UnsafeBufferPointer<Int64>) {
    nanoseconds.add(times)
    let start = FlooredMicroseconds(notes.started ?? 0)
    time.add(
      filled(times[...]) {
        let time = FlooredMicroseconds($0)
        return start.whole + time.whole + (start.rest + time.rest) / 1000
      })
  }

  private func addBounds(_ known: RowBounds?, _ rows: Range<Int>) {
    var row = rows.lowerBound
    while row < rows.upperBound {
      let isKnown = known?.isKnown(row) ?? false
      var end = row + 1
      while end < rows.upperBound, (known?.isKnown(end) ?? false) == isKnown { end += 1 }
      if let known, isKnown {
        for (column, bound) in zip(bounds, [known.earliest, known.latest]) {
          column.add(UnsafeBufferPointer(start: bound + row, count: end - row))
        }
      } else {
        for column in bounds { column.addNulls(end - row) }
      }
      row = end
    }
  }

  /// Puts each mark on the first row that is not before it.
  private mutating func addMarks(_ times: UnsafeBufferPointer<Int64>) {
    guard let mark, let last = times.last else { return }
    let marks = notes.marks
    var row = 0
    while nextMark < marks.count, marks[nextMark].time <= last {
      let begin = row
      while times[row] < marks[nextMark].time { row += 1 }
      mark.addNulls(row - begin)
      let end = marks[nextMark...].firstIndex { $0.time > times[row] } ?? marks.count
      mark.add(marks[nextMark..<end].map(\.label).joined(separator: "; "))
      (nextMark, row) = (end, row + 1)
    }
    mark.addNulls(times.count - row)
  }

  private mutating func addLabels(_ times: UnsafeBufferPointer<Int64>) {
    guard let label else { return }
    var row = 0
    while row < times.count {
      let next = labels.move(to: times[row])
      var end = row + 1
      while end < times.count, times[end] < next { end += 1 }
      if labels.text.isEmpty {
        label.addNulls(end - row)
      } else {
        for _ in row..<end { label.add(labels.text) }
      }
      row = end
    }
  }

  /// The values of a block's elements, valid until the next call.
  @inline(__always)
  private func filled<Element>(
    _ elements: Slice<UnsafeBufferPointer<Element>>, _ value: (Element) -> Int64
  ) -> UnsafeBufferPointer<Int64> {
    for (place, element) in UnsafeBufferPointer(rebasing: elements).enumerated() {
      values[place] = value(element)
    }
    return UnsafeBufferPointer(start: values, count: elements.count)
  }

  /// Writes the footer; returns remarks.
  mutating func finish<Sink: ByteSink & ~Copyable>(
    _ options: ExportOptions, damages: UInt64, to sink: inout Sink
  ) throws(ExportError) -> [String] {
    var facts = HeaderFacts(plan, clock: notes.clock)
    facts.addScales(plan)
    facts.add("range.from_ns", options.from.map { "\($0)" })
    facts.add("range.to_ns", options.to.map { "\($0)" })
    for (name, count) in ledger.named { facts.add("ticks.\(name)", "\(count)") }
    facts.add("damage", "\(damages)")
    var remarks: [String] = []
    let left = notes.marks[nextMark...]
    if !left.isEmpty {
      remarks.append(
        "\(left.count) \(left.count == 1 ? "mark is" : "marks are") after the last row, so not in column mark "
          + "but in the file's metadata, as imulog.marksAfterLastRow")
      var text = JSONWriter()
      text.open("[")
      for mark in left { text.add(mark) }
      text.close("]")
      facts.add("marksAfterLastRow", String(decoding: text.bytes, as: UTF8.self))
    }
    if !plan.labels.isEmpty {
      var text = JSONWriter()
      text.open("[")
      for label in plan.labels { text.add(label) }
      text.close("]")
      facts.add("labels", String(decoding: text.bytes, as: UTF8.self))
    }
    if notes.markCount > notes.marks.count {
      remarks.append(
        "of \(notes.markCount) marks the file has the first \(notes.marks.count): --format json has all"
      )
    }
    try file.finish(facts.facts, to: &sink)
    return remarks
  }
}

/// Nanoseconds as microseconds, rounded down, and the nanoseconds above them.
private struct FlooredMicroseconds {
  let whole: Int64
  let rest: Int64

  @inline(__always)
  init(_ nanoseconds: Int64) {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
    (whole, rest) = remainder < 0 ? (quotient - 1, remainder + 1000) : (quotient, remainder)
  }
}
