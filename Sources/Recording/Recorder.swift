public import IMUModel
public import LogStore
public import RingBuffer

/// Moves tick records from the ring into the log, and keeps the account of what it wrote.
///
///      sampler ─► ring of 600 ─► Recorder ─► LogEncoder ─► LogOutput ─► flusher ─► card
///                                  │ while the output has no room, nothing leaves the ring: it fills, and
///                                  ▼ the sampler drops the newest samples and counts them
///                               ledger
///
/// It is told the time and asks no clock. It allocates only when the encoder's buffers grow, and belongs to
/// one thread (which must not be the sampler's: an output may take a lock).
public struct Recorder<Output: LogOutput & ~Copyable>: ~Copyable {
  /// What happened to the ticks that are in the log so far.
  public private(set) var ledger = TickLedger()

  /// The recording's identity.
  public let id: RecordingID

  /// Where the bytes go.
  public var output: Output

  private var writer: LogWriter
  // Spelt out: one with a question mark is nil before the initialiser begins, and Swift 6.0 cannot take that down.
  // swift-format-ignore: UseShorthandTypeNames
  private var consumer: Optional<RingConsumer<TickRecord>>
  private let syncInterval: Int64
  private var nextSync: MonotonicTime
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
  /// sampler handled is in the log afterwards, as a sample or in a gap. After a failure of the output, what is left is
  /// forgotten instead, and the log ends with what it has.
  ///
  /// - Parameters:
  ///   - undelivered: The sampler's last records, which follow those of the ring.
  ///   - pause: Called while the output has no room; returns when it is worth another try.
  public mutating func drainAll(undelivered: [TickRecord], pause: () -> Void) {
    guard output.failure == nil else { return discardRing() }
    // The answer of one and the same look decides. If the ring were left when the output refuses, and the output asked
    // again, it could have got room in between, with records still in the ring.
    while !drain() {
      guard output.failure == nil else { return discardRing() }
      pause()
    }
    for record in undelivered { write(record) }
  }

  /// Writes the log's end and hands it over; nothing may be written after it. After a failure of the output, what it
  /// does not take is left out.
  ///
  /// - Parameter pause: As for ``drainAll(undelivered:pause:)``.
  public mutating func finish(
    reason: StopReason, lateness: LatenessSummary, pause: () -> Void
  ) {
    var isTaken = finish(reason: reason, lateness: lateness)
    while !isTaken, output.failure == nil {
      pause()
      isTaken = deliver()
    }
  }

  /// Empties the ring and forgets what was in it: the storage can take no more.
  public mutating func discardRing() {
    while consumer?.pop() != nil {}
    lookedAt = 0
  }

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

  /// Logs records that did not fit into the ring before the sampler ended.
  public mutating func write(_ record: TickRecord) {
    switch record.kind {
    case .sample: ledger.sampled += 1
    case .gap: if let gap = record.gap { ledger.add(gap.count, gap.cause) }
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
  public mutating func finish(reason: StopReason, lateness: LatenessSummary) -> Bool {
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
