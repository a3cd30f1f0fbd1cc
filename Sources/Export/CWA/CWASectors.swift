// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// Makes sectors of samples: as many as one holds, evenly apart.
///
///     ticks     0 … 39  40 … 52 · · 55 … 79                 · · · · · · · 300 …
///     sectors  [ 40   ] [ 13  2 held  25   ] … [ 10  30 held ]            [ 40 …
///
/// Readers see no gap below a second between two sectors, so that one is filled with the sample before it; a longer one
/// begins a new sector, and the one before is filled up, as is the last one.
///
/// A sector's time is a second's, and the number of whole periods since: that is the only form that all readers
/// understand. So samples are moved to whole periods of the second, in seconds that begin one.
struct CWASectors: SampleFormat {
  private let plan: ExportPlan
  private let layout: CWALayout
  private let rows: EvenRows
  /// `nil` in the pass that measures, which writes nothing.
  private let scales: CWALayout.Scales?

  /// Rows that repeat the sample before.
  private(set) var filledCount: UInt64 = 0
  /// The most nanoseconds between a sample's time and its row's.
  private(set) var displacement: UInt64 = 0
  /// The least and the largest counts of accelerometer and gyroscope.
  private(set) var extremes: [ClosedRange<Int>] = [0...0, 0...0]
  /// The second since 2000 that the first sector refers to.
  private(set) var firstSecond: Int64?

  private var sectorCount: UInt32 = 0
  /// The sector's samples, and the number of them.
  private var words: [UInt16] = []
  private var rowCount = 0
  /// The sector's first row.
  private var slot: UInt64 = 0
  private var temperature: UInt16 = 0
  private var last: (tick: UInt64, sample: RawSample)?

  init(
    _ plan: ExportPlan, _ layout: CWALayout, _ rows: EvenRows, _ scales: CWALayout.Scales? = nil
  ) {
    (self.plan, self.layout, self.rows, self.scales) = (plan, layout, rows, scales)
  }

  mutating func add<Sink: ByteSink & ~Copyable>(
    _ rows: Range<Int>, of block: borrowing SampleBlock, _ bounds: RowBounds?, to sink: inout Sink
  ) throws(ExportError) {
    for row in rows {
      let (tick, time, sample) = block[row]
      if let last, tick > last.tick, tick - last.tick > 1 {
        try fill(tick - last.tick - 1, to: &sink)
      }
      if rowCount == 0 { try begin(tick, time, sample) }
      try measure(sample, time)
      try put(sample, to: &sink)
      last = (tick, sample)
    }
  }

  mutating func finish<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    try fill(.max, to: &sink)
  }

  /// Fills a gap of so many rows, or the sector before it.
  private mutating func fill<Sink: ByteSink & ~Copyable>(
    _ missing: UInt64, to sink: inout Sink
  ) throws(ExportError) {
    guard let last else { return }
    let room = rowCount == 0 ? 0 : UInt64(layout.rowsInSector - rowCount)
    let isLong = missing >= room + UInt64(layout.rate.hertz.rounded(.up))
    let count = isLong ? room : missing
    for _ in 0..<count { try put(last.sample, to: &sink) }
    filledCount += count
  }

  private mutating func begin(_ tick: UInt64, _ time: Int64, _ sample: RawSample)
    throws(ExportError)
  {
    // The times of an import place its samples, and those of rows made for the format; otherwise their ticks do.
    let isPlaced = plan.description.isImported || layout.isResampled
    let place = try rows.sinceEpoch(isPlaced ? time : plan.time(ofTick: tick))
    // An import that runs fast must not reach back into the sector before.
    slot = max(slot, rows.rate.tick(atNanoseconds: place + rows.rate.periodNanoseconds / 2))
    temperature = layout.temperature(sample.temperature)
    if firstSecond == nil { firstSecond = layout.anchor(slot).second }
  }

  private mutating func measure(_ sample: RawSample, _ time: Int64) throws(ExportError) {
    let place = rows.rate.nanoseconds(atTick: slot + UInt64(rowCount))
    displacement = max(displacement, (place - (try rows.sinceEpoch(time))).magnitude)
    for channel in 0..<6 where scales == nil {
      let (count, range) = (Int(sample[channel]), extremes[channel / 3])
      extremes[channel / 3] = min(range.lowerBound, count)...max(range.upperBound, count)
    }
  }

  private mutating func put<Sink: ByteSink & ~Copyable>(
    _ sample: RawSample, to sink: inout Sink
  ) throws(ExportError) {
    for channel in [3, 4, 5, 0, 1, 2] {
      guard let scale = channel < 3 ? scales?.accelerometer : scales?.gyroscope else { continue }
      words.append(UInt16(bitPattern: scale.count(sample[channel])))
    }
    rowCount += 1
    guard rowCount == layout.rowsInSector else { return }
    if let scales {
      try sink.write(
        layout.sector(sectorCount, slot, temperature: temperature, scales, words))
    }
    sectorCount += 1
    slot += UInt64(rowCount)
    rowCount = 0
    words.removeAll(keepingCapacity: true)
  }
}
