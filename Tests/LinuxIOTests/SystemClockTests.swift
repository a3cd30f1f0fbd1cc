import Glibc
import IMUModel
import LinuxIO
import Testing

@Suite("The system's clock")
struct SystemClockTests {
  let clock = SystemClock()

  @Test("never goes back")
  func monotonic() {
    var last = clock.now()
    for _ in 0..<100_000 {
      let next = clock.now()
      #expect(next >= last)
      last = next
    }
  }

  @Test(
    "waits for no instant of the past",
    arguments: [Int64.min, -1_500_000_000, -1, 0, 1, 999_999_999, 1_000_000_000])
  func past(nanoseconds: Int64) {
    // A wait for anything but the past would never end this test, so there is nothing to measure.
    clock.sleep(until: MonotonicTime(nanoseconds: nanoseconds))
    clock.sleep(until: clock.now())
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

  private func realTime() -> Int64 {
    var instant = timespec()
    clock_gettime(CLOCK_REALTIME, &instant)
    return Int64(instant.tv_sec) * 1_000_000_000 + Int64(instant.tv_nsec)
  }
}
