// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

/// Rows at a rate: each is whole periods after an epoch, a format's or tick 0's deadline.
struct EvenRows {
  let rate: SampleRate
  /// Nanoseconds from the format's epoch to tick 0's deadline.
  let origin: Int64
  /// Nanoseconds from the epoch to the end of the times that the format has.
  let limit: Int64
  /// Nanoseconds from 1970 to tick 0's deadline; `nil` where nothing dates the recording.
  let started: Int64?
  let format: ExportFormat
  /// Whether these are the instants of a grid, from tick 0's deadline on.
  var isGrid = false

  /// Nanoseconds from the epoch to a time.
  func sinceEpoch(_ time: Int64) throws(ExportError) -> Int64 {
    let (sum, overflow) = time.addingReportingOverflow(origin)
    guard !overflow, (0..<limit).contains(sum) else {
      throw .timeNotHeld(at: time, started: started, format: format)
    }
    return sum
  }

  func time(ofRow row: UInt64) throws(ExportError) -> Int64 {
    let place = rate.nanoseconds(atTick: row)
    guard place < limit else {
      throw .timeNotHeld(at: place - origin, started: started, format: format)
    }
    return place - origin
  }
}

extension EvenRows {
  init(_ plan: ExportPlan, _ format: ExportFormat) {
    self.init(
      rate: plan.options.takeGrid ?? plan.description.rate, origin: plan.options.takeDelay ?? 0,
      limit: .max, started: nil, format: format, isGrid: true)
  }
}

/// Computes the values of a recording at another rate or at even times, at the rows of a format or the instants of the grid.
///
///     samples    ●   ●   ●   ●   ●   ●           ●   ●   ●
///     rows        │    │    │    │    │    │    │    │    │
///     values      ×    ×    ×    ×    ×          ×    ×      none without samples on both sides
///
/// No value is made across ticks without a sample, two periods without one (in an import, a second if that is longer), a
/// finding that lets a chip's instants jump, or between times with a proof and those without: the row is absent. A run
/// between gaps that no instant meets has its last sample at the nearest one; on the grid it has none.
///
/// Memory holds the samples that a value needs; see ``ResamplingKernel``.
struct EvenRatePass {
  /// What takes the rows, in order: the row's number since the epoch, its time, counts by channel, and between which instants
  /// the sensor is proved to have moved like that; `nil` where nothing proves it.
  typealias Body = (UInt64, Int64, SIMD8<Double>, ClosedRange<Int64>?) throws(ExportError) -> Void

  private let plan: ExportPlan
  private let rows: EvenRows
  private var kernel: ResamplingKernel
  /// Nanoseconds between two samples above which something is missing between them.
  private let longestStep: Int64

  /// The present run's last points, from ``first`` on.
  private var points: [ResamplingKernel.Point] = []
  private var first = 0
  /// The last point that is not after the next row.
  private var left = 0
  private var last: (tick: UInt64, isProved: Bool) = (0, false)
  /// The present run's last point in the plan's range.
  private var lastInRange: ResamplingKernel.Point?
  private var hasRows = false
  private var next: UInt64 = 0
  /// The first row that was not given yet.
  private var free: UInt64 = 0
  private var firstRow: UInt64 = 0
  private var rowCount: UInt64 = 0
  /// Whether a run would begin after the plan's range.
  private var isOver = false
  /// Samples at the time of the one before, which are left out.
  private var sameTimes: UInt64 = 0

  init(_ plan: ExportPlan, _ rows: EvenRows) {
    (self.plan, self.rows) = (plan, rows)
    kernel = ResamplingKernel(from: plan.description.rate.hertz, to: rows.rate.hertz)
    let twice = plan.description.rate.periodNanoseconds.multipliedReportingOverflow(by: 2)
    // The times of an import may be late by whole periods where no tick is missing.
    longestStep = max(
      twice.overflow ? .max : twice.partialValue, plan.description.isImported ? 1_000_000_000 : 0)
  }

  /// Gives the rows in the plan's range to `body`.
  mutating func run<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>, _ body: Body
  ) throws(ExportError) -> Exporter.Report {
    // A row has the samples that it would have without a range.
    let reach = longestStep.multipliedReportingOverflow(by: Int64(kernel.half) + 3)
    try reader.begin(plan, before: reach.overflow ? .max : reach.partialValue)
    var report = Exporter.Report()
    reading: while let item = try reader.nextItem() {
      switch item {
      case .samples(let count):
        let (brackets, bounds) = (reader.brackets, reader.rowBounds)
        for row in 0..<count {
          try add(reader.block, row, bounds, brackets, body)
        }
        if isOver { break reading }
        // The rows of the range are all written when what the kernel reaches is after it.
        if points.count > kernel.half, plan.to != .max,
          plan.isOver(at: points[points.count - 1 - kernel.half].time)
        {
          break reading
        }
      case .damage: report.damages += 1
      default: break
      }
    }
    try endRun(body)
    report.samples = rowCount
    report.remarks.append(rows.isGrid ? gridRemark : rateRemark)
    if kernel.unevenCount > 0 {
      report.remarks.append(
        "\(Plain.count(kernel.unevenCount, "value")) \(kernel.unevenMethod): the times of samples around are uneven, and "
          + "fast motion is weaker there")
    }
    if kernel.unfilteredCount > 0 {
      report.remarks.append(
        "\(Plain.count(kernel.unfilteredCount, "value")) next to gaps and ends by a cubic or a line, without the low-pass filter: "
          + "faster motion comes back as slower there")
    }
    if sameTimes > 0 {
      let samples = Plain.count(sameTimes, "sample is", "samples are")
      report.remarks.append("\(samples) left out, at the time of the one before")
    }
    return report
  }

  private var rateRemark: String {
    "the values are resampled from \(Plain.hertz(plan.description.rate)) to "
      + "\(Plain.hertz(rows.rate)) Hz, a rate of \(rows.format.rawValue), by "
      + ResamplingKernel.method(from: plan.description.rate.hertz, to: rows.rate.hertz)
  }

  private var gridRemark: String {
    let absent = rowCount > 0 ? free - firstRow - rowCount : 0
    return
      "the values are resampled to a grid of \(Plain.hertz(rows.rate)) Hz by "
      + ResamplingKernel.method(from: plan.description.rate.hertz, to: rows.rate.hertz)
      + (absent > 0
        ? "; \(Plain.count(absent, "instant")) of the grid without samples around "
          + "\(absent == 1 ? "it is" : "them are") left out" : "")
  }

  private mutating func add(
    _ block: borrowing SampleBlock, _ row: Int, _ bounds: RowBounds?,
    _ brackets: [ClosedRange<UInt64>], _ body: Body
  ) throws(ExportError) {
    let (tick, time, sample) = block[row]
    let isProved = bounds?.isKnown(row) ?? true
    if !brackets.isEmpty, brackets.contains(where: { $0.contains(tick) }) {
      return try endRun(body)
    }
    if let before = points.last {
      let isNext = last.tick &+ 1 == tick && last.isProved == isProved
      if isNext, time == before.time {
        sameTimes += plan.contains(time) ? 1 : 0
        last.tick = tick
        return
      }
      let (step, overflow) = time.subtractingReportingOverflow(before.time)
      if !isNext || overflow || step < 0 || step > longestStep { try endRun(body) }
    }
    last = (tick, isProved)
    if points.isEmpty {
      guard !plan.isOver(at: time) else { return isOver = true }
      try beginRun(time)
    }
    let within = bounds.flatMap { isProved ? $0.distance(of: time, row) : nil }
    let point = kernel.point(time, SIMD8(sample), within: within, after: points)
    points.append(point)
    if plan.contains(time) { lastInRange = point }
    guard points.count - first > kernel.half else { return }
    try put(until: points[points.count - 1 - kernel.half].time, body)
  }

  /// Refuses samples so far apart that the rows between them would fill any disk, before any is made.
  func refuseTooMany<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>
  ) throws(ExportError) {
    // Eight rows for each sample are never too many.
    guard rows.rate.hertz > 8 * plan.description.rate.hertz else { return }
    try reader.begin(plan)
    var last: Int64?
    var length: UInt64 = 0
    while !(last.map { plan.isOver(at: $0) } ?? false), let item = try reader.nextItem() {
      guard case .samples(let count) = item else { continue }
      for time in reader.block.times[..<count] {
        let before = last ?? time
        let (start, end) = (max(before, plan.from), min(time, plan.to))
        let (step, overflow) = time.subtractingReportingOverflow(before)
        // Times that go back and forth have any sum.
        if start < end, !overflow, step <= longestStep {
          length = length.addingSaturated((end - start).magnitude)
        }
        last = time
      }
    }
    let rowCount = rows.rate.tick(atNanoseconds: Int64(clamping: length))
    guard rowCount <= Exporter.heldLimit else {
      throw .tooLong(samples: rowCount, limit: Exporter.heldLimit, format: rows.format)
    }
  }

  private mutating func beginRun(_ time: Int64) throws(ExportError) {
    hasRows = false
    let start = try rows.sinceEpoch(max(time, plan.from, rows.isGrid ? 0 : .min))
    let row = rows.rate.tick(atNanoseconds: start)
    next = max(free, rows.rate.nanoseconds(atTick: row) < start ? row + 1 : row)
  }

  /// Gives what is left of the present run, and ends it.
  private mutating func endRun(_ body: Body) throws(ExportError) {
    guard let end = points.last else { return }
    try put(until: end.time, body)
    if !hasRows, !rows.isGrid, let lastInRange {
      let row = rows.rate.tick(
        atNanoseconds: try rows.sinceEpoch(lastInRange.time) + rows.rate.periodNanoseconds / 2)
      if row >= free { try give(row, lastInRange.counts, nil, body) }
    }
    lastInRange = nil
    points.removeAll(keepingCapacity: true)
    (first, left) = (0, 0)
  }

  /// Gives the rows up to a time; the run's points up to it are known.
  private mutating func put(until end: Int64, _ body: Body) throws(ExportError) {
    while true {
      let time = try rows.time(ofRow: next)
      guard time <= end, time < plan.to || plan.to == .max else { break }
      while left + 1 < points.count, points[left + 1].time <= time { left += 1 }
      let uneven = kernel.unevenCount
      let counts = kernel.value(at: time, after: left, of: points[first...])
      try give(next, counts, kernel.unevenCount == uneven ? instants(of: time) : nil, body)
    }
    first = max(first, left - kernel.half)
    guard first > 4096 else { return }
    points.removeFirst(first)
    (first, left) = (0, left - first)
  }

  /// Between which instants the sensor moved as a row has it: it is as far off as the worse of the samples next to it.
  ///
  /// Where times are even, the value is that of a place between two samples, a part f of the way. Its time is
  /// (1 − f) t₀ + f t₁, and as the chip went on evenly, the motion's instant was (1 − f) T₀ + f T₁. They differ by
  /// (1 − f) (T₀ − t₀) + f (T₁ − t₁), which is not more than the greater of the two. The samples beyond only say how the
  /// motion went between.
  private func instants(of time: Int64) -> ClosedRange<Int64>? {
    let next = points[min(left + 1, points.count - 1)]
    guard let before = points[left].within, let after = next.within else { return nil }
    let most = max(before, after)
    let (start, end) = (
      time.subtractingReportingOverflow(most), time.addingReportingOverflow(most)
    )
    return start.overflow || end.overflow ? nil : start.partialValue...end.partialValue
  }

  private mutating func give(
    _ row: UInt64, _ counts: SIMD8<Double>, _ instants: ClosedRange<Int64>?, _ body: Body
  ) throws(ExportError) {
    if rowCount == 0 { firstRow = row }
    try body(row, rows.time(ofRow: row), counts, instants)
    (next, free, hasRows) = (row + 1, row + 1, true)
    rowCount += 1
  }
}
