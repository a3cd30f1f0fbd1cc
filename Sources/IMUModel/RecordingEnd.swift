// SPDX-License-Identifier: Apache-2.0

/// The facts known about a recording at its end: the log's last record.
public struct RecordingEnd: Equatable, Sendable, BitwiseCopyable {
  /// Why it ended.
  public var reason: StopReason
  /// What happened to every tick.
  public var tally: TickTally
  /// How late the sampler woke for the samples.
  public var lateness: LatenessSummary

  /// The end of a recording.
  public init(reason: StopReason, tally: TickTally, lateness: LatenessSummary) {
    (self.reason, self.tally, self.lateness) = (reason, tally, lateness)
  }

  /// How late the sampler woke; `nil` when it was not measured (an import) or was lost (a damaged log).
  public var measuredLateness: LatenessSummary? {
    switch reason {
    case .imported: return nil
    case .recovered where lateness == LatenessSummary(): return nil
    default: return lateness
    }
  }
}

/// How late the sampler woke after its ticks' deadlines, in nanoseconds, over the samples of a recording.
public struct LatenessSummary: Equatable, Sendable, BitwiseCopyable {
  /// Half of the samples were no later than this.
  public var median: Int64
  /// 99 of 100 samples were no later than this.
  public var percentile99: Int64
  /// No sample was later than this.
  public var maximum: Int64

  /// A summary; all 0 for a recording without reads.
  public init(median: Int64 = 0, percentile99: Int64 = 0, maximum: Int64 = 0) {
    (self.median, self.percentile99, self.maximum) = (median, percentile99, maximum)
  }
}

/// Why a recording ended; raw values are part of the log format.
public enum StopReason: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// It reached the requested length.
  case completed = 1
  /// SIGINT or SIGTERM.
  case signal = 2
  /// The button.
  case button = 3
  /// The storage was full.
  case storageFull = 4
  /// The storage failed.
  case storageError = 5
  /// The sensor could not be brought back.
  case sensorLost = 6
  /// The recording was imported from another kind of file and is complete.
  case imported = 7
  /// The recording was salvaged from an incomplete log.
  case recovered = 8
}

/// Why a recording of the service began. The raw value is its name in headers and documents.
public enum StartReason: String, CaseIterable, Sendable, BitwiseCopyable {
  /// A press of the button.
  case button
  /// A request over the control socket.
  case request
  /// Motion above the configured threshold.
  case trigger
  /// The timer of the configured calendar.
  case calendar
  /// A cycle of the duty cycle.
  case duty
}
