// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat
import LogStore
import Text

/// Computes the values at the instants of the exact grid from the samples of a chip around each.
///
///     chip     ●    ●    ●    ●    ●         ●    ●    ●
///     grid     │    │    │    │    │    │    │    │    │
///     values    ×    ×    ×    ×              ×    ×       none without samples on both sides
///
/// The kernel is a cubic through the two samples before an instant and the two after it, at their true instants: it keeps
/// the amplitude within 1 % up to 0.13 of the rate, a line through two samples to 0.045 only. Next to a hole the four
/// nearest are on one side, and a short run has fewer. Nothing is made across ticks without a sample, across a finding that
/// lets the instants jump, or between times with a proof and those without.
struct GridPass {
  /// Its name in JSON.
  static let kernel = "cubic"

  /// What takes the instants, in order.
  typealias Body = (UInt64, Int64, SIMD8<Double>) throws(ExportError) -> Void

  private let plan: ExportPlan
  /// Nanoseconds between two samples above which something is missing between them.
  private let longestStep: Double
  /// The last samples without anything missing between them, at most four, the latest last.
  private var run: [ResamplingKernel.Point] = []
  private var last: (tick: UInt64, time: Int64, isProved: Bool) = (0, .min, false)
  /// Whether no row was made from it.
  private var isFresh = true
  private var rowCount: UInt64 = 0
  private var firstInstant: UInt64 = 0
  private var lastInstant: UInt64 = 0

  init(_ plan: ExportPlan) {
    self.plan = plan
    longestStep = 2 * Double(plan.description.rate.periodNanoseconds)
    run.reserveCapacity(5)
  }

  /// Gives the grid's instants in the plan's range to `body`: the instant's number, its time, and counts by channel, which
  /// are no whole numbers.
  mutating func run<Storage: LogStorage & ~Copyable>(
    _ reader: inout LogReader<Storage>, _ body: Body
  ) throws(ExportError) -> Exporter.Report {
    var report = Exporter.Report()
    reading: while let item = try reader.nextItem() {
      switch item {
      case .samples(let count):
        let (brackets, earliest) = (reader.brackets, reader.earliest)
        for row in 0..<count {
          try add(reader.block, row, isProved: earliest[row] > .min, brackets, body)
        }
        if isOver { break reading }
      case .damage: report.damages += 1
      default: break
      }
    }
    try endRun(body)
    report.samples = rowCount
    report.remarks = [remark]
    return report
  }

  /// Whether no sample that follows changes an instant of the range: when the last but one sample of the run is after it.
  ///
  /// A run that has given nothing has at most three samples, and a fourth one may be among those of any of its instants: it is
  /// over when all of it is after the range.
  private var isOver: Bool {
    plan.isOver(at: isFresh ? run.first?.time ?? last.time : run[run.count - 2].time)
  }

  private var remark: String {
    let absent = rowCount > 0 ? lastInstant - firstInstant + 1 - rowCount : 0
    return
      "the values are resampled to a grid of \(Plain.hertz(plan.description.rate)) Hz by a cubic through the chip's samples"
      + (absent > 0
        ? "; \(Plain.count(absent, "instant")) of the grid without samples around "
          + "\(absent == 1 ? "it is" : "them are") left out" : "")
  }

  private mutating func add(
    _ block: borrowing SampleBlock, _ row: Int, isProved: Bool, _ brackets: [ClosedRange<UInt64>],
    _ body: Body
  ) throws(ExportError) {
    let (tick, time, sample) = block[row]
    defer { last = (tick, time, isProved) }
    if !brackets.isEmpty, brackets.contains(where: { $0.contains(tick) }) {
      return try endRun(body)
    }
    if let before = run.last,
      last.tick &+ 1 != tick || time <= before.time || last.isProved != isProved
        || Double(time) - Double(before.time) > longestStep
    {
      try endRun(body)
    }
    run.append(ResamplingKernel.Point(time: time, counts: SIMD8(sample)))
    guard run.count > 3 else { return }
    if run.count > 4 { run.removeFirst() }
    if isFresh { try put(from: 0, body) }
    try put(from: 1, body)
    isFresh = false
  }

  /// Gives what is left of the present run, and ends it.
  private mutating func endRun(_ body: Body) throws(ExportError) {
    let last = run.count - 1
    for first in run.indices where first == last || first == last - 1 || isFresh {
      try put(from: first, body)
    }
    run.removeAll(keepingCapacity: true)
    isFresh = true
  }

  /// Gives the instants from a sample of the run on and before the next one; of the last sample, at it.
  private mutating func put(from first: Int, _ body: Body) throws(ExportError) {
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
      try body(instant, time, ResamplingKernel.polynomial(run[...], at: time))
      rowCount += 1
      instant += 1
    }
  }
}
