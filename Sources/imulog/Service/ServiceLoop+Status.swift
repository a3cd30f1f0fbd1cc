import IMUModel
import LinuxIO
import LogStore
import Recorder

/// Requests, status, watchdog.
extension ServiceLoop {
  /// Callers at once who may wait for what they asked: with those who watch fewer than all, so that the service can
  /// always be asked.
  private static var mostWaiting: Int { ControlSocket.mostPeers / 2 - 1 }

  /// Answers a request, at once or when what it asks for is done.
  func receive(_ question: ControlQuestion) {
    let request: ControlRequest
    do {
      request = try ControlRequest(line: question.line)
    } catch {
      return answer([
        (question.peer, .refused(status: ExitStatus.usage.rawValue, message: "\(error)"))
      ])
    }
    let now = clock.now()
    switch request {
    // Those who may watch are answered elsewhere.
    case .status, .watch: answer([(question.peer, .status(status()))])
    case .start: carryOut(request, .start(at: now), question.peer)
    case .stop: carryOut(request, .stop(at: now), question.peer)
    case .mark(let label): carryOut(request, .mark(at: now, label: label), question.peer)
    case .keep: carryOut(request, .keep(at: now), question.peer)
    case .discard: carryOut(request, .discard(at: now), question.peer)
    }
  }

  private func carryOut(_ request: ControlRequest, _ event: ServiceEvent, _ peer: ControlPeer) {
    for caller in requests.callers where control.send(caller, []) == nil {
      requests.forget(caller)
    }
    guard requests.callers.count < ServiceLoop.mostWaiting else {
      return refuse(peer, "\(requests.callers.count) wait for an answer already; try again later")
    }
    refusal = nil
    handle(event)
    if let refusal {
      guard request == .stop, let failure = storageFailure else { return refuse(peer, refusal) }
      return answer([
        (
          peer,
          .refused(
            status: failure.status.rawValue,
            message: "no recording is running: \(failure.sentence)")
        )
      ])
    }
    let period = setup.sensor.rate.periodNanoseconds
    let answered = requests.add(
      peer, request, after: machine, at: clock.now(),
      patience: PendingRequests<ControlPeer>.patience(period: period))
    if let answered { answer([(peer, answered)]) }
  }

  /// Why the storage ended the last recording by itself, or kept it from beginning; `nil` when it did not.
  private var storageFailure: CommandFailure? {
    switch machine.presentProblem {
    case .storage, .storageFull: lastFailure
    case .sensor, .configuration, nil: nil
    }
  }

  private func refuse(_ peer: ControlPeer, _ sentence: String) {
    answer([(peer, .refused(status: ExitStatus.tryAgain.rawValue, message: sentence))])
  }

  /// Sends answers. One who went away gets none.
  func answer(_ answers: PendingRequests<ControlPeer>.Answers) {
    for (caller, answer) in answers { control.answer(caller, answer.line) }
  }

  func status() -> ServiceStatus {
    var status = ServiceStatus(state: machine.state)
    let gauge = threads?.gauge.value
    status.take = take.number
    let ledger =
      take.isUnreadable ? nil : take.ledger ?? gauge?.progress?.ledger ?? TickLedger()
    status.scheduled = ledger?.scheduled
    status.sampled = ledger?.sampled
    status.gaps = ledger.map { $0.scheduled - $0.sampled }
    status.latenessP99 = gauge?.progress?.latenessPercentile99
    status.worstFlush = gauge?.longestSync
    status.freeBytes = keeper.freeByteCount(in: store)
    status.temperature = SystemTree.live.cpuTemperature()
    status.sensor = sensor?.sensor.place
    status.realTime = threads.map(realTime)
    status.problem = machine.presentProblem
    status.failure = lastFailure?.sentence
    status.note = setup.configuration.note
    return status
  }

  /// Reports to the service manager that the service is well: while the sensor is sampled, only if the sampler was
  /// seen to hand on records. A sensor that does not answer is no ill health, as its gaps are records; a sampler or
  /// a writer that hangs is.
  func feedWatchdog(_ now: MonotonicTime) {
    guard let due = watchdogAt, now >= due, let interval = notifier?.watchdogInterval else {
      return
    }
    watchdogAt = now + interval / 3
    guard let threads, let sensor else { return }
    let silence = now - max(threads.gauge.value.lastArrival, sensor.schedule.start)
    let patience = max(5_000_000_000, 3 * sensor.schedule.rate.periodNanoseconds)
    if silence < patience { notifier?.watchdog() }
  }
}
