// SPDX-License-Identifier: Apache-2.0

public import IMUModel
import Synchronization

/// A clock that goes forward by a given number of nanoseconds each time it is read.
public final class SteppingClock: MonotonicClock {
  private let instant = Mutex<Int64>(0)
  private let step: Int64

  /// A clock at 0.
  public init(step: Int64) {
    self.step = step
  }

  /// The instant, after one step.
  public func now() -> MonotonicTime {
    instant.withLock { instant in
      instant += step
      return MonotonicTime(nanoseconds: instant)
    }
  }

  /// Returns at once.
  public func sleep(until deadline: MonotonicTime) {}
}
