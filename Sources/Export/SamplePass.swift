// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

/// A format made of blocks of samples rather than of rows of text: what ``SamplePass`` calls.
protocol SampleFormat: ~Copyable {
  /// Takes samples of a block, at least one, in order of ticks.
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

/// Gives the samples and gaps of a plan to a format, in order of ticks, in one pass over the log.
///
///     log      gap 5…6 │ samples 0…4, 7…9 │ …
///     format   0…4, gap 5…6, 7…9 │ …
struct SamplePass {
  private let plan: ExportPlan
  /// Gaps whose place among the samples is not known yet, in order of ticks.
  private var waiting: [Gap] = []
  private var last: (tick: UInt64, time: Int64)?
  private var report = Exporter.Report()

  /// Gaps that wait at most: more than a log has before the samples that precede them.
  private static let waitingLimit = 4096

  init(_ plan: ExportPlan) {
    self.plan = plan
  }

  /// Reads up to the end of the plan's range; the reader is where the plan begins.
  mutating func run<
    Format: SampleFormat & ~Copyable, Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable
  >(
    _ format: inout Format, _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Exporter.Report {
    reading: while let item = try reader.nextItem() {
      switch item {
      case .samples:
        let bounds = plan.hasBounds ? reader.rowBounds : nil
        for rows in plan.rows(of: reader.block) {
          try add(rows, of: reader.block, bounds, to: &format, &sink)
        }
        // Gaps before the next samples may be in the range where the samples after them are not.
        if let last = reader.block.times.last, plan.isOver(at: last) { break reading }
        note(reader.block)
      case .gap(let gap): try wait(gap, &format, &sink)
      case .damage: report.damages += 1
      default: break
      }
    }
    for gap in waiting { try add(gap, to: &format, &sink) }
    waiting = []
    report.remarks += plan.derived?.remarks ?? []
    return report
  }

  private mutating func note(_ block: borrowing SampleBlock) {
    guard let tick = block.ticks.last, let time = block.times.last else { return }
    last = (tick, time)
  }

  private mutating func wait<Format: SampleFormat & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ gap: Gap, _ format: inout Format, _ sink: inout Sink
  ) throws(ExportError) {
    let place = waiting.lastIndex { $0.firstTick <= gap.firstTick }.map { $0 + 1 } ?? 0
    waiting.insert(gap, at: place)
    guard waiting.count > SamplePass.waitingLimit else { return }
    try add(waiting.removeFirst(), to: &format, &sink)
  }

  private mutating func add<Format: SampleFormat & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?,
    to format: inout Format, _ sink: inout Sink
  ) throws(ExportError) {
    var row = rows.lowerBound
    while row < rows.upperBound {
      while let gap = waiting.first, gap.firstTick <= block.ticks[row] {
        try add(gap, to: &format, &sink)
        waiting.removeFirst()
      }
      var end = rows.upperBound
      if let gap = waiting.first, block.ticks[end - 1] > gap.firstTick {
        end = row
        while block.ticks[end] < gap.firstTick { end += 1 }
      }
      try format.add(row..<end, of: block, bounds, to: &sink)
      report.samples += UInt64(end - row)
      last = (block.ticks[end - 1], block.times[end - 1])
      row = end
    }
  }

  /// Gives a gap to the format: where times and not the rate place the ticks, after the sample before it.
  private func add<Format: SampleFormat & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ gap: Gap, to format: inout Format, _ sink: inout Sink
  ) throws(ExportError) {
    var plan = plan
    if plan.description.isFreeRunning, let last {
      plan.origin = last.time &- plan.description.rate.nanoseconds(atTick: last.tick)
    }
    guard let part = plan.part(of: gap) else { return }
    try format.add(part, at: plan.time(ofTick: part.firstTick), to: &sink)
  }
}
