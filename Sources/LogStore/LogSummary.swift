// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import LogFormat

/// What a list shows of a recording, without its samples.
public struct LogSummary: Equatable, Sendable {
  /// How the recording stands.
  public enum State: String, CaseIterable, Sendable {
    /// It has its end.
    case complete
    /// It ended, and parts cannot be read, or its account does not balance. Only a pass over the whole log finds that.
    case damaged
    /// It is being written.
    case live = "running"
    /// Its end is missing, because the program or the power failed; or it was salvaged from a damaged log.
    case recovered

    init(_ end: RecordingEnd) { self = end.reason == .recovered ? .recovered : .complete }
  }

  /// The header.
  public var description: RecordingDescription
  /// How the recording stands.
  public var state: State
  /// The outcome of the ticks, as counted in a pass over the whole log, else by the recording's end.
  public var tally: TickTally
  /// Ticks from the first scheduled one to the last, lost ones included.
  public var tickCount: UInt64
  /// How it ended; `nil` when its end is missing.
  public var end: RecordingEnd?
  /// The clock pair of the pages read that dates the recording best; `nil` without one.
  public var clock: ClockPair?
  /// Runs of ticks without samples; `nil` when only the outer pages were read.
  public var gapCount: UInt64?
  /// Parts that cannot be read; `nil` when only the outer pages were read.
  public var damageCount: UInt64?
  /// Bytes of the file, preallocated zeros included.
  public var byteCount: UInt64
  /// Nanoseconds from tick 0 to the end by the chip's clock; `nil` on a grid.
  public var chipDuration: Int64?

  /// Samples in the log, or those that its end states where only the outer pages were read.
  public var sampleCount: UInt64 { tally.sampled }

  /// Ticks without a sample, whatever the cause.
  public var missingTickCount: UInt64 { tickCount > sampleCount ? tickCount - sampleCount : 0 }

  /// Nanoseconds from tick 0 to the end of the last tick's period: 60 s for 600 ticks at 10 Hz. If the chip keeps the time
  /// and only the outer pages were read, up to the recording's end, which is up to a drain later.
  public var duration: Int64 { chipDuration ?? description.rate.nanoseconds(atTick: tickCount) }

  /// Whether it has its end.
  public var isComplete: Bool { state == .complete }

  /// Nanoseconds since 1970 at tick 0, by the best pair of clocks; `nil` without one.
  public var started: Int64? { clock?.wallAtStart }
}

extension Account {
  /// What a list shows of the recording.
  public var summary: LogSummary {
    let state: LogSummary.State
    switch end {
    case nil: state = isLive ? .live : .recovered
    case let end?:
      state = isIntact && lostTickCount == 0 ? LogSummary.State(end) : .damaged
    }
    return LogSummary(
      description: description, state: state, tally: tally, tickCount: tickCount, end: end,
      clock: clock, gapCount: gapCount, damageCount: damageCount, byteCount: byteCount,
      chipDuration: chipDuration)
  }
}

extension ClockPair {
  /// Whether this pair dates a recording better than an earlier one: a synchronised clock beats one that is not, and of
  /// equals the later wins, because a clock that was stepped in between was wrong before.
  public func isBetter(than earlier: ClockPair?) -> Bool {
    guard let earlier else { return true }
    return isSynchronised || !earlier.isSynchronised
  }
}

extension LogReader where Storage: ~Copyable {
  /// A summary from the first and last page if the recording has an end, else from a pass over the whole log. Goes back to
  /// the beginning.
  ///
  /// - Parameter isLive: Whether a program is writing the log, which the catalogue knows by the file's lock. Called before
  ///   the pass over the whole log, which then finds an end that was written meanwhile.
  public mutating func summary(
    _ isLive: () throws(LogError) -> Bool = { () throws(LogError) in false }
  ) throws(LogError) -> LogSummary {
    let outer = try outerPages()
    guard let end = outer.end else { return try account(isLive: try isLive()).summary }
    var clock: ClockPair?
    for pair in outer.first + outer.last where pair.isBetter(than: clock) { clock = pair }
    let duration = description.clock == .grid ? nil : outer.last.last { $0.reason == .end }?.time
    return LogSummary(
      description: description, state: LogSummary.State(end), tally: end.tally,
      tickCount: end.tally.scheduled, end: end, clock: clock, gapCount: nil, damageCount: nil,
      byteCount: outer.byteCount, chipDuration: duration)
  }
}
