// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Recorder
import Testing

/// Callers of a service that carries out its effects, and their answers.
private struct Crowd {
  var machine: RecorderMachine
  var daemon = Daemon()
  var requests = PendingRequests<Int>()
  /// The callers' requests, in order.
  var asked: [ControlRequest] = []
  var answers: [Int: ControlAnswer] = [:]
  var path: [String] = []
  /// The first error, if any.
  var complaint: String?

  init(samplesWhileIdle: Bool) {
    machine = RecorderMachine(samplesWhileIdle: samplesWhileIdle)
    happen("begin")
    if samplesWhileIdle { happen("sensorReady") }
  }

  /// Like the service's loop.
  mutating func happen(_ name: String) {
    _ = step(name, Notation.event(name))
  }

  /// Whether the machine refused it.
  private mutating func step(_ name: String, _ event: RecorderInput) -> Bool {
    daemon.note(name)
    path.append(name)
    let effects = machine.handle(event)
    var isRefused = false
    for effect in effects {
      complaint = complaint ?? daemon.carryOut(effect)
      if case .refuse = effect { isRefused = true }
    }
    for (caller, answer) in requests.note(event, effects, machine, because: nil) {
      note(caller, answer, after: name)
    }
    return isRefused
  }

  mutating func ask(_ request: ControlRequest, _ name: String) {
    asked.append(request)
    let caller = asked.count - 1
    guard !step(name, Notation.event(name)) else {
      return note(caller, .refused(status: 75, message: ""), after: name)
    }
    let answer = requests.add(
      caller, request, after: machine, at: Notation.time(0), patience: 1_000_000_000)
    if let answer { note(caller, answer, after: name) }
  }

  private mutating func note(_ caller: Int, _ answer: ControlAnswer, after name: String) {
    if answers[caller] != nil { complaint = complaint ?? "answered caller \(caller) twice" }
    answers[caller] = answer
    guard case .done = answer else { return }
    switch asked[caller] {
    case .start where daemon.recording != .ready:
      complaint = complaint ?? "said that a recording has its first sample when it has not"
    case .stop where name != "saved" && !(name == "stop 5" && machine.waitingStart == nil):
      complaint = complaint ?? "said that a recording has its end when it has not"
    case .keep where name != "saved":
      complaint = complaint ?? "said that the history is kept when it is not"
    default: break
    }
  }

  /// Lets the callers' patience run out.
  mutating func elapse() {
    let end = MonotonicTime(nanoseconds: .max)
    for (caller, answer) in requests.elapse(to: end, problem: machine.presentProblem) {
      note(caller, answer, after: "the end")
    }
  }
}

@Suite("Callers who ask at the same time")
struct PendingOrdersTests {
  private static let words: [(ControlRequest, String)] = [
    (.start, "start 5"), (.stop, "stop 5"), (.keep, "keep 5"),
  ]
  /// Events that may occur meanwhile.
  private static let others: Set<String> = [
    "sensorReady", "sensorFailed", "retry", "firstSample", "fileRefused", "limitReached",
    "storageEnded", "saved", "savedNothing", "terminate",
  ]
  /// The same in a recording with a sample.
  private static let gestures: Set<String> = ["press 5", "single 4", "double 4"]

  @Test(
    "in every order of start, stop and keep with other events, each gets exactly one correct answer",
    arguments: [true, false])
  func everyOrder(samplesWhileIdle: Bool) {
    var (count, states) = (0, Set<RecorderMachine.State>())
    walk(Crowd(samplesWhileIdle: samplesWhileIdle), steps: 6, &count, &states)
    print("\(count) orders of callers and events")
    #expect(count > 5000)
    // Each state that this service has.
    let never: RecorderMachine.State = samplesWhileIdle ? .asleep : .armed
    #expect(states == Set(RecorderMachine.State.allCases).subtracting([never]))
  }

  private func walk(
    _ crowd: Crowd, steps: Int, _ count: inout Int, _ states: inout Set<RecorderMachine.State>
  ) {
    states.insert(crowd.machine.state)
    if let complaint = crowd.complaint {
      Issue.record("\(complaint): \(crowd.path)")
      return
    }
    if steps == 0 || crowd.daemon.hasExited {
      count += 1
      var crowd = crowd
      crowd.elapse()
      if crowd.answers.count != crowd.asked.count || !crowd.requests.callers.isEmpty
        || crowd.complaint != nil
      {
        Issue.record("\(crowd.complaint ?? "left a caller without an answer"): \(crowd.path)")
      }
      return
    }
    for (request, word) in PendingOrdersTests.words where crowd.asked.count < 4 {
      var next = crowd
      next.ask(request, word)
      walk(next, steps: steps - 1, &count, &states)
    }
    let words =
      crowd.daemon.recording == .ready
      ? PendingOrdersTests.others.union(PendingOrdersTests.gestures) : PendingOrdersTests.others
    for word in crowd.daemon.possible where words.contains(word) {
      var next = crowd
      next.happen(word)
      walk(next, steps: steps - 1, &count, &states)
    }
  }
}
