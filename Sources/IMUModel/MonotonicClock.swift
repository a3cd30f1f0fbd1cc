// SPDX-License-Identifier: Apache-2.0

/// An instant on the machine's monotonic clock, in nanoseconds since an arbitrary origin (on Linux `CLOCK_MONOTONIC`, which
/// counts from boot and is never stepped). Arithmetic traps on overflow, after 292 years.
public struct MonotonicTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the clock's origin.
  public var nanoseconds: Int64

  /// The instant `nanoseconds` after the clock's origin.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Orders instants from earlier to later.
  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant `nanoseconds` after `time`.
  public static func + (time: MonotonicTime, nanoseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds + nanoseconds)
  }

  /// Nanoseconds from `right` to `left`; negative when `left` is the earlier one.
  public static func - (left: MonotonicTime, right: MonotonicTime) -> Int64 {
    left.nanoseconds - right.nanoseconds
  }
}

/// A clock to read and to sleep on: the kernel's, or one that a program moves by hand. It is used on the sampler thread, so
/// a conforming type neither allocates nor locks.
public protocol MonotonicClock: Sendable {
  /// The present instant.
  func now() -> MonotonicTime

  /// The present instant on the clock that network time does not steer, in nanoseconds (on Linux `CLOCK_MONOTONIC_RAW`).
  func rawNow() -> Int64

  /// Returns at `deadline` or later; at once when `deadline` is past. An interrupted wait resumes.
  func sleep(until deadline: MonotonicTime)
}

extension MonotonicClock {
  /// Network time does not steer a simulated clock: both are one.
  public func rawNow() -> Int64 { now().nanoseconds }
}

/// The times that a recording can have.
public enum RecordingTime {
  /// The bound of a recording's times, in nanoseconds since tick 0's deadline: 2⁶², or 146 years, so that no difference or
  /// sum of two of them overflows.
  public static let limit: Int64 = 1 << 62

  /// Whether a recording can have this time.
  @inlinable
  public static func contains(_ nanoseconds: Int64) -> Bool { nanoseconds.magnitude < limit }

  /// The time of a recording that is nearest to this one.
  package static func clamped(_ nanoseconds: Int64) -> Int64 {
    min(max(nanoseconds, 1 - limit), limit - 1)
  }
}
