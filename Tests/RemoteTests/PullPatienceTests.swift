import IMUModel
import Remote
import Testing

@Suite("The patience of a pull")
struct PullPatienceTests {
  private let second: Int64 = 1_000_000_000
  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds * 1e9))
  }

  @Test("is over a timeout after the last progress, and not after the last word")
  func timeout() {
    let patience = PullPatience(timeout: 60 * second, now: at(0))
    #expect(patience.left(now: at(59)) == second)
    patience.progressed(now: at(50))
    #expect(patience.left(now: at(109)) == second)
    #expect(patience.left(now: at(111)) < 0)
  }

  @Test("pauses grow from 1 s to 60 s while connections bring nothing, and the host is given up")
  func pauses() {
    let patience = PullPatience(timeout: 60 * second, now: at(0))
    var now = 0.0
    var pauses: [Int64] = []
    while let pause = patience.pause(now: at(now)) {
      pauses.append(pause / second)
      now += Double(pause) / 1e9
    }
    #expect(pauses == [1, 2, 4, 8, 16])
    #expect(now < 60)
  }

  @Test("connections that die after a page each wait longer each time, and are given up as well")
  func pageByPage() {
    let patience = PullPatience(timeout: 60 * second, now: at(0))
    var now = 0.0
    var pauses: [Int64] = []
    while true {
      patience.progressed(4096, now: at(now))
      guard let pause = patience.pause(now: at(now)), pauses.count < 100 else { break }
      pauses.append(pause / second)
      now += Double(pause) / 1e9
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32])
  }

  @Test(
    "a connection that brought 64 KiB is followed by a short pause again, however often it breaks")
  func progress() {
    let patience = PullPatience(timeout: 60 * second, now: at(0))
    for round in 0..<1000 {
      let now = at(Double(round) * 10)
      for _ in 0..<16 { patience.progressed(4096, now: now) }
      #expect(patience.pause(now: now) == second)
    }
  }

  @Test("what this side takes, and what the other one must add up, is not held against it")
  func excuses() {
    let patience = PullPatience(timeout: 60 * second, now: at(0))
    patience.excuse(100 * second)
    #expect(patience.left(now: at(100)) == 60 * second)
    patience.allow(adding: 1 << 30, now: at(100))
    #expect(patience.left(now: at(100)) == (60 + 256) * second)
    // Asking for nothing is no progress, however often.
    let other = PullPatience(timeout: 60 * second, now: at(0))
    for count in 0..<100 { other.allow(adding: 0, now: at(Double(count))) }
    #expect(other.left(now: at(60)) == 0)
    // A writer that syncs every ten minutes is silent for that long.
    other.progressed(1, now: at(0), silence: 600 * second)
    #expect(other.left(now: at(0)) == 660 * second)
  }

  @Test("no timeout and no number of bytes overflows")
  func extremes() {
    let patience = PullPatience(timeout: 86_400 * second, now: at(0))
    patience.allow(adding: .max, now: at(0))
    for _ in 0..<100 { _ = patience.pause(now: at(0)) }
    #expect(patience.pause(now: at(0)) == 86_400 * second)
    let short = PullPatience(timeout: 1, now: at(0))
    #expect(short.pause(now: at(0)) == nil)
  }
}
