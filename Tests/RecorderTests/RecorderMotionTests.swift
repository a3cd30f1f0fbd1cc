// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("The service's states and recordings that begin without a person")
struct RecorderMotionTests {
  private static let begun = ("triggered 5", "→ starting: begin 5 tick 50, mark 5 g")
  private static let over = ("quiet 5", "→ saving: end 5 completed")

  @Test(
    "motion begins a recording with its first tick and its mark, and the end of the motion ends it")
  func motion() {
    StateTable.machine(in: "armed").after([
      Self.begun, ("firstSample", "→ recording"), Self.over, ("saved", "→ armed"), ("quiet 5", "·"),
    ])
  }

  @Test("motion marks a person's recording and does not end it; a person ends that of motion")
  func motionAndPeople() {
    StateTable.machine(in: "recording").after([
      ("triggered 5", "mark 5 g"), ("quiet 5", "·"), ("stop 5", "→ saving: end 5 button"),
      ("saved", "→ armed"), Self.begun, ("press 9", "→ stopping: hold 9"),
      ("single 4", "→ saving: end 9 button"),
    ])
    StateTable.machine(in: "armed").after([
      Self.begun, ("press 9", "→ stopping: hold 9"), Self.over, ("double 4", "·"),
      ("saved", "→ armed"),
    ])
  }

  @Test("motion while a recording is saved begins the next, also when it is over before that")
  func motionWhileSaving() {
    let saving = StateTable.machine(in: "saving").after([("triggered 5", "·"), ("quiet 5", "·")])
    saving.after([
      ("saved", "begin 5 tick 50, mark 5 g, end 5 completed"), ("saved", "→ armed"),
    ])
    saving.after([
      ("triggered 5", "·"), ("saved", "→ starting: begin 5 tick 50, mark 5 g, mark 5 g"),
    ])
    saving.after([
      ("press 9", "·"), ("quiet 5", "·"),
      ("saved", "→ starting: begin 5 tick 50, take over, mark 5 g"), ("quiet 5", "·"),
      ("start 5", "refuse"),
    ])
  }

  @Test(
    "marks while a start waits are in its recording: of motion, of requests and of double presses")
  func marksOfWaitingStart() {
    for (state, answer) in [("saving", "saved"), ("waking", "sensorReady")] {
      var machine = StateTable.machine(in: state).after([
        ("press 5", "·"), ("single 4", "·"), ("mark 5", "·"),
      ])
      #expect(machine.handle(.press(at: Notation.time(8))).isEmpty)
      #expect(machine.handle(.double(at: Notation.time(8))).isEmpty)
      if state == "saving" { machine.play([("triggered 5", "·"), ("quiet 5", "·")]) }
      let events = state == "saving" ? "mark 5 g, " : ""
      machine.play([(answer, "→ starting: begin 5, \(events)mark 5 x, mark 8")])
      // Once.
      machine.play([("stop 5", "→ saving: end 5 button"), ("start 5", "·")])
      machine.play([("saved", "→ starting: begin 5")])
    }
    // A start that is cancelled takes its marks with it.
    StateTable.machine(in: "saving").after([
      ("start 5", "·"), ("mark 5", "·"), ("stop 5", "·"), ("mark 5", "refuse"),
      ("saved", "→ armed"), ("start 5", "→ starting: begin 5"),
    ])
    // The second press comes when the recording has begun.
    var late = StateTable.machine(in: "waking")
    _ = late.handle(.start(at: Notation.time(3)))
    late.play([
      ("press 5", "·"), ("sensorReady", "→ starting: begin 3"), ("double 4", "mark 4, release"),
    ])
  }

  @Test("motion that waits is forgotten with the sensor that saw it")
  func motionAndLostSensor() {
    StateTable.machine(in: "saving").after([
      ("triggered 5", "·"), ("sensorFailed", "report"), ("triggered 5", "report"),
      ("saved", "→ waking: sleep, wake"), ("sensorReady", "→ armed"),
    ])
  }

  @Test(
    "a press that shook the device takes the recording over that the shake began, and neither ends nor discards it"
  )
  func shake() {
    let armed = StateTable.machine(in: "armed")
    // Its first sample came before the press was understood, or not yet.
    for first in [[], [("firstSample", "→ recording")]] {
      for (gesture, step, after) in [
        ("press 5", "take over", [("single 4", "·")]),
        ("press 5", "take over", [("double 4", "release")]), ("long 5", "take over, refuse", []),
        ("forgotten 5", "release", []),
      ] as [(String, String, [(String, String)])] {
        var machine = armed.after([Self.begun] + first)
        machine.play([("down 5", "·"), (gesture, step)] + after)
        guard gesture != "forgotten 5" else { continue }
        machine.play([("quiet 5", "·")] + (first.isEmpty ? [("firstSample", "→ recording")] : []))
        machine.play([("press 9", "→ stopping: hold 9"), ("single 4", "→ saving: end 9 button")])
      }
    }
    // A moment later the press is an end.
    for (nanoseconds, isEnd) in [(0, false), (1, true)] as [(Int64, Bool)] {
      var machine = armed.after([Self.begun])
      _ = machine.handle(.press(at: Notation.time(7) + nanoseconds))
      #expect((machine.state == .stopping) == isEnd)
    }
  }

  @Test("a press that shook the device begins the next recording when that of the shake is over")
  func shakeThatIsOver() {
    let over = StateTable.machine(in: "armed").after([Self.begun, Self.over])
    over.after([("saved", "→ armed"), ("press 5", "→ starting: begin 5")])
    over.after([("press 5", "·"), ("saved", "→ starting: begin 5")])
  }

  @Test("a press meant to end a recording whose motion was over by then begins no other")
  func pressBeforeQuiet() {
    for state in ["saving", "armed"] {
      for (stamp, isLate) in [(8, true), (20, true), (21, false)] as [(Int64, Bool)] {
        for isLong in [false, true] {
          let time = Notation.time(stamp)
          var machine = StateTable.machine(in: "armed").after([Self.begun])
          _ = machine.handle(.buttonDown(at: time))
          _ = machine.handle(.quiet(at: Notation.time(20)))
          if state == "armed" { machine.play([("saved", "→ armed")]) }
          let words = machine.words(isLong ? .long(at: time) : .press(at: time))
          let isKeptOff = isLong && state == "saving"
          #expect((words == ["refuse"]) == (isLate || isKeptOff), "\(stamp) in \(state)")
          #expect((machine.waitingStart == nil) == (isLate || isLong || state == "armed"))
        }
      }
    }
  }

  @Test("a press before a recording of the duty cycle does not end that recording")
  func pressAndTurn() {
    var machine = StateTable.machine(in: "asleep")
    _ = machine.handle(.start(at: Notation.time(6), by: .duty))
    machine.play([
      ("sensorReady", "→ starting: begin 6"), ("firstSample", "→ recording"), ("down 5", "·"),
      ("press 5", "take over"), ("single 4", "·"), ("press 9", "→ stopping: hold 9"),
      ("single 4", "→ saving: end 9 button"), ("saved", "→ asleep: sleep"),
      // A person's press between two turns, and a turn that falls into its recording.
      ("press 5", "→ waking: wake"),
    ])
    #expect(machine.words(.start(at: Notation.time(6), by: .duty)) == ["refuse"])
    machine.play([("sensorReady", "→ starting: begin 5")])
  }
}
