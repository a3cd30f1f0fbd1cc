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
    var counts = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
  }

  private let plan: ExportPlan
  private let layout: RowLayout
  private let opening: UInt8?
  private let scales: [CountScale]
  /// Nanoseconds between two samples above which something is missing between them.
  private let longestStep: Double
  /// The last samples without anything missing between them, at most four, the latest last.
  private var run: [Point] = []
  /// Whether no row was made from it.
  private var isFresh = true
  private var weights = [0.0, 0.0, 0.0, 0.0]
  private var text: [UInt8] = []
  private var rowCount: UInt64 = 0
  private var firstInstant: UInt64 = 0
  private var lastInstant: UInt64 = 0

  init(_ plan: ExportPlan, _ layout: RowLayout, opening: UInt8?) {
    (self.plan, self.layout, self.opening) = (plan, layout, opening)
    scales = plan.scales
    longestStep = 2 * Double(plan.description.rate.periodNanoseconds)
    run.reserveCapacity(5)
  }

  /// Writes the rows.
  mutating func run<Storage: LogStorage & ~Copyable, Sink: ByteSink & ~Copyable>(
    _ reader: inout LogReader<Storage>, to sink: inout Sink
  ) throws(ExportError) -> Exporter.Report {
    var report = Exporter.Report()
    reading: while let item = try reader.nextItem() {
      switch item {
      case .samples(let count):
        let brackets = reader.brackets
        for row in 0..<count {
          add(reader.block, row, isProved: reader.earliest[row] > .min, brackets)
          if text.count > 32 * 1024 { try write(to: &sink) }
        }
        // The instants of the range are all written when the last but one sample is after it.
        if run.count > 1, plan.isOver(at: run[run.count - 2].time) { break reading }
      case .damage: report.damages += 1
      default: break
      }
    }
    endRun()
    try write(to: &sink)
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

  private mutating func write<Sink: ByteSink & ~Copyable>(
    to sink: inout Sink
  ) throws(ExportError) {
    try sink.write(text)
    text.removeAll(keepingCapacity: true)
  }

  private mutating func add(
    _ block: borrowing SampleBlock, _ row: Int, isProved: Bool, _ brackets: [ClosedRange<UInt64>]
  ) {
    let (tick, time, sample) = block[row]
    if !brackets.isEmpty, brackets.contains(where: { $0.contains(tick) }) { return endRun() }
    if let last = run.last,
      last.tick &+ 1 != tick || time <= last.time || last.isProved != isProved
        || Double(time) - Double(last.time) > longestStep
    {
      endRun()
    }
    run.append(
      Point(
        tick: tick, time: time, isProved: isProved,
        counts: (
          Double(sample.ax), Double(sample.ay), Double(sample.az), Double(sample.gx),
          Double(sample.gy), Double(sample.gz), Double(sample.temperature)
        )))
    guard run.count > 3 else { return }
    if run.count > 4 { run.removeFirst() }
    if isFresh { put(from: 0) }
    put(from: 1)
    isFresh = false
  }

  /// Writes what is left of the present run, and ends it.
  private mutating func endRun() {
    let last = run.count - 1
    for first in run.indices where first == last || first == last - 1 || isFresh {
      put(from: first)
    }
    run.removeAll(keepingCapacity: true)
    isFresh = true
  }

  /// Writes the instants from a sample of the run on and before the next one; of the last sample, at it.
  private mutating func put(from first: Int) {
    let rate = plan.description.rate
    let next = first + 1 < run.count ? run[first + 1].time : run[first].time + 1
    let (start, end) = (max(run[first].time, plan.from), min(next, plan.to))
    guard start < end, end > 0 else { return }
    var instant = rate.tick(atNanoseconds: max(0, start))
    if rate.nanoseconds(atTick: instant) < start { instant += 1 }
    while true {
      let time = rate.nanoseconds(atTick: instant)
      guard time < end else { return }
      putRow(instant, time)
      instant += 1
    }
  }

  private mutating func putRow(_ instant: UInt64, _ time: Int64) {
    if rowCount == 0 { firstInstant = instant }
    lastInstant = instant
    let place = text.count
    text.append(contentsOf: layout.prefix.utf8)
    if rowCount == 0, let opening { text[place] = opening }
    rowCount += 1
    text.append(contentsOf: String(time).utf8)
    weigh(at: time)
    for (index, channel) in plan.channels.enumerated() {
      text.append(contentsOf: layout.keys[index].utf8)
      var count = 0.0
      for index in run.indices { count += run[index].count(channel) * weights[index] }
      var (characters, length) = scales[index].text(between: count)
      while length > 0 {
        text.append(UInt8(truncatingIfNeeded: characters))
        characters >>= 8
        length -= 1
      }
    }
    text.append(contentsOf: layout.suffix.utf8)
  }

  /// Sets Lagrange's weights of the run's samples for an instant between the first and the last of them.
  private mutating func weigh(at time: Int64) {
    for index in run.indices {
      weights[index] = 1
      for other in run.indices where other != index {
        weights[index] *=
          Double(time - run[other].time) / Double(run[index].time - run[other].time)
      }
    }
  }
}

extension GridPass.Point {
  fileprivate func count(_ channel: Int) -> Double {
    switch channel {
    case 0: counts.0
    case 1: counts.1
    case 2: counts.2
    case 3: counts.3
    case 4: counts.4
    case 5: counts.5
    default: counts.6
    }
  }
}
