import IMUModel

/// The steps that several fields of the table share.
extension RecorderMachine {
  /// Begins a take with the sensor sampling.
  mutating func begin(at start: MonotonicTime) -> [RecorderEffect] {
    state = .starting
    waitingStart = nil
    lastLimit = nil
    hasFirstSample = false
    hasStorageFailed = false
    return [.beginRecording(at: start)]
  }

  /// Remembers a press or request; the first one counts, and another request is answered so.
  mutating func wait(_ start: MonotonicTime, isRequest: Bool) -> [RecorderEffect] {
    guard waitingStart == nil else { return isRequest ? [.refuse(RefusalText.isStarting)] : [] }
    waitingStart = start
    return []
  }

  /// Whether a press went down before the last take reached its length, and so was meant to end it.
  func isMeantForLast(_ press: MonotonicTime) -> Bool {
    lastLimit.map { press <= $0 } ?? false
  }

  /// Ends the take at hand; `next` is what follows once it is saved.
  mutating func end(
    at end: MonotonicTime?, _ reason: StopReason, then next: State = .saving
  ) -> [RecorderEffect] {
    state = next
    stopPress = nil
    return [.endRecording(at: end, reason: reason)]
  }

  /// Throws the take at hand away and begins anew at `start` as soon as that is done.
  mutating func discard(andBeginAt start: MonotonicTime) -> [RecorderEffect] {
    state = .saving
    stopPress = nil
    waitingStart = start
    return [.discardRecording(at: start)]
  }

  /// Goes where the service is while no take is at hand, or begins the take that waits.
  mutating func rest() -> [RecorderEffect] {
    stopPress = nil
    if let waitingStart, isSensorAwake { return begin(at: waitingStart) }
    return (waitingStart != nil || samplesWhileIdle ? arm() : sleep()) + reloadIfAwaited()
  }

  /// Sampling, or on the way there.
  mutating func arm() -> [RecorderEffect] {
    guard !isSensorAwake else {
      state = .armed
      return []
    }
    state = .waking
    isSensorAwake = true
    return [.wakeSensor]
  }

  /// The sensor sleeps.
  mutating func sleep() -> [RecorderEffect] {
    state = .asleep
    return stopSensor()
  }

  /// The service ends now.
  mutating func exit() -> [RecorderEffect] {
    state = .ended
    waitingStart = nil
    return stopSensor() + [.exit]
  }

  private mutating func stopSensor() -> [RecorderEffect] {
    guard isSensorAwake else { return [] }
    isSensorAwake = false
    return [.sleepSensor]
  }

  private mutating func reloadIfAwaited() -> [RecorderEffect] {
    guard awaitsReload else { return [] }
    awaitsReload = false
    return [.reload]
  }

  /// Another configuration is in force: the sensor is set up anew.
  mutating func reconfigure(samplesWhileIdle: Bool) -> [RecorderEffect] {
    self.samplesWhileIdle = samplesWhileIdle
    succeed(.configuration)
    let effects = stopSensor()
    return effects + (samplesWhileIdle || waitingStart != nil ? arm() : sleep())
  }

  /// Forgets a problem that the same attempt no longer meets.
  mutating func succeed(_ kinds: Problem...) {
    if let problem, kinds.contains(problem) { self.problem = nil }
  }

  /// Why a take ends that met this.
  func reason(for problem: Problem) -> StopReason {
    switch problem {
    case .storageFull: return .storageFull
    case .storage, .configuration: return .storageError
    case .sensor: return .sensorLost
    }
  }
}

extension RecorderMachine {
  /// Notes a problem that changes nothing else.
  mutating func meet(_ problem: Problem) -> [RecorderEffect] {
    self.problem = problem
    return []
  }

  /// The configuration's events while a take is at hand: it is read when the take is over.
  mutating func noteReload(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .reload: awaitsReload = true
    case .reloaded(let samplesWhileIdle):
      self.samplesWhileIdle = samplesWhileIdle
      succeed(.configuration)
    default: problem = .configuration
    }
    return []
  }
}
