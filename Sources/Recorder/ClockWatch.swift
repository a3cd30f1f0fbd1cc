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

/// Decides which readings of the wall clock are logged: the first, the first synchronised one, and those after a step: a
/// change of its distance to the monotonic clock by more than ``stepThreshold``. Pure.
package struct ClockWatch: Sendable {
  /// 50 ms, in nanoseconds: far above the 0.5 ms that the kernel slews in a second (adjtime(3)), and below any error that a
  /// person would notice.
  private static let stepThreshold: Int64 = 50_000_000

  private var last: ClockPair?

  package init() {}

  /// The pair to log for a reading, with its reason; `nil` when it is nothing new.
  package mutating func note(_ reading: ClockPair) -> ClockPair? {
    var pair = reading
    pair.reason = .start
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
}
