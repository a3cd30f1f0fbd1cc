/// The table's columns starting, recording and stopping: a take is at hand.
extension RecorderMachine {
  mutating func handleRecording(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    // It may be the take's end: what comes after it is logged when it is known not to be.
    case .buttonDown(let time): return [.holdBack(at: time)]
    case .gesture(.press(let press)):
      state = .stopping
      stopPress = press
      return [.holdBack(at: press)]
    case .gesture(.long(let start)), .discard(let start): return discard(andBeginAt: start)
    case .stop(let time): return end(at: time, .button)
    case .mark(let time, let label): return [.mark(at: time, label: label)]
    case .start: return [.refuse(RefusalText.isRecording)]
    case .keep: return [.refuse(RefusalText.endsBeforeKeeping)]
    case .firstSample:
      state = .recording
      return receiveFirstSample()
    case .fileRefused(let problem):
      self.problem = problem
      return rest()
    case .limitReached, .storageEnded, .sensorFailed: return endByItself(event)
    case .reload, .reloaded, .reloadRefused: return noteReload(event)
    case .gesture(.veryLong): return end(at: nil, .button, then: .ending)
    case .terminate: return end(at: nil, .signal, then: .ending)
    // A double press whose first one began this take, or a press whose end is not known.
    case .gesture(.double), .gesture(.forgotten): return [.release]
    // The window after the press that began this take.
    case .gesture(.settled): return []
    case .begin, .gesture(.holding), .sensorReady, .sensorSilent, .sensorAnswers, .retry, .saved,
      .savedNothing:
      return []
    }
  }

  mutating func handleStopping(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .gesture(.double(let press)):
      state = hasFirstSample ? .recording : .starting
      stopPress = nil
      return [.mark(at: press, label: ""), .release]
    // It may have been the second press of a mark: a take that runs too long is better than one that ends too soon.
    case .gesture(.forgotten):
      state = hasFirstSample ? .recording : .starting
      stopPress = nil
      return [.release]
    case .gesture(.settled), .gesture(.long), .stop: return end(at: stopPress, .button)
    case .gesture(.press(let start)):
      // The button never reports one press before the other is settled; if it did, none would be lost.
      return end(at: stopPress, .button) + wait(start, isRequest: false)
    case .discard(let start): return discard(andBeginAt: start)
    case .start, .keep, .mark: return [.refuse(RefusalText.isStopping)]
    case .firstSample: return receiveFirstSample()
    case .fileRefused(let problem):
      self.problem = problem
      return rest()
    case .limitReached, .storageEnded, .sensorFailed: return endByItself(event)
    case .reload, .reloaded, .reloadRefused: return noteReload(event)
    // No second press can come any more.
    case .gesture(.veryLong), .terminate: return end(at: stopPress, .button, then: .ending)
    case .begin, .buttonDown, .gesture(.holding), .sensorReady, .sensorSilent, .sensorAnswers,
      .retry,
      .saved, .savedNothing:
      return []
    }
  }

  private mutating func receiveFirstSample() -> [RecorderEffect] {
    hasFirstSample = true
    succeed(.storageFull, .storage)
    return []
  }

  /// The take ends, and not because a user wants it to: what was held back is logged as far as it goes.
  private mutating func endByItself(_ event: RecorderEvent) -> [RecorderEffect] {
    switch event {
    case .limitReached(let time):
      lastLimit = time
      return end(at: nil, .completed)
    case .storageEnded(let problem):
      self.problem = problem
      hasStorageFailed = true
      return end(at: nil, reason(for: problem))
    default:
      problem = .sensor
      isSensorAwake = false
      return end(at: nil, .sensorLost)
    }
  }
}
