// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The table's rows: each input in all states.
extension RecorderMachine {
  /// Carries out the table's step for this state and input.
  package mutating func handle(_ input: RecorderInput) -> [RecorderEffect] {
    switch input {
    case .begin: return state == .asleep && samplesWhileIdle ? arm() : []
    case .buttonDown(let time): return hold(at: time)
    case .press, .double, .single, .long, .holding, .veryLong, .forgotten:
      return handleGesture(input)
    case .start, .stop, .mark, .keep, .discard: return handleRequest(input)
    case .triggered, .quiet: return handleMotion(input)
    case .sensorReady, .sensorFailed, .sensorSilent, .sensorAnswers, .retry:
      return handleSensor(input)
    case .firstSample, .limitReached, .fileRefused, .storageEnded, .saved, .savedNothing:
      return handleRecording(input)
    case .reload, .reloaded, .reloadRefused: return handleConfiguration(input)
    case .terminate: return terminate(.signal)
    }
  }

  // MARK: Requests

  private mutating func handleRequest(_ input: RecorderInput) -> [RecorderEffect] {
    guard state != .ending, state != .ended else { return [.refuse(RefusalText.isEnding)] }
    switch input {
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
      guard problem != .sensor else { return [.refuse(RefusalText.noSensor, .unavailable)] }
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
    case .starting, .recording, .stopping: return end(at: time, .button)
    // The recording is ending already: the caller waits for that.
    case .saving: return callOff(RefusalText.stopCallsEventOff)
    case .asleep, .waking, .armed, .ending, .ended: return [.refuse(RefusalText.noRecording)]
    }
  }

  mutating func keep(upTo time: MonotonicTime, by reason: StartReason) -> [RecorderEffect] {
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

  mutating func terminate(_ reason: StopReason) -> [RecorderEffect] {
    switch state {
    case .asleep, .waking, .armed: return exit()
    case .starting, .recording, .stopping: return end(at: nil, reason, then: .ending)
    case .saving:
      state = .ending
      return callOff(RefusalText.endCallsEventOff)
    case .ending, .ended: return []
    }
  }

  // MARK: The sensor

  private mutating func handleSensor(_ input: RecorderInput) -> [RecorderEffect] {
    switch input {
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

  /// Tries the sensor again if it is sampled while idle, else at the next press.
  private mutating func loseSensor() -> [RecorderEffect] {
    switch state {
    case .asleep, .ended: return []
    case .waking, .armed:
      isSensorAwake = false
      problem = .sensor
      let refusal: [RecorderEffect] =
        waiting == nil ? [] : [.refuse(RefusalText.couldNotBegin, .unavailable)]
      waiting = nil
      state = samplesWhileIdle ? .waking : .asleep
      return refusal + (samplesWhileIdle ? [.scheduleRetry] : [])
    // Its writer ends the recording first.
    case .starting, .recording, .stopping:
      isSensorLost = true
      return endByItself(.sensor)
    case .saving, .ending:
      isSensorLost = true
      problem = .sensor
      return forgetEvent()
    }
  }

  // MARK: The recording

  private mutating func handleRecording(_ input: RecorderInput) -> [RecorderEffect] {
    switch input {
    case .firstSample where state.isLogging || state == .saving:
      if state == .starting { state = .recording }
      hasFirstSample = true
      succeed(.storageFull, .storage)
    case .limitReached(let time) where state.isLogging:
      return noteOwnEnd(at: time) + end(at: nil, .completed)
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
    case .savedNothing where state == .saving || state.isLogging: return rest()
    case .saved where state == .ending, .savedNothing where state == .ending: return exit()
    default: break
    }
    return []
  }

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

  /// Keeps a press or request for later. The first one counts, but a person takes over an event that waits, and so does a
  /// press that went down before a request that waits; a second request is refused.
  mutating func wait(_ start: RecordingStart, isRequest: Bool) -> [RecorderEffect] {
    guard let present = waiting?.start else {
      waiting = WaitingRecording(start: start)
      return []
    }
    let isFirst = start.at < present.at && present.reason != .button && present.taker == nil
    guard present.isOfMotion || !isRequest && isFirst else {
      return isRequest ? [.refuse(RefusalText.isStarting)] : []
    }
    if !present.isOfMotion { waiting?.start.at = start.at }
    waiting?.start.taker = RecordingStart.Taker(at: start.at, reason: start.reason)
    waiting?.end = nil
    return []
  }

  /// Ends the recording; `next` is the state until it is saved.
  mutating func end(
    at end: MonotonicTime?, _ reason: StopReason, then next: State = .saving
  ) -> [RecorderEffect] {
    let mark = closePress(by: end)
    state = next
    return mark + [.endRecording(at: end, reason: reason)]
  }

  /// Ends the recording because of a problem: ticks that were held back are logged.
  mutating func endByItself(_ problem: Problem) -> [RecorderEffect] {
    self.problem = problem
    return end(at: nil, problem.stopReason)
  }

  /// Discards the recording; another one begins at `start`.
  mutating func discard(andBegin start: RecordingStart) -> [RecorderEffect] {
    if isGuided { doublePress = start.at }
    let mark = closePress(by: start.at)
    state = .saving
    waiting = WaitingRecording(start: start)
    return mark + [.discardRecording(at: start.at)]
  }

  // MARK: Between recordings

  private mutating func handleConfiguration(_ input: RecorderInput) -> [RecorderEffect] {
    guard state != .ending, state != .ended else { return [] }
    switch input {
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

  private mutating func rest() -> [RecorderEffect] {
    (begun, openPress) = (nil, nil)
    let sleeps = isSensorLost ? stopSensor() : []
    if let start = waiting?.start, isSensorAwake { return begin(start) }
    let effects = sleeps + (waiting != nil || samplesWhileIdle ? arm() : sleep())
    guard awaitsReload else { return effects }
    awaitsReload = false
    return effects + [.reload]
  }

  /// Armed, or waking when the sensor sleeps.
  mutating func arm() -> [RecorderEffect] {
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

  mutating func stopSensor() -> [RecorderEffect] {
    guard isSensorAwake else { return [] }
    (isSensorAwake, isSensorLost) = (false, false)
    return [.sleepSensor]
  }

  /// Clears a problem once the same attempt succeeds.
  private mutating func succeed(_ kinds: Problem...) {
    if let problem, kinds.contains(problem) { self.problem = nil }
  }
}
