import IMUModel
import LinuxIO
import Recorder

/// A caller who watches.
struct ServiceWatcher {
  let peer: ControlPeer
  /// Lines that were left out since that was reported.
  var lost: UInt64 = 0
}

/// Those who watch: 25 times a second each gets what was sampled, as far as it takes it.
extension ServiceLoop {
  /// Callers at once who may watch: half of all, so that the service can always be asked.
  private static var mostWatchers: Int { ControlSocket.mostPeers / 2 }
  /// Nanoseconds between two statuses.
  private static var statusPeriod: Int64 { 500_000_000 }

  /// Lets a caller watch, if that is what it asks; `false` for other questions.
  func watch(_ question: ControlQuestion) -> Bool {
    do {
      guard try ControlRequest(line: question.line) == .watch else { return false }
    } catch {
      return false
    }
    guard watchers.count < ServiceLoop.mostWatchers else {
      let refusal = ControlAnswer.refused(
        status: ExitStatus.tryAgain.rawValue,
        message: "\(watchers.count) are watching already; try again when one of them has left")
      control.answer(question.peer, refusal.line)
      return true
    }
    watchers.append(ServiceWatcher(peer: question.peer))
    let index = watchers.count - 1
    send(Array((status().json + "\n").utf8), to: index)
    if let line = sensorLine { send(line, to: index) }
    feed.isWatched = true
    watchAt = clock.now()
    threads?.orders.post(.look)
    return true
  }

  /// A sensor was woken, or set up otherwise.
  func sendSensorToWatchers() {
    // What waits is another sensor's, or of another grid.
    _ = feed.take()
    guard let line = sensorLine else { return }
    for index in watchers.indices { send(line, to: index) }
  }

  /// A moment of the take at hand was marked, by the button or by a caller.
  func sendMarkToWatchers(at instant: MonotonicTime) {
    guard let sensor else { return }
    let mark = WatchLine.mark(instant - sensor.schedule.start).line
    // The status first: the mark counts for the take that it is in.
    let bytes = Array((status().json + "\n" + mark + "\n").utf8)
    for index in watchers.indices where !send(bytes, to: index) { watchers[index].lost += 1 }
  }

  private var sensorLine: [UInt8]? {
    guard let sensor else { return nil }
    let line = WatchLine.sensor(
      sensor.sensor, sensor.schedule.rate, setup.configuration.channels)
    return Array((line.line + "\n").utf8)
  }

  /// Sends what was sampled since the last time.
  func tendWatchers(_ now: MonotonicTime) {
    guard let due = watchAt, now >= due else { return }
    let (records, lost) = feed.take()
    var bytes: [UInt8] = []
    for record in records { WatchLine.append(record, to: &bytes) }
    if now >= watchStatusAt {
      watchStatusAt = now + ServiceLoop.statusPeriod
      bytes += (status().json + "\n" + WatchLine.plan(take.plan?.plannedTicks).line + "\n").utf8
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
    watchers.removeAll { control.send($0.peer, []) == nil }
    if watchers.isEmpty {
      feed.isWatched = false
      watchAt = nil
    } else {
      watchAt = now + TakeWatching.framePeriod
    }
  }

  /// Whether a watcher took it all.
  @discardableResult
  private func send(_ bytes: [UInt8], to index: Int) -> Bool {
    control.send(watchers[index].peer, bytes) ?? false
  }
}
