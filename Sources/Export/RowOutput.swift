// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// Writes samples as rows to a sink, a part at a time, with the labels of each.
struct RowOutput: ~Copyable {
  private var writer: RowWriter
  private var labels: LabelColumn?
  private let timeForm: TimeForm?

  init(_ plan: ExportPlan, _ layout: RowLayout) {
    writer = plan.rowWriter(layout)
    (labels, timeForm) = (layout.labels, layout.time)
  }

  /// Writes rows, at least one.
  ///
  /// - Parameter opening: Replaces the first byte of the first row, where rows begin with a separator.
  mutating func put<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds? = nil,
    opening: UInt8? = nil, to sink: inout Sink
  ) throws(ExportError) {
    // Times do not decrease, so the outermost ones speak for those between them.
    try timeForm?.check(block.times[rows.lowerBound])
    try timeForm?.check(block.times[rows.upperBound - 1])
    var row = rows.lowerBound
    while row < rows.upperBound {
      var end = rows.upperBound
      if let next = labels?.move(to: block.times[row]), block.times[end - 1] >= next {
        end = row + 1
        while block.times[end] < next { end += 1 }
      }
      let label = labels?.text ?? []
      let rowRoom = RowWriter.rowRoom + writer.derivedRoom + label.count
      end = min(row + reservationLimit / rowRoom, end)
      let room = try sink.reserve((end - row) * rowRoom)
      let count = writer.write(row..<end, of: block, bounds, label: label, to: room)
      if row == rows.lowerBound, let opening { room.storeBytes(of: opening, as: UInt8.self) }
      sink.commit(count)
      row = end
    }
  }
}

/// The rows of a table in which the ticks without a sample have rows, too: the cause and how many, at the first of them.
///
///     t_ns,ax,…,label,gap,gap_ticks
///     0,5,…,,,
///     100000000,,…,,busError,3
struct GapRows: SampleFormat, ~Copyable {
  private var samples: RowOutput
  private var gaps: RowWriter
  private var labels: LabelColumn?
  /// What is between the time and the cells of a gap.
  private let blank: [UInt8]
  private let isJSON: Bool
  private let timeForm: TimeForm?

  /// - Parameters:
  ///   - layout: That of the samples.
  ///   - blank: How many cells are empty after a gap's time; `nil` for records, which leave them out.
  init(_ plan: ExportPlan, _ layout: RowLayout, blank: Int?) {
    samples = RowOutput(plan, layout)
    (labels, timeForm) = (layout.labels, layout.time)
    isJSON = blank == nil
    self.blank = Array(repeating: UInt8(ascii: ","), count: blank ?? 0)
    gaps = RowWriter(
      RowLayout(prefix: layout.prefix, time: layout.time, keys: [], suffix: isJSON ? "}\n" : "\n"),
      channels: [], texts: [])
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    try samples.put(rows, of: block, bounds, to: &sink)
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ gap: Gap, at time: Int64, to sink: inout Sink
  ) throws(ExportError) {
    try timeForm?.check(time)
    _ = labels?.move(to: time)
    let cells =
      isJSON
      ? ",\"gap\":\"\(gap.cause.name)\",\"gap_ticks\":\(gap.count)"
      : ",\(gap.cause.name),\(gap.count)"
    let tail = blank + (labels?.text ?? []) + Array(cells.utf8)
    var block = SampleBlock()
    block.append(tick: gap.firstTick, time: time, sample: RawSample())
    let room = try sink.reserve(RowWriter.rowRoom + tail.count)
    sink.commit(gaps.write(0..<1, of: block, label: tail, to: room))
  }
}
