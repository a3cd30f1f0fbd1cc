// SPDX-License-Identifier: Apache-2.0

/// What readings prove about the samples of an epoch besides their instants.
public struct ClockAnomaly: Equatable, Sendable {
  /// The kinds of finding.
  public enum Kind: Equatable, Sendable {
    /// Samples were made and not counted: so many, at least and at most.
    case lost(ClosedRange<Int64>)
    /// Samples were counted and not made: so many.
    case doubled(ClosedRange<Int64>)
    /// The rate changed at once, by so many parts per million.
    case rateChanged(Double)
    /// One reading had a wrong count; it was left out.
    case wrongCount
    /// No explanation fits; the numbers of samples lost, if negative doubled, that the readings allow.
    case contradiction(ClosedRange<Int64>)
  }

  /// What was found.
  public var kind: Kind
  /// The position of its epoch in ``ClockTimeline/epochs``.
  public internal(set) var epoch = 0
  /// The first and the last slot of the epoch among which it happened. A lost sample is missing before one of them or after
  /// the last. A break at the beginning of a joined epoch may reach back to slots of the epoch before, which are below 1.
  public var slots: ClosedRange<Int64>
  /// The instants before the first and after the second of the readings around it, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
  public var instants: ClosedRange<Int64>
}
