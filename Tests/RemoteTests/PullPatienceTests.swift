// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Remote

@Suite("The patience of a pull")
struct PullPatienceTests {
  private let second: Int64 = 1_000_000_000
  private let matter = PullPatience.Matter.fetch(RecordingID(high: 0, low: 1), isAnew: false)
  private func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds * 1e9))
  }

  /// Waits in slices, as a reader does; what is left then.
  @discardableResult
  private func wait(_ patience: PullPatience, from start: Double, to end: Double) -> Int64 {
    var left = patience.look(now: at(start))
    for now in stride(from: start, through: end, by: 1) { left = patience.look(now: at(now)) }
    return left
  }

  @Test("runs out a timeout after the last progress, not after the last alive")
  func timeout() {
    let patience = PullPatience(timeout: 60 * second, now: at(0))
    #expect(wait(patience, from: 0, to: 59) == second)
    patience.noteAlive()
    #expect(patience.look(now: at(59)) == second)
    patience.progressed(now: at(59))
    #expect(wait(patience, from: 59, to: 118) == second)
    #expect(wait(patience, from: 118, to: 120) < 0)
  }

  @Test("counts at most a slice of the time between two looks of this side")
  func ownTime() {
    let patience = PullPatience(timeout: 60 * second, now: at(0))
    #expect(patience.look(now: at(10_000)) == 60 * second - patience.slice)
    #expect(patience.slice * 16 == 60 * second)
    // A clock reading that is slightly earlier, on another processor, costs no time.
    #expect(patience.look(now: at(9_999)) == 60 * second - patience.slice)
  }

  @Test("pauses grow from 1 s to 32 s while connections bring nothing, then the pull gives up")
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

  @Test("connections that break after a page wait longer each time, and are given up as well")
  func pageByPage() {
    let patience = PullPatience(timeout: 60 * second, now: at(0))
    var now = 0.0
    var pauses: [Int64] = []
    while true {
      patience.progressed(matter, to: UInt64(pauses.count + 1) * 4096, now: at(now))
      guard let pause = patience.pause(now: at(now)), pauses.count < 100 else { break }
      pauses.append(pause / second)
      now += Double(pause) / 1e9
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32])
  }

  @Test("a connection that brought 64 KiB, or lasted for the timeout, is followed by a short pause")
  func progress() {
    for (bytes, seconds) in [(64 * 1024, 1), (1, 60)] {
      let patience = PullPatience(timeout: 60 * second, now: at(0))
      var now = 0.0
      for round in 1...1000 {
        wait(patience, from: now, to: now + Double(seconds))
        now += Double(seconds)
        patience.progressed(matter, to: UInt64(round * bytes), now: at(now))
        #expect(patience.pause(now: at(now)) == second)
        now += 1
      }
    }
  }

  @Test(
    "alives of a host that hashes add the time that this takes, once until progress")
  func adding() {
    let patience = PullPatience(timeout: 60 * second, now: at(0))
    patience.expect(matter, adding: 1 << 30)
    #expect(patience.look(now: at(0)) == 60 * second)
    var now = 0.0
    var end = 0.0
    while wait(patience, from: now, to: now + 5) > 0, now < 1000 {
      now += 5
      patience.noteAlive()
      patience.expect(matter, adding: 1 << 30)
      end = now
    }
    #expect((60 + 256 - 5...60 + 256).contains(end))
    #expect(patience.span == (60 + 256) * second)
    // Bytes that were here already are not progress.
    patience.progressed(matter, from: 1 << 30, to: 1 << 30, now: at(now))
    #expect(patience.look(now: at(now)) <= 0)
    patience.progressed(matter, from: 1 << 30, to: 1 << 30 + 1, now: at(now))
    patience.expect(matter, adding: 1 << 30)
    wait(patience, from: now, to: now + 50)
    patience.noteAlive()
    #expect(patience.look(now: at(now + 50)) == 60 * second)
  }

  @Test("a followed recording may be silent for ten timeouts while its host sends alive")
  func followed() {
    for timeout in [1, 60] {
      let patience = PullPatience(timeout: Int64(timeout) * second, now: at(0))
      patience.expect(matter, adding: 0, isFollowed: true)
      var now = 0.0
      while wait(patience, from: now, to: now + 1) > 0, now < 10_000 {
        now += 1
        patience.noteAlive()
      }
      // A second's slices are shorter than the looks of this test.
      #expect(timeout == 1 ? now > 11 : now == 659)
      #expect(patience.span == Int64(11 * timeout) * second)
    }
    let silent = PullPatience(timeout: 60 * second, now: at(0))
    silent.progressed(matter, to: 1, isFollowed: true, now: at(0))
    #expect(silent.look(now: at(0)) == 60 * second)
  }

  @Test("ends, whatever a host does, when its recordings bring nothing new")
  func everyHost() {
    let id = RecordingID(high: 0, low: 1)
    let offered: UInt64 = 128 * 1024
    let moves = 8
    for pattern in 0..<moves * moves * moves * moves {
      let patience = PullPatience(timeout: 60 * second, now: at(0))
      var now: Int64 = 0
      var brought: [UInt64] = [0, 0]
      var anew = 0
      var connections = 0
      var fruitless = 0
      var isOver = false
      var waited: Int64 = 0
      var step = 0
      while !isOver, connections < 1000, waited < 100_000 * second {
        var move = pattern
        for _ in 0..<step % 4 { move /= moves }
        step += 1
        let matter = PullPatience.Matter.fetch(id, isAnew: anew == 1)
        let time = MonotonicTime(nanoseconds: now)
        switch move % moves {
        case 0: patience.progressed(matter, to: brought[anew], now: time)
        case 1, 2:
          let count: UInt64 = move % moves == 1 ? 4096 : 40_000
          let sum = min(offered, brought[anew] + count)
          if sum > brought[anew] { (waited, fruitless) = (0, 0) }
          brought[anew] = sum
          patience.progressed(matter, to: sum, isFollowed: true, now: time)
        case 3: patience.noteAlive()
        case 4: patience.expect(matter, adding: brought[anew], isFollowed: true)
        case 5: patience.expect(.free(id), adding: 1 << 26)
        case 6: anew = 1
        default:
          if let pause = patience.pause(now: time) {
            now += pause
            waited += pause
            connections += 1
            fruitless += 1
          } else {
            isOver = true
          }
        }
        now += patience.slice / 2
        waited += patience.slice / 2
        isOver = isOver || patience.look(now: MonotonicTime(nanoseconds: now)) <= 0
        // The sum of twice ten timeouts and 16 s: the time granted for the two beginnings and for freeing it.
        guard waited <= (60 + 1200 + 16 + 4) * second, fruitless <= 6 else { break }
      }
      #expect(isOver, "pattern \(pattern)")
      #expect(connections <= 6 * 9, "pattern \(pattern): \(connections)")
    }
  }

  @Test("no timeout and no number of bytes overflows")
  func extremes() {
    let patience = PullPatience(timeout: 86_400 * second, now: at(0))
    patience.expect(matter, adding: .max, isFollowed: true)
    patience.progressed(matter, to: .max, now: at(0))
    for _ in 0..<100 { _ = patience.pause(now: at(0)) }
    #expect(patience.pause(now: at(0)) == nil)
    let short = PullPatience(timeout: 1, now: at(0))
    #expect(short.pause(now: at(0)) == nil)
  }
}
