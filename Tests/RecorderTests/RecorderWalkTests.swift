// SPDX-License-Identifier: Apache-2.0

import IMUModel
@testable import Recorder
import Testing

/// A model of the loop that carries out effects and knows which answers are due.
struct Daemon: Hashable {
  /// The model's state of a recording.
  enum Phase: Hashable { case none, begun, ready, ending }

  var recording = Phase.none
  var isSensorAwake = false
  var isSensorReady = false
  var isRetryDue = false
  var hasExited = false
  var awaitsReload = false

  /// Carries out an effect; returns a sentence if the effect does not fit the state.
  mutating func carryOut(_ effect: RecorderEffect) -> String? {
    guard !hasExited else { return "an effect after the exit" }
    switch effect {
    case .wakeSensor:
      guard !isSensorAwake else { return "woke a sensor that is awake" }
      isSensorAwake = true
    case .sleepSensor:
      guard isSensorAwake else { return "put a sensor to sleep that sleeps" }
      guard recording == .none else { return "put the sensor to sleep in a recording" }
      isSensorAwake = false
      isSensorReady = false
    case .beginRecording, .keepHistory:
      guard recording == .none else { return "began a recording in a recording" }
      guard isSensorReady else { return "began a recording without a sensor" }
      if case .keepHistory = effect { recording = .ending } else { recording = .begun }
    case .holdBack:
      // Twice for one press: when the button goes down, and when the press is reported.
      guard recording == .begun || recording == .ready else { return "held nothing back" }
    case .release:
      guard recording == .begun || recording == .ready else {
        return "released outside a recording"
      }
    case .takeOver:
      guard recording == .begun || recording == .ready else {
        return "took over no recording"
      }
    case .mark:
      guard recording == .begun || recording == .ready else { return "a mark outside a recording" }
    case .endRecording, .discardRecording:
      guard recording == .begun || recording == .ready else {
        return "ended a recording that does not run"
      }
      recording = .ending
    case .scheduleRetry: isRetryDue = true
    case .reload:
      guard recording == .none else { return "a reload in a recording" }
      awaitsReload = true
    case .exit:
      guard recording == .none else { return "left a recording open" }
      hasExited = true
    case .refuse, .report: break
    }
    return nil
  }

  /// The possible next events: requests and signals always, answers when they are due.
  var possible: [String] {
    if awaitsReload { return ["reload sample", "reload sleep", "reload wrong"] }
    var names = [
      "down 5", "press 5", "double 4", "single 4", "holding 5", "long 5", "veryLong 5",
      "forgotten 5", "start 5", "stop 5", "mark 5", "keep 5", "discard 5", "reload", "terminate",
    ]
    if isSensorReady { names += ["triggered 5", "quiet 5"] }
    if isSensorReady || isSensorAwake && recording == .none { names.append("sensorFailed") }
    if isSensorAwake && !isSensorReady && recording == .none { names.append("sensorReady") }
    if isSensorReady { names += ["sensorSilent", "sensorAnswers"] }
    if isRetryDue { names.append("retry") }
    switch recording {
    case .none: break
    case .begun:
      names += ["firstSample", "fileRefused", "limitReached", "storageEnded", "savedNothing"]
    case .ready: names += ["limitReached", "storageEnded"]
    case .ending: names += ["saved", "savedNothing", "fileRefused", "storageEnded"]
    }
    return names
  }

  /// Notes that an event happened.
  mutating func note(_ name: String) {
    switch name {
    case "sensorReady": isSensorReady = true
    case "sensorFailed":
      // The writer ends a recording first; then the machine lets the sensor sleep.
      isSensorAwake = recording != .none
      isSensorReady = false
    case "retry": isRetryDue = false
    case "firstSample": recording = .ready
    case "fileRefused", "saved", "savedNothing": recording = .none
    case "reload sample", "reload sleep", "reload wrong": awaitsReload = false
    default: break
    }
  }
}

/// A machine and its model of the loop.
private struct Pair {
  var machine: RecorderMachine
  var daemon = Daemon()
  var path: [String] = []

  /// Identifies a pair, however it was reached. Stamps are all 3, 4 or 5, early marks decide nothing, and a press of the last
  /// recording only what is refused, so there are few.
  struct Key: Hashable {
    var machine: RecorderMachine
    let daemon: Daemon
  }

  var key: Key {
    var key = Key(machine: machine, daemon: daemon)
    key.machine.waiting?.marks = []
    key.machine.pastPress = nil
    return key
  }

  mutating func step(_ name: String) -> String? {
    daemon.note(name)
    path.append(name)
    for effect in machine.handle(Notation.event(name)) {
      if let complaint = daemon.carryOut(effect) { return complaint }
    }
    return nil
  }
}

@Suite("The machine and a recorder that carries out its effects")
struct RecorderWalkTests {
  /// Every pair that can be reached.
  private static let everyPair: [Pair] = {
    var pairs: [Pair] = []
    var seen: Set<Pair.Key> = []
    for samplesWhileIdle in [true, false] {
      var first = Pair(machine: RecorderMachine(samplesWhileIdle: samplesWhileIdle))
      _ = first.step("begin")
      pairs.append(first)
      seen.insert(first.key)
    }
    var next = 0
    while next < pairs.count {
      let pair = pairs[next]
      next += 1
      for name in pair.daemon.possible where !pair.daemon.hasExited {
        var after = pair
        if let complaint = after.step(name) {
          Issue.record("\(complaint): \(after.path)")
          return pairs
        }
        if seen.insert(after.key).inserted { pairs.append(after) }
      }
    }
    return pairs
  }()

  @Test(
    "after any events, effects fit the state, and on request the service ends with every recording ended"
  )
  func everyWalk() {
    let pairs = Self.everyPair
    #expect(pairs.count > 100)
    #expect(Set(pairs.map(\.machine.state)) == Set(RecorderMachine.State.allCases))
    for pair in pairs where !pair.daemon.hasExited {
      var pair = pair
      if pair.daemon.awaitsReload { #expect(pair.step("reload sample") == nil) }
      #expect(pair.step("terminate") == nil)
      if pair.daemon.recording == .ending { #expect(pair.step("saved") == nil) }
      #expect(pair.daemon.hasExited && pair.machine.state == .ended, "\(pair.path)")
    }
  }

  @Test("in every state a press begins a recording, ends one, or is refused in a sentence")
  func everyPress() {
    for pair in Self.everyPair where !pair.daemon.hasExited && !pair.daemon.awaitsReload {
      var pair = pair
      // No press is reported between another press and that one's gesture.
      guard pair.machine.state != .stopping else { continue }
      let effects = pair.machine.handle(Notation.event("press 5")).map(Notation.word)
      let isHeard =
        effects == ["refuse"] || effects == ["begin 5"] || effects == ["hold 5"]
        || effects == ["take over"] || pair.machine.waitingStart != nil
      #expect(isHeard, "\(pair.path)")
    }
  }

  @Test("no event traps in any state, expected or not")
  func everyEventEverywhere() {
    var machines = Set(Self.everyPair.map(\.key.machine))
    // Two events after each other.
    for _ in 0..<2 {
      var next: Set<RecorderMachine> = []
      for start in machines {
        for (_, event) in Notation.events {
          var machine = start
          _ = machine.handle(event)
          _ = machine.light
          machine.waiting?.marks = []
          machine.pastPress = nil
          next.insert(machine)
        }
      }
      machines = next.subtracting(machines)
    }
  }
}
