// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

extension Exporter {
  /// Writes a Parquet file: one pass over the log for its date and marks, a second one for its rows.
  func writeParquet<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(&reader)
    let notes = try notes(&reader, of: plan)
    var table = try ParquetTable(plan, notes, hasGaps: options.gaps == .rows, to: &sink)
    var report = try runSamples(plan, &table, &reader, to: &sink)
    let (facts, remarks) = table.facts(damages: report.damages)
    report.remarks += remarks
    // The files of a hub are the same whatever version wrote them.
    try table.finish(facts, by: options.isForHub ? FlatTable.program : Software.name, to: &sink)
    return report
  }
}

struct ParquetTable: SampleFormat {
  private enum Content {
    case time, nanoseconds, tick, mark, label, gap, gapTicks, recording, nothing
    case sensor([UInt8])
    case bound(KeyPath<RowBounds, UnsafePointer<Int64>>)
    /// A channel's counts, or the values of all counts.
    case channel(Int, values: [Double]?)
    /// One that is computed from the whole recording, by its place among these.
    case derived(Int)
  }

  private struct Layout {
    let name: String
    let kind: ParquetKind
    let content: Content
    let isOptional: Bool
  }

  private var plan: ExportPlan
  private var notes: RecordingNotes
  private var columns: [(column: ParquetColumn, content: Content)]
  private var layout: [Layout]
  private var marks: ArraySlice<Mark>
  private var labels: LabelColumn
  private var tally = TickTally()
  private let hasGaps: Bool
  /// Nanoseconds since 1970 at tick 0's deadline, which a take has from its first sensor.
  private(set) var start: Int64
  /// The gap whose row is being added; `nil` for samples.
  private var gap: Gap?
  private var file: ParquetFile

  /// A row group ends with the block of rows that reaches either of these. Readers share groups among threads, and a
  /// reader of one column skips the others.
  private static let groupSize = 2_000_000
  private static let groupLength = 1_000_000

  init<Sink: ByteSink & ~Copyable>(
    _ plan: ExportPlan, _ notes: RecordingNotes, hasGaps: Bool, sensor: String? = nil,
    to sink: inout Sink
  ) throws(ExportError) {
    (self.plan, self.notes, self.hasGaps, marks) = (plan, notes, hasGaps, notes.marks[...])
    start = notes.started ?? 0
    labels = LabelColumn(plan.labels, prefix: "", suffix: "", empty: "")
    layout = ParquetTable.layout(plan, notes, hasGaps: hasGaps, sensor: sensor)
    columns = layout.map {
      (ParquetColumn($0.name, $0.kind, isOptional: $0.isOptional), $0.content)
    }
    file = try ParquetFile(columns.map(\.column), to: &sink)
  }

  /// Continues with another recording of a take.
  mutating func begin(
    _ plan: ExportPlan, _ notes: RecordingNotes, sensor: String, start: Int64
  ) throws(ExportError) {
    self.start = start
    let next = ParquetTable.layout(plan, notes, hasGaps: hasGaps, sensor: sensor)
    guard
      next.map(\.name) == layout.map(\.name), next.map(\.kind) == layout.map(\.kind),
      next.map(\.isOptional) == layout.map(\.isOptional)
    else {
      throw .refused(
        "\(sensor) has other columns than the take's first sensor",
        remedy: "choose --channels that all have")
    }
    (self.plan, self.notes, marks, tally) = (plan, notes, notes.marks[...], TickTally())
    labels = LabelColumn(plan.labels, prefix: "", suffix: "", empty: "")
    columns = zip(columns, next).map { ($0.column, $1.content) }
  }

  private static func layout(
    _ plan: ExportPlan, _ notes: RecordingNotes, hasGaps: Bool, sensor: String?
  ) -> [Layout] {
    var columns: [Layout] = []
    func add(_ name: String, _ kind: ParquetKind, _ content: Content, isOptional: Bool) {
      columns.append(Layout(name: name, kind: kind, content: content, isOptional: isOptional))
    }
    let isForHub = plan.options.isForHub
    if let sensor { add("sensor", .text, .sensor(Array(sensor.utf8)), isOptional: false) }
    add(
      "t", .time(isUTC: isForHub || plan.started(notes.clock) != nil), .time, isOptional: false)
    add(plan.timeName, .integer, .nanoseconds, isOptional: false)
    if plan.options.hasUncertainty {
      add(ExportedNames.bounds[0], .integer, .bound(\.earliest), isOptional: true)
      add(ExportedNames.bounds[1], .integer, .bound(\.latest), isOptional: true)
    }
    add("tick", .integer, .tick, isOptional: false)
    let tables = plan.units == .raw ? nil : plan.values
    for channel in 0..<7 {
      guard let place = plan.channels.firstIndex(of: channel) else {
        // A hub's files are read as one table, whatever each sensor has.
        if isForHub { add(ChannelSet.names[channel], .count, .nothing, isOptional: true) }
        continue
      }
      let content = Content.channel(channel, values: tables?[place])
      add(
        ChannelSet.names[channel], tables == nil ? .count : .double, content,
        isOptional: hasGaps || isForHub)
    }
    for (place, column) in plan.derivedColumns.enumerated() {
      add(
        column.name, column.decimals == 0 ? .integer : .double, .derived(place),
        isOptional: hasGaps || column.isOptional || plan.findsNorth)
    }
    if notes.markCount > 0 || isForHub || sensor != nil {
      add("mark", .text, .mark, isOptional: true)
    }
    if plan.options.hasLabels { add(ExportedNames.label, .text, .label, isOptional: true) }
    if hasGaps {
      add(ExportedNames.gaps[0], .text, .gap, isOptional: true)
      add(ExportedNames.gaps[1], .integer, .gapTicks, isOptional: true)
    }
    if isForHub {
      add("recording", .constant("\(plan.description.id)"), .recording, isOptional: false)
    }
    return columns
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    if gap == nil {
      tally.sampled += UInt64(rows.count)
      plan.derived?.next(rows, of: block)
    }
    let (times, ticks, started) = (block.times, block.ticks, start)
    let delay = plan.options.takeDelay ?? 0
    for (column, content) in columns {
      switch content {
      case .channel where gap != nil, .derived where gap != nil: column.add(nil)
      case .nothing: column.addSame(rows.count, arePresent: false)
      case .recording: column.addSame(rows.count, arePresent: true)
      case .time: column.add(rows.map { Int64.flooredSum(started, times[$0], by: 1000) })
      case .sensor(let name): for _ in rows { column.add(text: name) }
      case .nanoseconds: column.add(rows.map { times[$0] &+ delay })
      case .bound(let end):
        for row in rows {
          column.add(bounds.flatMap { $0.isKnown(row) ? [$0[keyPath: end][row] &+ delay] : nil })
        }
      case .tick: column.add(rows.map { Int64(clamping: ticks[$0]) })
      case .channel(let channel, let values):
        let counts = block.counts(ofChannel: channel)
        if let values {
          column.add(rows.map { values[Int(UInt16(bitPattern: counts[$0]))].word })
        } else {
          column.add(rows.map { Int64(counts[$0]) })
        }
      case .derived(let place):
        guard let derived = plan.derived else { continue }
        let places = stride(from: place, to: derived.values.count, by: derived.columns.count)
        let kind = derived.columns[place]
        for value in places.map({ derived.values[$0] }) {
          let isEmpty = (kind.isOptional || plan.findsNorth) && value.isNaN
          column.add(isEmpty ? nil : [kind.decimals == 0 ? Int64(value) : value.word])
        }
      case .mark:
        for row in rows {
          let due = marks.prefix { $0.time <= times[row] }
          marks = marks.dropFirst(due.count)
          let text = due.map(\.label).joined(separator: "; ")
          column.add(text: due.isEmpty ? nil : Array(text.utf8))
        }
      case .label:
        for row in rows {
          _ = labels.move(to: times[row])
          column.add(text: labels.text.isEmpty ? nil : labels.text)
        }
      case .gap: for _ in rows { column.add(text: gap.map { Array($0.cause.name.utf8) }) }
      case .gapTicks: for _ in rows { column.add(gap.map { [Int64(clamping: $0.count)] }) }
      }
    }
    file.add(rows: rows.count)
    let size = columns.reduce(0) { $0 + $1.column.byteCount }
    guard size >= ParquetTable.groupSize || file.groupRows >= ParquetTable.groupLength else {
      return
    }
    try file.endGroup(to: &sink)
  }

  mutating func add<Sink: ByteSink & ~Copyable>(_ gap: Gap, at time: Int64, to sink: inout Sink)
    throws(ExportError)
  {
    tally.add(gap.count, gap.cause)
    guard hasGaps else { return }
    var block = SampleBlock()
    block.append(tick: gap.firstTick, time: time, sample: RawSample())
    self.gap = gap
    try add(0..<1, of: block, nil, to: &sink)
    self.gap = nil
  }

  /// The facts of the recording whose rows were added last, and remarks on it.
  func facts(damages: UInt64) -> (facts: [(name: String, text: String)], remarks: [String]) {
    var facts = HeaderFacts(plan, notes)
    facts.addScales(plan)
    facts.addTally(tally, damages: damages)
    var remarks = notes.remarks
    if !marks.isEmpty {
      remarks.append(
        Plain.count(marks.count, "mark is", "marks are")
          + " after the last row, so not in column mark but in the file's metadata, as imulog.marksAfterLastRow"
      )
      facts.add("marksAfterLastRow", JSONWriter.list(marks) { $0.add($1) })
    }
    if !plan.labels.isEmpty { facts.add("labels", JSONWriter.list(plan.labels) { $0.add($1) }) }
    return (facts.facts, remarks)
  }

  mutating func finish<Sink: ByteSink & ~Copyable>(
    _ facts: [(name: String, text: String)], by program: String, to sink: inout Sink
  ) throws(ExportError) {
    try file.finish(facts, by: program, to: &sink)
  }
}

extension Int64 {
  /// The whole part of a sum, which may have more than 64 bits.
  static func flooredSum(_ one: Int64, _ other: Int64, by divisor: Int64) -> Int64 {
    let (one, other) = (floored(one, by: divisor), floored(other, by: divisor))
    return one.whole + other.whole + (one.rest + other.rest) / divisor
  }
}

extension Double {
  /// The bit pattern, the lowest byte first.
  var word: Int64 { Int64(bitPattern: bitPattern).littleEndian }
}
