// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// One instant on the monotonic and on the wall clock.
package struct ClockReading: Equatable, Sendable {
  package var monotonic: MonotonicTime
  /// Nanoseconds since 1970.
  package var wall: Int64
  /// Whether the kernel reports its wall clock as synchronised.
  package var isSynchronised: Bool

  package init(monotonic: MonotonicTime, wall: Int64, isSynchronised: Bool) {
    self.monotonic = monotonic
    self.wall = wall
    self.isSynchronised = isSynchronised
  }
}

/// Decides which readings of the wall clock are logged: the first, the first synchronised one, and those after a step.
/// Pure.
///
/// The wall clock is slewed all the time; a change of its distance to the monotonic clock counts as a
/// step when it exceeds ``stepThreshold`` between two readings.
package struct ClockWatch: Sendable {
  /// A change larger than this, in nanoseconds, is a step and not slewing: 50 ms, far above the 0.5 ms that the kernel
  /// slews in a second (adjtime(3)), and below any error that a person would notice.
  package static let stepThreshold: Int64 = 50_000_000

  private var last: ClockPair?

  package init() {}

  /// The pair to log after a reading; `nil` when it is nothing new.
  ///
  /// - Parameters:
  ///   - time: Nanoseconds since tick 0's deadline.
  ///   - wall: Nanoseconds since 1970 at that instant.
  ///   - isSynchronised: Whether the kernel reports its wall clock as synchronised.
  package mutating func reading(time: Int64, wall: Int64, isSynchronised: Bool) -> ClockPair? {
    var pair = ClockPair(time: time, wall: wall, isSynchronised: isSynchronised, reason: .start)
    guard let last else {
      self.last = pair
      return pair
    }
    let (difference, overflow) = pair.wallAtStart.subtractingReportingOverflow(last.wallAtStart)
    let isStep = overflow || difference.magnitude > UInt64(ClockWatch.stepThreshold)
    if isSynchronised && !last.isSynchronised {
      pair.reason = .becameSynchronised
    } else if isStep {
      pair.reason = .stepped
    } else {
      return nil
    }
    self.last = pair
    return pair
  }

  /// The pair to log at the end, which is always logged.
  package func end(time: Int64, wall: Int64, isSynchronised: Bool) -> ClockPair {
    ClockPair(time: time, wall: wall, isSynchronised: isSynchronised, reason: .end)
  }
}
