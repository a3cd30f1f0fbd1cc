/// The table's columns saving, ending and ended.
extension RecorderMachine {
  mutating func handleSaving(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .gesture(.press(let press)) where isMeantForLast(press),
      .gesture(.long(let press)) where isMeantForLast(press):
      return [.refuse(RefusalText.hasReachedLength)]
    case .gesture(.press(let start)): return wait(start, isRequest: false)
    case .start(let start): return wait(start, isRequest: true)
    case .stop:
      // The take is being ended already: whoever asks for it waits for that.
      waitingStart = nil
      return []
    case .gesture(.long), .keep: return [.refuse(RefusalText.isSaving)]
    case .mark, .discard: return [.refuse(RefusalText.noRecording)]
    case .sensorFailed:
      isSensorAwake = false
      return meet(.sensor)
    case .firstSample:
      succeed(.storageFull, .storage)
      return []
    case .fileRefused(let problem):
      self.problem = problem
      return rest()
    case .storageEnded(let problem):
      hasStorageFailed = true
      return meet(problem)
    case .saved:
      if !hasStorageFailed { succeed(.storageFull, .storage) }
      return rest()
    case .savedNothing: return rest()
    case .reload, .reloaded, .reloadRefused: return noteReload(event)
    case .gesture(.veryLong), .terminate:
      state = .ending
      waitingStart = nil
      return []
    case .begin, .buttonDown, .gesture(.double), .gesture(.settled), .gesture(.holding),
      .gesture(.forgotten), .sensorReady, .sensorSilent, .sensorAnswers, .retry,
      .limitReached:
      return []
    }
  }

  mutating func handleEnding(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .saved, .savedNothing: return exit()
    case .fileRefused(let problem):
      self.problem = problem
      return exit()
    case .storageEnded(let problem): return meet(problem)
    case .sensorFailed:
      isSensorAwake = false
      return meet(.sensor)
    case .gesture(.press), .gesture(.long), .start, .stop, .mark, .keep, .discard:
      return [.refuse(RefusalText.isEnding)]
    case .begin, .buttonDown, .gesture(.double), .gesture(.settled), .gesture(.holding),
      .gesture(.veryLong), .gesture(.forgotten),
      .sensorReady, .sensorSilent, .sensorAnswers, .retry, .firstSample, .limitReached, .reload,
      .reloaded, .reloadRefused,
      .terminate:
      return []
    }
  }

  func handleEnded(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .start, .stop, .mark, .keep, .discard: return [.refuse(RefusalText.isEnding)]
    case .begin, .buttonDown, .gesture, .sensorReady, .sensorSilent, .sensorAnswers, .sensorFailed,
      .retry, .firstSample,
      .fileRefused,
      .limitReached, .storageEnded, .saved, .savedNothing, .reload, .reloaded, .reloadRefused,
      .terminate:
      return []
    }
  }
}
