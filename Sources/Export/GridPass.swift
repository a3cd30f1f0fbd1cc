// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore

/// Writes the values at the instants of the exact grid as rows, from the samples of a chip around each.
///
///     chip     ●    ●    ●    ●    ●         ●    ●    ●
///     grid     │    │    │    │    │    │    │    │    │
///     rows      ×    ×    ×    ×              ×    ×       none without samples on both sides
///
/// The kernel is a cubic through the two samples before an instant and the two after it, at their true instants: it keeps
/// the amplitude within 1 % up to 0.13 of the rate, a line through two samples to 0.045 only. Next to a hole the four
/// nearest are on one side, and a short run has fewer. Nothing is made across ticks without a sample, across a finding that
/// lets the instants jump, or between times with a proof and those without.
struct GridPass: ~Copyable {
  /// Its name in JSON.
  static let kernel = "cubic"

  /// A sample of the chip.
  fileprivate struct Point {
    var tick: UInt64 = 0
    var time: Int64 = 0
    var isProved = false
    /// By channel.
    var counts = SIMD8<Double>()
  }

  // Safe: `groups` is owned by this value alone and lives until deinit. A row touches at most ``RowWriter/rowRoom`` bytes of
  // the sink's and those of its label, as one of ``RowWriter``, which has the same parts and may have more times.
  private struct Column {
    let channel: Int
    let key: PackedText.Words
    let scale: CountScale
  }

  private let plan: ExportPlan
  private let opening: UInt8?
  private let columns: [Column]
  private let prefix: PackedText.Words
  private let suffix: PackedText.Words
  private let groups: UnsafeMutablePointer<UInt32>
  private var labels: LabelColumn?
  private var timeText = TimeText()
  /// For rows whose times are not in nanoseconds.
  private var date: DateText?
  private let timeOrigin: Int64
  /// Nanoseconds between two samples above which something is missing between them.
  private let longestStep: Double
  /// The last samples without anything missing between them, at most four, the latest last.
  private var run: [Point] = []
  /// Whether no row was made from it.
  private var isFresh = true
  private var rowCount: UInt64 = 0
  private var firstInstant: UInt64 = 0
  private var lastInstant: UInt64 = 0

  init(_ plan: ExportPlan, _ layout: RowLayout, opening: UInt8?) {
    (self.plan, self.opening) = (plan, opening)
    columns = zip(zip(plan.channels, layout.keys), plan.scales).map { channel, scale in
      precondition(channel.1.utf8.count <= 8, "a key has at most 8 bytes")
      return Column(
        channel: channel.0, key: PackedText.words(Array(channel.1.utf8)), scale: scale)
    }
    precondition(columns.count <= 7, "a sample has seven channels")
    prefix = PackedText.words(Array(layout.prefix.utf8))
    suffix = PackedText.words(Array(layout.suffix.utf8))
    labels = layout.labels
    date = layout.time.flatMap { $0.kind == .nanoseconds ? nil : DateText($0.kind) }
    timeOrigin = layout.time?.origin ?? 0
    groups = .allocate(capacity: DecimalText.groups.count)
    groups.initialize(from: DecimalText.groups, count: DecimalText.groups.count)
    longestStep = 2 * Double(plan.description.rate.periodNanoseconds)
    run.reserveCapacity(5)
  }

  deinit {
    groups.deallocate()
  }

  /// Writes the rows.
  mutating func run<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Exporter.Report {
    var report = Exporter.Report()
    reading: while let item = try reader.nextItem() {
      switch item {
      case .samples(let count):
        let (brackets, earliest) = (reader.brackets, reader.earliest)
        for row in 0..<count {
          try add(reader.block, row, isProved: earliest[row] > .min, brackets, to: &sink)
        }
        // The instants of the range are all written when the last but one sample is after it.
        if run.count > 1, plan.isOver(at: run[run.count - 2].time) { break reading }
      case .damage: report.damages += 1
      default: break
      }
    }
    try endRun(to: &sink)
    report.samples = rowCount
    report.remarks = [remark]
    return report
  }

  private var remark: String {
    let absent = rowCount > 0 ? lastInstant - firstInstant + 1 - rowCount : 0
    return
      "the values are resampled to a grid of \(Plain.hertz(plan.description.rate)) Hz by a cubic through the chip's samples"
      + (absent > 0
        ? "; \(absent) \(absent == 1 ? "instant" : "instants") of the grid without samples around "
          + "\(absent == 1 ? "it is" : "them are") left out" : "")
  }

  private mutating func add<Sink: ByteSink & ~Copyable>(
    _ block: borrowing SampleBlock, _ row: Int, isProved: Bool, _ brackets: [ClosedRange<UInt64>],
    to sink: inout Sink
  ) throws(ExportError) {
    let (tick, time, sample) = block[row]
    if !brackets.isEmpty, brackets.contains(where: { $0.contains(tick) }) {
      return try endRun(to: &sink)
    }
    if let last = run.last,
      last.tick &+ 1 != tick || time <= last.time || last.isProved != isProved
        || Double(time) - Double(last.time) > longestStep
    {
      try endRun(to: &sink)
    }
    run.append(
      Point(
        tick: tick, time: time, isProved: isProved,
        counts: SIMD8(
          Double(sample.ax), Double(sample.ay), Double(sample.az), Double(sample.gx),
          Double(sample.gy), Double(sample.gz), Double(sample.temperature), 0)))
    guard run.count > 3 else { return }
    if run.count > 4 { run.removeFirst() }
    if isFresh { try put(from: 0, to: &sink) }
    try put(from: 1, to: &sink)
    isFresh = false
  }

  /// Writes what is left of the present run, and ends it.
  private mutating func endRun<Sink: ByteSink & ~Copyable>(
    to sink: inout Sink
  ) throws(ExportError) {
    let last = run.count - 1
    for first in run.indices where first == last || first == last - 1 || isFresh {
      try put(from: first, to: &sink)
    }
    run.removeAll(keepingCapacity: true)
    isFresh = true
  }

  /// Writes the instants from a sample of the run on and before the next one; of the last sample, at it.
  private mutating func put<Sink: ByteSink & ~Copyable>(
    from first: Int, to sink: inout Sink
  ) throws(ExportError) {
    let rate = plan.description.rate
    let next = first + 1 < run.count ? run[first + 1].time : run[first].time + 1
    let (start, end) = (max(run[first].time, plan.from), min(next, plan.to))
    guard start < end, end > 0 else { return }
    var instant = rate.tick(atNanoseconds: max(0, start))
    if rate.nanoseconds(atTick: instant) < start { instant += 1 }
    while true {
      let time = rate.nanoseconds(atTick: instant)
      guard time < end else { return }
      if rowCount == 0 { firstInstant = instant }
      lastInstant = instant
      _ = labels?.move(to: time)
      let label = labels?.text ?? []
      let room = try sink.reserve(RowWriter.rowRoom + label.count)
      let count = putRow(time, label, to: room)
      if rowCount == 0, let opening { room.storeBytes(of: opening, as: UInt8.self) }
      sink.commit(count)
      rowCount += 1
      instant += 1
    }
  }

  /// Writes the row of an instant between the first and the last sample of the run, and returns the number of bytes.
  private mutating func putRow(
    _ time: Int64, _ label: [UInt8], to output: UnsafeMutableRawPointer
  ) -> Int {
    var place = output
    place += PackedText.copy(prefix, to: place)
    place +=
      date?.write(time &+ timeOrigin, to: place, groups: groups)
      ?? timeText.write(time, to: place, groups: groups)
    let counts = counts(at: time)
    for column in columns {
      place += PackedText.copy(column.key, to: place)
      let (text, length) = column.scale.text(between: counts[column.channel])
      place.storeBytes(of: UInt64(truncatingIfNeeded: text).littleEndian, as: UInt64.self)
      place.storeBytes(
        of: UInt64(truncatingIfNeeded: text >> 64).littleEndian, toByteOffset: 8, as: UInt64.self)
      place += length
    }
    UnsafeMutableRawBufferPointer(start: place, count: label.count).copyBytes(from: label)
    place += label.count
    place += PackedText.copy(suffix, to: place)
    return place - output
  }

  /// The run's samples by Lagrange's weights.
  private func counts(at time: Int64) -> SIMD8<Double> {
    var counts = SIMD8<Double>()
    for index in run.indices {
      var weight = 1.0
      for other in run.indices where other != index {
        weight *= Double(time - run[other].time) / Double(run[index].time - run[other].time)
      }
      counts += run[index].counts * weight
    }
    return counts
  }
}
