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
        resume()
        return [.mark(at: time, label: ""), .release]
      default:
        doublePress = time
        return []
      }
    case .single: return state == .stopping ? end(at: stopPress, .button) : []
    case .long(let time): return long(at: time)
    case .veryLong: return terminate(.button)
    // It may have been the second press of a mark: a recording that is too long is better than one too short.
    case .forgotten:
      guard state.isLogging else { return [] }
      if state == .stopping { resume() }
      return [.release]
    default:
      isButtonHeld = true
      return []
    }
  }

  private mutating func press(at time: MonotonicTime) -> [RecorderEffect] {
    if isMeantForLast(time) { return [.refuse(RefusalText.hasReachedLength)] }
    switch state {
    case .asleep:
      waitingStart = time
      return arm()
    case .waking, .saving: return wait(time, isRequest: false)
    case .armed: return begin(at: time)
    case .starting, .recording:
      state = .stopping
      stopPress = time
      return [.holdBack(at: time)]
    // The recogniser never reports two presses without a gesture between them; if it did, none would be lost.
    case .stopping: return end(at: stopPress, .button) + wait(time, isRequest: false)
    case .ending: return [.refuse(RefusalText.isEnding)]
    case .ended: return []
    }
  }

  private mutating func long(at time: MonotonicTime) -> [RecorderEffect] {
    if isMeantForLast(time) { return [.refuse(RefusalText.hasReachedLength)] }
    switch state {
    case .asleep, .waking, .armed, .saving: return keep(upTo: time)
    case .starting, .recording: return discard(andBeginAt: time)
    case .stopping: return end(at: stopPress, .button)
    case .ending: return [.refuse(RefusalText.isEnding)]
    case .ended: return []
    }
  }

  /// Whether a press went down before the last recording reached its length, and so was meant to end it.
  private func isMeantForLast(_ press: MonotonicTime) -> Bool {
    guard let lastLimit, state.isIdle || state == .saving else { return false }
    return press <= lastLimit
  }

  /// Continues logging: the press was not the recording's end.
  private mutating func resume() {
    state = hasFirstSample ? .recording : .starting
    stopPress = nil
  }

  // MARK: Requests

  private mutating func handleRequest(_ event: RecorderEvent) -> [RecorderEffect] {
    guard state != .ending, state != .ended else { return [.refuse(RefusalText.isEnding)] }
    switch event {
    case .start(let time): return start(at: time)
    case .stop(let time): return stop(at: time)
    case .keep(let time): return keep(upTo: time)
    case .mark(let time, let label):
      switch state {
      case .starting, .recording: return [.mark(at: time, label: label)]
      case .stopping: return [.refuse(RefusalText.isStopping)]
      default: return [.refuse(RefusalText.noRecording)]
      }
    case .discard(let time) where state.isLogging: return discard(andBeginAt: time)
    default: return [.refuse(RefusalText.noRecording)]
    }
  }

  private mutating func start(at time: MonotonicTime) -> [RecorderEffect] {
    switch state {
    case .asleep:
      waitingStart = time
      return arm()
    case .waking:
      guard problem != .sensor else { return [.refuse(RefusalText.noSensor)] }
      return wait(time, isRequest: true)
    case .armed: return begin(at: time)
    case .starting, .recording: return [.refuse(RefusalText.isRecording)]
    case .stopping: return [.refuse(RefusalText.isStopping)]
    case .saving: return wait(time, isRequest: true)
    case .ending, .ended: return []
    }
  }

  private mutating func stop(at time: MonotonicTime) -> [RecorderEffect] {
    switch state {
    case .waking where waitingStart != nil:
      waitingStart = nil
      return samplesWhileIdle ? [] : sleep()
    case .starting, .recording: return end(at: time, .button)
    case .stopping: return end(at: stopPress, .button)
    case .saving:
      // The recording is ending already: the caller waits for that.
      waitingStart = nil
      return []
    case .asleep, .waking, .armed, .ending, .ended: return [.refuse(RefusalText.noRecording)]
    }
  }

  private mutating func keep(upTo time: MonotonicTime) -> [RecorderEffect] {
    switch state {
    case .asleep: return [.refuse(RefusalText.nothingSampled)]
    case .waking: return [.refuse(RefusalText.notSampledYet)]
    case .armed:
      state = .saving
      hasStorageFailed = false
      return [.keepHistory(at: time)]
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
    case .stopping: return end(at: stopPress, .button, then: .ending)
    case .saving:
      state = .ending
      waitingStart = nil
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
      return endByItself(.sensor)
    case .saving, .ending:
      isSensorAwake = false
      problem = .sensor
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
  private mutating func begin(at start: MonotonicTime) -> [RecorderEffect] {
    state = .starting
    begun = start
    waitingStart = nil
    lastLimit = nil
    hasFirstSample = false
    hasStorageFailed = false
    return [.beginRecording(at: start)]
  }

  /// Keeps a press or request for later. The first one counts; a second request is refused.
  private mutating func wait(_ start: MonotonicTime, isRequest: Bool) -> [RecorderEffect] {
    guard waitingStart == nil else { return isRequest ? [.refuse(RefusalText.isStarting)] : [] }
    waitingStart = start
    return []
  }

  /// Ends the recording.
  ///
  /// - Parameter next: The state until it is saved.
  private mutating func end(
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
  private mutating func discard(andBeginAt start: MonotonicTime) -> [RecorderEffect] {
    if isGuided { doublePress = start }
    state = .saving
    stopPress = nil
    waitingStart = start
    return [.discardRecording(at: start)]
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
    if let waitingStart, isSensorAwake { return begin(at: waitingStart) }
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
