// SPDX-License-Identifier: Apache-2.0

import CLinuxIO
import Glibc
public import IMUModel

/// The kernel's monotonic clock. `CLOCK_MONOTONIC` is never stepped; network time changes its rate by at most 0.05 %. It
/// stands still while the machine is suspended.
public struct SystemClock: MonotonicClock {
  /// The clock; all values are the same one.
  public init() {}

  /// The present instant. The corresponding C function is `clock_gettime`, a few tens of nanoseconds.
  public func now() -> MonotonicTime { MonotonicTime(nanoseconds: read(CLOCK_MONOTONIC)) }

  /// The present instant of `CLOCK_MONOTONIC_RAW`, which runs at the rate of the machine's oscillator.
  public func rawNow() -> Int64 { read(CLOCK_MONOTONIC_RAW) }

  /// Returns at `deadline` or later; at once when it is past. The corresponding C function is `clock_nanosleep` with
  /// `TIMER_ABSTIME`, repeated after a signal.
  public func sleep(until deadline: MonotonicTime) {
    // Instants before the clock's origin are past; the kernel would refuse them.
    guard deadline.nanoseconds > 0 else { return }
    let (seconds, nanoseconds) = deadline.nanoseconds.quotientAndRemainder(
      dividingBy: nanosecondsPerSecond)
    var instant = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &instant, nil) == EINTR {}
  }
}

/// One instant on the kernel's clocks.
public struct WallClockReading: Equatable, Sendable {
  /// The instant, on the monotonic clock.
  public var monotonic: MonotonicTime
  /// Nanoseconds since 1970-01-01T00:00:00Z, on the wall clock.
  public var wall: Int64
  /// Whether the kernel calls its wall clock synchronised: false until a time daemon has set it.
  public var isSynchronised: Bool
  /// `CLOCK_MONOTONIC_RAW` minus `CLOCK_MONOTONIC`.
  public var raw: Int64
  /// `CLOCK_BOOTTIME` minus `CLOCK_MONOTONIC`.
  public var boottime: Int64
  /// The farthest that `monotonic` can be from the instants at which the others were read, in nanoseconds.
  public var uncertainty: Int64
}

extension SystemClock {
  /// Reads the clocks, typically within 200 ns of each other.
  ///
  /// The others are read between two readings of the monotonic one, whose middle is the instant; the tightest of five
  /// attempts counts. Synchronisation is as `adjtimex` reports it; where that is forbidden it counts as not synchronised.
  public func readWallClock() -> WallClockReading {
    var best = attempt()
    for _ in 1..<5 {
      let next = attempt()
      if next.uncertainty < best.uncertainty { best = next }
    }
    best.isSynchronised = clinuxio_clock_is_synchronised() == 1
    return best
  }

  /// The wall clock's present reading.
  public var wallTime: WallTime {
    let reading = readWallClock()
    return WallTime(nanoseconds: reading.wall, isSynchronised: reading.isSynchronised)
  }

  private func attempt() -> WallClockReading {
    let before = read(CLOCK_MONOTONIC)
    let (wall, raw, boottime) = (read(CLOCK_REALTIME), rawNow(), read(CLOCK_BOOTTIME))
    let half = (read(CLOCK_MONOTONIC) - before + 1) / 2
    let middle = before + half
    return WallClockReading(
      monotonic: MonotonicTime(nanoseconds: middle), wall: wall, isSynchronised: false,
      raw: raw - middle, boottime: boottime - middle, uncertainty: half)
  }

  private func read(_ clock: clockid_t) -> Int64 {
    var instant = timespec()
    // Cannot fail: both clocks exist on every Linux and the pointer is valid.
    clock_gettime(clock, &instant)
    return Int64(instant.tv_sec) * nanosecondsPerSecond + Int64(instant.tv_nsec)
  }
}

private let nanosecondsPerSecond: Int64 = 1_000_000_000
