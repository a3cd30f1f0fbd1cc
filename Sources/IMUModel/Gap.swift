// SPDX-License-Identifier: Apache-2.0

/// Why a scheduled tick has no sample; raw values are part of the log format.
public enum GapCause: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// The sampler woke a period or more late; the tick was skipped and not caught up.
  case missed = 1
  /// The bus transfer failed, and so did its retries within the tick.
  case busError = 2
  /// The ring was full because the writer or the card was held up; the newest samples were dropped.
  case ringFull = 3
  /// The chip had no new sample.
  case stale = 4
  /// The chip had lost its configuration, was stuck or gone, and was being set up again: no sample was read.
  case reinitialising = 5
  /// The recording was salvaged from a log that was damaged here: the tick's outcome is unknown.
  case lost = 6
  /// The chip reported new samples, but its outputs did not change: it was stuck.
  case frozen = 7
}

/// A run of scheduled ticks without samples, all for one cause.
public struct Gap: Equatable, Sendable, BitwiseCopyable {
  /// Number of the first tick without a sample.
  public var firstTick: UInt64
  /// Ticks without a sample, at least 1.
  public var count: UInt64
  /// Why there are no samples.
  public var cause: GapCause
  /// The kernel's errno for ``GapCause/busError``, else 0.
  public var code: Int32

  /// A gap of `count` ticks from `firstTick` on.
  public init(firstTick: UInt64, count: UInt64, cause: GapCause, code: Int32 = 0) {
    (self.firstTick, self.count) = (firstTick, count)
    (self.cause, self.code) = (cause, code)
  }
}
