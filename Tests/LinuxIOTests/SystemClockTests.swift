// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import LinuxIO
import LinuxIOTestSupport
import Testing

@Suite("The system's clock")
struct SystemClockTests {
  let clock = SystemClock()

  @Test("is the kernel's monotonic one")
  func monotonic() {
    for _ in 0..<1000 {
      let before = instant(CLOCK_MONOTONIC)
      let now = clock.now().nanoseconds
      #expect((before...instant(CLOCK_MONOTONIC)).contains(now))
    }
  }

  @Test(
    "does not wait for an instant in the past",
    arguments: [Int64.min, -1_500_000_000, -1, 0, 1, 999_999_999, 1_000_000_000])
  func past(nanoseconds: Int64) {
    // The shortest of three, because the machine may have other work. The longest of these numbers
    // taken for a span would be a second, and a number that the kernel refuses would never end.
    let waits = (0..<3).map { _ in
      let begin = clock.now()
      clock.sleep(until: MonotonicTime(nanoseconds: nanoseconds))
      return clock.now() - begin
    }
    #expect((waits.min() ?? .max) < 500_000_000)
  }

  @Test("is not earlier than the deadline after a wait")
  func deadline() {
    for microseconds in [0, 1, 50, 200] as [Int64] {
      let deadline = clock.now() + microseconds * 1000
      clock.sleep(until: deadline)
      #expect(clock.now() >= deadline)
    }
  }

  @Test("is read together with the wall clock, which lies between two readings of each")
  func wall() {
    let before = (clock.now(), realTime())
    let reading = clock.readWallClock()
    let after = (clock.now(), realTime())
    #expect((before.0...after.0).contains(reading.monotonic))
    #expect((before.1...after.1).contains(reading.wall))
    #expect(reading.uncertainty >= 0)
    #expect(reading.uncertainty <= after.0 - before.0)
  }

  @Test("calls the wall clock synchronised only when the kernel does")
  func synchronised() {
    // Results and status bits of sys/timex.h: TIME_OK, a leap second under way, TIME_ERROR; STA_PLL
    // (a daemon steers the clock), STA_UNSYNC.
    let (fine, leap, error) = (Int32(0), Int32(3), Int32(5))
    let (steered, unsynchronised) = (Int32(0x01), Int32(0x40))
    for (answer, status, expected) in [
      (fine, steered, true), (fine, 0, true), (leap, steered, true),
      (error, unsynchronised, false), (error, 0, false), (fine, unsynchronised, false),
      (-1, 0, false),
    ] {
      simulate_clock_discipline(answer, status)
      #expect(clock.readWallClock().isSynchronised == expected, "\(answer), \(status)")
    }
  }

  private func realTime() -> Int64 { instant(CLOCK_REALTIME) }

  private func instant(_ clock: clockid_t) -> Int64 {
    var instant = timespec()
    clock_gettime(clock, &instant)
    return Int64(instant.tv_sec) * 1_000_000_000 + Int64(instant.tv_nsec)
  }
}
