// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// Accepted requests whose callers wait for the result.
///
///     request   answered when
///     start     the recording has its file, and its first sample is in the log
///     mark      at once in a recording with a sample, else as start, also where the recording still waits
///     stop      the log has its end and is durable
///     keep      the same
///     discard   the recording is in the trash, and the next one has its file and its first sample
///
/// Pure: its input is each step of the ``RecorderMachine``, and the time. When a caller's patience ends, the request goes
/// on, and the answer reports that.
package struct PendingRequests<Caller: Hashable & Sendable>: Sendable {
  enum Goal: Sendable {
    case begun
    case ended
  }

  private struct Pending: Sendable {
    let caller: Caller
    let goal: Goal
    /// Whether a recording has to be in the trash first.
    let isDiscard: Bool
    let deadline: MonotonicTime
    /// When a sensor without samples is reported; `nil` after that.
    var silenceDue: MonotonicTime?
    /// Whether the recording that it waits for has begun.
    var hasBegun: Bool
  }

  /// Why something failed: an exit status of sysexits.h and a sentence.
  package typealias Cause = (status: Int32, message: String)
  package typealias Answers = [(caller: Caller, answer: ControlAnswer)]

  private var pending: [Pending] = []

  package init() {}

  /// How long a caller waits, in nanoseconds: longer than a card stalls, and for the first tick of a slow rate.
  package static func patience(period: Int64) -> Int64 {
    30_000_000_000 + min(max(0, period), 30_000_000_000)
  }

  /// How long a sensor may take to give the first sample before its silence is the answer, in nanoseconds.
  private static var silence: Int64 { 3_000_000_000 }

  package var callers: [Caller] { pending.map(\.caller) }

  /// When ``elapse(to:problem:)`` has to be called; `nil` while no caller waits.
  package var deadline: MonotonicTime? {
    pending.lazy.map { min($0.silenceDue ?? $0.deadline, $0.deadline) }.min()
  }

  /// Adds a caller whose request was just accepted, with its patience; returns the answer if it need not wait.
  package mutating func add(
    _ caller: Caller, _ request: ControlRequest, after machine: RecorderMachine,
    at now: MonotonicTime, patience: Int64
  ) -> ControlAnswer? {
    guard let goal = PendingRequests.goal(of: request, machine) else {
      return .done(machine.state)
    }
    pending.append(
      Pending(
        caller: caller, goal: goal, isDiscard: request == .discard, deadline: now + patience,
        silenceDue: goal == .begun ? now + PendingRequests.silence : nil,
        hasBegun: machine.waitingStart == nil))
    return nil
  }

  private static func goal(of request: ControlRequest, _ machine: RecorderMachine) -> Goal? {
    switch request {
    case .start, .startByCalendar, .discard: return .begun
    case .mark: return machine.state == .starting || machine.waitingStart != nil ? .begun : nil
    case .stop, .keep: return [.saving, .ending].contains(machine.state) ? .ended : nil
    case .status, .watch: return nil
    }
  }

  package mutating func forget(_ caller: Caller) {
    pending.removeAll { $0.caller == caller }
  }

  /// Handles a step of the machine, which it has made, and its cause, if known; returns the answers that are due.
  package mutating func note(
    _ input: RecorderInput, _ effects: [RecorderEffect], _ machine: RecorderMachine,
    because cause: Cause?
  ) -> Answers {
    answer { pending in
      pending.hasBegun || pending.goal == .ended
        ? PendingRequests.result(of: pending, input, machine, cause)
        : PendingRequests.wait(&pending, input, effects, machine, cause)
    }
  }

  /// Answers callers whose patience is over, and those that wait for a silent sensor. `problem` is the machine's present.
  package mutating func elapse(to now: MonotonicTime, problem: Problem?) -> Answers {
    answer { pending in
      if now >= pending.deadline { return PendingRequests.overdue(pending, problem) }
      if let due = pending.silenceDue, now >= due {
        pending.silenceDue = nil
        if pending.hasBegun, problem == .sensor { return PendingRequests.silent }
      }
      return nil
    }
  }

  package mutating func refuseAll(_ cause: Cause) -> Answers {
    answer { _ in .refused(status: cause.status, message: cause.message) }
  }

  private mutating func answer(_ answer: (inout Pending) -> ControlAnswer?) -> Answers {
    var answers: Answers = []
    var rest: [Pending] = []
    for var one in pending {
      if let answer = answer(&one) {
        answers.append((one.caller, answer))
      } else {
        rest.append(one)
      }
    }
    pending = rest
    return answers
  }

  /// The answer to callers that wait for the end or the first sample of the present recording.
  private static func result(
    of pending: Pending, _ input: RecorderInput, _ machine: RecorderMachine, _ cause: Cause?
  ) -> ControlAnswer? {
    let isEnd = pending.goal == .ended
    switch input {
    case .fileRefused: return refused(cause ?? (74, RefusalText.hasNoFile))
    case .saved where isEnd: return cause.map(refused) ?? .done(machine.state)
    case .saved, .savedNothing:
      return refused(
        cause ?? (75, isEnd ? RefusalText.hadNoSample : RefusalText.endedBeforeSample))
    case .firstSample where !isEnd: return .done(machine.state)
    case .sensorSilent where !isEnd: return silent
    default: return nil
    }
  }

  /// The answer to callers whose recording has not begun.
  private static func wait(
    _ pending: inout Pending, _ input: RecorderInput, _ effects: [RecorderEffect],
    _ machine: RecorderMachine, _ cause: Cause?
  ) -> ControlAnswer? {
    if pending.isDiscard, let cause {
      // The discarded recording is still there, or its own end failed.
      if case .saved = input { return refused(cause) }
    }
    guard machine.waitingStart == nil else { return nil }
    let isBegun = effects.contains { effect in
      if case .beginRecording = effect { return true }
      return false
    }
    guard !isBegun else {
      pending.hasBegun = true
      return nil
    }
    if [.ending, .ended].contains(machine.state) { return refused((75, RefusalText.isEnding)) }
    // Whatever keeps the sensor: a timer that gives up here has lost its recording.
    if case .sensorFailed = input {
      return refused((69, cause?.message ?? RefusalText.couldNotBegin))
    }
    return refused(cause ?? (75, RefusalText.wasCalledOff))
  }

  private static var silent: ControlAnswer {
    refused((69, "\(RefusalText.hasSilentSensor): \(Problem.sensor.meaning)"))
  }

  private static func overdue(_ pending: Pending, _ problem: Problem?) -> ControlAnswer {
    let reason = problem.map { ": \($0.meaning)" } ?? ""
    switch pending.goal {
    case .ended: return refused((75, RefusalText.endIsLate + reason))
    case .begun where pending.hasBegun:
      return refused((75, RefusalText.firstSampleIsLate + reason))
    case .begun: return refused((75, RefusalText.beginningIsLate + reason))
    }
  }

  private static func refused(_ cause: Cause) -> ControlAnswer {
    .refused(status: cause.status, message: cause.message)
  }
}
