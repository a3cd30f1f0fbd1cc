// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("The wall clock beside a recording")
struct ClockWatchTests {
  @Test(
    "is noted first, when it is set, and at each step of more than 50 ms, but not as it is slewed"
  )
  func pairs() {
    var watch = ClockWatch()
    // By how much it is ahead.
    for (index, (ahead, isSynchronised, reason))
      in ([
        (7, false, .start), (50_000_007, false, nil), (50_000_008, false, .stepped),
        (7, false, .stepped), (7, true, .becameSynchronised), (8, true, nil), (8, false, nil),
        (-3_600_000_000_000, false, .stepped), (.max - 100, false, .stepped),
        (.min, true, .becameSynchronised), (.max - 100, true, .stepped),
      ] as [(Int64, Bool, ClockPair.Reason?)]).enumerated()
    {
      let time = Int64(index)
      let pair = watch.note(
        ClockPair(
          time: time, wall: ahead + time, isSynchronised: isSynchronised, reason: .start))
      #expect(pair?.reason == reason && pair.map { $0.wallAtStart == ahead } ?? true, "\(time)")
    }
  }

  @Test("is noted each minute with the kernel's other clocks")
  func minutes() {
    var watch = ClockWatch()
    let others = ClockPair.Others(raw: -5, boottime: 7, bracket: 90)
    let reasons = [0, 59, 60, 119, 120, 500, 501].map { second -> ClockPair.Reason? in
      let time = Int64(second) * 1_000_000_000
      let pair = watch.note(
        ClockPair(time: time, wall: time, isSynchronised: true, reason: .start, others: others))
      #expect(pair.map { $0.others == others } ?? true)
      return pair?.reason
    }
    #expect(reasons == [.start, nil, .during, nil, .during, .during, nil])
  }
}
