// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

/// A format, as ``SamplePass`` calls it.
protocol SampleFormat: ~Copyable {
  /// Whether gaps are given to it, and divide the samples.
  var seesGaps: Bool { get }

  /// Takes samples of a block, at least one; of consecutive ticks where it sees gaps.
  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError)

  /// Takes ticks without a sample, after all samples before them and before all samples after them.
  ///
  /// - Parameter time: Nanoseconds since tick 0's deadline at the first of them.
  mutating func add<Sink: ByteSink & ~Copyable>(
    _ gap: Gap, at time: Int64, to sink: inout Sink
  ) throws(ExportError)
}

extension SampleFormat where Self: ~Copyable {
  var seesGaps: Bool { true }

  /// Formats that see gaps by the ticks of samples ignore them here.
  mutating func add<Sink: ByteSink & ~Copyable>(
    _ gap: Gap, at time: Int64, to sink: inout Sink
  ) throws(ExportError) {}
}

/// Gives the samples and gaps of a plan to a format, in order of ticks, in one pass over the log; ticks that damage took are
/// gaps, too. See ``GapOrder``.
struct SamplePass {
  private let plan: ExportPlan
  /// The sample before, in the plan's range or not.
  private var last: (tick: UInt64, time: Int64)?
  private var report = Exporter.Report()

  init(_ plan: ExportPlan) {
    self.plan = plan
  }

  /// Reads up to the end of the plan's range; the reader is where the plan begins.
  ///
  /// - Parameter more: Of a log that a program is writing: waits for more, and returns how many bytes are final; `nil` when
  ///   the writer is gone. The sink is flushed before.
  mutating func run<
    Format: SampleFormat & ~Copyable, Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable
  >(
    _ format: inout Format, _ reader: inout LogReader<Storage>, to sink: inout Sink,
    more: () throws(ExportError) -> UInt64? = { nil }
  ) throws(ExportError) -> Exporter.Report {
    var order = GapOrder(reader)
    var end: UInt64? = 0
    var limit = try more()
    reading: while true {
      guard let item = try reader.nextItem(within: limit) else {
        guard limit != nil else { break }
        try sink.flush()
        limit = try more()
        continue
      }
      switch item {
      case .samples:
        let bounds = plan.options.hasUncertainty ? reader.rowBounds : nil
        var row = 0
        for rows in plan.rows(of: reader.block) {
          try pass(row..<rows.lowerBound, of: reader.block, &order, to: &format, &sink)
          try pass(
            rows, of: reader.block, bounds: bounds, isWanted: true, &order, to: &format, &sink)
          row = rows.upperBound
        }
        try pass(row..<reader.block.count, of: reader.block, &order, to: &format, &sink)
        if let last, plan.isOver(at: last.time) {
          end = nil
          break reading
        }
      case .gap(let gap) where format.seesGaps:
        order.add(gap)
        while let place = order.overdue() { try add(place.gap, after: last, to: &format, &sink) }
      case .damage: report.damages += 1
      case .mark(let mark): if plan.contains(mark.time) { report.marks += 1 }
      case .end(let recorded): end = recorded.tally.scheduled
      default: break
      }
    }
    for place in order.rest(upTo: end.map { max($0, reader.nextTick) }) where format.seesGaps {
      try add(place.gap, after: last, to: &format, &sink)
    }
    report.remarks += plan.derived?.remarks ?? []
    return report
  }

  /// Gives the gaps before and among samples to the format, and the samples if they are in the plan's range.
  private mutating func pass<Format: SampleFormat & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, bounds: RowBounds? = nil,
    isWanted: Bool = false, _ order: inout GapOrder, to format: inout Format, _ sink: inout Sink
  ) throws(ExportError) {
    var row = rows.lowerBound
    while row < rows.upperBound {
      while format.seesGaps, let place = order.take(before: block.ticks[row]) {
        try add(
          place.gap, after: last ?? (block.ticks[row], block.times[row]), to: &format, &sink)
      }
      let end =
        format.seesGaps ? order.takeRun(row..<rows.upperBound, of: block) : rows.upperBound
      if isWanted {
        try format.add(row..<end, of: block, bounds, to: &sink)
        report.samples += UInt64(end - row)
      }
      last = (block.ticks[end - 1], block.times[end - 1])
      row = end
    }
  }

  /// Gives a gap to the format: where times and not the rate place the ticks, by the sample before it, or the one after it
  /// if that is the first.
  private func add<Format: SampleFormat & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ gap: Gap, after sample: (tick: UInt64, time: Int64)?, to format: inout Format,
    _ sink: inout Sink
  ) throws(ExportError) {
    let plan = plan.after(sample)
    guard let part = plan.part(of: gap) else { return }
    try format.add(part, at: plan.time(ofTick: part.firstTick), to: &sink)
  }
}

extension ExportPlan {
  /// The same plan on the grid on which the ticks after a sample are: its own, or, where times and not the rate place the
  /// ticks, one that the sample is on.
  func after(_ sample: (tick: UInt64, time: Int64)?) -> ExportPlan {
    guard description.isFreeRunning, let sample else { return self }
    return on(sample.time &- description.rate.nanoseconds(atTick: sample.tick))
  }

  /// The runs of a block's samples that are in the range, nearly always one.
  func rows(of block: borrowing SampleBlock) -> [Range<Int>] {
    guard hasRange else { return block.isEmpty ? [] : [0..<block.count] }
    var runs: [Range<Int>] = []
    var row = 0
    while row < block.count {
      var end = row
      while end < block.count, contains(block.times[end]) { end += 1 }
      if end > row { runs.append(row..<end) }
      row = end + 1
    }
    return runs
  }
}

// What the formats ask of a reader; errors are this module's.

extension LogReader where Storage: ~Copyable {
  /// The earliest and latest instants of the block's samples; `nil` where the computer dates them.
  var rowBounds: RowBounds? {
    guard let earliest = earliest.baseAddress, let latest = latest.baseAddress else { return nil }
    return RowBounds(earliest: earliest, latest: latest)
  }

  /// The next item; with `limit` of a log that is being written, within so many bytes.
  mutating func nextItem(within limit: UInt64? = nil) throws(ExportError) -> LogItem? {
    do {
      if let limit { return try next(within: limit) }
      return try next()
    } catch {
      throw .log(error)
    }
  }

  /// Continues where the plan begins, or some nanoseconds before.
  mutating func begin(_ plan: ExportPlan, before span: Int64 = 0) throws(ExportError) {
    let (time, overflow) = plan.from.subtractingReportingOverflow(span)
    guard plan.from > .min, !overflow else { return rewind() }
    do {
      try seek(toTime: time)
    } catch {
      throw .log(error)
    }
  }

  /// The first sample, or the first one in a plan's range; `nil` without one. The reader is at the beginning afterwards.
  mutating func firstSample(
    in plan: ExportPlan?
  ) throws(ExportError) -> (tick: UInt64, time: Int64)? {
    if let plan { try begin(plan) } else { rewind() }
    defer { rewind() }
    while let item = try nextItem() {
      guard case .samples = item else { continue }
      if let row = block.times.firstIndex(where: { plan?.contains($0) ?? true }) {
        return (block.ticks[row], block.times[row])
      }
      if let plan, plan.isOver(item, of: self) { return nil }
    }
    return nil
  }

  /// The beginning of the grid: 0, but in an imported recording any time. The reader is at the beginning afterwards.
  mutating func origin() throws(ExportError) -> Int64 {
    rewind()
    guard description.isImported, let first = try firstSample(in: nil) else { return 0 }
    return first.time &- description.rate.nanoseconds(atTick: first.tick)
  }
}
