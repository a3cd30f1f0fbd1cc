// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Synchronization

/// A monotonic clock that stands still until it is moved.
///
/// Copies share one instant. ``sleep(until:)`` does not wait but moves the instant forward, so that a program with this clock
/// alone runs through an hour in no time, and the same way each time. The few bytes of the instant are never freed.
public struct VirtualClock: MonotonicClock, @unchecked Sendable {
  // Safe: allocated and initialised once in `init`, never moved and never freed, and every later access is atomic. Relaxed
  // is enough: the clock publishes nothing but its own number.
  private let instant: UnsafeMutablePointer<Atomic<Int64>>

  /// A clock that shows `start`.
  public init(start: MonotonicTime = MonotonicTime(nanoseconds: 0)) {
    instant = .allocate(capacity: 1)
    instant.initialize(to: Atomic(start.nanoseconds))
  }

  /// The present instant.
  public func now() -> MonotonicTime {
    MonotonicTime(nanoseconds: instant.pointee.load(ordering: .relaxed))
  }

  /// Moves the instant to `deadline`, or leaves it alone when `deadline` is past.
  public func sleep(until deadline: MonotonicTime) {
    instant.pointee.max(deadline.nanoseconds, ordering: .relaxed)
  }

  /// Moves the instant forward by `nanoseconds`; traps when that is negative.
  public func advance(by nanoseconds: Int64) {
    precondition(nanoseconds >= 0, "a monotonic clock does not run backwards")
    instant.pointee.wrappingAdd(nanoseconds, ordering: .relaxed)
  }
}
