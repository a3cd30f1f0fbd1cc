// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

@Suite("The service's problems and its light")
struct RecorderProblemTests {
  /// The sentences of an event's refusals.
  private func refusals(_ machine: inout RecorderMachine, _ event: String) -> [String] {
    machine.handle(Notation.event(event)).compactMap { effect in
      if case .refuse(let sentence, _) = effect { return sentence }
      return nil
    }
  }

  @Test("a sensor that is not found is tried again, and is no problem once it is there")
  func sensorRetried() {
    var machine = StateTable.machine(in: "waking").after([("sensorFailed", "retry")])
    #expect(machine.problem == .sensor)
    machine.play([
      ("retry", "wake"), ("retry", "·"), ("sensorFailed", "retry"), ("retry", "wake"),
      ("sensorReady", "→ armed"),
    ])
    #expect(machine.problem == nil)
  }

  @Test(
    "a start is refused while the sensor is missing; a press waits for the retry and is refused with it"
  )
  func startWithoutSensor() {
    var machine = RecorderMachine(through: ["begin", "sensorFailed"])
    let atOnce = refusals(&machine, "start 5")
    #expect(
      atOnce == [
        "no recording can begin: the sensor cannot be used; it is tried again every 2 s; "
          + "see imulog status"
      ])
    machine.play([("press 5", "·"), ("retry", "wake")])
    let late = refusals(&machine, "sensorFailed")
    #expect(late == ["the recording could not begin: the sensor cannot be used"])
    #expect(machine.waitingStart == nil)
  }

  @Test(
    "without sampling while idle a missing sensor is tried at the next press and not by a timer")
  func sensorMissingAsleep() {
    var machine = StateTable.machine(in: "asleep").after([
      ("press 5", "→ waking: wake"), ("sensorFailed", "→ asleep: refuse"),
    ])
    #expect(machine.problem == .sensor && machine.light == .problem(.sensor))
    machine.play([("press 5", "→ waking: wake"), ("sensorReady", "→ starting: begin 5")])
    #expect(machine.problem == nil)
  }

  @Test(
    "a sensor without samples is reported as a problem until it answers, and recordings still begin"
  )
  func silentSensor() {
    var machine = StateTable.machine(in: "armed").after([("sensorSilent", "·")])
    #expect(machine.presentProblem == .sensor && machine.light == .problem(.sensor))
    machine.play([("sensorAnswers", "·")])
    #expect(machine.presentProblem == nil && machine.light == .armed)
    machine.play([
      ("sensorSilent", "·"), ("press 5", "→ starting: begin 5"), ("firstSample", "→ recording"),
    ])
    #expect(machine.light == .recording && machine.presentProblem == .sensor)
    // A sleeping sensor is not polled, and a woken one is assumed to answer.
    var idle = RecorderMachine(
      samplesWhileIdle: false,
      through: ["begin", "press 5", "sensorReady", "sensorSilent", "stop 5", "saved"])
    #expect(idle.state == .asleep && idle.presentProblem == nil)
    idle.play([("start 5", "→ waking: wake"), ("sensorReady", "→ starting: begin 5")])
    #expect(idle.presentProblem == nil)
  }

  @Test("a storage's problem is reported before that of a silent sensor")
  func silentSensorAndStorage() {
    let machine = StateTable.machine(in: "recording").after([
      ("sensorSilent", "·"), ("storageEnded", "→ saving: end now storageError"),
      ("saved", "→ armed"),
    ])
    #expect(machine.presentProblem == .storage)
  }

  @Test("a sensor lost in a recording is woken when the recording is saved")
  func sensorLostInRecording() {
    for state in ["starting", "recording", "stopping"] {
      let mark = state == "stopping" ? "mark 4, " : ""
      var machine = StateTable.machine(in: state).after([
        ("sensorFailed", "→ saving: \(mark)end now sensorLost"), ("saved", "→ waking: sleep, wake"),
      ])
      #expect(machine.problem == .sensor)
      machine.play([("sensorReady", "→ armed")])
      #expect(machine.problem == nil)
    }
    StateTable.machine(in: "saving").after([
      ("sensorFailed", "·"), ("press 5", "·"), ("saved", "→ waking: sleep, wake"),
      ("sensorReady", "→ starting: begin 5"),
    ])
    StateTable.machine(in: "ending").after([
      ("sensorFailed", "·"), ("saved", "→ ended: sleep, exit"),
    ])
  }

  @Test(
    "a failure of the storage stays after its recording is saved, until the next recording begins"
  )
  func storageFailure() {
    for problem in [Problem.storage, .storageFull] {
      let reason: StopReason = problem == .storage ? .storageError : .storageFull
      for state in ["starting", "recording", "stopping"] {
        var machine = StateTable.machine(in: state)
        let mark = state == "stopping" ? ["mark 4"] : []
        #expect(machine.words(.storageEnded(problem)) == mark + ["end now \(reason.name)"])
        machine.play([("saved", "→ armed"), ("press 5", "→ starting: begin 5")])
        #expect(machine.problem == problem)
        machine.play([("firstSample", "→ recording")])
        #expect(machine.problem == nil)
      }
    }
  }

  @Test("a history that is kept clears a problem of the storage, and one that fails sets it")
  func keptHistory() {
    var machine = StateTable.machine(in: "armed")
    for answer in ["fileRefused", "savedNothing", "saved"] {
      machine.play([("keep 5", "→ saving: keep 5"), (answer, "→ armed")])
      #expect(machine.problem == (answer == "saved" ? nil : .storageFull))
    }
  }

  @Test("a failure while the end is saved stays a problem")
  func failureWhileSaving() {
    for state in ["saving", "ending"] {
      var machine = StateTable.machine(in: state).after([("storageEnded", "·")])
      _ = machine.step("saved")
      #expect(machine.problem == .storage)
    }
  }

  @Test(
    "a file that could not be made leaves the service ready, and a press that waits tries again")
  func refusedRecording() {
    for state in ["starting", "recording", "stopping", "saving"] {
      let machine = StateTable.machine(in: state).after([("fileRefused", "→ armed")])
      #expect(machine.problem == .storageFull)
    }
    StateTable.machine(in: "saving").after([
      ("press 5", "·"), ("fileRefused", "→ starting: begin 5"),
    ])
    RecorderMachine(samplesWhileIdle: false, through: ["begin", "press 5", "sensorReady"])
      .after([("fileRefused", "→ asleep: sleep")])
    let ending = StateTable.machine(in: "ending").after([("fileRefused", "→ ended: sleep, exit")])
    #expect(ending.problem == .storageFull)
  }

  @Test("the configuration is read when no recording runs or waits")
  func reloadBetweenTakes() {
    for state in ["starting", "recording", "stopping", "saving"] {
      var machine = StateTable.machine(in: state).after([("reload", "·")])
      _ = machine.step("stop 5")
      machine.play([
        ("start 5", "·"), ("saved", "→ starting: begin 5"), ("stop 5", "→ saving: end 5 button"),
        ("saved", "→ armed: reload"), ("reload sleep", "→ asleep: sleep"),
        ("press 5", "→ waking: wake"), ("reload sample", "sleep, wake"),
        ("reload sleep", "sleep, wake"), ("sensorReady", "→ starting: begin 5"),
      ])
    }
  }

  @Test("a wrong configuration is a problem until a valid one is read")
  func wrongConfiguration() {
    for state in ["asleep", "waking", "armed", "starting", "recording", "stopping", "saving"] {
      var machine = StateTable.machine(in: state).after([("reload wrong", "·")])
      #expect(machine.problem == .configuration, "in \(state)")
      _ = machine.step("reload sample")
      #expect(machine.problem == nil, "in \(state)")
    }
  }

  @Test("each state has its light, and a problem is shown only while there is no recording")
  func lights() {
    let lights: [(String, Light, isIdle: Bool)] = [
      ("asleep", .off, true), ("waking", .waking, true), ("armed", .armed, true),
      ("starting", .saving, false), ("recording", .recording, false),
      ("stopping", .acknowledged(isLit: false), false), ("saving", .saving, false),
      ("ending", .saving, false), ("ended", .off, false),
    ]
    #expect(lights.map(\.0) == RecorderMachine.State.allCases.map(\.rawValue))
    for (state, light, isIdle) in lights {
      var machine = StateTable.machine(in: state)
      #expect(machine.light == light)
      _ = machine.handle(.reloadRefused)
      #expect(machine.light == (isIdle ? .problem(.configuration) : light), "in \(state)")
    }
  }

  @Test(
    "a held button is acknowledged until its meaning is known, by the opposite of the level before"
  )
  func acknowledgement() {
    for (state, light) in [
      ("asleep", Light.acknowledged(isLit: true)), ("waking", .acknowledged(isLit: true)),
      ("armed", .acknowledged(isLit: true)), ("recording", .acknowledged(isLit: false)),
      ("starting", .saving), ("saving", .saving),
    ] {
      for end in ["long 5", "press 5", "veryLong 5"] {
        var machine = StateTable.machine(in: state)
        _ = machine.step("holding 5")
        #expect(machine.light == light, "in \(state)")
        _ = machine.step(end)
        if machine.state != .stopping {
          #expect(machine.light != light || light == .saving, "\(end) in \(state)")
        }
      }
    }
  }

  @Test("each refusal is a distinct sentence with a remedy")
  func sentences() {
    var seen: [String: String] = [:]
    for (state, event, part) in [
      ("asleep", "long 5", "while-idle = sample"), ("armed", "stop 5", "imulog start"),
      ("waking", "keep 5", "brought up"), ("recording", "start 5", "stop it before"),
      ("recording", "keep 5", "stop it to keep"), ("stopping", "mark 5", "being stopped"),
      ("saving", "keep 5", "being saved"), ("ending", "start 5", "is ending"),
    ] {
      var machine = StateTable.machine(in: state)
      let sentences = refusals(&machine, event)
      #expect(sentences.count == 1, "\(event) in \(state)")
      guard let sentence = sentences.first else { continue }
      #expect(sentence.contains(part), "\(event) in \(state)")
      #expect(!sentence.hasSuffix("."))
      #expect(seen[sentence] == nil)
      seen[sentence] = state
    }
  }
}
