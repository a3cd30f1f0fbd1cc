// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("The service's states")
struct RecorderMachineTests {
  @Test("every event in every state has the effects of the table, or none that the table lacks")
  func everyField() {
    for state in RecorderMachine.State.allCases {
      for (event, _) in Notation.events {
        var machine = StateTable.machine(in: state.rawValue)
        #expect(machine.state == state)
        let step = machine.step(event)
        #expect(step == StateTable.steps[state.rawValue]?[event] ?? "·", "\(event) in \(state)")
      }
    }
    #expect(StateTable.steps.count == RecorderMachine.State.allCases.count)
  }

  @Test("a service that samples while idle wakes the sensor at its start")
  func begin() {
    var machine = RecorderMachine(samplesWhileIdle: true)
    #expect(machine.state == .asleep)
    play(&machine, [("begin", "→ waking: wake"), ("sensorReady", "→ armed")])
  }

  @Test(
    "without sampling while idle, a recording wakes the sensor first and lets it sleep afterwards")
  func fromSleepToSleep() {
    var machine = StateTable.machine(in: "asleep")
    play(
      &machine,
      [
        ("press 5", "→ waking: wake"), ("single 4", "·"), ("sensorReady", "→ starting: begin 5"),
        ("firstSample", "→ recording"), ("limitReached", "→ saving: end now completed"),
        ("saved", "→ asleep: sleep"),
      ])
  }

  @Test(
    "a double press whose first one began the recording ends and marks nothing, before and after its first sample"
  )
  func doubleThatStarted() {
    var machine = StateTable.machine(in: "armed")
    play(
      &machine,
      [
        ("press 5", "→ starting: begin 5"), ("down 5", "hold 5"), ("double 4", "release"),
        ("firstSample", "→ recording"), ("down 5", "hold 5"), ("double 4", "release"),
      ])
  }

  @Test(
    "a second press while the first sample is awaited marks, and the recording continues as it was")
  func markBeforeFirstSample() {
    var machine = StateTable.machine(in: "starting")
    play(
      &machine,
      [
        ("press 5", "→ stopping: hold 5"), ("double 4", "→ starting: mark 4, release"),
        ("press 5", "→ stopping: hold 5"), ("firstSample", "·"),
        ("double 4", "→ recording: mark 4, release"),
      ])
  }

  @Test("a long press in a recording begins the next one with its stamp when the discard is done")
  func discard() {
    for answer in ["saved", "savedNothing"] {
      for event in ["long 5", "discard 5"] {
        var machine = StateTable.machine(in: "recording")
        play(&machine, [(event, "→ saving: discard 5"), (answer, "→ starting: begin 5")])
        #expect(machine.waitingStart == nil)
      }
    }
  }

  @Test(
    "a press while a recording is saved begins the next with its stamp; the first of several counts"
  )
  func pressWhileSaving() {
    var machine = StateTable.machine(in: "saving")
    play(&machine, [("press 5", "·")])
    #expect(machine.handle(.press(at: Notation.time(9))).isEmpty)
    play(&machine, [("start 5", "refuse"), ("saved", "→ starting: begin 5")])
  }

  @Test(
    "a press while the sensor is brought up begins a recording with its stamp; the first of several counts"
  )
  func pressWhileWaking() {
    var machine = StateTable.machine(in: "waking")
    play(&machine, [("press 5", "·")])
    #expect(machine.handle(.press(at: Notation.time(9))).isEmpty)
    play(&machine, [("start 5", "refuse"), ("sensorReady", "→ starting: begin 5")])
  }

  @Test("a stop cancels a start that waits")
  func stopWaitingStart() {
    var saving = StateTable.machine(in: "saving")
    play(&saving, [("start 5", "·"), ("stop 5", "·"), ("saved", "→ armed")])
    var waking = StateTable.machine(in: "waking")
    play(&waking, [("start 5", "·"), ("stop 5", "·"), ("sensorReady", "→ armed")])
    var asleep = StateTable.machine(in: "asleep")
    play(&asleep, [("start 5", "→ waking: wake"), ("stop 5", "→ asleep: sleep")])
  }

  @Test("a press meant to end a recording that has just reached its length begins no other")
  func pressBeforeLimit() {
    for state in ["saving", "armed", "waking"] {
      for (stamp, isLate) in [(2, true), (3, true), (4, false)] as [(Int64, Bool)] {
        var machine = StateTable.machine(in: "recording")
        play(&machine, [("limitReached", "→ saving: end now completed")])
        if state != "saving" { play(&machine, [("saved", "→ armed")]) }
        if state == "waking" { play(&machine, [("sensorFailed", "→ waking: retry")]) }
        let effects = machine.handle(.press(at: Notation.time(stamp)))
        #expect(
          effects.contains { Notation.word($0) == "refuse" } == isLate, "\(stamp) in \(state)")
        #expect((machine.waitingStart?.at ?? Notation.time(stamp)) == Notation.time(stamp))
        var other = StateTable.machine(in: "recording")
        play(&other, [("limitReached", "→ saving: end now completed"), ("saved", "→ armed")])
        let kept = other.handle(.long(at: Notation.time(stamp))).map(Notation.word)
        #expect(kept == [isLate ? "refuse" : "keep \(stamp)"])
      }
    }
  }

  @Test("signals and very long presses end the service after the current recording, and once")
  func ending() {
    for event in ["terminate", "veryLong 5"] {
      var machine = StateTable.machine(in: "saving")
      play(
        &machine,
        [
          ("press 5", "·"), (event, "→ ending"), (event, "·"), ("saved", "→ ended: sleep, exit"),
          (event, "·"), ("saved", "·"),
        ])
      #expect(machine.waitingStart == nil)
    }
  }
}
