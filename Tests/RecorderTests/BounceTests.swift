import IMUModel
import Recorder
import Testing

@Suite("A button whose contact bounces")
struct BounceTests {
  @Test(
    "in 1,000 random trains of presses after the kernel's debouncing none is lost and none doubled"
  )
  func trains() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the bouncing trains: \(seed)")
    var generator = TrainGenerator(seed: seed)
    for _ in 0..<1000 {
      let train = BounceTrain(&generator)
      let told = train.edges.play(&generator)
      let meant = train.finger.expected
      #expect(Presses(told).total == train.finger.edges.count / 2)
      #expect(told.map(kind) == meant.map(kind), "seed \(seed), finger \(train.finger.edges)")
      // The stamp of a press is its contact's, and the kernel's 20 ms later.
      let delays = zip(told, meant).map { stamp($0) - stamp($1) }
      let isPrompt = delays.allSatisfy { (20_000_000...BounceTrain.latest).contains($0) }
      #expect(isPrompt, "seed \(seed): \(delays)")
    }
  }

  private func kind(_ gesture: Gesture) -> String {
    switch gesture {
    case .press: return "press"
    case .double: return "double"
    case .settled: return "settled"
    case .long: return "long"
    case .holding: return "holding"
    case .veryLong: return "very long"
    case .forgotten: return "forgotten"
    }
  }

  private func stamp(_ gesture: Gesture) -> Int64 {
    switch gesture {
    case .press(let at), .double(let at), .settled(let at), .long(let at), .holding(let at),
      .veryLong(let at), .forgotten(let at):
      return at.nanoseconds
    }
  }
}
