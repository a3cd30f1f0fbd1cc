public import IMUModel

/// What a take of a service is to be: from when on, for how long.
public struct RecordingOrder: Equatable, Sendable {
  /// The instant of the press, or of the request: the first tick from it on is the take's own first.
  public var at: MonotonicTime
  /// Ticks from before it that go in front, as far as the history has them.
  public var ticksBefore: UInt64
  /// Ticks from `at` on after which the take is over; `nil` for no limit; 0 for what came before alone.
  public var ticksAfter: UInt64?

  /// An order for a take from `at` on.
  public init(at: MonotonicTime, ticksBefore: UInt64, ticksAfter: UInt64?) {
    self.at = at
    self.ticksBefore = ticksBefore
    self.ticksAfter = ticksAfter
  }
}

/// What the log's header is to say of a take that has its first record.
public struct RecordingPlan: Equatable, Sendable {
  /// Ticks in all; `nil` for no end.
  public var plannedTicks: UInt64?
  /// When its tick 0 was due.
  public var start: MonotonicTime
}

/// How far a take is.
public struct RecordingProgress: Equatable, Sendable {
  /// What happened to the ticks that are in its log.
  public var ledger = TickLedger()
  /// How late the sampler woke for its samples.
  public var lateness = LatenessSummary()
}

/// What the writer has to report.
public enum WriterNews: Equatable, Sendable {
  /// The take has its first record: make its file and call ``RecordingWriter/attach(_:queue:)``, or
  /// ``RecordingWriter/abandon()``.
  case needsFile(RecordingPlan)
  /// The first sample is in the log.
  case ready
  /// All ticks that were ordered are in the log.
  case limitReached
  /// The storage takes nothing more.
  case storageEnded(isFull: Bool)
  /// The log has its end, and the queue is closed: the flusher does the rest. `sampled` is 0 for a take
  /// that holds nothing.
  case ended(RecordingEnd)
  /// The take was ended before it had a record: there is nothing to keep and no file.
  case nothing
}
