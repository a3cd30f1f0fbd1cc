// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// A clock that moves only when it is slept on or moved, and whose sleeps can be made to end late.
final class HandClock: MonotonicClock, @unchecked Sendable {
  // Safe: each test uses its own on one thread.
  private var instant: Int64
  /// Nanoseconds by which the sleep of that number ends late.
  var oversleep: (Int) -> Int64 = { _ in 0 }
  /// Called after each sleep with the instant.
  var onSleep: (Int64) -> Void = { _ in }
  private var sleeps = 0
  /// In nanoseconds.
  private(set) var longestSleep: Int64 = 0

  init(at instant: Int64) { self.instant = instant }

  func now() -> MonotonicTime { MonotonicTime(nanoseconds: instant) }

  func sleep(until deadline: MonotonicTime) {
    let start = instant
    instant = max(instant, deadline.nanoseconds) + oversleep(sleeps)
    sleeps += 1
    longestSleep = max(longestSleep, instant - start)
    onSleep(instant)
  }

  func advance(by nanoseconds: Int64) { instant += nanoseconds }
}
