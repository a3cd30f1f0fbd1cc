// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// The ticks of a requested recording.
package struct RecordingOrder: Equatable, Sendable {
  /// The instant of the press or request; the recording's own first tick is the first one from it on.
  package var at: MonotonicTime
  /// A trigger's own first tick: at the instant of a chip's sample the clock's first tick is the next one.
  package var ownTick: UInt64?
  /// Ticks before the own first one to include, as far as the history has them.
  package var ticksBefore: UInt64
  /// Ticks from `at` on after which the recording ends; `nil` for no limit; 0 for only the ticks before.
  package var ticksAfter: UInt64?

  package init(
    at: MonotonicTime, ownTick: UInt64? = nil, ticksBefore: UInt64, ticksAfter: UInt64?
  ) {
    (self.at, self.ownTick) = (at, ownTick)
    (self.ticksBefore, self.ticksAfter) = (ticksBefore, ticksAfter)
  }

  /// The recording's own first tick, and the first one before it that is wanted.
  func ticks(by clock: TickClock) -> (own: UInt64, first: UInt64) {
    if let ownTick { return (ownTick, ownTick - min(ownTick, ticksBefore)) }
    let own = clock.firstTick(from: at)
    return (own, clock.firstTick(ticksBefore, before: own, at: at))
  }
}

/// A recording's ticks, from its first record on.
package struct RecordingPlan: Equatable, Sendable {
  /// Ticks in all; `nil` for no end.
  package var plannedTicks: UInt64?
  package var frame: RecordingFrame

  /// When tick 0 was due.
  package var start: MonotonicTime { frame.start }
}

/// A recording's progress, from the ticks in its log.
package struct RecordingProgress: Equatable, Sendable {
  package var tally = TickTally()
  package var lateness = LatenessSummary()
}
