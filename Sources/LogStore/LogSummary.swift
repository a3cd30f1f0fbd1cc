public import IMUModel
import LogFormat

/// What a list says of a recording, without its samples.
public struct LogSummary: Equatable, Sendable {
  /// How the recording stands.
  public enum State: String, CaseIterable, Sendable {
    /// It ended, and says how.
    case complete
    /// It ended, and parts of it cannot be read. Only reading it through shows: a summary of the first and the
    /// last page does not.
    case damaged
    /// It is being written.
    case live = "running"
    /// Its end is missing: the program or the power went while it was written. What is there is
    /// what was found. Or it was salvaged from a log that is not whole.
    case recovered

    /// How a recording stands that ended so, and can be read.
    init(_ end: RecordingEnd) { self = end.reason == .recovered ? .recovered : .complete }
  }

  /// The header.
  public var description: RecordingDescription
  /// How the recording stands.
  public var state: State
  /// What happened to the ticks: by the recording's end if there is one, else, and where parts cannot be read,
  /// as counted.
  public var ledger: TickLedger
  /// Ticks from the first scheduled one to the last, lost ones included.
  public var tickCount: UInt64
  /// How it ended; `nil` when its end is missing.
  public var end: RecordingEnd?
  /// The pair of clocks that a date rests on best, of the pages that were read; `nil` when there
  /// was none.
  public var clock: ClockPair?
  /// Runs of ticks without samples; `nil` when the pages were not counted through.
  public var gapCount: UInt64?
  /// Parts that cannot be read; `nil` when the pages were not counted through.
  public var damageCount: UInt64?
  /// Bytes of the file, zeros made ahead included.
  public var byteCount: UInt64

  /// Ticks that are in what cannot be read.
  public var lostTickCount: UInt64 {
    (damageCount ?? 0) > 0 && tickCount > ledger.scheduled ? tickCount - ledger.scheduled : 0
  }

  /// Samples in the log; where only the first and the last page were read, as it was written.
  public var sampleCount: UInt64 { ledger.sampled }

  /// Ticks without a sample, for whatever cause.
  public var missingTickCount: UInt64 { tickCount > sampleCount ? tickCount - sampleCount : 0 }

  /// Nanoseconds from tick 0 to the end of the last tick's period: 60 s for 600 ticks at 10 Hz.
  public var duration: Int64 { description.rate.nanoseconds(atTick: tickCount) }

  /// Whether it ended and says how.
  public var isComplete: Bool { state == .complete }

  /// Nanoseconds since 1970 of tick 0, by the best pair of clocks; `nil` without one.
  public var started: Int64? { clock?.wallAtStart }
}

extension Account {
  /// What a list says of the recording, without its samples.
  public var summary: LogSummary {
    let state: LogSummary.State
    switch end {
    case nil: state = isLive ? .live : .recovered
    case let end?: state = damageCount > 0 ? .damaged : LogSummary.State(end)
    }
    let whole = damageCount == 0 ? end?.ledger : nil
    return LogSummary(
      description: description, state: state, ledger: whole ?? counted,
      tickCount: whole?.scheduled ?? tickCount, end: end, clock: clock, gapCount: gapCount,
      damageCount: damageCount, byteCount: byteCount)
  }
}

extension ClockPair {
  /// Whether a date rests better on this pair than on an earlier one.
  ///
  /// A synchronised clock beats one that is not; between equals the later reading wins, because a
  /// clock that was stepped in between was wrong before.
  public func isBetter(than earlier: ClockPair?) -> Bool {
    guard let earlier else { return true }
    return isSynchronised || !earlier.isSynchronised
  }
}

extension LogReader where Storage: ~Copyable {
  /// A summary from the first and the last page if the recording has an end, else from reading it
  /// through. The reader is at the beginning afterwards.
  ///
  /// - Parameter isLive: Whether a program is writing it; the catalogue knows by the file's lock.
  public mutating func summary(isLive: Bool = false) throws(LogError) -> LogSummary {
    try summary { () throws(LogError) in isLive }
  }

  /// As ``summary(isLive:)``; `isLive` is asked when no end was found, and before the log is read through, so that the
  /// end of a log that ends in between is found.
  mutating func summary(_ isLive: () throws(LogError) -> Bool) throws(LogError) -> LogSummary {
    let outer = try outerPages()
    guard let end = outer.end else { return try account(isLive: try isLive()).summary }
    var clock: ClockPair?
    for pair in outer.first + outer.last where pair.isBetter(than: clock) { clock = pair }
    return LogSummary(
      description: description, state: LogSummary.State(end), ledger: end.ledger,
      tickCount: end.ledger.scheduled, end: end, clock: clock, gapCount: nil, damageCount: nil,
      byteCount: try byteCount())
  }
}
