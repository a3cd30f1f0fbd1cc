// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Testing

@testable import Recorder

@Suite("A press whose meaning is open when its recording ends otherwise", .excludesProgramStarts)
struct OpenPressTests {
  private static let ends = [
    ("stop 5", "→ saving: mark 4, end 5 button"),
    ("sensorFailed", "→ saving: mark 4, end now sensorLost"),
    ("storageEnded", "→ saving: mark 4, end now storageError"),
    ("discard 5", "→ saving: mark 4, discard 5"), ("terminate", "→ ending: mark 4, end now signal"),
  ]

  /// A recording in which the button went down at 4, and perhaps up again.
  private func pressed(isReleased: Bool) -> RecorderMachine {
    var machine = StateTable.machine(in: "recording")
    #expect(machine.words(.buttonDown(at: Notation.time(4))) == ["hold 4"])
    if isReleased { _ = machine.handle(.press(at: Notation.time(4))) }
    return machine
  }

  @Test(
    "is a mark of that recording once, and neither a mark nor the beginning nor the end of another")
  func mark() {
    for (event, step) in Self.ends {
      for isReleased in [true, false] {
        for gesture in ["double 4", "single 4"] {
          var machine = pressed(isReleased: isReleased).after([(event, step)])
          if event == "storageEnded" || event == "stop 5" { machine.play([("start 5", "·")]) }
          if !isReleased, event != "terminate" {
            #expect(machine.words(.press(at: Notation.time(4))) == ["refuse"], "\(event)")
          }
          // The gesture is known before the recording is saved, or in the next one.
          var late = machine
          machine.play([(gesture, "·")])
          _ = machine.handle(.saved)
          #expect(machine.waiting == nil)
          _ = late.handle(.saved)
          let marks = late.words(Notation.event(gesture)).filter { $0 != "release" }
          #expect(marks == [], "\(gesture) after \(event)")
          #expect(late.state != .stopping && !late.isGuided)
        }
      }
    }
  }

  @Test("is a mark also where the motion or the length ends the recording after it")
  func ownEnd() {
    for isReleased in [true, false] {
      var motion = StateTable.machine(in: "armed")
      _ = motion.handle(.triggered(at: Notation.time(1), tick: 10, label: "g"))
      _ = motion.handle(.buttonDown(at: Notation.time(4)))
      if isReleased { _ = motion.handle(.press(at: Notation.time(4))) }
      motion.play([("quiet 5", "→ saving: mark 4, end 5 completed")])
      var length = pressed(isReleased: isReleased)
      #expect(length.words(.limitReached(at: Notation.time(4))) == ["mark 4", "end now completed"])
      for var machine in [motion, length] {
        if !isReleased {
          #expect(machine.words(.press(at: Notation.time(4))) == ["refuse"])
        }
        machine.play([("double 4", "·"), ("saved", "→ armed"), ("press 9", "→ starting: begin 9")])
      }
    }
  }

  @Test("and that follows the recording's own end marks nothing, which is said for two presses")
  func afterOwnEnd() {
    let end = [("limitReached", "→ saving: end now completed")]
    for state in ["saving", "armed", "starting"] {
      for gesture in ["single 4", "double 4"] {
        var machine = pressed(isReleased: true).after(end)
        if state == "starting" { machine.play([("start 5", "·")]) }
        if state != "saving" { _ = machine.handle(.saved) }
        #expect(machine.state.rawValue == state)
        let words = machine.words(Notation.event(gesture))
        #expect(words.contains("refuse") == (gesture == "double 4"), "\(gesture) in \(state)")
        #expect(!words.contains { $0.hasPrefix("mark") })
      }
    }
    // A button that is down when the recording ends before that, begins the next one.
    var machine = pressed(isReleased: false).after(end + [("saved", "→ armed")])
    #expect(machine.words(.press(at: Notation.time(4))) == ["begin 4"])
  }

  @Test(
    "a press from before the request that waits takes its recording over, and two begin a calibration as at other times"
  )
  func pressBeforeRequest() {
    let time = Notation.time(7)
    for (state, answer) in [("saving", "saved"), ("waking", "sensorReady")] {
      for isDouble in [true, false] {
        var machine = StateTable.machine(in: state)
        _ = machine.handle(.start(at: Notation.time(8)))
        #expect(machine.handle(.press(at: time)).isEmpty)
        #expect(machine.handle(isDouble ? .double(at: time) : .single(at: time)).isEmpty)
        machine.play([(answer, "→ starting: begin 7, take over")])
        #expect(machine.isGuided == isDouble)
      }
      // The first of several.
      var other = StateTable.machine(in: state)
      _ = other.handle(.press(at: Notation.time(8)))
      #expect(other.handle(.press(at: time)).isEmpty)
      other.play([(answer, "→ starting: begin 8")])
    }
  }

  @Test("the marks of a start that a person took over stay when the sensor is lost")
  func marksStay() {
    StateTable.machine(in: "saving").after([
      ("triggered 5", "·"), ("press 9", "·"), ("mark 5", "·"), ("sensorFailed", "report"),
      ("saved", "→ waking: sleep, wake"), ("sensorReady", "→ starting: begin 9, mark 5 x"),
    ])
  }

  @Test("an event whose recording a stop or the service's end calls off is reported")
  func eventCalledOff() {
    for (event, step) in [("stop 5", "report"), ("terminate", "→ ending: report")] {
      let machine = StateTable.machine(in: "saving").after([("triggered 5", "·"), (event, step)])
      #expect(machine.waitingStart == nil)
    }
  }

  @Test(
    "is in the log that a lost sensor ends, with an event that waits for the meaning of the press",
    arguments: [10.06, 10.15, 10.25])
  func lostSensor(at failure: Double) throws {
    var recorder = MotionRecorder(spikes: [1004: 5000])
    (recorder.presses, recorder.samplesWhileIdle) = ([3.005, 10, 10.2], false)
    var isLost = false
    let (takes, warnings) = try recorder.run { loop in
      guard !isLost, let sensor = loop.sensor,
        loop.status().state == .recording || loop.status().state == .stopping,
        Double(loop.clock.now() - sensor.schedule.start) / 1e9 >= failure
      else { return }
      isLost = true
      loop.handle(
        RecorderNews.sensor(
          .failed(CommandFailure(.unavailable, "the wire is cut")), session: loop.waking.session))
    }
    #expect(warnings == ["the wire is cut"])
    let take = try #require(takes.first)
    #expect(takes.count == 1)
    #expect(take.end.reason == .sensorLost)
    #expect(take.markedTicks.sorted() == [1000, 1004])
    #expect(take.ticks.lowerBound == 251)
    #expect(abs(Double(take.ticks.upperBound) - failure * 100) < 4)
  }
}
