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
      let isOpen = state == .starting || state == .recording
      return isOpen && !hasBegun(by: time) ? [.holdBack(at: time)] : []
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
      case .starting, .recording:
        // Else the first press was ignored, because another start waited.
        guard let begun, begun.at < time, !begun.isBegun(by: time) else {
          doublePress = time
          return [.release]
        }
        return [.mark(at: time, label: ""), .release]
      case .stopping:
        return [.mark(at: time, label: "")] + resume()
      default:
        if let start = waiting?.start, start.at < time, !start.isBegun(by: time) {
          waiting?.mark(at: time, "")
        } else {
          doublePress = time
        }
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
    if isMeantForLast(time) { return [.refuse(RefusalText.hasJustEnded)] }
    if state.isLogging, hasBegun(by: time) { return takeOver(at: time) }
    let start = RecordingStart(at: time, reason: .button)
    switch state {
    case .asleep:
      waiting = WaitingRecording(start: start)
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
    if isMeantForLast(time) { return [.refuse(RefusalText.hasJustEnded)] }
    if state.isLogging, hasBegun(by: time) {
      return takeOver(at: time) + [.refuse(RefusalText.endsBeforeKeeping)]
    }
    switch state {
    case .asleep, .waking, .armed, .saving: return keep(upTo: time, by: .button)
    case .starting, .recording: return discard(andBegin: RecordingStart(at: time, reason: .button))
    case .stopping: return endByPress()
    case .ending: return [.refuse(RefusalText.isEnding)]
    case .ended: return []
    }
  }

  /// Whether a press went down before the last recording ended by itself, and so was meant to end it.
  private func isMeantForLast(_ press: MonotonicTime) -> Bool {
    guard let lastPresses, state.isIdle || state == .saving else { return false }
    return lastPresses.contains(press)
  }

  /// Continues logging: the press was not the recording's end.
  private mutating func resume() -> [RecorderEffect] {
    state = hasFirstSample ? .recording : .starting
    stopPress = nil
    return [.release]
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
      default:
        guard waiting != nil else { return [.refuse(RefusalText.noRecording)] }
        waiting?.mark(at: time, label)
        return []
      }
    case .discard(let time) where state.isLogging:
      return discard(andBegin: RecordingStart(at: time, reason: .request))
    default: return [.refuse(RefusalText.noRecording)]
    }
  }

  private mutating func start(_ start: RecordingStart) -> [RecorderEffect] {
    switch state {
    case .asleep:
      waiting = WaitingRecording(start: start)
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
    case .waking where waiting != nil:
      waiting = nil
      return samplesWhileIdle ? [] : sleep()
    case .starting, .recording: return end(at: time, .button)
    case .stopping: return endByPress()
    case .saving:
      // The recording is ending already: the caller waits for that.
      waiting = nil
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
    case .stopping: return endByPress(then: .ending)
    case .saving:
      state = .ending
      waiting = nil
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
        waiting == nil ? [] : [.refuse(RefusalText.couldNotBegin)]
      waiting = nil
      state = samplesWhileIdle ? .waking : .asleep
      return refusal + (samplesWhileIdle ? [.scheduleRetry] : [])
    case .starting, .recording, .stopping:
      isSensorAwake = false
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
      noteOwnEnd(at: time)
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
    let early = waiting
    state = .starting
    begun = start.taker.map { RecordingStart(at: $0.at, reason: $0.reason) } ?? start
    (waiting, lastPresses) = (nil, nil)
    hasFirstSample = false
    hasStorageFailed = false
    let marks = (early?.marks ?? []).sorted { ($0.at, $0.label) < ($1.at, $1.label) }
    let effects =
      [.beginRecording(start)] + (start.taker == nil ? [] : [.takeOver]) + mark(of: start)
      + marks.map { .mark(at: $0.at, label: $0.label) }
    guard let over = early?.end else { return effects }
    return effects + endQuietly(at: over)
  }

  /// Keeps a press or request for later. The first one counts, but a person takes over the recording of an event that waits;
  /// a second request is refused.
  private mutating func wait(_ start: RecordingStart, isRequest: Bool) -> [RecorderEffect] {
    guard let present = waiting?.start else {
      waiting = WaitingRecording(start: start)
      return []
    }
    guard present.isOfMotion else {
      return isRequest ? [.refuse(RefusalText.isStarting)] : []
    }
    waiting?.start.taker = RecordingStart.Taker(at: start.at, reason: start.reason)
    waiting?.end = nil
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
    waiting = WaitingRecording(start: start)
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
      return stopSensor() + (samplesWhileIdle || waiting != nil ? arm() : sleep())
    default: problem = .configuration
    }
    return []
  }

  /// Begins the recording that waits, or goes to the idle state.
  private mutating func rest() -> [RecorderEffect] {
    (begun, stopPress) = (nil, nil)
    if let start = waiting?.start, isSensorAwake { return begin(start) }
    let effects = waiting != nil || samplesWhileIdle ? arm() : sleep()
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
    waiting = nil
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
