// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import TestSupport
import Testing

@Suite("A button whose contact bounces")
struct BounceTests {
  @Test(
    "in 1,000 random trains of presses, after the kernel's debouncing, no press is lost or doubled"
  )
  func trains() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the bouncing trains: \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let train = BounceTrain(&generator)
      let events = train.edges.play(&generator)
      let meant = train.finger.expected
      #expect(Presses(events).total == train.finger.edges.count / 2)
      #expect(events.map(kind) == meant.map(kind), "seed \(seed), finger \(train.finger.edges)")
      // The stamp of a press is that of its contact plus the kernel's 20 ms.
      let delays = zip(events, meant).map { stamp($0) - stamp($1) }
      let isPrompt = delays.allSatisfy { (20_000_000...BounceTrain.latest).contains($0) }
      #expect(isPrompt, "seed \(seed): \(delays)")
    }
  }

  private func kind(_ gesture: RecorderEvent) -> Substring { "\(gesture)".prefix { $0 != "(" } }

  private func stamp(_ gesture: RecorderEvent) -> Int64 {
    switch gesture {
    case .press(let at), .double(let at), .single(let at), .long(let at), .holding(let at),
      .veryLong(let at), .forgotten(let at):
      return at.nanoseconds
    default: return 0
    }
  }
}
