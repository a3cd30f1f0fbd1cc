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

  @Test(
    "a double press whose first one began the recording ends and marks nothing, before and after its first sample"
  )
  func doubleThatStarted() {
    StateTable.machine(in: "armed").after([
      ("press 5", "→ starting: begin 5"), ("down 5", "hold 5"), ("double 4", "release"),
      ("firstSample", "→ recording"), ("down 5", "hold 5"), ("double 4", "release"),
    ])
  }

  @Test(
    "a second press while the first sample is awaited marks, and the recording continues as it was")
  func markBeforeFirstSample() {
    StateTable.machine(in: "starting").after([
      ("press 5", "→ stopping: hold 5"), ("double 4", "→ starting: mark 4, release"),
      ("press 5", "→ stopping: hold 5"), ("firstSample", "·"),
      ("double 4", "→ recording: mark 4, release"),
    ])
  }

  @Test("a long press in a recording begins the next one with its stamp when the discard is done")
  func discard() {
    for answer in ["saved", "savedNothing"] {
      for event in ["long 5", "discard 5"] {
        let machine = StateTable.machine(in: "recording").after([
          (event, "→ saving: discard 5"), (answer, "→ starting: begin 5"),
        ])
        #expect(machine.waitingStart == nil)
      }
    }
  }

  @Test(
    "a press while a recording is saved or the sensor is brought up begins the next with its stamp; the first of several counts",
    arguments: [("saving", "saved"), ("waking", "sensorReady")])
  func pressWhileBusy(state: String, answer: String) {
    StateTable.machine(in: state).after([
      ("press 5", "·"), ("press 9", "·"), ("start 5", "refuse"), (answer, "→ starting: begin 5"),
    ])
  }

  @Test("a stop cancels a start that waits")
  func stopWaitingStart() {
    for (state, answer) in [("saving", "saved"), ("waking", "sensorReady")] {
      StateTable.machine(in: state).after([
        ("start 5", "·"), ("stop 5", "·"), (answer, "→ armed"),
      ])
    }
    StateTable.machine(in: "asleep").after([
      ("start 5", "→ waking: wake"), ("stop 5", "→ asleep: sleep"),
    ])
  }

  @Test("a press meant to end a recording that has just reached its length begins no other")
  func pressBeforeLimit() {
    let end = [("limitReached", "→ saving: end now completed")]
    for state in ["saving", "armed", "waking"] {
      for (stamp, isLate) in [(2, true), (3, true), (4, false)] as [(Int64, Bool)] {
        let time = Notation.time(stamp)
        var machine = StateTable.machine(in: "recording").after(end)
        if state != "saving" { machine.play([("saved", "→ armed")]) }
        if state == "waking" { machine.play([("sensorFailed", "→ waking: retry")]) }
        let isRefused = machine.words(.press(at: time)).contains("refuse")
        #expect(isRefused == isLate, "\(stamp) in \(state)")
        #expect((machine.waitingStart?.at ?? time) == time)
        var other = StateTable.machine(in: "recording").after(end + [("saved", "→ armed")])
        #expect(other.words(.long(at: time)) == [isLate ? "refuse" : "keep \(stamp)"])
      }
    }
  }

  @Test("signals and very long presses end the service after the current recording, and once")
  func ending() {
    for event in ["terminate", "veryLong 5"] {
      let machine = StateTable.machine(in: "saving").after([
        ("press 5", "·"), (event, "→ ending"), (event, "·"), ("saved", "→ ended: sleep, exit"),
        (event, "·"), ("saved", "·"),
      ])
      #expect(machine.waitingStart == nil)
    }
  }
}
