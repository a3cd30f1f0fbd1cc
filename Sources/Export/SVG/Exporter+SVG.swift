// SPDX-License-Identifier: Apache-2.0

import Graph
import IMUModel
import LogFormat
import LogStore

extension Exporter {
  /// Writes a drawing of the whole recording, or of the range: a panel for each sensor, legend, units, gaps, marks and labels.
  ///
  /// A first pass over the log finds the facts and the ends, a second one the peaks. Memory and the size of the drawing
  /// depend on its width, not on the recording.
  func writeDrawing<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(&reader)
    let account = try LogAccount(&reader, plan, judgesSamples: true)
    let rate = plan.description.rate
    let ends = account.ends(plan)
    // A damaged or foreign log may contain any tick and time; those beyond 73 years are not drawn.
    let farthest = Int64.max / 4
    let end = max(-farthest, min(ends.end, farthest))
    let begin = max(-farthest, min(ends.begin, end))
    // A late last sample may lie after the last period's end by less than a period.
    let isWhole = plan.to == .max && !plan.description.isFreeRunning
    let late = isWhole ? min(rate.periodNanoseconds / 2, farthest) : 0
    let span = begin..<max(begin + 1, end + late)
    let ticks = max(account.end?.tally.scheduled ?? 0, account.lastTick)
    var trace = DrawingTrace(span, plan, lastTick: ticks, hasGaps: account[.gaps].count > 0)
    try reader.begin(plan)
    var report = Report()
    report.damages = account[.damage].count
    var marks = DrawingMarks(span)
    while let item = try reader.nextItem() {
      if case .mark(let mark) = item, plan.contains(mark.time) { marks.add(mark) }
      if case .samples = item {
        for rows in plan.rows(of: reader.block) {
          for row in rows { trace.add(reader.block[row]) }
          report.samples += UInt64(rows.count)
        }
      }
      if plan.isOver(item, of: reader) { break }
    }
    trace.finish()
    let labels = DrawingLabels(plan.labels, in: span)
    let drawing = Drawing(
      plan: plan, account: account, trace: trace, marks: marks, labels: labels)
    try sink.write(drawing.head)
    for panel in drawing.panels {
      for part in drawing.parts(of: panel) { try sink.write(part) }
    }
    try sink.write(drawing.tail)
    return report
  }
}

/// The peaks of a recording column by column, and where its ticks are missing.
struct DrawingTrace {
  /// Columns of the drawing, of 0.6 units each: finer than print.
  static let columns = 1433

  private(set) var envelope: Envelope
  let span: Range<Int64>
  /// Runs of missing ticks, as times; runs less than a column apart are joined.
  private(set) var holes: [Range<Int64>] = []
  private let rate: SampleRate
  private let lastTick: UInt64
  private var nextTick: UInt64
  /// Whether the times of the samples around them, and not the rate, show where ticks are missing.
  private let isFreeRunning: Bool
  private let hasGaps: Bool
  private var lastTime: Int64?

  init(_ span: Range<Int64>, _ plan: ExportPlan, lastTick: UInt64, hasGaps: Bool) {
    (self.span, self.lastTick, self.hasGaps) = (span, lastTick, hasGaps)
    rate = plan.description.rate
    isFreeRunning = plan.description.isFreeRunning
    envelope = Envelope(covering: span, columns: DrawingTrace.columns)
    let first = rate.tick(atNanoseconds: span.lowerBound)
    nextTick = rate.nanoseconds(atTick: first) < span.lowerBound ? first + 1 : first
  }

  mutating func add(_ sample: (tick: UInt64, time: Int64, sample: RawSample)) {
    if isFreeRunning {
      // No tick is before tick 0, whenever its sample was made.
      let isHole = lastTime == nil ? sample.tick > 0 : sample.tick > nextTick
      if isHole { addHole(before: sample.time) }
    } else if sample.tick > nextTick {
      addHole(rate.nanoseconds(atTick: nextTick)..<rate.nanoseconds(atTick: sample.tick))
    }
    nextTick = sample.tick + 1
    lastTime = sample.time
    envelope.add(sample.time, sample.sample)
  }

  mutating func finish() {
    guard !isFreeRunning else { return addHole(before: span.upperBound) }
    let end = min(lastTick, rate.tick(atNanoseconds: span.upperBound - 1) + 1)
    if end > nextTick {
      addHole(rate.nanoseconds(atTick: nextTick)..<rate.nanoseconds(atTick: end))
    }
  }

  /// Adds the time without samples since a period after the last one, or since the beginning.
  private mutating func addHole(before end: Int64) {
    let period = rate.periodNanoseconds
    let (due, overflow) = (lastTime ?? span.lowerBound).addingReportingOverflow(
      lastTime == nil ? 0 : period)
    let begin = max(due, span.lowerBound)
    guard hasGaps, !overflow, end > begin else { return }
    // Less than half a period at the ends of a range holds no tick.
    let isAtEnd = lastTime == nil || end == span.upperBound
    guard !isAtEnd || end - begin >= period / 2 else { return }
    addHole(begin..<end)
  }

  private mutating func addHole(_ hole: Range<Int64>) {
    envelope.addGap(hole)
    if let last = holes.last, hole.lowerBound - last.upperBound < envelope.columnWidth {
      // Times may go back where no grid gives them.
      holes[holes.count - 1] =
        min(last.lowerBound, hole.lowerBound)..<max(last.upperBound, hole.upperBound)
    } else {
      holes.append(hole)
    }
  }
}
