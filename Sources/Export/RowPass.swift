import IMUModel
import LogFormat
import LogStore

/// One pass over a log that writes every sample of a plan as a row.
struct RowPass: ~Copyable {
  /// Rows formatted at a time: what fits into the largest reservation.
  private static let rowsAtATime = reservationLimit / RowWriter.rowRoom

  private let plan: ExportPlan
  private var writer: RowWriter
  /// Takes the place of the first row's first byte, where rows begin with a separator.
  private let opening: UInt8?
  private var report = Exporter.Report()
  /// First and last tick written.
  private(set) var firstTick: UInt64?
  private(set) var lastTick: UInt64 = 0
  /// Time of the last sample written.
  private(set) var lastTime: Int64 = 0

  init(_ plan: ExportPlan, _ layout: RowLayout, opening: UInt8? = nil) {
    self.plan = plan
    self.opening = opening
    writer = plan.rowWriter(layout)
  }

  /// Writes the rows; reading stops at the end of the plan's range, since times never decrease.
  mutating func run<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Exporter.Report {
    while let item = try reader.nextItem() {
      if try take(item, &reader, &sink) { break }
    }
    return report
  }

  /// Writes the rows of a log that somebody is writing, as they come.
  ///
  /// - Parameter more: Waits, and says how many bytes are final; `nil` when the writer is gone.
  mutating func follow<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink,
    more: () throws(ExportError) -> UInt64?
  ) throws(ExportError) -> Exporter.Report {
    while let limit = try more() {
      while let item = try reader.nextItem(within: limit) {
        if try take(item, &reader, &sink) { return report }
      }
      try sink.flush()
    }
    return try run(&reader, to: &sink)
  }

  /// Writes what is a sample; whether all that comes later is behind the plan's range.
  private mutating func take<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ item: LogItem, _ reader: inout LogReader<Storage>, _ sink: inout Sink
  ) throws(ExportError) -> Bool {
    switch item {
    case .samples:
      try write(reader.block, to: &sink)
      if let last = reader.block.times.last { return plan.isOver(at: last) }
    case .damage: report.damages += 1
    default: break
    }
    return false
  }

  /// Writes the samples of a block that are in the range: runs of rows, nearly always one.
  private mutating func write<Sink: ByteSink & ~Copyable>(
    _ block: borrowing SampleBlock, to sink: inout Sink
  ) throws(ExportError) {
    guard plan.hasRange else { return try write(0..<block.count, of: block, to: &sink) }
    var row = 0
    while row < block.count {
      var end = row
      while end < block.count, plan.contains(block.times[end]) { end += 1 }
      try write(row..<end, of: block, to: &sink)
      row = end + 1
    }
  }

  private mutating func write<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, to sink: inout Sink
  ) throws(ExportError) {
    guard !rows.isEmpty else { return }
    var row = rows.lowerBound
    while row < rows.upperBound {
      let end = min(row + RowPass.rowsAtATime, rows.upperBound)
      let room = try sink.reserve((end - row) * RowWriter.rowRoom)
      let count = writer.write(row..<end, of: block, to: room)
      if report.samples == 0, row == rows.lowerBound, let opening {
        room.storeBytes(of: opening, as: UInt8.self)
      }
      sink.commit(count)
      row = end
    }
    if firstTick == nil { firstTick = block.ticks[rows.lowerBound] }
    lastTick = block.ticks[rows.upperBound - 1]
    lastTime = block.times[rows.upperBound - 1]
    report.samples += UInt64(rows.count)
  }
}

extension LogReader where Storage: ~Copyable {
  /// A reader, or this module's error.
  static func open(_ storage: consuming Storage) throws(ExportError) -> LogReader<Storage> {
    do {
      return try LogReader(storage)
    } catch {
      throw .log(error)
    }
  }

  /// The next item, with this module's error.
  mutating func nextItem() throws(ExportError) -> LogItem? {
    do {
      return try next()
    } catch {
      throw .log(error)
    }
  }

  /// The next item within a limit, with this module's error.
  mutating func nextItem(within limit: UInt64) throws(ExportError) -> LogItem? {
    do {
      return try next(within: limit)
    } catch {
      throw .log(error)
    }
  }
}
