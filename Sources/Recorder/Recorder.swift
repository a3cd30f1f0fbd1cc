public import IMUModel
public import LogStore
public import RingBuffer
import Sampling

/// Moves tick records from the ring into the log, and keeps the account of what it wrote.
///
///      sampler ─► ring of 600 ─► Recorder ─► LogEncoder ─► LogOutput ─► flusher ─► card
///                                  │ while the output has no room, nothing leaves the ring: it fills, and
///                                  ▼ the sampler drops the newest samples and counts them
///                               ledger
///
/// It is given the time and asks no clock. It allocates only when the encoder's buffers grow, and belongs to
/// one thread (which must not be the sampler's: an output may take a lock).
public struct Recorder<Output: LogOutput & ~Copyable>: ~Copyable {
  /// What happened to the ticks that are in the log so far.
  public private(set) var ledger = TickLedger()

  /// The recording's identity.
  public let id: RecordingID

  /// Where the bytes go.
  public var output: Output

  private var writer: LogWriter
  // Not `?`, which is nil before the initialiser begins, and no value of a class or of arrays by default: Swift 6.0
  // cannot release these where the initialiser throws.
  // swift-format-ignore: UseShorthandTypeNames
  private var consumer: Optional<RingConsumer<TickRecord>>
  private let rate: SampleRate
  private let syncInterval: Int64
  private var nextSync: MonotonicTime
  private var histogram: LatenessHistogram
  /// Why the newest tick has no sample; `nil` when it has one.
  private var newestGap: Gap?
  /// Records at the front of the ring that were looked at and not yet drained.
  private var lookedAt = 0

  /// A recorder of one take.
  ///
  /// - Parameters:
  ///   - description: The log's header, which the store has put into the file already.
  ///   - consumer: The reading end of the ring.
  ///   - output: Where the bytes go.
  ///   - start: The instant from which ``RecordingDescription/syncInterval`` is counted.
  public init(
    after description: RecordingDescription, consumer: consuming RingConsumer<TickRecord>,
    output: consuming Output, start: MonotonicTime
  ) throws(LogError) {
    self.writer = try LogWriter(after: description)
    self.id = description.id
    self.consumer = .some(consumer)
    self.output = output
    self.rate = description.rate
    self.histogram = LatenessHistogram()
    self.syncInterval = description.syncInterval
    self.nextSync = start + description.syncInterval
  }

  /// A recorder of records that its owner brings, by ``write(_:)``: there is no ring.
  public init(
    after description: RecordingDescription, output: consuming Output, start: MonotonicTime
  ) throws(LogError) {
    self.writer = try LogWriter(after: description)
    self.id = description.id
    self.consumer = .none
    self.output = output
    self.rate = description.rate
    self.histogram = LatenessHistogram()
    self.syncInterval = description.syncInterval
    self.nextSync = start + description.syncInterval
  }

  /// Empties the ring into the log, as far as the output has room.
  ///
  /// - Returns: Whether the ring was found empty, with all that came before it taken by the output. `false` means
  ///   that records may be left, even if the output has room again by the time that the caller looks.
  @discardableResult
  public mutating func drain() -> Bool {
    while deliver() {
      guard let record = consumer?.pop() else { return true }
      lookedAt = max(0, lookedAt - 1)
      write(record)
    }
    return false
  }

  /// Empties the ring of a sampler that has ended, and then logs what did not fit into the ring: every tick that the
  /// sampler handled is in the log afterwards, as a sample or in a gap; after a failure of the output, what is left in
  /// a gap.
  ///
  /// - Parameters:
  ///   - undelivered: The sampler's last records, which follow those of the ring.
  ///   - pause: Called while the output has no room; returns when it is worth another try, `false` when it is not
  ///     worth it any more.
  /// - Returns: Whether it was worth it to the end.
  public mutating func drainAll(undelivered: [TickRecord], pause: () -> Bool) -> Bool {
    guard output.failure == nil else {
      giveUp(undelivered)
      return true
    }
    // The answer of one and the same look decides. If the ring were left when the output refuses, and the output asked
    // again, it could have got room in between, with records still in the ring.
    while !drain() {
      guard output.failure == nil else {
        giveUp(undelivered)
        return true
      }
      guard pause() else { return false }
    }
    for record in undelivered { write(record) }
    return true
  }

  /// Writes the log's end and hands it over; nothing may be written after it. After a failure of the output, what it
  /// does not take is left out.
  ///
  /// - Parameter pause: As for ``drainAll(undelivered:pause:)``.
  /// - Returns: As that.
  public mutating func finish(reason: StopReason, pause: () -> Bool) -> Bool {
    var isTaken = finish(reason: reason)
    while !isTaken, output.failure == nil {
      guard pause() else { return false }
      isTaken = deliver()
    }
    return true
  }

  /// Empties the ring of a sampler that has ended, and gives its ticks up: the storage takes no more samples, but there
  /// may be room for a gap over them and for the log's end.
  ///
  /// - Parameter undelivered: The sampler's last records, which follow those of the ring.
  public mutating func giveUp(_ undelivered: [TickRecord]) {
    var end = ledger.scheduled
    while let record = consumer?.pop() { end = max(end, record.tick + record.count) }
    for record in undelivered { end = max(end, record.tick + record.count) }
    lookedAt = 0
    giveUp(before: end, because: .ringFull)
  }

  /// Logs a gap over the ticks before `end` that are not in the log.
  ///
  /// - Parameter cause: `nil` for a sampler that is silent: a bus that refused the ticks before them is why, else they
  ///   count as missed.
  public mutating func giveUp(before end: UInt64, because cause: GapCause? = nil) {
    let first = ledger.scheduled
    guard first < end else { return }
    var gap = Gap(firstTick: first, count: end - first, cause: cause ?? .missed)
    if cause == nil, let newestGap, newestGap.cause == .busError {
      (gap.cause, gap.code) = (.busError, newestGap.code)
    }
    write(TickRecord(gap))
  }

  /// How late the reads of the samples in the log began.
  public var lateness: LatenessSummary { histogram.summary }

  /// Adds to `records` what came into the ring since the last look, each record once, and leaves it there. A
  /// card that is held up holds up what is drained, and no one's look.
  public mutating func look(into records: inout [TickRecord]) {
    while let record = consumer?.peek(lookedAt) {
      records.append(record)
      lookedAt += 1
    }
  }

  /// Logs a reading of the clocks.
  public mutating func note(_ pair: ClockPair) {
    writer.append(pair)
  }

  /// Logs a moment that the user marked.
  public mutating func note(_ mark: Mark) {
    writer.append(mark)
  }

  /// Logs a record that is not in the ring.
  public mutating func write(_ record: TickRecord) {
    switch record.kind {
    case .sample:
      ledger.sampled += 1
      histogram.record(record.time - rate.nanoseconds(atTick: record.tick))
      newestGap = nil
    case .gap:
      newestGap = record.gap
      if let newestGap { ledger.add(newestGap.count, newestGap.cause) }
    case .sensorEvent: break
    }
    writer.append(record)
  }

  /// Makes what is in the log durable when it is time to.
  ///
  /// A late call syncs once and not once for each interval that passed. While the output has no room for
  /// what is to be synced, it stays due: after a stall no one waits for another interval.
  public mutating func syncIfDue(now: MonotonicTime) {
    guard syncInterval > 0, now >= nextSync, sync() else { return }
    nextSync = max(nextSync + syncInterval, now)
  }

  /// Encodes what is pending, delivers it and asks for it to be made durable.
  ///
  /// - Returns: Whether the output took everything, and was asked.
  @discardableResult
  public mutating func sync() -> Bool {
    writer.flush()
    guard deliver() else { return false }
    output.requestSync()
    return true
  }

  /// Writes the log's end; nothing may be written after it.
  ///
  /// - Returns: Whether the output took everything. If not, call ``deliver()`` again when there is room.
  @discardableResult
  public mutating func finish(reason: StopReason) -> Bool {
    writer.finish(RecordingEnd(reason: reason, ledger: ledger, lateness: lateness))
    guard deliver() else { return false }
    output.requestSync()
    return true
  }

  /// Gives what is encoded to the output; `false` when some are left because it has no room.
  @discardableResult
  public mutating func deliver() -> Bool {
    output.take(from: &writer)
  }

  /// Ends the recorder's work and gives the output back.
  public consuming func release() -> Output { output }
}
