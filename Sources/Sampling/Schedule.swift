// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// When each tick is due: a grid that begins at an instant and never drifts.
///
///     deadline(n) = start + n × period, rounded down to a nanosecond
///
/// Deadlines are computed from the tick's number, so a late wake-up moves no later one, and a period with a fraction of a
/// nanosecond leaves no error.
public struct Schedule: Equatable, Sendable, BitwiseCopyable {
  /// The deadline of tick 0.
  public let start: MonotonicTime
  /// Ticks a second.
  public let rate: SampleRate
  /// Ticks in all; `nil` for no end.
  public let plannedTicks: UInt64?

  /// The grid of `rate` from `start` on, with `plannedTicks` ticks or without end.
  public init(start: MonotonicTime, rate: SampleRate, plannedTicks: UInt64? = nil) {
    (self.start, self.rate, self.plannedTicks) = (start, rate, plannedTicks)
  }

  /// When `tick` is due: one multiplication and one division. Saturates after 292 years.
  @inlinable
  public func deadline(of tick: UInt64) -> MonotonicTime {
    let (sum, overflow) = start.nanoseconds.addingReportingOverflow(
      rate.nanoseconds(atTick: tick))
    return MonotonicTime(nanoseconds: overflow ? .max : sum)
  }

  /// The last tick that is due at `instant`; 0 before the start, also when the plan ends earlier.
  @inlinable
  public func tick(at instant: MonotonicTime) -> UInt64 {
    rate.tick(atNanoseconds: instant - start)
  }

  /// The first tick from `tick` on that is less than a period late at `instant`. The ticks before it are missed: a read
  /// for them now would give samples of another time.
  @inlinable
  public func firstReachable(from tick: UInt64, at instant: MonotonicTime) -> UInt64 {
    guard deadline(of: tick + 1) <= instant else { return tick }
    return max(tick, self.tick(at: instant))
  }

  /// Whether the plan has no tick of this number.
  @inlinable
  public func isOver(at tick: UInt64) -> Bool {
    guard let plannedTicks else { return false }
    return tick >= plannedTicks
  }
}
