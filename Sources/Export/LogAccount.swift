import IMUModel
import LogStore

/// What a first pass over a log finds out: everything of which an export says a sum before the samples.
struct LogAccount {
  /// What became of the ticks in the plan's range.
  private(set) var ledger = TickLedger()
  private(set) var end: RecordingEnd?
  /// The pair by which the recording is dated, and its place among all pairs.
  private(set) var bestPair: (pair: ClockPair, index: UInt64)?
  private(set) var pairCount: UInt64 = 0
  private(set) var gapCount: UInt64 = 0
  private(set) var markCount: UInt64 = 0
  private(set) var eventCount: UInt64 = 0
  private(set) var damageCount: UInt64 = 0
  /// Scheduled ticks that should be in the log and are neither samples nor gaps; the whole recording's.
  private(set) var ticksLost: UInt64 = 0

  init<Storage: LogStorage & ~Copyable>(_ reader: inout LogReader<Storage>, _ plan: ExportPlan)
    throws(ExportError)
  {
    var found: UInt64 = 0
    while let item = try reader.nextItem() {
      switch item {
      case .samples(let count):
        found += UInt64(count)
        ledger.sampled += plan.hasRange ? LogAccount.samples(of: reader, in: plan) : UInt64(count)
      case .gap(let gap):
        found += gap.count
        let inRange = plan.ticks(of: gap)
        ledger.add(inRange, gap.cause)
        if inRange > 0 { gapCount += 1 }
      case .mark(let mark): if plan.contains(mark.time) { markCount += 1 }
      case .clock(let pair):
        if pair.isBetter(than: bestPair?.pair) { bestPair = (pair, pairCount) }
        pairCount += 1
      case .sensor(let event): if plan.contains(event) { eventCount += 1 }
      case .end(let end): self.end = end
      case .damage: damageCount += 1
      }
    }
    let scheduled = max(end?.ledger.scheduledOrMax ?? 0, reader.nextTick)
    ticksLost = scheduled - min(found, scheduled)
  }

  /// Nanoseconds since 1970 at tick 0's deadline, by the best pair.
  var started: Int64? { bestPair?.pair.wallAtStart }

  private static func samples<Storage: LogStorage & ~Copyable>(
    of reader: borrowing LogReader<Storage>, in plan: ExportPlan
  ) -> UInt64 {
    var count: UInt64 = 0
    for time in reader.block.times where plan.contains(time) { count += 1 }
    return count
  }
}

extension TickLedger {
  /// The sum of all, or the largest number when a damaged or foreign log gives figures that overflow.
  var scheduledOrMax: UInt64 {
    var sum: UInt64 = 0
    for figure in [sampled, missed, busErrors, ringFull, stale, reinitialising] {
      let (next, overflow) = sum.addingReportingOverflow(figure)
      guard !overflow else { return .max }
      sum = next
    }
    return sum
  }
}

extension ExportPlan {
  /// Whether a sensor event's tick has its deadline in the range.
  func contains(_ event: SensorEvent) -> Bool {
    contains(description.rate.nanoseconds(atTick: event.tick))
  }
}
