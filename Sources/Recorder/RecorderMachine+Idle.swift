/// The table's columns asleep, waking and armed: no take is at hand.
extension RecorderMachine {
  mutating func handleAsleep(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .begin: return samplesWhileIdle ? arm() : []
    case .gesture(.press(let press)) where isMeantForLast(press),
      .gesture(.long(let press)) where isMeantForLast(press):
      return [.refuse(RefusalText.hasReachedLength)]
    case .gesture(.press(let start)), .start(let start):
      waitingStart = start
      return arm()
    case .gesture(.long), .keep: return [.refuse(RefusalText.nothingSampled)]
    case .stop, .mark, .discard: return [.refuse(RefusalText.noRecording)]
    case .reload: return [.reload]
    case .reloaded(let samplesWhileIdle): return reconfigure(samplesWhileIdle: samplesWhileIdle)
    case .reloadRefused: return meet(.configuration)
    case .gesture(.veryLong), .terminate: return exit()
    case .buttonDown, .gesture(.double), .gesture(.settled), .gesture(.holding),
      .gesture(.forgotten), .sensorReady, .sensorSilent, .sensorAnswers,
      .sensorFailed,
      .retry, .firstSample, .fileRefused, .limitReached, .storageEnded, .saved, .savedNothing:
      return []
    }
  }

  mutating func handleWaking(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .gesture(.press(let press)) where isMeantForLast(press),
      .gesture(.long(let press)) where isMeantForLast(press):
      return [.refuse(RefusalText.hasReachedLength)]
    case .gesture(.press(let start)): return wait(start, isRequest: false)
    case .start(let start):
      guard problem != .sensor else { return [.refuse(RefusalText.noSensor)] }
      return wait(start, isRequest: true)
    case .stop: return forgetWaitingStart()
    case .gesture(.long), .keep: return [.refuse(RefusalText.notSampledYet)]
    case .mark, .discard: return [.refuse(RefusalText.noRecording)]
    case .sensorReady:
      isSensorAwake = true
      succeed(.sensor)
      return rest()
    case .sensorFailed: return loseSensor()
    case .retry: return isSensorAwake ? [] : arm()
    case .reload: return [.reload]
    case .reloaded(let samplesWhileIdle): return reconfigure(samplesWhileIdle: samplesWhileIdle)
    case .reloadRefused: return meet(.configuration)
    case .gesture(.veryLong), .terminate: return exit()
    case .begin, .buttonDown, .gesture(.double), .gesture(.settled), .gesture(.holding),
      .gesture(.forgotten), .sensorSilent, .sensorAnswers, .firstSample, .fileRefused,
      .limitReached,
      .storageEnded, .saved,
      .savedNothing:
      return []
    }
  }

  mutating func handleArmed(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .gesture(.press(let press)) where isMeantForLast(press),
      .gesture(.long(let press)) where isMeantForLast(press):
      return [.refuse(RefusalText.hasReachedLength)]
    case .gesture(.press(let start)), .start(let start): return begin(at: start)
    case .gesture(.long(let end)), .keep(let end):
      state = .saving
      hasStorageFailed = false
      return [.keepHistory(at: end)]
    case .stop, .mark, .discard: return [.refuse(RefusalText.noRecording)]
    case .sensorFailed: return loseSensor()
    case .reload: return [.reload]
    case .reloaded(let samplesWhileIdle): return reconfigure(samplesWhileIdle: samplesWhileIdle)
    case .reloadRefused: return meet(.configuration)
    case .gesture(.veryLong), .terminate: return exit()
    case .begin, .buttonDown, .gesture(.double), .gesture(.settled), .gesture(.holding),
      .gesture(.forgotten), .sensorReady, .sensorSilent, .sensorAnswers, .retry,
      .firstSample, .fileRefused, .limitReached, .storageEnded, .saved, .savedNothing:
      return []
    }
  }

  /// The take that waits for the sensor is not wanted any more.
  private mutating func forgetWaitingStart() -> [RecorderEffect] {
    guard waitingStart != nil else { return [.refuse(RefusalText.noRecording)] }
    waitingStart = nil
    return samplesWhileIdle ? [] : sleep()
  }

  /// The sensor is tried again where it is wanted while idle, and else at the next press.
  private mutating func loseSensor() -> [RecorderEffect] {
    isSensorAwake = false
    problem = .sensor
    let refusal: [RecorderEffect] = waitingStart == nil ? [] : [.refuse(RefusalText.pressForgotten)]
    waitingStart = nil
    state = samplesWhileIdle ? .waking : .asleep
    return refusal + (samplesWhileIdle ? [.scheduleRetry] : [])
  }
}
