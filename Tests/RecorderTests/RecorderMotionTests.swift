// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("The service's states and recordings that begin without a person")
struct RecorderMotionTests {
  @Test(
    "motion begins a recording with its first tick and its mark, and the end of the motion ends it")
  func motion() {
    var machine = StateTable.machine(in: "armed")
    play(
      &machine,
      [
        ("triggered 5", "→ starting: begin 5 tick 50, mark 5 g"), ("firstSample", "→ recording"),
        ("quiet 5", "→ saving: end 5 completed"), ("saved", "→ armed"), ("quiet 5", "·"),
      ])
    var early = StateTable.machine(in: "armed")
    play(
      &early,
      [
        ("triggered 5", "→ starting: begin 5 tick 50, mark 5 g"),
        ("quiet 5", "→ saving: end 5 completed"), ("saved", "→ armed"),
      ])
  }

  @Test("motion marks a person's recording and does not end it; a person ends that of motion")
  func motionAndPeople() {
    var machine = StateTable.machine(in: "recording")
    play(
      &machine,
      [
        ("triggered 5", "mark 5 g"), ("quiet 5", "·"), ("stop 5", "→ saving: end 5 button"),
        ("saved", "→ armed"), ("triggered 5", "→ starting: begin 5 tick 50, mark 5 g"),
        ("press 9", "→ stopping: hold 9"), ("single 4", "→ saving: end 9 button"),
      ])
    var open = StateTable.machine(in: "armed")
    play(
      &open,
      [
        ("triggered 5", "→ starting: begin 5 tick 50, mark 5 g"), ("press 9", "→ stopping: hold 9"),
        ("quiet 5", "→ saving: end 5 completed"), ("double 4", "·"), ("saved", "→ armed"),
      ])
  }

  @Test("motion while a recording is saved begins the next, also when it is over before that")
  func motionWhileSaving() {
    var machine = StateTable.machine(in: "saving")
    play(
      &machine,
      [
        ("triggered 5", "·"), ("quiet 5", "·"),
        ("saved", "begin 5 tick 50, mark 5 g, end 5 completed"), ("saved", "→ armed"),
      ])
    var twice = StateTable.machine(in: "saving")
    play(
      &twice,
      [
        ("triggered 5", "·"), ("quiet 5", "·"), ("triggered 5", "·"),
        ("saved", "→ starting: begin 5 tick 50, mark 5 g, mark 5 g"),
      ])
    var pressed = StateTable.machine(in: "saving")
    play(
      &pressed,
      [
        ("triggered 5", "·"), ("quiet 5", "·"), ("press 9", "·"), ("quiet 5", "·"),
        ("saved", "→ starting: begin 5 tick 50, take over, mark 5 g"), ("quiet 5", "·"),
        ("start 5", "refuse"),
      ])
  }

  @Test(
    "marks while a start waits are in its recording: of motion, of requests and of double presses")
  func marksOfWaitingStart() {
    for (state, answer) in [("saving", "saved"), ("waking", "sensorReady")] {
      var machine = StateTable.machine(in: state)
      play(&machine, [("press 5", "·"), ("single 4", "·"), ("mark 5", "·")])
      #expect(machine.handle(.press(at: Notation.time(8))).isEmpty)
      #expect(machine.handle(.double(at: Notation.time(8))).isEmpty)
      if state == "saving" { play(&machine, [("triggered 5", "·"), ("quiet 5", "·")]) }
      let events = state == "saving" ? "mark 5 g, " : ""
      play(&machine, [(answer, "→ starting: begin 5, \(events)mark 5 x, mark 8")])
      // Once.
      play(&machine, [("stop 5", "→ saving: end 5 button"), ("start 5", "·")])
      play(&machine, [("saved", "→ starting: begin 5")])
    }
    // A start that is cancelled takes its marks with it.
    var stopped = StateTable.machine(in: "saving")
    play(
      &stopped,
      [
        ("start 5", "·"), ("mark 5", "·"), ("stop 5", "·"), ("mark 5", "refuse"),
        ("saved", "→ armed"),
        ("start 5", "→ starting: begin 5"),
      ])
    // The second press comes when the recording has begun.
    var late = StateTable.machine(in: "waking")
    _ = late.handle(.start(at: Notation.time(3)))
    play(
      &late,
      [("press 5", "·"), ("sensorReady", "→ starting: begin 3"), ("double 4", "mark 4, release")])
  }

  @Test("motion that waits is forgotten with the sensor that saw it")
  func motionAndLostSensor() {
    var machine = StateTable.machine(in: "saving")
    play(
      &machine,
      [
        ("triggered 5", "·"), ("sensorFailed", "report"), ("triggered 5", "report"),
        ("saved", "→ waking: sleep, wake"),
        ("sensorReady", "→ armed"),
      ])
  }

  @Test(
    "a press that shook the device takes the recording over that the shake began, and neither ends nor discards it"
  )
  func shake() {
    let begun = [("triggered 5", "→ starting: begin 5 tick 50, mark 5 g")]
    // Its first sample came before the press was understood, or not yet.
    for first in [[], [("firstSample", "→ recording")]] {
      for (gesture, after) in [
        ("press 5", [("single 4", "·")]), ("press 5", [("double 4", "release")]), ("long 5", []),
        ("forgotten 5", []),
      ] {
        var machine = StateTable.machine(in: "armed")
        play(&machine, begun + first + [("down 5", "·")])
        let isLong = gesture == "long 5"
        let step = gesture == "forgotten 5" ? "release" : "take over"
        play(&machine, [(gesture, step + (isLong ? ", refuse" : ""))] + after)
        guard gesture != "forgotten 5" else { continue }
        play(&machine, [("quiet 5", "·")] + (first.isEmpty ? [("firstSample", "→ recording")] : []))
        play(&machine, [("press 9", "→ stopping: hold 9"), ("single 4", "→ saving: end 9 button")])
      }
    }
    // A moment later the press is an end.
    for (nanoseconds, isEnd) in [(0, false), (1, true)] as [(Int64, Bool)] {
      var machine = StateTable.machine(in: "armed")
      play(&machine, begun)
      _ = machine.handle(.press(at: Notation.time(7) + nanoseconds))
      #expect((machine.state == .stopping) == isEnd)
    }
  }

  @Test("a press that shook the device begins the next recording when that of the shake is over")
  func shakeThatIsOver() {
    for state in ["saving", "armed"] {
      var machine = StateTable.machine(in: "armed")
      play(
        &machine,
        [
          ("triggered 5", "→ starting: begin 5 tick 50, mark 5 g"),
          ("quiet 5", "→ saving: end 5 completed"),
        ])
      if state == "armed" {
        play(&machine, [("saved", "→ armed"), ("press 5", "→ starting: begin 5")])
      } else {
        play(&machine, [("press 5", "·"), ("saved", "→ starting: begin 5")])
      }
    }
  }

  @Test("a press meant to end a recording whose motion was over by then begins no other")
  func pressBeforeQuiet() {
    for state in ["saving", "armed"] {
      for (stamp, isLate) in [(8, true), (20, true), (21, false)] as [(Int64, Bool)] {
        for isLong in [false, true] {
          var machine = StateTable.machine(in: "armed")
          play(&machine, [("triggered 5", "→ starting: begin 5 tick 50, mark 5 g")])
          _ = machine.handle(.buttonDown(at: Notation.time(stamp)))
          _ = machine.handle(.quiet(at: Notation.time(20)))
          if state == "armed" { play(&machine, [("saved", "→ armed")]) }
          let time = Notation.time(stamp)
          let effects = machine.handle(isLong ? .long(at: time) : .press(at: time))
            .map(Notation.word)
          let isKeptOff = isLong && state == "saving"
          #expect((effects == ["refuse"]) == (isLate || isKeptOff), "\(stamp) in \(state)")
          #expect((machine.waitingStart == nil) == (isLate || isLong || state == "armed"))
        }
      }
    }
  }

  @Test("a press before a recording of the duty cycle does not end that recording")
  func pressAndTurn() {
    var machine = StateTable.machine(in: "asleep")
    _ = machine.handle(.start(at: Notation.time(6), by: .duty))
    play(
      &machine,
      [
        ("sensorReady", "→ starting: begin 6"), ("firstSample", "→ recording"), ("down 5", "·"),
        ("press 5", "take over"), ("single 4", "·"), ("press 9", "→ stopping: hold 9"),
        ("single 4", "→ saving: end 9 button"), ("saved", "→ asleep: sleep"),
      ])
    // A person's press between two turns, and a turn that falls into its recording.
    play(&machine, [("press 5", "→ waking: wake")])
    #expect(
      machine.handle(.start(at: Notation.time(6), by: .duty)).map(Notation.word) == ["refuse"])
    play(&machine, [("sensorReady", "→ starting: begin 5")])
  }
}
