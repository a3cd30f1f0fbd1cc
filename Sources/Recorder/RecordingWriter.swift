// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogStore
package import RingBuffer
import Sampling

/// Cuts recordings out of the ticks of a sampler that runs through many of them.
///
///        begin            first record          attach                end, or all ticks
///     idle ──► waiting ───────────────► filing ────────► logging ──────────────────────► ending ──► idle
///      │          │ end: nothing           │ records wait    │ hold: nothing later          queue closed
///      │ history  │                        │ in memory       │ than an instant
///      └ trimmed
///
/// Its owner calls ``advance(_:)`` a few times a second and passes the result on. While the file is being made, and while
/// many records are held back, up to ``patience`` records move from the ring into memory; then they stay in the ring, and
/// once that is full the newest are dropped and counted. The ticks after a recording are the history of the next one until
/// ``forgetRest()``: that may have been requested long before this one is on the card.
///
/// The end of a recording waits a bounded time for ticks that are still being read or checked, and for the card. Every tick
/// from a recording's first to its end has a sample or a gap in the log, also after a failure of the storage, as far as that
/// still accepts bytes.
package struct RecordingWriter: ~Copyable {
  private enum Phase {
    case idle
    case waiting(RecordingOrder)
    case filing(limit: UInt64)
    case logging(limit: UInt64)
    case ending(RecordingEnd)
  }

  private var clock: TickClock
  private let timeUnit: Int64
  private let limits: HistoryLimits
  private let expectation: SensorExpectation?
  private var history: History
  private var phase: Phase = .idle
  private var frame: RecordingFrame?
  private var log: RecordingLog?
  private var marks: [Mark] = []
  /// Marks that are in no log since ``takeLostMarks()``.
  private var lostMarkCount = 0
  /// The first tick that is in no log yet. An earlier one that arrives late was given up as a gap, or is logged.
  private var unlogged: UInt64 = 0
  /// The recording's first ticks, when the history no longer had them.
  private var forgotten: Gap?
  /// When the recording ends, until a chip that dates its samples shows which tick that is.
  private var limitAt: MonotonicTime?
  /// The first tick that is held back.
  private var heldFrom: UInt64?
  private var endReason: StopReason?
  /// When an end stops waiting for ticks that are being read; `nil` until the first round after it was asked for.
  private var endBy: MonotonicTime?
  /// The tick after the last one of a sampler that has ended; `nil` while it runs.
  private var samplerEnd: UInt64?
  /// Whether all ticks after the last recording are history.
  private var isRestKept = false
  private var isLimitReported = false
  private var isReadyReported = false

  /// A writer of samples with the sampler's clock and unit of times; `expectation` is `nil` for recordings without certificate.
  package init(
    consumer: consuming RingConsumer<TickRecord>, clock: TickClock, timeUnit: Int64,
    historyTicks: Int, hasField: Bool = false, expectation: SensorExpectation? = nil
  ) {
    self.history = History(consumer)
    self.clock = clock
    self.timeUnit = timeUnit
    self.expectation = expectation
    limits = HistoryLimits(ticks: historyTicks, clock, hasField: hasField)
  }

  /// `nil` while there is no log.
  package var progress: RecordingProgress? {
    log.map { RecordingProgress(tally: $0.tally, lateness: $0.lateness) }
  }

  /// Adds the records since the last look, with the sampler's numbers; call it before ``advance(_:)``, which moves them.
  package mutating func look(into records: inout [TickRecord]) {
    let count = records.count
    history.look(into: &records)
    for record in records[count...] { clock.note(record) }
  }

  /// Records that ever arrived: constant while the sampler is stopped.
  package var arrivals: UInt64 { history.arrivals }

  /// Whether the sampler finds no room in the ring.
  package var isRingFull: Bool { history.isRingFull }

  package var isIdle: Bool { if case .idle = phase { true } else { false } }
}

// MARK: Orders

extension RecordingWriter {
  /// Begins a recording. Traps when there is one.
  package mutating func begin(_ order: RecordingOrder) {
    precondition(isIdle, "one recording at a time")
    phase = .waiting(order)
    (isLimitReported, isReadyReported) = (false, false)
  }

  /// The file is there: its log gets the waiting records, and `queue` the log. Changes nothing when it throws.
  package mutating func attach(
    _ description: RecordingDescription, queue: FlushQueue
  ) throws(LogError) {
    guard case .filing(let limit) = phase, let frame else {
      preconditionFailure("a file that was not asked for")
    }
    let log = try RecordingLog(description, frame: frame, queue: queue, expectation)
    if let forgotten { log.write(TickRecord(forgotten)) }
    self.log = log
    phase = .logging(limit: limit)
  }

  /// The file could not be made: the recording is forgotten, and its records are history.
  package mutating func abandon() {
    reset()
  }

  /// No recording follows the last one at once: the ticks after it become usual history. Has no effect in a recording.
  package mutating func forgetRest() {
    if isIdle { isRestKept = false }
  }

  /// Logs nothing that was due after `instant` until ``release()`` or ``end(at:reason:)``; the earliest instant counts.
  package mutating func hold(at instant: MonotonicTime) {
    guard !isIdle, endReason == nil else { return }
    heldFrom = min(heldFrom ?? .max, clock.tick(at: instant) + 1)
  }

  package mutating func release() {
    heldFrom = nil
  }

  /// Marks an instant of the recording; lost without one, and once its log has its end or accepts no bytes.
  package mutating func mark(at instant: MonotonicTime, label: String) {
    guard isLogOpen else {
      lostMarkCount += 1
      return
    }
    guard let log else {
      // Times of these are the clock's, until the recording has a beginning.
      marks.append(Mark(time: instant.nanoseconds, label: label))
      return
    }
    log.mark(at: instant, label: label)
  }

  /// Whether there is a recording that still accepts marks. Full storage has room for them, as for the end.
  private var isLogOpen: Bool {
    if case .ending = phase { return false }
    return !isIdle && log?.queue.failure?.isFull != false
  }

  /// The number of marks that are in no log, since the last call.
  package mutating func takeLostMarks() -> Int {
    defer { lostMarkCount = 0 }
    return lostMarkCount
  }

  /// Whether the recording includes a tick that has just arrived; `nil` while that is open: it is held back, beyond a limit
  /// that was not reported, or the storage failed.
  package func includes(_ tick: UInt64) -> Bool? {
    if log?.queue.failure != nil { return endReason == nil ? nil : false }
    var limit: UInt64
    switch phase {
    case .idle, .ending: return false
    case .waiting(let order):
      let ticks = order.ticks(by: clock)
      guard tick >= ticks.first else { return false }
      limit = order.ticksAfter.map { ticks.own + $0 } ?? .max
    case .filing(let last), .logging(let last): limit = last
    }
    if let limitAt, clock.hasReached(limitAt) { limit = clock.firstTick(from: limitAt) }
    guard tick >= min(limit, heldFrom ?? .max) else { return true }
    return endReason != nil || isLimitReported ? false : nil
  }

  /// Ends the recording with the last tick that was due at `instant`, or at the next round. The first end counts.
  package mutating func end(at instant: MonotonicTime?, reason: StopReason) {
    guard !isIdle, endReason == nil else { return }
    endReason = reason
    heldFrom = instant.map { clock.tick(at: $0) + 1 }
  }

  /// The sampler has ended; `rest` follows the records in the ring. A recording ends with its last tick.
  package mutating func samplerEnded(_ rest: [TickRecord]) {
    samplerEnd = max(history.end(with: rest), log?.reached ?? unlogged)
  }

  private mutating func reset() {
    phase = .idle
    (log, frame, forgotten, heldFrom, endReason, endBy) = (nil, nil, nil, nil, nil, nil)
    limitAt = nil
    lostMarkCount += marks.count
    marks.removeAll()
    isRestKept = true
  }
}

// MARK: A round

extension RecordingWriter {
  /// Whether a recording that waits for its first record has it.
  package var hasFirstRecord: Bool {
    guard case .waiting(let order) = phase else { return false }
    return firstRecord(of: order) != nil
  }

  /// The first tick from the wanted one on that has a record and is before the limit and the end; `nil` while there is none.
  private func firstRecord(of order: RecordingOrder) -> UInt64? {
    let ticks = order.ticks(by: clock)
    let first =
      history.firstTick(from: max(unlogged, ticks.first))
      // A recording from the sampler's own beginning has its first tick before that is read.
      ?? (ticks.own == 0 && unlogged == 0 ? 0 : nil)
    let limit = order.ticksAfter.map { ticks.own + $0 } ?? .max
    return first.flatMap { $0 < min(limit, heldFrom ?? .max) ? $0 : nil }
  }

  /// Moves the ring's records to where they belong.
  ///
  /// - Parameters:
  ///   - isForced: Whether a recording that waits for its first record begins without one, because another sensor's has begun.
  ///   - givesUp: Whether one that is over before its first record ends without a file: not while another sensor's may begin.
  package mutating func advance(
    _ reading: ClockReading, isForced: Bool = false, givesUp: Bool = true
  ) -> Round {
    if endReason != nil, endBy == nil { dateEnd(reading.monotonic) }
    var round = Round()
    switch phase {
    case .idle:
      if isRestKept {
        history.remember(upTo: RecordingWriter.patience)
      } else {
        history.trim(to: limits.ring, remembering: limits.memory)
      }
    case .waiting(let order):
      // The history stays for the next recording, in case there will be none of this one.
      history.trim(to: limits.ring, remembering: RecordingWriter.patience)
      if firstRecord(of: order) == nil, !isForced {
        guard givesUp, isOver(order, now: reading.monotonic) else { break }
        reset()
        round.events.append(.savedNothing)
      } else {
        begin(order, &round)
      }
    case .filing: history.remember(upTo: RecordingWriter.patience)
    case .logging(let limit): write(before: settled(limit, reading.monotonic), reading, &round)
    case .ending(let end): close(end, &round)
    }
    return round
  }

  /// An end without an instant is now.
  private mutating func dateEnd(_ now: MonotonicTime) {
    let rate = clock.rate
    let isDated = heldFrom != nil
    heldFrom = heldFrom ?? clock.tick(at: now) + 1
    endBy =
      now
      + (isDated ? RecordingWriter.endPatience(rate) : RecordingWriter.undatedEndPatience(rate))
  }

  /// Whether a recording that has no first record is over: all ticks asked for lie in the past and are gone, or it was ended.
  private func isOver(_ order: RecordingOrder, now: MonotonicTime) -> Bool {
    let ticks = order.ticks(by: clock)
    let wanted = max(unlogged, ticks.first)
    let limit = order.ticksAfter.map { ticks.own + $0 } ?? .max
    let next = history.firstTick(from: wanted) ?? 0
    return limit <= ticks.own || next >= limit || isEnded(at: max(next, wanted), now: now)
  }

  /// Whether a recording waits for its first record, and is over without.
  package func hasNothing(now: MonotonicTime) -> Bool {
    guard case .waiting(let order) = phase else { return false }
    return firstRecord(of: order) == nil && isOver(order, now: now)
  }

  /// Begins a recording by its first record, or without one.
  private mutating func begin(_ order: RecordingOrder, _ round: inout Round) {
    let ticks = order.ticks(by: clock)
    let (own, wanted) = (ticks.own, max(unlogged, ticks.first))
    var limit = order.ticksAfter.map { own + $0 } ?? .max
    let first = firstRecord(of: order) ?? max(own, wanted)
    // Ticks before the recording's own first may be missing; none of its own is omitted silently.
    let base = min(first, max(own, wanted))
    if base < first {
      forgotten = Gap(firstTick: base, count: first - base, cause: .ringFull)
    }
    history.drop(before: wanted)
    let frame = RecordingFrame(clock: clock, base: base, timeUnit: timeUnit)
    self.frame = frame
    history.remember(upTo: RecordingWriter.patience)
    round.plan = RecordingPlan(plannedTicks: limit == .max ? nil : limit - base, frame: frame)
    if clock.source != .grid, let ticks = order.ticksAfter, ticks > 0 {
      limitAt = max(order.at, clock.schedule.start)
        .later(by: clock.rate.nanoseconds(atTick: ticks))
      limit = .max
    }
    phase = .filing(limit: limit)
  }

  /// The limit, once the samples of a chip that keeps the time show which tick it is, or do not come.
  private mutating func settled(_ limit: UInt64, _ now: MonotonicTime) -> UInt64 {
    let patience = RecordingWriter.endPatience(clock.rate)
    guard let limitAt, clock.hasReached(limitAt) || now >= limitAt.later(by: patience) else {
      return limit
    }
    self.limitAt = nil
    let limit = clock.firstTick(from: limitAt)
    phase = .logging(limit: limit)
    return limit
  }

  /// Whether an end was requested and is reached once all ticks before `tick` have arrived.
  private func isEnded(at tick: UInt64, now: MonotonicTime) -> Bool {
    guard let heldFrom, let endBy else { return false }
    return tick >= min(heldFrom, samplerEnd ?? .max) || now >= endBy
  }

  private mutating func write(
    before limit: UInt64, _ reading: ClockReading, _ round: inout Round
  ) {
    guard let log else { preconditionFailure("a recording that is logged has a log") }
    if let failure = log.newFailure() {
      round.events.append(.storageEnded(failure.isFull ? .storageFull : .storage))
    }
    log.note(reading)
    let isMoved = move(into: log, before: limit)
    log.syncIfDue(reading.monotonic)
    if log.hasSample, !isReadyReported {
      isReadyReported = true
      round.events.append(.firstSample)
    }
    let reached = log.reached
    if !isLimitReported, reached >= limit {
      isLimitReported = true
      let last = max(limit, log.frame.base + 1) - 1 - log.frame.base
      round.events.append(
        .limitReached(at: log.frame.start + clock.rate.nanoseconds(atTick: last)))
    }
    let isComplete =
      isMoved && (reached >= limit || isEnded(at: reached, now: reading.monotonic))
    guard let reason = endReason, isComplete || log.queue.failure != nil else { return }
    let last = min(limit, heldFrom ?? .max, samplerEnd ?? .max)
    if log.queue.failure == nil {
      // Missing ticks come too late now.
      log.giveUp(before: last)
      unlogged = max(unlogged, log.reached)
    } else {
      // Waiting records may go into the next recording.
      unlogged = max(unlogged, log.reached)
      log.giveUp(before: last, because: .ringFull)
      if isLogOpen { logMarks(log) }
    }
    let end = log.finish(reason, reading)
    phase = .ending(end)
    close(end, &round)
  }

  /// Logs the waiting records, as far as the queue has room; `false` when some had to stay.
  private mutating func move(into log: RecordingLog, before limit: UInt64) -> Bool {
    guard log.queue.failure == nil else { return false }
    let end = min(limit, heldFrom ?? .max)
    // A log that was begun without a record has no ticks before its first one.
    if log.tally.scheduled == 0 { history.drop(before: log.frame.base) }
    while log.deliver() {
      guard let record = history.next(before: end) else {
        // The rest is held back or belongs to the next recording: the ring must keep room for new records.
        if history.isRingHalfFull { history.remember(upTo: RecordingWriter.patience) }
        logMarks(log)
        return true
      }
      log.write(record)
    }
    return false
  }

  /// Logs the marks that came before the log.
  private mutating func logMarks(_ log: RecordingLog) {
    for mark in marks {
      log.mark(at: MonotonicTime(nanoseconds: mark.time), label: mark.label)
    }
    marks.removeAll()
  }

  /// Passes on the rest of a log that has its end, when there is room.
  private mutating func close(_ end: RecordingEnd, _ round: inout Round) {
    guard let log, log.deliver() || log.queue.failure != nil else { return }
    log.queue.close()
    reset()
    round.end = end
  }
}
