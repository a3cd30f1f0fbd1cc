// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

import Sampling

@Suite("The pace at which a FIFO is read")
struct DrainPaceTests {
  private func deadlines(_ pace: inout DrainPace, _ count: Int) -> [Int64] {
    (0..<count).map { _ in
      let deadline = pace.deadline
      pace.advance(past: deadline)
      return deadline.nanoseconds
    }
  }

  @Test(
    "drains come every 20 ms, or every 16 slots but within 250 ms, or before half of the FIFO is full"
  )
  func interval() {
    #expect(DrainPace(hertz: 1000, capacity: 73).interval == 20_000_000)
    #expect(DrainPace(hertz: 1666, capacity: 256).interval == 20_000_000)
    #expect(DrainPace(hertz: 416, capacity: 256).interval == 38_461_538)
    #expect(DrainPace(hertz: 104, capacity: 256).interval == 153_846_153)
    #expect(DrainPace(hertz: 12.5, capacity: 256).interval == 250_000_000)
    #expect(DrainPace(hertz: 1000, capacity: 30).interval == 15_000_000)
  }

  @Test(
    "the dither leaves no phase of a chip's period unread for 100 readings, whatever its rotation")
  func dither() {
    let period = 1_000_000.0
    var pace = DrainPace(hertz: 1000, capacity: 73)
    pace.begin(at: MonotonicTime(nanoseconds: 0))
    let all = deadlines(&pace, 20_000).dropFirst(500)
    for rotation in stride(from: 0.0, to: 1, by: 0.0917) {
      let phases = all.enumerated().map { index, deadline in
        (Double(deadline) / period + rotation * Double(index)).truncatingRemainder(dividingBy: 1)
      }
      var worst = 0.0
      for start in stride(from: 0, to: phases.count - 100, by: 37) {
        let window = phases[start..<start + 100].sorted()
        for (left, right) in zip(window, window.dropFirst() + [window[0] + 1]) {
          worst = max(worst, right - left)
        }
      }
      #expect(worst <= 0.2, "rotation \(rotation): a gap of \(worst) of a period")
    }
  }

  @Test("the beginning has readings every 5 ms for 2 s, of which one in four drains")
  func beginning() {
    var pace = DrainPace(hertz: 1000, capacity: 73)
    pace.begin(at: MonotonicTime(nanoseconds: 7_000_000))
    var (readings, drains, last) = (0, 0, Int64(0))
    while pace.deadline.nanoseconds < 2_007_000_000 {
      let now = pace.deadline
      #expect(now.nanoseconds > last)
      last = now.nanoseconds
      readings += 1
      if pace.isDrain(at: now) {
        drains += 1
        pace.drained(at: now)
      }
      pace.advance(past: now)
    }
    #expect((395...401).contains(readings), "\(readings)")
    #expect((95...105).contains(drains), "\(drains)")
    #expect(pace.isDrain(at: pace.deadline))
  }

  @Test("a burst that lasts beyond a deadline does not leave the FIFO alone until it is full")
  func slowBus() {
    var pace = DrainPace(hertz: 6664, capacity: 255)
    pace.begin(at: MonotonicTime(nanoseconds: 0))
    _ = deadlines(&pace, 800)
    let count = pace.deadline
    pace.drained(at: count)
    // The interval is 19 ms, and the FIFO full after 38.
    pace.advance(past: count + 20_000_000)
    #expect(pace.deadline - count < 24_000_000 && pace.deadline >= count + 20_000_000)
    // When that drain fails, the deadlines are the usual ones, and none is skipped.
    for _ in 0..<5 {
      let now = pace.deadline + 50_000
      pace.advance(past: now)
      #expect(pace.deadline > now && pace.deadline - now < 20_000_000)
    }
    pace.drained(at: count)
    pace.advance(past: count + 33_000_000)
    #expect(pace.deadline == count + 33_000_000)
  }

  @Test(
    "a drain that lasts longer than the interval is followed by one at once, and skips no deadline for good"
  )
  func longDrain() {
    var pace = DrainPace(hertz: 480, capacity: 85)
    pace.begin(at: MonotonicTime(nanoseconds: 0))
    _ = deadlines(&pace, 800)
    // A drain takes two thirds of the time in which the samples came.
    var (last, longest) = (pace.deadline, [Int64]())
    var since: Int64 = 66_000_000
    for _ in 0..<12 {
      let now = pace.deadline
      pace.drained(at: now)
      since = max(since, now - last)
      longest.append(since)
      last = now
      pace.advance(past: now + since * 2 / 3)
      since = 0
    }
    #expect(longest.suffix(6).allSatisfy { $0 < 36_000_000 }, "\(longest)")
  }

  @Test(
    "a missed deadline is skipped: after a stall one reading follows, and then the usual interval")
  func stall() {
    var pace = DrainPace(hertz: 1000, capacity: 73)
    pace.begin(at: MonotonicTime(nanoseconds: 0))
    _ = deadlines(&pace, 800)
    let late = pace.deadline + 405_000_000
    pace.advance(past: late)
    #expect(pace.deadline > late)
    #expect(pace.deadline - late < 22_000_000)
    let next = deadlines(&pace, 3)
    #expect(next[2] - next[1] > 18_000_000)
  }

  @Test("at low rates the beginning's readings are closer than a drain too")
  func lowRate() {
    var pace = DrainPace(hertz: 104, capacity: 256)
    pace.begin(at: MonotonicTime(nanoseconds: 0))
    let all = deadlines(&pace, 430)
    #expect(all[300] - all[299] < 11_000_000)
    #expect(all[429] - all[428] > 140_000_000)
  }
}
