// SPDX-License-Identifier: Apache-2.0

/// One instant on two clocks, from which a recording's calendar date is computed.
///
/// A board without a battery clock starts with a wrong date and learns the right one later; the pairs of a recording let an
/// export date it afterwards.
public struct ClockPair: Equatable, Sendable, BitwiseCopyable {
  /// Why the pair was taken; raw values are part of the log format.
  public enum Reason: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    /// The recording began.
    case start = 1
    /// The kernel began to call its clock synchronised.
    case becameSynchronised = 2
    /// The wall clock was stepped.
    case stepped = 3
    /// The recording ended.
    case end = 4
    /// A minute passed.
    case during = 5
  }

  /// Nanoseconds since tick 0's deadline; may be negative.
  public var time: Int64
  /// Nanoseconds since 1970-01-01T00:00:00Z at that instant, by the wall clock.
  public var wall: Int64
  /// Whether the kernel called its wall clock synchronised.
  public var isSynchronised: Bool
  /// Why the pair was taken.
  public var reason: Reason
  /// The kernel's other clocks at that instant; `nil` when not known.
  public var others: Others?

  /// A pair of readings.
  public init(
    time: Int64, wall: Int64, isSynchronised: Bool, reason: Reason, others: Others? = nil
  ) {
    (self.time, self.wall) = (time, wall)
    (self.isSynchronised, self.reason, self.others) = (isSynchronised, reason, others)
  }

  /// Clocks of the kernel beside the monotonic one, in nanoseconds.
  public struct Others: Equatable, Sendable, BitwiseCopyable {
    /// `CLOCK_MONOTONIC_RAW` minus `CLOCK_MONOTONIC`.
    public var raw: Int64
    /// `CLOCK_BOOTTIME` minus `CLOCK_MONOTONIC`: the time for which the computer was suspended.
    public var boottime: Int64
    /// From the first to the last of the readings: all clocks were read within it.
    public var bracket: UInt32

    /// Distances of the clocks.
    public init(raw: Int64, boottime: Int64, bracket: UInt32) {
      (self.raw, self.boottime, self.bracket) = (raw, boottime, bracket)
    }
  }

  /// Nanoseconds since 1970 at tick 0's deadline, by this pair.
  public var wallAtStart: Int64 { wall &- time }
}

/// A reading of the wall clock, and whether ages may be computed from it.
public struct WallTime: Equatable, Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z.
  public var nanoseconds: Int64
  /// Whether the kernel calls the clock synchronised. Until then, a board without a battery clock shows the time of
  /// its last shutdown or an arbitrary one.
  public var isSynchronised: Bool

  /// A reading of the wall clock.
  public init(nanoseconds: Int64, isSynchronised: Bool) {
    (self.nanoseconds, self.isSynchronised) = (nanoseconds, isSynchronised)
  }
}
