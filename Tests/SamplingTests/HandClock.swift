// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// A clock that moves only when it is slept on or moved, and whose sleeps can be made to end late.
///
/// Safe to send: each test uses its own on one thread.
struct HandClock: MonotonicClock, @unchecked Sendable {
  private final class Face {
    var instant: Int64
    /// Nanoseconds by which the sleep of that number ends late.
    var oversleep: (Int) -> Int64 = { _ in 0 }
    var sleeps = 0
    var longestSleep: Int64 = 0
    var onSleep: ((Int64) -> Void)?

    init(_ instant: Int64) {
      self.instant = instant
    }
  }

  private let face: Face

  init(at instant: Int64 = 0) {
    face = Face(instant)
  }

  func now() -> MonotonicTime {
    MonotonicTime(nanoseconds: face.instant)
  }

  func sleep(until deadline: MonotonicTime) {
    let start = face.instant
    face.instant = max(face.instant, deadline.nanoseconds) + face.oversleep(face.sleeps)
    face.sleeps += 1
    face.longestSleep = max(face.longestSleep, face.instant - start)
    face.onSleep?(face.instant)
  }

  /// Moves the instant forward.
  func advance(by nanoseconds: Int64) {
    face.instant += nanoseconds
  }

  /// Makes sleep number `n` end `oversleep(n)` nanoseconds late.
  func setOversleep(_ oversleep: @escaping (Int) -> Int64) {
    face.oversleep = oversleep
  }

  /// Calls `action` after each sleep with the instant.
  func setOnSleep(_ action: @escaping (Int64) -> Void) {
    face.onSleep = action
  }

  /// The longest sleep, in nanoseconds.
  var longestSleep: Int64 { face.longestSleep }
  /// The number of sleeps.
  var sleeps: Int { face.sleeps }
}
