// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

/// Writes samples as rows of text, with the labels of each, and what rows have for the ticks without a sample.
///
///     t_ns,ax,…,label,gap,gap_ticks
///     0,5,…,,,
///     100000000,,…,,busError,3
struct TextRows: SampleFormat, ~Copyable {
  enum Gaps {
    case leaveOut
    /// Rows that repeat the sample before.
    case hold
    /// A row with the cause and the number of ticks, after so many empty cells.
    case cells(empty: Int)
    /// A record with the cause and the number of ticks.
    case members
  }

  private let gaps: Gaps
  private var writer: RowWriter
  private var labels: LabelColumn?
  private let timeForm: TimeForm?
  /// Replaces the first byte of the first row, where rows begin with a separator.
  private let opening: UInt8?
  private var heldSample = RawSample()
  private(set) var count: UInt64 = 0
  /// The first and the last row of samples, and of what repeats them.
  private(set) var first: (tick: UInt64, time: Int64)?
  private(set) var last: (tick: UInt64, time: Int64)?

  init(_ plan: ExportPlan, _ layout: RowLayout, opening: UInt8? = nil, gaps: Gaps = .leaveOut) {
    (self.gaps, self.opening) = (gaps, opening)
    writer = plan.rowWriter(layout)
    (labels, timeForm) = (layout.labels, layout.time)
  }

  var seesGaps: Bool { if case .leaveOut = gaps { false } else { true } }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    if case .hold = gaps {
      try hold(upTo: block.ticks[rows.lowerBound], to: &sink)
      heldSample = block[rows.upperBound - 1].sample
    }
    try put(rows, of: block, bounds, to: &sink)
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ gap: Gap, at time: Int64, to sink: inout Sink
  ) throws(ExportError) {
    let (empty, cells): (Int, String)
    switch gaps {
    case .leaveOut, .hold: return
    case .cells(let count): (empty, cells) = (count, ",\(gap.cause.name),\(gap.count)\n")
    case .members:
      (empty, cells) = (0, ",\"gap\":\"\(gap.cause.name)\",\"gap_ticks\":\(gap.count)}\n")
    }
    try timeForm?.check(time)
    _ = labels?.move(to: time)
    let room = try sink.reserve(RowWriter.rowRoom)
    let length = writer.writeHead(time, to: room)
    sink.commit(length)
    let blank = Array(repeating: UInt8(ascii: ","), count: empty)
    try sink.write(blank + (labels?.text ?? []) + Array(cells.utf8))
  }

  /// Writes the row of an instant between samples.
  ///
  /// - Parameter counts: By channel.
  mutating func add<Sink: ByteSink & ~Copyable>(
    _ time: Int64, _ counts: SIMD8<Double>, _ instants: ClosedRange<Int64>?, to sink: inout Sink
  ) throws(ExportError) {
    try timeForm?.check(time)
    _ = labels?.move(to: time)
    let label = labels?.text ?? []
    let room = try sink.reserve(RowWriter.rowRoom + label.count)
    let length = writer.write(time, counts, instants, label: label, to: room)
    commit(length, rows: 1, at: room, to: &sink)
  }

  /// Repeats the last sample up to a tick; nothing before the first one.
  mutating func hold<Sink: ByteSink & ~Copyable>(
    upTo tick: UInt64, to sink: inout Sink
  ) throws(ExportError) {
    guard let last else { return }
    var next = last.tick + 1
    while next < tick {
      var block = SampleBlock()
      while block.count < SampleBlock.capacity, next < tick {
        block.append(tick: next, time: last.time, sample: heldSample)
        next += 1
      }
      try put(0..<block.count, of: block, to: &sink)
    }
  }

  private mutating func put<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds? = nil,
    to sink: inout Sink
  ) throws(ExportError) {
    let (ticks, times) = (block.ticks, block.times)
    // Times do not decrease, so the outermost ones speak for those between them.
    try timeForm?.check(times[rows.lowerBound])
    try timeForm?.check(times[rows.upperBound - 1])
    var row = rows.lowerBound
    while row < rows.upperBound {
      var end = rows.upperBound
      if let next = labels?.move(to: times[row]), times[end - 1] >= next {
        end = row + 1
        while times[end] < next { end += 1 }
      }
      let label = labels?.text ?? []
      let rowRoom = RowWriter.rowRoom + writer.derivedRoom + label.count
      end = min(row + reservationLimit / rowRoom, end)
      let room = try sink.reserve((end - row) * rowRoom)
      let length = writer.write(row..<end, of: block, bounds, label: label, to: room)
      commit(length, rows: end - row, at: room, to: &sink)
      row = end
    }
    if first == nil { first = (ticks[rows.lowerBound], times[rows.lowerBound]) }
    last = (ticks[rows.upperBound - 1], times[rows.upperBound - 1])
  }

  private mutating func commit<Sink: ByteSink & ~Copyable>(
    _ length: Int, rows: Int, at room: UnsafeMutableRawPointer, to sink: inout Sink
  ) {
    if count == 0, let opening { room.storeBytes(of: opening, as: UInt8.self) }
    count += UInt64(rows)
    sink.commit(length)
  }
}

/// Gives each of the magnetometer's values a row: that of the first sample at or after it that has none yet, at most two
/// periods of samples later. Columns say when the chip completed it, which may be well before the row.
struct FieldRows {
  /// µT to 1 nT, as the JSON document has them, and whole times.
  static let columns = ExportedNames.field.enumerated().map { place, name in
    DerivedColumns.Column(
      name: name, unit: place < 3 ? "uT" : "ns", suffix: place < 3 ? "uT" : "",
      decimals: place < 3 ? 3 : 0, isOptional: true)
  }
  private static let none = columns.map { _ in Double.nan }
  /// The most values of an export: 200 MB, a day at 97 Hz.
  static let limit = 1 << 23

  private let plan: ExportPlan
  private var rest: ArraySlice<FieldReading>
  /// Values without a row so far.
  private var left: UInt64

  init(_ notes: RecordingNotes, _ plan: ExportPlan) {
    (self.plan, rest, left) = (plan, notes.field[...], UInt64(notes.field.count))
  }

  /// The columns of a sample's row; not numbers where they are empty.
  mutating func next(at time: Int64) -> [Double] {
    while let value = rest.first, value.time <= time {
      rest.removeFirst()
      // A double holds whole microseconds for 28 months.
      guard (time - value.time) / 2 <= plan.description.rate.periodNanoseconds,
        let end = Double(exactly: value.time)
      else { continue }
      left -= 1
      let delay = Double(plan.options.takeDelay ?? 0)
      return plan.microteslas(value) + [end - Double(value.width) + delay, end + delay]
    }
    return FieldRows.none
  }

  /// A remark about the values that have no row.
  var remarks: [String] {
    let some = Plain.count(left, "value of the magnetometer has", "values of the magnetometer have")
    return left == 0
      ? [] : ["\(some) no row, for want of a sample soon after: --format json has all"]
  }
}
