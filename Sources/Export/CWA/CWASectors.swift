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
  let layout: CWALayout
  private let plan: ExportPlan
  /// Nanoseconds from 2000-01-01 of the local time to tick 0's deadline.
  let origin: Int64
  let started: Int64?
  /// `nil` in the pass that measures, which writes nothing.
  private let scales: CWALayout.Scales?

  private(set) var sectorCount: UInt32 = 0
  /// Rows that repeat the sample before.
  private(set) var filledCount: UInt64 = 0
  /// Nanoseconds, at most, between a sample's time and that of its row.
  private(set) var displacement: UInt64 = 0
  /// The least and the largest counts of accelerometer and gyroscope.
  private(set) var extremes: [ClosedRange<Int>] = [0...0, 0...0]
  /// The second since 2000 that the first sector refers to.
  private(set) var firstSecond: Int64?

  private var bytes = [UInt8](repeating: 0, count: CWALayout.sectorSize)
  private var rowCount = 0
  /// Whole periods from 2000-01-01 of the local time to the sector's first row.
  private var slot: UInt64 = 0
  private var temperature: UInt16 = 0
  private var last: (tick: UInt64, sample: RawSample)?

  init(
    _ layout: CWALayout, _ plan: ExportPlan, origin: Int64, started: Int64?,
    scales: CWALayout.Scales? = nil
  ) {
    (self.layout, self.plan, self.origin, self.started) = (layout, plan, origin, started)
    self.scales = scales
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
      try measure(sample, tick, time)
      try put(sample, to: &sink)
      last = (tick, sample)
    }
  }

  mutating func add<Sink: ByteSink & ~Copyable>(_ gap: Gap, at time: Int64, to sink: inout Sink)
    throws(ExportError)
  {}

  /// Fills the last sector up.
  mutating func finish<Sink: ByteSink & ~Copyable>(to sink: inout Sink) throws(ExportError) {
    if rowCount > 0 { try hold(layout.rowsInSector - rowCount, to: &sink) }
  }

  /// Fills a gap, or the sector before it.
  private mutating func fill<Sink: ByteSink & ~Copyable>(
    _ missing: UInt64, to sink: inout Sink
  ) throws(ExportError) {
    let room = rowCount == 0 ? 0 : layout.rowsInSector - rowCount
    let isLong = missing >= UInt64(room) + UInt64(layout.rate.hertz.rounded(.up))
    try hold(isLong ? room : Int(missing), to: &sink)
  }

  private mutating func hold<Sink: ByteSink & ~Copyable>(
    _ count: Int, to sink: inout Sink
  ) throws(ExportError) {
    guard let last else { return }
    for _ in 0..<count { try put(last.sample, to: &sink) }
    filledCount += UInt64(count)
  }

  private mutating func begin(_ tick: UInt64, _ time: Int64, _ sample: RawSample)
    throws(ExportError)
  {
    let next = slot
    // The times of an import place its samples, and those of rows made for the format; otherwise their ticks do.
    let isPlaced = plan.description.isImported || layout.isResampled
    slot = layout.rate.tick(
      atNanoseconds: try localTime(isPlaced ? time : plan.time(ofTick: tick))
        + layout.rate.periodNanoseconds / 2)
    // An import that runs fast must not reach back into the sector before.
    slot = max(slot, next)
    temperature = layout.temperature(sample.temperature)
    if firstSecond == nil { firstSecond = layout.anchor(slot).second }
  }

  private mutating func measure(_ sample: RawSample, _ tick: UInt64, _ time: Int64)
    throws(ExportError)
  {
    let place = layout.rate.nanoseconds(atTick: slot + UInt64(rowCount))
    displacement = max(displacement, (place - (try localTime(time))).magnitude)
    guard scales == nil else { return }
    for (sensor, channels) in [(0, 0..<3), (1, 3..<6)] {
      for channel in channels {
        let count = Int(sample[channel])
        let range = extremes[sensor]
        extremes[sensor] = min(range.lowerBound, count)...max(range.upperBound, count)
      }
    }
  }

  /// Nanoseconds from 2000-01-01 of the local time.
  private func localTime(_ time: Int64) throws(ExportError) -> Int64 {
    let (sum, overflow) = time.addingReportingOverflow(origin)
    guard !overflow, (0..<CWALayout.timeLimit).contains(sum) else {
      throw .timeNotHeld(at: time, started: started, format: .cwa)
    }
    return sum
  }

  private mutating func put<Sink: ByteSink & ~Copyable>(
    _ sample: RawSample, to sink: inout Sink
  ) throws(ExportError) {
    if let scales { layout.put(sample, scales, row: rowCount, into: &bytes) }
    rowCount += 1
    guard rowCount == layout.rowsInSector else { return }
    if let scales {
      layout.complete(
        &bytes, number: sectorCount, slot: slot, temperature: temperature, scales,
        session: plan.description.number)
      try sink.write(bytes)
    }
    sectorCount += 1
    slot += UInt64(rowCount)
    rowCount = 0
  }
}
