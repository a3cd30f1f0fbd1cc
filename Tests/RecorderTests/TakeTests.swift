import IMUModel
import Recorder
import Testing

@Suite("The life of a take")
struct TakeTests {
  static let events: [Take.Event] =
    [
      .begin, .sensorReady, .setUpFailed, .storageFull, .storageFailed, .samplerFinished,
    ] + [StopReason.signal, .button, .sensorLost].map { .stopRequested($0) }

  func take(after events: [Take.Event]) -> Take {
    var take = Take()
    for event in events { _ = take.handle(event) }
    return take
  }

  @Test("an undisturbed take sets up, samples, and ends as completed")
  func undisturbed() {
    var take = Take()
    #expect(take.handle(.begin) == [.setUpSensor])
    #expect(take.handle(.sensorReady) == [.startSampler])
    #expect(take.handle(.samplerFinished) == [.finishLog(.completed)])
    #expect(take.state == .ended(.completed))
  }

  @Test("a chip that cannot be set up leaves nothing behind")
  func setUpFailed() {
    var take = self.take(after: [.begin])
    #expect(take.handle(.setUpFailed) == [.discardLog])
    #expect(take.state == .abandoned)
  }

  @Test("a stop before the first tick leaves nothing behind")
  func stoppedEarly() {
    var take = self.take(after: [.begin])
    #expect(take.handle(.stopRequested(.signal)) == [.discardLog])
  }

  @Test("a stop while recording ends the log for that reason, and only once")
  func stopped() {
    var take = self.take(after: [.begin, .sensorReady])
    #expect(take.handle(.stopRequested(.signal)) == [.stopSampler])
    #expect(take.handle(.stopRequested(.button)) == [])
    #expect(take.handle(.samplerFinished) == [.finishLog(.signal)])
    #expect(take.handle(.samplerFinished) == [])
  }

  @Test("a full storage ends the log as full, also when the user had just asked for the end")
  func full() {
    var take = self.take(after: [.begin, .sensorReady])
    #expect(take.handle(.storageFull) == [.stopSampler])
    #expect(take.handle(.samplerFinished) == [.finishLog(.storageFull)])
    var asked = self.take(after: [.begin, .sensorReady, .stopRequested(.signal)])
    #expect(asked.handle(.storageFull) == [])
    #expect(asked.handle(.samplerFinished) == [.finishLog(.storageFull)])
  }

  @Test("whatever happens in whatever order, the log is finished or discarded at most once")
  func everySequence() {
    func walk(_ take: Take, depth: Int, closings: Int) {
      #expect(closings <= 1)
      guard depth > 0 else { return }
      for event in TakeTests.events {
        var next = take
        let effects = next.handle(event)
        let closing = effects.filter {
          switch $0 {
          case .finishLog, .discardLog: return true
          default: return false
          }
        }
        if take.state != next.state || effects.isEmpty {
          if next != take { walk(next, depth: depth - 1, closings: closings + closing.count) }
        }
        if case .ended = take.state { #expect(effects.isEmpty) }
        if case .abandoned = take.state { #expect(effects.isEmpty) }
      }
    }
    walk(Take(), depth: 6, closings: 0)
  }
}

@Suite("Which readings of the wall clock are worth logging")
struct ClockWatchTests {
  static let noon: Int64 = 1_790_000_000_000_000_000

  @Test("the first reading is logged as the start")
  func first() {
    var watch = ClockWatch()
    let pair = watch.reading(time: -5, wall: Self.noon, isSynchronised: false)
    #expect(
      pair == ClockPair(time: -5, wall: Self.noon, isSynchronised: false, reason: .start))
  }

  @Test("an even clock says nothing new, and neither does one that is slewed")
  func even() {
    var watch = ClockWatch()
    _ = watch.reading(time: 0, wall: Self.noon, isSynchronised: true)
    for second in 1...100 as ClosedRange<Int64> {
      let drift = second * 500_000
      // 0.5 ms a second is as fast as the kernel slews; each reading is compared with the last one logged
      // only until the difference would mislead by the step threshold.
      let pair = watch.reading(
        time: second * 1_000_000_000, wall: Self.noon + second * 1_000_000_000 + drift,
        isSynchronised: true)
      if drift <= ClockWatch.stepThreshold { #expect(pair == nil) }
    }
  }

  @Test(
    "a step forth or back is logged once",
    arguments: [
      3_600_000_000_000, -3_600_000_000_000, 51_000_000, 315_360_000_000_000_000,
      -315_360_000_000_000_000,
    ])
  func step(size: Int64) {
    var watch = ClockWatch()
    _ = watch.reading(time: 0, wall: Self.noon, isSynchronised: false)
    let pair = watch.reading(time: 10, wall: Self.noon + 10 + size, isSynchronised: false)
    #expect(pair?.reason == .stepped)
    let next = watch.reading(time: 20, wall: Self.noon + 20 + size, isSynchronised: false)
    #expect(next == nil)
  }

  @Test("the moment when the clock becomes synchronised is logged, stepped or not")
  func synchronised() {
    var watch = ClockWatch()
    _ = watch.reading(time: 0, wall: 0, isSynchronised: false)
    let pair = watch.reading(time: 10, wall: Self.noon, isSynchronised: true)
    #expect(pair?.reason == .becameSynchronised)
    #expect(pair?.wallAtStart == Self.noon - 10)
  }

  @Test("clocks at the ends of their range do not trap")
  func extremes() {
    var watch = ClockWatch()
    _ = watch.reading(time: .min, wall: .max, isSynchronised: false)
    let pair = watch.reading(time: .max, wall: .min, isSynchronised: false)
    #expect(pair?.reason == .stepped || pair == nil)
  }
}
