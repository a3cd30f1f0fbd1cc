// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO

/// Requests, status, watchdog.
extension RecorderLoop {
  /// Callers that may wait at once: with the watchers fewer than all peers, so that the service always accepts a request.
  private static var mostWaiting: Int { ControlSocket.mostPeers / 2 - 1 }

  /// Answers a request, at once or when its result is there.
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
    // Watchers are answered in `watch`.
    case .status, .watch: answer([(question.peer, .status(status()))])
    case .start: carryOut(request, .start(at: now), question.peer)
    case .startByCalendar: carryOut(request, .start(at: now, by: .calendar), question.peer)
    case .stop: carryOut(request, .stop(at: now), question.peer)
    case .mark(let label): carryOut(request, .mark(at: now, label: label), question.peer)
    case .keep: carryOut(request, .keep(at: now), question.peer)
    case .discard: carryOut(request, .discard(at: now), question.peer)
    }
  }

  private func carryOut(_ request: ControlRequest, _ event: RecorderEvent, _ peer: ControlPeer) {
    for caller in requests.callers where control?.send(caller, []) == nil {
      requests.forget(caller)
    }
    guard requests.callers.count < RecorderLoop.mostWaiting else {
      return refuse(
        peer, "\(requests.callers.count) callers are waiting for an answer already; try again later"
      )
    }
    refusal = nil
    handle(event)
    if let refusal {
      guard request == .stop, let failure = storageFailure else {
        return answer([
          (peer, .refused(status: refusal.status.rawValue, message: refusal.sentence))
        ])
      }
      return answer([
        (
          peer,
          .refused(
            status: failure.status.rawValue,
            message: "no recording is running: \(failure.sentence)")
        )
      ])
    }
    let period = setup.rate.periodNanoseconds
    let answered = requests.add(
      peer, request, after: machine, at: clock.now(),
      patience: PendingRequests<ControlPeer>.patience(period: period))
    if let answered { answer([(peer, answered)]) }
  }

  /// The failure of the storage that ended the last recording or kept it from beginning; `nil` for none.
  private var storageFailure: CommandFailure? {
    switch machine.presentProblem {
    case .storage, .storageFull: lastFailure
    case .sensor, .configuration, nil: nil
    }
  }

  private func refuse(_ peer: ControlPeer, _ sentence: String) {
    answer([(peer, .refused(status: ExitStatus.tryAgain.rawValue, message: sentence))])
  }

  /// Sends answers to callers that are still there.
  func answer(_ answers: PendingRequests<ControlPeer>.Answers) {
    for (caller, answer) in answers { control?.answer(caller, answer.line) }
  }

  /// What is known of the recorder now.
  package func status() -> RecorderStatus {
    var status = RecorderStatus(state: machine.state)
    let gauge = workers?.channel.gauge.withLock { $0 }
    status.number = current.number
    status.ledger =
      current.isUnreadable ? nil : current.ledger ?? gauge?.progress?.ledger ?? TickLedger()
    status.lateness = gauge?.progress?.lateness
    status.worstFlush = gauge?.longestSync
    status.freeBytes = store.flatMap { keeper?.freeByteCount(in: $0) }
    status.clock = gauge?.clock
    status.temperature = SystemTree.live.cpuTemperature()
    status.sensor = sensor?.sensor.place
    status.realTime = workers?.realTime(memory: memoryRefusal)
    status.problem = machine.presentProblem
    status.failure = lastFailure?.sentence
    status.begunBy = current.reason
    status.trigger = triggerStatus(isArmed: gauge?.isTriggerArmed ?? false)
    status.untilTurn = turns.map { $0.due - clock.now() }
    status.calendar = setup.configuration.calendar
    status.note = setup.configuration.note
    return status
  }

  /// Feeds the service manager's watchdog: while the sensor is sampled, only if the sampler has delivered records. A sensor
  /// that does not answer still gives records, its gaps; a sampler or a writer that hangs does not.
  func feedWatchdog(_ now: MonotonicTime) {
    guard let due = watchdogAt, now >= due, let interval = surroundings.notifier?.watchdogInterval
    else {
      return
    }
    watchdogAt = now + interval / 3
    guard let workers, let sensor else { return }
    let silence =
      now - max(workers.channel.gauge.withLock { $0.lastArrival }, sensor.schedule.start)
    let patience = max(5_000_000_000, 3 * sensor.schedule.rate.periodNanoseconds)
    if silence < patience { surroundings.notifier?.watchdog() }
  }
}

/// A caller that watches.
struct Watcher {
  let peer: ControlPeer
  /// Lines that were left out since the last report of them.
  var lost: UInt64 = 0
}

/// Watchers get the new records 25 times a second; a slow one loses some, which are counted.
extension RecorderLoop {
  /// Watchers at once: half of all peers, so that the service always accepts a request.
  private static var mostWatchers: Int { ControlSocket.mostPeers / 2 }
  /// Nanoseconds between two statuses.
  private static var statusPeriod: Int64 { 500_000_000 }

  /// Adds a watcher; `false` for other requests.
  func watch(_ question: ControlQuestion) -> Bool {
    do {
      guard try ControlRequest(line: question.line) == .watch else { return false }
    } catch {
      return false
    }
    guard watchers.count < RecorderLoop.mostWatchers else {
      let refusal = ControlAnswer.refused(
        status: ExitStatus.tryAgain.rawValue,
        message: "\(watchers.count) are watching already; try again when one of them has left")
      control?.answer(question.peer, refusal.line)
      return true
    }
    watchers.append(Watcher(peer: question.peer))
    let index = watchers.count - 1
    send(Array((status().json + "\n").utf8), to: index)
    if let line = sensorLine { send(line, to: index) }
    feed.isWatched = true
    watchAt = clock.now()
    send(.look)
    return true
  }

  /// A sensor was woken or set up again.
  func sendSensorToWatchers() {
    // Waiting records are another sensor's, or of another grid.
    _ = feed.drain()
    guard let line = sensorLine else { return }
    for index in watchers.indices { send(line, to: index) }
  }

  func sendMarkToWatchers(at instant: MonotonicTime) {
    guard let sensor else { return }
    let mark = WatchLine.mark(instant - sensor.schedule.start).line
    // The status first: the mark counts for its recording.
    let bytes = Array((status().json + "\n" + mark + "\n").utf8)
    for index in watchers.indices where !send(bytes, to: index) { watchers[index].lost += 1 }
  }

  private var sensorLine: [UInt8]? {
    guard let sensor else { return nil }
    let line = WatchLine.sensor(
      sensor.sensor, sensor.schedule.rate, setup.configuration.channels)
    return Array((line.line + "\n").utf8)
  }

  /// Sends the records since the last frame, and shows them to the guide.
  func serveWatchers(_ now: MonotonicTime) {
    guard let due = watchAt, now >= due else { return }
    let (records, lost) = feed.drain()
    for record in records { guide?.add(record) }
    var bytes: [UInt8] = []
    for record in records { WatchLine.append(record, to: &bytes) }
    if now >= watchStatusAt {
      watchStatusAt = now + RecorderLoop.statusPeriod
      bytes += (status().json + "\n" + WatchLine.plan(current.plan?.plannedTicks).line + "\n").utf8
    }
    for index in watchers.indices {
      watchers[index].lost += lost
      if watchers[index].lost > 0 {
        let isSent = send(
          Array((WatchLine.lost(watchers[index].lost).line + "\n").utf8), to: index)
        if isSent { watchers[index].lost = 0 }
      }
      if !bytes.isEmpty, !send(bytes, to: index) { watchers[index].lost += UInt64(records.count) }
    }
    watchers.removeAll { control?.send($0.peer, []) == nil }
    if watchers.isEmpty, guide == nil {
      feed.isWatched = false
      watchAt = nil
    } else {
      watchAt = now + LiveFeed.framePeriod
    }
  }

  /// Whether the watcher accepted all bytes.
  @discardableResult
  private func send(_ bytes: [UInt8], to index: Int) -> Bool {
    control?.send(watchers[index].peer, bytes) ?? false
  }
}
