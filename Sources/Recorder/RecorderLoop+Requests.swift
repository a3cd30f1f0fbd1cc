// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO

extension RecorderLoop {
  /// Answers a request, at once or when its result is there.
  func receive(_ question: ControlQuestion) {
    let peer = question.peer
    let request: ControlRequest
    do {
      request = try ControlRequest(line: question.line)
    } catch {
      return callers.refuse(peer, .usage, "\(error)")
    }
    let now = clock.now()
    switch request {
    case .watch: watch(peer)
    case .status: callers.answer(peer, .status(status()))
    case .start: carryOut(request, .start(at: now), peer)
    case .startByCalendar: carryOut(request, .start(at: now, by: .calendar), peer)
    case .stop: carryOut(request, .stop(at: now), peer)
    case .mark(let label): carryOut(request, .mark(at: now, label: label), peer)
    case .keep: carryOut(request, .keep(at: now), peer)
    case .discard: carryOut(request, .discard(at: now), peer)
    }
  }

  private func carryOut(_ request: ControlRequest, _ input: RecorderInput, _ peer: ControlPeer) {
    guard callers.haveRoom() else {
      return callers.refuse(
        peer, .tryAgain,
        "\(callers.count) callers are waiting for an answer already; try again later")
    }
    callers.refusal = nil
    handle(input)
    guard let refusal = callers.refusal else {
      let answered = callers.requests.add(
        peer, request, after: machine, at: clock.now(),
        patience: PendingRequests<ControlPeer>.patience(period: setup.rate.periodNanoseconds))
      if let answered { callers.answer(peer, answered) }
      return
    }
    if request == .stop, let failure = storageFailure {
      callers.refuse(peer, failure.status, "no recording is running: \(failure.sentence)")
    } else {
      callers.refuse(peer, refusal.status, refusal.sentence)
    }
  }

  /// The failure of the storage that ended the last recording or kept it from beginning; `nil` for none.
  private var storageFailure: CommandFailure? {
    switch machine.presentProblem {
    case .storage, .storageFull: lastFailure
    case .sensor, .configuration, nil: nil
    }
  }

  package func status() -> RecorderStatus {
    var status = RecorderStatus(state: machine.state)
    let gauge = workers?.channel.gauge.withLock { $0 }
    status.number = current.number
    status.tally =
      current.isUnreadable ? nil : current.tally ?? gauge?.progress?.tally ?? TickTally()
    status.lateness = gauge?.progress?.lateness
    status.worstFlush = gauge?.longestSync
    status.freeBytes = keeper?.freeByteCount()
    status.clock = gauge?.clock
    status.members = gauge?.members ?? []
    status.temperature = SystemTree.live.cpuTemperature()
    status.sensor = sensor?.sensor.place
    status.realTime = waking.realTime
    status.problem = machine.presentProblem
    status.failure = lastFailure?.sentence
    status.begunBy = current.reason
    status.trigger = triggerStatus(isArmed: gauge?.isTriggerArmed ?? false)
    status.untilCycle = cycle.map { $0.due - clock.now() }
    status.calendar = setup.configuration.calendar
    status.note = setup.configuration.note
    return status
  }

  // MARK: Watchers

  private func watch(_ peer: ControlPeer) {
    guard watchers.haveRoom else {
      return callers.refuse(
        peer, .tryAgain,
        "\(watchers.count) are watching already; try again when one of them has left")
    }
    watchers.add(peer)
    watchers.send(Array((status().json + "\n").utf8) + (sensorLine ?? []), to: peer, callers)
    look()
  }

  /// Has the records of the feed come at once.
  func look() {
    watchers.look(at: clock.now())
    send(.look)
  }

  func sendSensorToWatchers() {
    // Waiting records are another sensor's, or of another grid.
    _ = feed.drain()
    if let line = sensorLine { watchers.send(line, callers) }
  }

  func sendMarkToWatchers(at instant: MonotonicTime) {
    guard let sensor else { return }
    let mark = WatchLine.mark(instant - sensor.schedule.start).line
    // The status first: the mark counts for its recording.
    watchers.send(Array((status().json + "\n" + mark + "\n").utf8), lines: 1, callers)
  }

  private var sensorLine: [UInt8]? {
    guard let sensor else { return nil }
    let line = WatchLine.sensor(
      sensor.sensor, sensor.schedule.rate, setup.configuration.channels)
    return Array((line.line + "\n").utf8)
  }

  /// Sends the records since the last frame, and shows them to the guide.
  func serveWatchers(_ now: MonotonicTime) {
    guard let (records, lost) = watchers.frame(at: now) else { return }
    guide.add(records)
    var bytes: [UInt8] = []
    for record in records { WatchLine.append(record, to: &bytes) }
    if watchers.isStatusDue(now) {
      bytes += (status().json + "\n" + WatchLine.plan(current.plan?.plannedTicks).line + "\n").utf8
    }
    watchers.send(bytes, lines: UInt64(records.count), after: lost, callers)
    watchers.endFrame(at: now, isGuided: guide.isOn, callers)
  }
}
