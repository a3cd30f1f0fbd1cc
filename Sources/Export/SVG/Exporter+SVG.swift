import Graph
import IMUModel
import LogFormat
import LogStore

extension Exporter {
  /// One drawing of the whole recording, or of the range: a panel for each sensor, legend, units, gaps and marks.
  ///
  /// A first pass over the log finds the facts and the ends, a second one the peaks; memory and the drawing's
  /// size depend on its width and not on the recording.
  func writeDrawing<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Report {
    let plan = try plan(reader.description)
    let account = try LogAccount(&reader, plan)
    let rate = plan.description.rate
    let ticks = max(account.end?.ledger.scheduled ?? 0, account.lastTick)
    // A damaged or foreign log may claim any tick; times beyond 73 years are not drawn.
    let end = min(rate.nanoseconds(atTick: ticks), plan.to, .max / 4)
    let begin = max(0, min(plan.from, end))
    // A late last sample may lie behind the last period's end by less than a period.
    let late = plan.to == .max ? min(rate.periodNanoseconds / 2, .max / 4) : 0
    let span = begin..<max(begin + 1, end + late)
    var trace = DrawingTrace(span, rate, lastTick: ticks)
    try reader.begin(plan)
    var report = Report()
    report.damages = account.damages.count
    while let item = try reader.nextItem() {
      guard case .samples = item else { continue }
      for rows in plan.rows(of: reader.block) {
        for row in rows { trace.add(reader.block[row]) }
        report.samples += UInt64(rows.count)
      }
      if let last = reader.block.times.last, plan.isOver(at: last) { break }
    }
    trace.finish()
    let drawing = Drawing(plan: plan, account: account, trace: trace)
    try sink.write(Array(drawing.head.utf8))
    for panel in drawing.panels {
      for part in drawing.parts(of: panel) { try sink.write(Array(part.utf8)) }
    }
    try sink.write(Array(drawing.tail.utf8))
    return report
  }
}

/// The peaks of a recording column by column, and where its ticks are missing.
struct DrawingTrace {
  /// Columns of the drawing: three for each of its units of width would be finer than print.
  static let columns = 1720

  private(set) var envelope: Envelope
  let span: Range<Int64>
  /// Runs of missing ticks, as times; those less than a column apart are one.
  private(set) var holes: [Range<Int64>] = []
  private let rate: SampleRate
  private let lastTick: UInt64
  private var nextTick: UInt64

  init(_ span: Range<Int64>, _ rate: SampleRate, lastTick: UInt64) {
    self.span = span
    self.rate = rate
    self.lastTick = lastTick
    envelope = Envelope(covering: span, columns: DrawingTrace.columns)
    let first = rate.tick(atNanoseconds: span.lowerBound)
    nextTick = rate.nanoseconds(atTick: first) < span.lowerBound ? first + 1 : first
  }

  mutating func add(_ sample: (tick: UInt64, time: Int64, sample: RawSample)) {
    if sample.tick > nextTick { addHole(upTo: sample.tick) }
    nextTick = sample.tick + 1
    envelope.add(sample.time, sample.sample)
  }

  /// Notes what is missing at the end.
  mutating func finish() {
    let behind = rate.tick(atNanoseconds: span.upperBound - 1) + 1
    let end = min(lastTick, behind)
    if end > nextTick { addHole(upTo: end) }
  }

  private mutating func addHole(upTo tick: UInt64) {
    let hole = rate.nanoseconds(atTick: nextTick)..<rate.nanoseconds(atTick: tick)
    envelope.addGap(hole)
    if let last = holes.last, hole.lowerBound - last.upperBound < envelope.columnWidth {
      holes[holes.count - 1] = last.lowerBound..<hole.upperBound
    } else {
      holes.append(hole)
    }
  }
}
