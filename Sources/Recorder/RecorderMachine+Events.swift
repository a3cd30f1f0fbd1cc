// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The table's rows: each event in all states.
extension RecorderMachine {
  /// Carries out the table's step for this state and event.
  package mutating func handle(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .begin: return state == .asleep && samplesWhileIdle ? arm() : []
    // It may be the recording's end: later ticks are logged once it is known not to be.
    case .buttonDown(let time):
      return state == .starting || state == .recording ? [.holdBack(at: time)] : []
    case .press, .double, .single, .long, .holding, .veryLong, .forgotten:
      return handleGesture(event)
    case .start, .stop, .mark, .keep, .discard: return handleRequest(event)
    case .triggered, .quiet: return handleMotion(event)
    case .sensorReady, .sensorFailed, .sensorSilent, .sensorAnswers, .retry:
      return handleSensor(event)
    case .firstSample, .limitReached, .fileRefused, .storageEnded, .saved, .savedNothing:
      return handleRecording(event)
    case .reload, .reloaded, .reloadRefused: return handleConfiguration(event)
    case .terminate: return terminate(.signal)
    }
  }

  // MARK: The button

  private mutating func handleGesture(_ event: RecorderEvent) -> [RecorderEffect] {
    isButtonHeld = false
    switch event {
    case .press(let time): return press(at: time)
    case .double(let time):
      switch state {
      // The first of the two presses began this recording, or was ignored because another start waited.
      case .starting, .recording:
        doublePress = time
        return [.release]
      case .stopping:
        return [.mark(at: time, label: "")] + resume()
      default:
        doublePress = time
        return []
      }
    case .single: return state == .stopping ? endByPress() : []
    case .long(let time): return long(at: time)
    case .veryLong: return terminate(.button)
    // It may have been the second press of a mark: a recording that is too long is better than one too short.
    case .forgotten:
      guard state.isLogging else { return [] }
      return state == .stopping ? resume() : [.release]
    default:
      isButtonHeld = true
      return []
    }
  }

  private mutating func press(at time: MonotonicTime) -> [RecorderEffect] {
    if isMeantForLast(time) { return [.refuse(RefusalText.hasReachedLength)] }
    let start = RecordingStart(at: time, reason: .button)
    switch state {
    case .asleep:
      waitingStart = start
      return arm()
    case .waking, .saving: return wait(start, isRequest: false)
    case .armed: return begin(start)
    case .starting, .recording:
      state = .stopping
      stopPress = time
      return [.holdBack(at: time)]
    // The recogniser never reports two presses without a gesture between them; if it did, none would be lost.
    case .stopping: return endByPress() + wait(start, isRequest: false)
    case .ending: return [.refuse(RefusalText.isEnding)]
    case .ended: return []
    }
  }

  private mutating func long(at time: MonotonicTime) -> [RecorderEffect] {
    if isMeantForLast(time) { return [.refuse(RefusalText.hasReachedLength)] }
    switch state {
    case .asleep, .waking, .armed, .saving: return keep(upTo: time, by: .button)
    case .starting, .recording: return discard(andBegin: RecordingStart(at: time, reason: .button))
    case .stopping: return endByPress()
    case .ending: return [.refuse(RefusalText.isEnding)]
    case .ended: return []
    }
  }

  /// Whether a press went down before the last recording reached its length, and so was meant to end it.
  private func isMeantForLast(_ press: MonotonicTime) -> Bool {
    guard let lastLimit, state.isIdle || state == .saving else { return false }
    return press <= lastLimit
  }

  /// Continues logging: the press was not the recording's end. An event since then is a mark.
  private mutating func resume() -> [RecorderEffect] {
    state = hasFirstSample ? .recording : .starting
    stopPress = nil
    defer { (waitingStart, waitingEnd) = (nil, nil) }
    return mark(of: waitingStart) + [.release]
  }

  /// Ends the recording at the press.
  private mutating func endByPress(then next: State = .saving) -> [RecorderEffect] {
    end(at: stopPress, .button, then: next)
  }

  // MARK: Requests

  private mutating func handleRequest(_ event: RecorderEvent) -> [RecorderEffect] {
    guard state != .ending, state != .ended else { return [.refuse(RefusalText.isEnding)] }
    switch event {
    case .start(let time, let reason): return start(RecordingStart(at: time, reason: reason))
    case .stop(let time): return stop(at: time)
    case .keep(let time): return keep(upTo: time, by: .request)
    case .mark(let time, let label):
      switch state {
      case .starting, .recording: return [.mark(at: time, label: label)]
      case .stopping: return [.refuse(RefusalText.isStopping)]
      default: return [.refuse(RefusalText.noRecording)]
      }
    case .discard(let time) where state.isLogging:
      return discard(andBegin: RecordingStart(at: time, reason: .request))
    default: return [.refuse(RefusalText.noRecording)]
    }
  }

  private mutating func start(_ start: RecordingStart) -> [RecorderEffect] {
    switch state {
    case .asleep:
      waitingStart = start
      return arm()
    case .waking:
      guard problem != .sensor else { return [.refuse(RefusalText.noSensor)] }
      return wait(start, isRequest: true)
    case .armed: return begin(start)
    case .starting, .recording: return [.refuse(RefusalText.isRecording)]
    case .stopping: return [.refuse(RefusalText.isStopping)]
    case .saving: return wait(start, isRequest: true)
    case .ending, .ended: return []
    }
  }

  private mutating func stop(at time: MonotonicTime) -> [RecorderEffect] {
    switch state {
    case .waking where waitingStart != nil:
      waitingStart = nil
      return samplesWhileIdle ? [] : sleep()
    case .starting, .recording: return end(at: time, .button)
    case .stopping: return endByPress()
    case .saving:
      // The recording is ending already: the caller waits for that.
      (waitingStart, waitingEnd) = (nil, nil)
      return []
    case .asleep, .waking, .armed, .ending, .ended: return [.refuse(RefusalText.noRecording)]
    }
  }

  private mutating func keep(
    upTo time: MonotonicTime, by reason: StartReason
  ) -> [RecorderEffect] {
    switch state {
    case .asleep: return [.refuse(RefusalText.nothingSampled)]
    case .waking: return [.refuse(RefusalText.notSampledYet)]
    case .armed:
      state = .saving
      hasStorageFailed = false
      return [.keepHistory(at: time, by: reason)]
    case .starting, .recording: return [.refuse(RefusalText.endsBeforeKeeping)]
    case .stopping: return [.refuse(RefusalText.isStopping)]
    case .saving, .ending, .ended: return [.refuse(RefusalText.isSaving)]
    }
  }

  private mutating func terminate(_ reason: StopReason) -> [RecorderEffect] {
    switch state {
    case .asleep, .waking, .armed: return exit()
    case .starting, .recording: return end(at: nil, reason, then: .ending)
    // No second press can come any more.
    case .stopping:
      (waitingStart, waitingEnd) = (nil, nil)
      return endByPress(then: .ending)
    case .saving:
      state = .ending
      (waitingStart, waitingEnd) = (nil, nil)
      return []
    case .ending, .ended: return []
    }
  }

  // MARK: The sensor

  private mutating func handleSensor(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .sensorReady:
      isSensorSilent = false
      guard state == .waking else { return [] }
      isSensorAwake = true
      succeed(.sensor)
      return rest()
    // The sensor may answer again at any time; missing ticks are logged as gaps.
    case .sensorSilent: isSensorSilent = true
    case .sensorAnswers: isSensorSilent = false
    case .retry: return state == .waking && !isSensorAwake ? arm() : []
    default: return loseSensor()
    }
    return []
  }

  /// The sensor is tried again if it is sampled while idle, else at the next press.
  private mutating func loseSensor() -> [RecorderEffect] {
    switch state {
    case .asleep, .ended: return []
    case .waking, .armed:
      isSensorAwake = false
      problem = .sensor
      let refusal: [RecorderEffect] =
        waitingStart == nil ? [] : [.refuse(RefusalText.pressForgotten)]
      waitingStart = nil
      state = samplesWhileIdle ? .waking : .asleep
      return refusal + (samplesWhileIdle ? [.scheduleRetry] : [])
    case .starting, .recording, .stopping:
      isSensorAwake = false
      forgetEvent()
      return endByItself(.sensor)
    case .saving, .ending:
      isSensorAwake = false
      problem = .sensor
      forgetEvent()
      return []
    }
  }

  // MARK: The recording

  private mutating func handleRecording(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .firstSample where state.isLogging || state == .saving:
      if state == .starting { state = .recording }
      hasFirstSample = true
      succeed(.storageFull, .storage)
    case .limitReached(let time) where state.isLogging:
      lastLimit = time
      return end(at: nil, .completed)
    case .storageEnded(let problem) where state.isLogging:
      hasStorageFailed = true
      return endByItself(problem)
    case .storageEnded(let problem) where state == .saving || state == .ending:
      hasStorageFailed = true
      self.problem = problem
    case .fileRefused(let problem) where !state.isIdle && state != .ended:
      self.problem = problem
      return state == .ending ? exit() : rest()
    case .saved where state == .saving:
      if !hasStorageFailed { succeed(.storageFull, .storage) }
      return rest()
    case .savedNothing where state == .saving: return rest()
    case .saved where state == .ending, .savedNothing where state == .ending: return exit()
    default: break
    }
    return []
  }

  /// Begins a recording; the sensor is sampled.
  mutating func begin(_ start: RecordingStart) -> [RecorderEffect] {
    state = .starting
    begun = start
    waitingStart = nil
    lastLimit = nil
    hasFirstSample = false
    hasStorageFailed = false
    let effects = [.beginRecording(start)] + mark(of: start)
    guard let over = waitingEnd else { return effects }
    waitingEnd = nil
    return effects + end(at: over, .completed)
  }

  /// Keeps a press, request or event for later. The first one counts, but a person before an event; a second request is
  /// refused.
  mutating func wait(_ start: RecordingStart, isRequest: Bool) -> [RecorderEffect] {
    guard waitingStart == nil || waitingStart?.reason == .trigger && start.reason != .trigger else {
      return isRequest ? [.refuse(RefusalText.isStarting)] : []
    }
    (waitingStart, waitingEnd) = (start, nil)
    return []
  }

  /// Ends the recording.
  ///
  /// - Parameter next: The state until it is saved.
  mutating func end(
    at end: MonotonicTime?, _ reason: StopReason, then next: State = .saving
  ) -> [RecorderEffect] {
    state = next
    stopPress = nil
    return [.endRecording(at: end, reason: reason)]
  }

  /// Ends the recording without a user's request: ticks that were held back are logged.
  private mutating func endByItself(_ problem: Problem) -> [RecorderEffect] {
    self.problem = problem
    return end(at: nil, problem.stopReason)
  }

  /// Discards the recording; another one begins at `start` as soon as that is done.
  private mutating func discard(andBegin start: RecordingStart) -> [RecorderEffect] {
    if isGuided { doublePress = start.at }
    state = .saving
    stopPress = nil
    (waitingStart, waitingEnd) = (start, nil)
    return [.discardRecording(at: start.at)]
  }

  // MARK: Between recordings

  private mutating func handleConfiguration(_ event: RecorderEvent) -> [RecorderEffect] {
    guard state != .ending, state != .ended else { return [] }
    switch event {
    case .reload where state.isIdle: return [.reload]
    case .reload: awaitsReload = true
    case .reloaded(let samplesWhileIdle):
      self.samplesWhileIdle = samplesWhileIdle
      succeed(.configuration)
      guard state.isIdle else { return [] }
      // The sensor is set up again with the new configuration.
      return stopSensor() + (samplesWhileIdle || waitingStart != nil ? arm() : sleep())
    default: problem = .configuration
    }
    return []
  }

  /// Begins the recording that waits, or goes to the idle state.
  private mutating func rest() -> [RecorderEffect] {
    stopPress = nil
    if let waitingStart, isSensorAwake { return begin(waitingStart) }
    let effects = waitingStart != nil || samplesWhileIdle ? arm() : sleep()
    guard awaitsReload else { return effects }
    awaitsReload = false
    return effects + [.reload]
  }

  /// Armed, or waking when the sensor sleeps.
  private mutating func arm() -> [RecorderEffect] {
    guard !isSensorAwake else {
      state = .armed
      return []
    }
    state = .waking
    isSensorAwake = true
    return [.wakeSensor]
  }

  private mutating func sleep() -> [RecorderEffect] {
    state = .asleep
    return stopSensor()
  }

  private mutating func exit() -> [RecorderEffect] {
    state = .ended
    waitingStart = nil
    return stopSensor() + [.exit]
  }

  private mutating func stopSensor() -> [RecorderEffect] {
    guard isSensorAwake else { return [] }
    isSensorAwake = false
    return [.sleepSensor]
  }

  /// Clears a problem once the same attempt succeeds.
  private mutating func succeed(_ kinds: Problem...) {
    if let problem, kinds.contains(problem) { self.problem = nil }
  }
}
