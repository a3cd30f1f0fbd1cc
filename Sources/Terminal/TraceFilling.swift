public import IMUModel

/// Fills a ``Trace`` from a log's items, and notes as lost what neither a sample nor a gap accounts for.
///
///     items    samples 0–9   damage   samples 40–49   end: 60 ticks
///     trace    0–9           10–39 lost     40–49     50–59 lost
///
/// Without it a line would be drawn straight across what a damaged log has lost.
public struct TraceFilling: Sendable {
  private var trace: Trace
  /// The tick after the last one that is accounted for.
  private var nextTick: UInt64 = 0
  /// Gaps that no sample has followed yet: a log may hold one before the samples in front of it.
  private var waiting: [Gap] = []

  /// A trace without samples.
  public init(rate: SampleRate) {
    trace = Trace(rate: rate)
  }

  /// Adds a sample. Ticks rise.
  public mutating func append(tick: UInt64, time: Int64, sample: RawSample) {
    if tick > nextTick { account(upTo: tick) }
    trace.append(tick: tick, time: time, sample: sample)
    if tick < .max { nextTick = max(nextTick, tick + 1) }
  }

  /// Adds a run of ticks without samples.
  public mutating func append(_ gap: Gap) {
    waiting.append(gap)
  }

  /// Adds a mark.
  public mutating func append(_ mark: Mark) {
    trace.append(mark)
  }

  /// The trace of a recording that has so many ticks.
  public mutating func end(atTick tick: UInt64) -> Trace {
    account(upTo: tick)
    for gap in waiting { trace.append(gap) }
    waiting = []
    return trace
  }

  private mutating func account(upTo tick: UInt64) {
    var used = 0
    while nextTick < tick {
      guard used < waiting.count, waiting[used].firstTick < tick else {
        lose(upTo: tick)
        break
      }
      let gap = waiting[used]
      lose(upTo: gap.firstTick)
      trace.append(gap)
      let (end, overflow) = gap.firstTick.addingReportingOverflow(gap.count)
      nextTick = max(nextTick, overflow ? .max : end)
      used += 1
    }
    waiting.removeFirst(used)
  }

  private mutating func lose(upTo end: UInt64) {
    guard end > nextTick else { return }
    trace.append(Gap(firstTick: nextTick, count: end - nextTick, cause: .lost))
    nextTick = end
  }
}
