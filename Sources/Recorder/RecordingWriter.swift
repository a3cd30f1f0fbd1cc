public import IMUModel
public import LogStore
public import RingBuffer
public import Sampling

/// What the writer of a service does with the ticks of a sampler that runs through many takes.
///
///        begin            first record          attach                end, or all ticks
///     idle ──► waiting ───────────────► filing ────────► logging ──────────────────────► ending ──► idle
///      │          │ end: nothing           │ records wait    │ hold: nothing later          queue closed
///      │ history  │                        │ in memory       │ than an instant
///      └ trimmed
///
/// It starts no thread and makes no file; whoever owns it calls ``advance(_:)`` a few times a second and does
/// what the news say. While the file is being made, and while much is held back, records are taken out of
/// the ring into memory, for ``patience`` records at most; then they stay in the ring, and once that is full
/// the newest are dropped and counted. What a take leaves is the history of the next, also when it is more than the
/// ring holds, until ``forgetRest()``: the next take may have been asked for long before this one is on the card.
///
/// A take that is ended waits for the ticks that were due by then and are still being read or proved, and for the
/// card to take what it has. It waits a bounded time: of a sampler that is silent for longer, the ticks up to the end
/// are a gap. Every tick from a take's first to its end has a sample or a gap in the log, after a failure of the
/// storage too; what of that it still takes is another matter.
public struct RecordingWriter: ~Copyable {
  /// Records that wait in memory at most: 20 s at 1 kHz, 1.2 MB.
  public static let patience = 20_000
  /// How long before its order a take may begin, in nanoseconds: a press is understood when the button is released,
  /// within 1.5 s. The history has so much more.
  static var longestPress: Int64 { 1_800_000_000 }
  /// How long an end waits for ticks that are being read, in nanoseconds: longer than the sampler keeps a gap
  /// back that may still grow. At a slow rate what is kept back, or is yet to be proved, leaves with a later tick.
  static func endPatience(_ rate: SampleRate) -> Int64 {
    max(1_500_000_000, min(2 * rate.periodNanoseconds + 1_000_000_000, 30_000_000_000))
  }
  /// The same for an end without an instant, which comes when the service ends: that waits for 20 s at most, and the
  /// card has to have its share.
  static func undatedEndPatience(_ rate: SampleRate) -> Int64 {
    min(endPatience(rate), 10_000_000_000)
  }
  enum Phase {
    case idle
    case waiting(RecordingOrder)
    case filing(limit: UInt64)
    case logging(limit: UInt64)
    case ending(RecordingEnd)
  }

  private let schedule: Schedule
  private let timeUnit: Int64
  private let historyTicks: Int
  private var history: History
  private var phase: Phase = .idle
  private var frame: RecordingFrame?
  private var log: RecordingLog?
  private var marks: [Mark] = []
  /// The first tick that is in no log yet. What arrives late of those before it was given up as a gap, or is logged.
  private var unlogged: UInt64 = 0
  /// The take's first ticks, which the history no longer had.
  private var forgotten: Gap?
  /// The first tick that is held back.
  private var heldFrom: UInt64?
  private var endReason: StopReason?
  /// When an end stops to wait for ticks that are being read; `nil` until the first round after it was asked for.
  private var endBy: MonotonicTime?
  /// The tick after the last one of a sampler that has ended; `nil` while it runs.
  private var samplerEnd: UInt64?
  /// Whether what the last take left is history as a whole.
  private var isRestKept = false
  private var isLimitReported = false
  private var isReadyReported = false

  /// A writer for the ring that `consumer` empties.
  ///
  /// - Parameters:
  ///   - schedule: The sampler's.
  ///   - timeUnit: The sampler's, in nanoseconds.
  ///   - historyTicks: Records that the ring keeps while no take runs. Less than its capacity by what the
  ///     sampler makes between two calls of ``advance(_:)``.
  public init(
    consumer: consuming RingConsumer<TickRecord>, schedule: Schedule, timeUnit: Int64,
    historyTicks: Int
  ) {
    self.history = History(consumer)
    self.schedule = schedule
    self.timeUnit = timeUnit
    self.historyTicks = historyTicks
  }

  /// How far the take at hand is; `nil` when its log is not there yet, or there is none.
  public var progress: RecordingProgress? {
    log.map { RecordingProgress(ledger: $0.ledger, lateness: $0.lateness) }
  }

  /// Adds to `records` what arrived since the last look, take or no take, each record once and with the sampler's
  /// numbers: at the first look, the history. Call it before ``advance(_:)``, which takes records out of the ring.
  public mutating func look(into records: inout [TickRecord]) {
    history.look(into: &records)
  }

  /// Records that ever arrived: when it stands still, the sampler does.
  public var arrivals: UInt64 { history.arrivals }

  /// Whether the sampler finds no room in the ring.
  public var isRingFull: Bool { history.isRingFull }

  /// Whether no take is at hand.
  public var isIdle: Bool {
    if case .idle = phase { return true }
    return false
  }
}

// MARK: Orders

extension RecordingWriter {
  /// Begins a take. Traps when there is one.
  public mutating func begin(_ order: RecordingOrder) {
    precondition(isIdle, "one take at a time")
    phase = .waiting(order)
    (isLimitReported, isReadyReported) = (false, false)
  }

  /// The file is there: what waits goes into its log, which is put into `queue`.
  ///
  /// - Throws: ``LogError`` when `description` cannot be a log's; nothing is changed then.
  public mutating func attach(
    _ description: RecordingDescription, queue: FlushQueue
  ) throws(LogError) {
    guard case .filing(let limit) = phase, let frame else {
      preconditionFailure("a file that was not asked for")
    }
    let log = try RecordingLog(description, frame: frame, queue: queue)
    if let forgotten { log.write(TickRecord(forgotten)) }
    self.log = log
    phase = .logging(limit: limit)
  }

  /// The file could not be made: the take is forgotten, and what it would have had is history.
  public mutating func abandon() {
    reset()
  }

  /// No take follows the last one at once: what it left becomes usual history. While a take is at hand, it means
  /// nothing.
  public mutating func forgetRest() {
    if isIdle { isRestKept = false }
  }

  /// Logs nothing that was due after `instant` until ``release()`` or ``end(at:reason:)``. What was logged stays.
  /// Of several instants the first one counts.
  public mutating func hold(at instant: MonotonicTime) {
    guard !isIdle, endReason == nil else { return }
    heldFrom = min(heldFrom ?? .max, schedule.tick(at: instant) + 1)
  }

  /// Continues logging.
  public mutating func release() {
    heldFrom = nil
  }

  /// Marks an instant of the take. Without a take, or after its end, it means nothing.
  public mutating func mark(at instant: MonotonicTime, label: String) {
    guard !isIdle, endReason == nil else { return }
    guard let log else {
      // Times of these are the clock's, until the take has a beginning.
      marks.append(Mark(time: instant.nanoseconds, label: label))
      return
    }
    log.mark(at: instant, label: label)
  }

  /// Ends the take with the last tick that was due at `instant`, or at the next round when `nil`. The first end counts;
  /// without a take it means nothing.
  public mutating func end(at instant: MonotonicTime?, reason: StopReason) {
    guard !isIdle, endReason == nil else { return }
    endReason = reason
    heldFrom = instant.map { schedule.tick(at: $0) + 1 }
  }

  /// The sampler has ended; `rest` follows what is in the ring. A take that runs ends with its last tick.
  public mutating func samplerEnded(_ rest: [TickRecord]) {
    samplerEnd = max(history.end(with: rest), log?.reached ?? unlogged)
  }

  private mutating func reset() {
    phase = .idle
    (log, frame, forgotten, heldFrom, endReason, endBy) = (nil, nil, nil, nil, nil, nil)
    marks.removeAll()
    isRestKept = true
  }
}

// MARK: A round

extension RecordingWriter {
  /// Moves what is in the ring to where it belongs, and says what is new.
  public mutating func advance(_ reading: ClockReading) -> [WriterNews] {
    if endReason != nil, endBy == nil { dateEnd(reading.monotonic) }
    switch phase {
    case .idle:
      if isRestKept {
        history.remember(upTo: RecordingWriter.patience)
      } else {
        let pressTicks = Int(schedule.rate.tick(atNanoseconds: RecordingWriter.longestPress)) + 1
        history.trim(to: historyTicks, remembering: pressTicks)
      }
      return []
    case .waiting(let order):
      return look(for: order, now: reading.monotonic)
    case .filing:
      history.remember(upTo: RecordingWriter.patience)
      return []
    case .logging(let limit):
      return write(before: limit, reading)
    case .ending(let end):
      return close(end)
    }
  }

  /// An end without an instant is now.
  private mutating func dateEnd(_ now: MonotonicTime) {
    let rate = schedule.rate
    let isDated = heldFrom != nil
    heldFrom = heldFrom ?? schedule.tick(at: now) + 1
    endBy =
      now + (isDated ? RecordingWriter.endPatience(rate) : RecordingWriter.undatedEndPatience(rate))
  }

  /// Looks for the first record of a take.
  private mutating func look(for order: RecordingOrder, now: MonotonicTime) -> [WriterNews] {
    let own = RecordingFrame.firstTick(from: order.at, schedule)
    let wanted = max(unlogged, own - min(own, order.ticksBefore))
    let limit = order.ticksAfter.map { own + $0 } ?? .max
    // A take from the sampler's own beginning has its first tick before that is read.
    let first = history.skip(to: wanted) ?? (own == 0 && unlogged == 0 && limit > 0 ? 0 : nil)
    guard let first, first < limit, first < (heldFrom ?? .max) else {
      // What was asked for lies in the past and is gone, or no one waits for it any more.
      let isOver = limit <= own || (first ?? 0) >= limit
      guard isOver || isEnded(at: max(first ?? 0, wanted), now: now) else { return [] }
      reset()
      return [.nothing]
    }
    // Ticks from before the take's own first are a gift; of its own, none is left out silently.
    let base = min(first, max(own, wanted))
    if base < first {
      forgotten = Gap(firstTick: base, count: first - base, cause: .ringFull)
    }
    let frame = RecordingFrame(schedule: schedule, base: base, timeUnit: timeUnit)
    self.frame = frame
    phase = .filing(limit: limit)
    history.remember(upTo: RecordingWriter.patience)
    let planned = limit == .max ? nil : limit - base
    return [.needsFile(RecordingPlan(plannedTicks: planned, start: frame.start))]
  }

  /// Whether an end was asked for and is reached when all before `tick` is there.
  private func isEnded(at tick: UInt64, now: MonotonicTime) -> Bool {
    guard let heldFrom, let endBy else { return false }
    return tick >= min(heldFrom, samplerEnd ?? .max) || now >= endBy
  }

  private mutating func write(before limit: UInt64, _ reading: ClockReading) -> [WriterNews] {
    guard let log else { preconditionFailure("a take that is logged has a log") }
    var news: [WriterNews] = []
    if let failure = log.newFailure() { news.append(.storageEnded(isFull: failure.isFull)) }
    log.note(reading)
    let isMoved = move(into: log, before: limit)
    log.syncIfDue(reading.monotonic)
    if log.hasSample, !isReadyReported {
      isReadyReported = true
      news.append(.ready)
    }
    let reached = log.reached
    if !isLimitReported, reached >= limit {
      isLimitReported = true
      news.append(.limitReached)
    }
    let isComplete =
      isMoved && (reached >= limit || isEnded(at: reached, now: reading.monotonic))
    guard let reason = endReason, isComplete || log.queue.failure != nil else { return news }
    let last = min(limit, heldFrom ?? .max, samplerEnd ?? .max)
    if log.queue.failure == nil {
      // What is missing now comes too late.
      log.giveUp(before: last)
      unlogged = max(unlogged, log.reached)
    } else {
      // What waits may go into the next take.
      unlogged = max(unlogged, log.reached)
      log.giveUp(before: last, because: .ringFull)
    }
    let end = log.finish(reason, reading)
    phase = .ending(end)
    return news + close(end)
  }

  /// Gives to the log what waits, as far as its queue has room; `false` when something had to stay for want of it.
  private mutating func move(into log: RecordingLog, before limit: UInt64) -> Bool {
    guard log.queue.failure == nil else { return false }
    let end = min(limit, heldFrom ?? .max)
    while log.deliver() {
      guard let record = history.next(before: end) else {
        // Held back, or the next take's: the ring is for what comes.
        if history.isRingHalfFull { history.remember(upTo: RecordingWriter.patience) }
        for mark in marks {
          log.mark(at: MonotonicTime(nanoseconds: mark.time), label: mark.label)
        }
        marks.removeAll()
        return true
      }
      log.write(record)
    }
    return false
  }

  /// Hands over the rest of a log that has its end, when there is room.
  private mutating func close(_ end: RecordingEnd) -> [WriterNews] {
    guard let log, log.deliver() || log.queue.failure != nil else { return [] }
    log.queue.close()
    reset()
    return [.ended(end)]
  }
}
