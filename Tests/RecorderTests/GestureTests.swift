// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import Recorder
import TestSupport
import Testing

@Suite("Gestures of the button")
struct GestureTests {
  private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("a short press is reported at its release, and is a single one when no second one comes")
  func short() {
    var recogniser = GestureRecogniser(isHeldAtStart: false)
    #expect(recogniser.deadline == nil)
    #expect(recogniser.handle(LineEdge(isActive: true, time: at(10))) == [.buttonDown(at: at(10))])
    #expect(recogniser.deadline == at(1510))
    #expect(recogniser.handle(LineEdge(isActive: false, time: at(110))) == [.press(at: at(10))])
    #expect(recogniser.deadline == at(510))
    #expect(recogniser.elapse(to: at(509)) == [])
    #expect(recogniser.elapse(to: at(510)) == [.single(at: at(10))])
    #expect(recogniser.deadline == nil)
    #expect(recogniser.elapse(to: at(9999)) == [])
  }

  @Test("a button going down is reported at once, a repeated level is not")
  func down() {
    var recogniser = GestureRecogniser(isHeldAtStart: false)
    for (isActive, time) in [(true, 10), (true, 20), (false, 110), (true, 300)] as [(Bool, Int64)] {
      let events = recogniser.handle(LineEdge(isActive: isActive, time: at(time)))
      let isDown = events.contains(.buttonDown(at: at(time)))
      #expect(isDown == (isActive && time != 20), "at \(time) ms")
    }
  }

  @Test("holding and very long are reported while the button is held, each once")
  func whileHeld() {
    var recogniser = GestureRecogniser(isHeldAtStart: false)
    _ = recogniser.handle(LineEdge(isActive: true, time: at(0)))
    #expect(recogniser.elapse(to: at(1500)) == [.holding(at: at(0))])
    #expect(recogniser.elapse(to: at(1600)) == [])
    #expect(recogniser.deadline == at(6000))
    #expect(recogniser.elapse(to: at(6000)) == [.veryLong(at: at(0))])
    #expect(recogniser.deadline == nil)
    #expect(recogniser.handle(LineEdge(isActive: false, time: at(7000))) == [])
    #expect(
      recogniser.handle(LineEdge(isActive: true, time: at(7100))) == [.buttonDown(at: at(7100))])
    #expect(recogniser.handle(LineEdge(isActive: false, time: at(7200))) == [.press(at: at(7100))])
  }

  @Test("a program that wakes late reports the same gestures")
  func lateWakeUp() {
    var late = GestureRecogniser(isHeldAtStart: false)
    #expect(late.handle(LineEdge(isActive: true, time: at(0))) == [.buttonDown(at: at(0))])
    #expect(late.elapse(to: at(60_000)) == [.holding(at: at(0)), .veryLong(at: at(0))])
    // The clock was read before edges that were already waiting: the stamps decide what they can.
    var ahead = GestureRecogniser(isHeldAtStart: false)
    _ = ahead.handle(LineEdge(isActive: true, time: at(0)))
    #expect(ahead.elapse(to: at(1501)) == [.holding(at: at(0))])
    #expect(ahead.handle(LineEdge(isActive: false, time: at(1499))) == [.press(at: at(0))])
  }

  @Test("a button that is held at the start is ignored until its release")
  func heldAtStart() {
    var recogniser = GestureRecogniser(isHeldAtStart: true)
    #expect(recogniser.deadline == nil)
    #expect(recogniser.elapse(to: at(99_000)) == [])
    #expect(recogniser.handle(LineEdge(isActive: true, time: at(99_001))) == [])
    #expect(recogniser.elapse(to: at(199_000)) == [])
    #expect(recogniser.handle(LineEdge(isActive: false, time: at(199_001))) == [])
    #expect(recogniser.deadline == nil)
    _ = recogniser.handle(LineEdge(isActive: true, time: at(199_100)))
    let events = recogniser.handle(LineEdge(isActive: false, time: at(199_200)))
    #expect(events == [.press(at: at(199_100))])
  }

  @Test(
    "a forgotten press means nothing in any phase; a released one keeps its meaning"
  )
  func forgotten() {
    // Pressed; held; pressed for the second time: the events then, and the events before.
    for (edges, before) in [([10], 20), ([10], 1600), ([10, 110, 300], 400)] as [([Int64], Int64)] {
      var recogniser = GestureRecogniser(isHeldAtStart: false)
      for (index, edge) in edges.enumerated() {
        _ = recogniser.handle(LineEdge(isActive: index % 2 == 0, time: at(edge)))
      }
      _ = recogniser.elapse(to: at(before))
      #expect(recogniser.forget() == [.forgotten(at: at(edges.last ?? 0))])
      #expect(recogniser.forget() == [])
      #expect(recogniser.deadline == nil)
      #expect(recogniser.elapse(to: at(99_000)) == [])
      // The next press counts.
      _ = recogniser.handle(LineEdge(isActive: true, time: at(99_100)))
      let events = recogniser.handle(LineEdge(isActive: false, time: at(99_200)))
      #expect(events == [.press(at: at(99_100))])
    }
    var released = GestureRecogniser(isHeldAtStart: false)
    _ = released.handle(LineEdge(isActive: true, time: at(10)))
    _ = released.handle(LineEdge(isActive: false, time: at(110)))
    #expect(released.forget() == [])
    #expect(released.elapse(to: at(510)) == [.single(at: at(10))])
    var held = GestureRecogniser(isHeldAtStart: true)
    #expect(held.forget() == [])
    _ = held.handle(LineEdge(isActive: true, time: at(10)))
    #expect(held.handle(LineEdge(isActive: false, time: at(20))) == [.press(at: at(10))])
  }

  @Test(
    "a press that becomes long or very long depends on the line's level, a released one does not"
  )
  func holdDue() {
    var recogniser = GestureRecogniser(isHeldAtStart: false)
    #expect(!recogniser.isHoldDue(by: at(0)))
    _ = recogniser.handle(LineEdge(isActive: true, time: at(0)))
    #expect(!recogniser.isHoldDue(by: at(1499)))
    #expect(recogniser.isHoldDue(by: at(1500)))
    _ = recogniser.elapse(to: at(1500))
    #expect(!recogniser.isHoldDue(by: at(5999)))
    #expect(recogniser.isHoldDue(by: at(6000)))
    _ = recogniser.handle(LineEdge(isActive: false, time: at(5999)))
    #expect(!recogniser.isHoldDue(by: at(9000)))
    _ = recogniser.handle(LineEdge(isActive: true, time: at(9000)))
    _ = recogniser.handle(LineEdge(isActive: false, time: at(9100)))
    #expect(!recogniser.isHoldDue(by: at(9999)))
  }

  @Test("edges that repeat a level change nothing, in any phase")
  func repeatedEdges() {
    for edges in [
      [10, 110], [10, 110, 300, 400], [10, 1600], [10, 6500], [10, 110, 300, 2000],
    ]
      as [[Int64]]
    {
      var once = GestureRecogniser(isHeldAtStart: false)
      var thrice = GestureRecogniser(isHeldAtStart: false)
      var expected: [RecorderInput] = []
      var events: [RecorderInput] = []
      for (index, edge) in edges.enumerated() {
        let isPressed = index % 2 == 0
        expected += once.handle(LineEdge(isActive: isPressed, time: at(edge)))
        for delay in [0, 1, 7] as [Int64] {
          events += thrice.handle(LineEdge(isActive: isPressed, time: at(edge + delay)))
        }
      }
      #expect(events == expected)
      #expect(thrice.deadline == once.deadline)
    }
  }

  @Test(
    "stamps that run backwards or lie at the clock's ends never trap and never double a press")
  func oddStamps() {
    let stamps: [Int64] = [.min, -1, 0, 1_500_000_000, .max - 1, .max]
    for first in stamps {
      for second in stamps {
        for third in stamps {
          var recogniser = GestureRecogniser(isHeldAtStart: false)
          var events: [RecorderInput] = []
          for (isPressed, stamp) in [(true, first), (false, second), (true, third), (false, first)]
          {
            let time = MonotonicTime(nanoseconds: stamp)
            events += recogniser.handle(LineEdge(isActive: isPressed, time: time))
            events += recogniser.elapse(to: MonotonicTime(nanoseconds: third))
          }
          #expect(Presses(events).total == 2, "\(first) \(second) \(third)")
        }
      }
    }
  }

  @Test("in random trains of presses no press is lost or doubled")
  func randomTrains() {
    let seed = UInt64.random(in: 0 ... .max)
    print("seed of the trains: \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      let train = PressTrain(&generator)
      let events = train.play(&generator)
      #expect(events == train.expected, "seed \(seed), train \(train.edges)")
      #expect(Presses(events).total == train.edges.count / 2)
    }
  }
}

extension [RecorderInput] {
  /// The events without those of a button going down.
  var gestures: [RecorderInput] {
    filter { if case .buttonDown = $0 { false } else { true } }
  }
}

/// How many presses of the button the gestures consist of.
struct Presses {
  var total = 0

  init(_ gestures: [RecorderInput]) {
    for gesture in gestures {
      switch gesture {
      // A double press was reported as a press before.
      case .press, .double, .long, .veryLong: total += 1
      default: break
      }
    }
  }
}
