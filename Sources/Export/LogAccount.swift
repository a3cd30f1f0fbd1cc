import IMUModel
import LogStore

/// What a first pass over a log finds out: everything of which an export says a sum before the samples.
struct LogAccount {
  /// What became of the ticks in the plan's range.
  private(set) var ledger = TickLedger()
  private(set) var end: RecordingEnd?
  /// The pair by which the recording is dated, and its place among all pairs.
  private(set) var bestPair: (pair: ClockPair, index: UInt64)?
  private(set) var pairs = ItemList()
  private(set) var gaps = ItemList()
  private(set) var marks = ItemList()
  private(set) var events = ItemList()
  private(set) var damages = ItemList()
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
        found = found.addingSaturated(gap.count)
        let inRange = plan.ticks(of: gap)
        ledger.add(inRange, gap.cause)
        if inRange > 0 { gaps.add(item) }
      case .mark(let mark): if plan.contains(mark.time) { marks.add(item) }
      case .clock(let pair):
        if pair.isBetter(than: bestPair?.pair) { bestPair = (pair, pairs.count) }
        pairs.add(item)
      case .sensor(let event): if plan.contains(event) { events.add(item) }
      case .end(let end): self.end = end
      case .damage: damages.add(item)
      }
    }
    let scheduled = max(end?.ledger.scheduled ?? 0, reader.nextTick)
    ticksLost = scheduled - min(found, scheduled)
  }

  /// Whether nothing of what was recorded is missing, here or in the log that this one was salvaged from.
  var isWhole: Bool {
    guard let end else { return false }
    return end.reason != .recovered && damages.count == 0 && ticksLost == 0
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

/// Items of one kind: their number, and themselves as long as they are few.
struct ItemList {
  /// Items that are kept; a list that grows longer is read from the log again when it is needed.
  static let limit = 1000

  private(set) var count: UInt64 = 0
  private(set) var items: [LogItem] = []

  /// Whether ``items`` are all of them.
  var isWhole: Bool { count == items.count }

  mutating func add(_ item: LogItem) {
    count += 1
    if items.count < ItemList.limit { items.append(item) }
  }
}

extension ExportPlan {
  /// Whether a sensor event's tick has its deadline in the range.
  func contains(_ event: SensorEvent) -> Bool {
    contains(description.rate.nanoseconds(atTick: event.tick))
  }
}
