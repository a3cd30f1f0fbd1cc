// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

/// Writes every sample of a plan as a row, in one pass over the log.
struct RowPass: ~Copyable {
  let plan: ExportPlan
  private var output: RowOutput
  /// Replaces the first byte of the first row, where rows begin with a separator.
  private let opening: UInt8?
  /// The tick up to which ticks without a sample repeat the sample before them; `nil` when none does.
  private let holdEnd: UInt64?
  /// Repetitions of the last sample, a block at a time.
  private var held = SampleBlock()
  private var heldSample = RawSample()
  private var report = Exporter.Report()
  /// First and last tick written.
  private(set) var firstTick: UInt64?
  private(set) var lastTick: UInt64 = 0
  /// Time of the last sample written.
  private(set) var lastTime: Int64 = 0
  /// Time of the first sample written.
  private(set) var firstTime: Int64 = 0

  init(_ plan: ExportPlan, _ layout: RowLayout, opening: UInt8? = nil, holdEnd: UInt64? = nil) {
    self.plan = plan
    self.opening = opening
    self.holdEnd = holdEnd
    output = RowOutput(plan, layout)
  }

  /// Writes the rows. Reading stops at the end of the plan's range, because times never decrease.
  mutating func run<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Exporter.Report {
    while let item = try reader.nextItem() {
      if try consume(item, &reader, &sink) { break }
    }
    if let holdEnd, firstTick != nil { try hold(upTo: holdEnd, to: &sink) }
    report.remarks += plan.derived?.remarks ?? []
    return report
  }

  /// Writes the rows of a log while a program is writing it.
  ///
  /// - Parameter more: Waits for more and returns how many bytes are final; `nil` when the writer is gone.
  mutating func follow<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink,
    more: () throws(ExportError) -> UInt64?
  ) throws(ExportError) -> Exporter.Report {
    while let limit = try more() {
      while let item = try reader.nextItem(within: limit) {
        if try consume(item, &reader, &sink) { return report }
      }
      try sink.flush()
    }
    return try run(&reader, to: &sink)
  }

  /// Writes an item if it is samples.
  ///
  /// - Returns: Whether everything later is after the plan's range.
  private mutating func consume<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ item: LogItem, _ reader: inout LogReader<Storage>, _ sink: inout Sink
  ) throws(ExportError) -> Bool {
    switch item {
    case .samples:
      let bounds = plan.hasBounds ? reader.rowBounds : nil
      for rows in plan.rows(of: reader.block) {
        try write(rows, of: reader.block, bounds, to: &sink)
      }
      if let last = reader.block.times.last { return plan.isOver(at: last) }
    case .damage: report.damages += 1
    case .mark(let mark): if plan.contains(mark.time) { report.marks += 1 }
    default: break
    }
    return false
  }

  /// Writes rows, and repeats the row before each one that does not have the next tick.
  private mutating func writeHolding<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, to sink: inout Sink
  ) throws(ExportError) {
    var row = rows.lowerBound
    while row < rows.upperBound {
      if firstTick != nil { try hold(upTo: block.ticks[row], to: &sink) }
      var end = row + 1
      while end < rows.upperBound, block.ticks[end] == block.ticks[end - 1] &+ 1 { end += 1 }
      try put(row..<end, of: block, to: &sink)
      heldSample = block[end - 1].sample
      row = end
    }
  }

  private mutating func hold<Sink: ByteSink & ~Copyable>(upTo tick: UInt64, to sink: inout Sink)
    throws(ExportError)
  {
    while lastTick + 1 < tick {
      held.removeAll()
      while held.count < SampleBlock.capacity, lastTick + 1 + UInt64(held.count) < tick {
        held.append(tick: lastTick + 1 + UInt64(held.count), time: lastTime, sample: heldSample)
      }
      // Moved out while it is written, because writing changes this pass.
      var block = SampleBlock()
      swap(&block, &held)
      try put(0..<block.count, of: block, to: &sink)
      swap(&block, &held)
    }
  }

  private mutating func write<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    guard holdEnd != nil else { return try put(rows, of: block, bounds, to: &sink) }
    try writeHolding(rows, of: block, to: &sink)
  }

  private mutating func put<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds? = nil,
    to sink: inout Sink
  ) throws(ExportError) {
    guard !rows.isEmpty else { return }
    try output.put(
      rows, of: block, bounds, opening: report.samples == 0 ? opening : nil, to: &sink)
    if firstTick == nil {
      (firstTick, firstTime) = (block.ticks[rows.lowerBound], block.times[rows.lowerBound])
    }
    lastTick = block.ticks[rows.upperBound - 1]
    lastTime = block.times[rows.upperBound - 1]
    report.samples += UInt64(rows.count)
  }
}

extension LogReader where Storage: ~Copyable {
  /// Opens a reader; throws this module's error.
  static func open(_ storage: consuming Storage) throws(ExportError) -> LogReader<Storage> {
    do {
      return try LogReader(storage)
    } catch {
      throw .log(error)
    }
  }

  /// The earliest and latest instants of the block's samples; `nil` where the computer dates them.
  var rowBounds: RowBounds? {
    guard let earliest = earliest.baseAddress, let latest = latest.baseAddress else { return nil }
    return RowBounds(earliest: earliest, latest: latest)
  }

  /// Moves to the beginning of the plan's range.
  mutating func begin(_ plan: ExportPlan) throws(ExportError) {
    guard plan.from > .min else { return rewind() }
    do {
      try seek(toTime: plan.from)
    } catch {
      throw .log(error)
    }
  }

  /// The first and the last clock pairs and the end; throws this module's error.
  mutating func outermostRecords() throws(ExportError)
    -> (first: [ClockPair], last: [ClockPair], end: RecordingEnd)?
  {
    do {
      let (first, last, end, _) = try outerPages()
      return end.map { (first, last, $0) }
    } catch {
      throw .log(error)
    }
  }

  /// Whether the recording is cut off within the options' range; throws this module's error.
  mutating func isCutOff(_ options: ExportOptions) throws(ExportError) -> Bool {
    do {
      return try isCutOff(before: options.to ?? .max)
    } catch {
      throw .log(error)
    }
  }

  /// The beginning of the grid: 0, but in an imported recording any time. The reader is at the beginning afterwards.
  mutating func origin() throws(ExportError) -> Int64 {
    rewind()
    guard description.isImported else { return 0 }
    var origin: Int64 = 0
    while let item = try nextItem() {
      guard case .samples = item, let time = block.times.first, let tick = block.ticks.first else {
        continue
      }
      origin = time &- description.rate.nanoseconds(atTick: tick)
      break
    }
    rewind()
    return origin
  }

  /// The next item; throws this module's error.
  mutating func nextItem() throws(ExportError) -> LogItem? {
    do {
      return try next()
    } catch {
      throw .log(error)
    }
  }

  /// The next item within a limit; throws this module's error.
  mutating func nextItem(within limit: UInt64) throws(ExportError) -> LogItem? {
    do {
      return try next(within: limit)
    } catch {
      throw .log(error)
    }
  }
}
