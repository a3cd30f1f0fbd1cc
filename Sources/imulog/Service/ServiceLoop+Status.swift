import IMUModel
import LinuxIO
import LogStore
import Service

/// Requests, status, watchdog.
extension ServiceLoop {
  /// The answer to a request's line.
  func answer(_ line: String) -> String {
    let request: ControlRequest
    do {
      request = try ControlRequest(line: line)
    } catch {
      return ControlAnswer.refused(status: ExitStatus.usage.rawValue, message: "\(error)").line
    }
    let now = clock.now()
    switch request {
    // Those who may watch are answered elsewhere.
    case .status, .watch: return ControlAnswer.status(status()).line
    case .start: return answer(to: .start(at: now))
    case .stop: return answer(to: .stop(at: now))
    case .mark(let label): return answer(to: .mark(at: now, label: label))
    case .keep: return answer(to: .keep(at: now))
    case .discard: return answer(to: .discard(at: now))
    }
  }

  private func answer(to event: ServiceEvent) -> String {
    refusal = nil
    handle(event)
    if let refusal {
      return ControlAnswer.refused(status: ExitStatus.tryAgain.rawValue, message: refusal).line
    }
    return ControlAnswer.done(machine.state).line
  }

  func status() -> ServiceStatus {
    var status = ServiceStatus(state: machine.state)
    let gauge = threads?.gauge.value
    let ledger = take.ledger ?? gauge?.progress?.ledger ?? TickLedger()
    status.take = take.number
    status.scheduled = ledger.scheduled
    status.sampled = ledger.sampled
    status.gaps = ledger.scheduled - ledger.sampled
    status.latenessP99 = gauge?.progress?.latenessPercentile99
    status.worstFlush = gauge?.longestSync
    status.freeBytes = SystemTree.live.freeBytes(at: store.path)
    status.temperature = SystemTree.live.cpuTemperature()
    status.sensor = sensor?.sensor.place
    status.realTime = threads.map(realTime)
    status.problem = machine.presentProblem
    status.note = setup.configuration.note
    return status
  }

  /// Tells the service manager that the service is well: while the sensor is sampled, only if the sampler was
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
