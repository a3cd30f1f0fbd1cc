// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO

/// The sensor's threads from one waking to the next sleep, and what is known of earlier wakings.
struct SensorWaking {
  let makeWorkers: (RecorderSetup, WriterChannel) throws -> any Workers
  let memoryRefusal: Refusal?
  /// While the sensor is awake.
  var workers: (any Workers)?
  /// While it samples.
  private(set) var sensor: SensorStart?
  /// When a missing one is searched again.
  private(set) var retryAt: MonotonicTime?
  private(set) var session: UInt64 = 0
  private(set) var hadSensor = false
  /// The last report about one that is not found.
  private var lastReported: String?

  init(
    makeWorkers: @escaping (RecorderSetup, WriterChannel) throws -> any Workers,
    memoryRefusal: Refusal?
  ) {
    (self.makeWorkers, self.memoryRefusal) = (makeWorkers, memoryRefusal)
  }

  /// Nanoseconds until the next search for a missing sensor.
  private static var retryInterval: Int64 { 2_000_000_000 }

  /// How the threads were scheduled, for the header; `nil` while the sensor sleeps.
  var realTime: String? { workers?.realTime(memory: memoryRefusal) }

  mutating func nextSession() -> UInt64 {
    session += 1
    return session
  }

  /// The workers, if a report is of the present session.
  func workers(of session: UInt64) -> (any Workers)? {
    workers.flatMap { $0.channel.session == session ? $0 : nil }
  }

  mutating func note(_ start: SensorStart) {
    (sensor, hadSensor, lastReported) = (start, true, nil)
  }

  /// Ends the threads; returns whether one of them hangs in the kernel.
  mutating func sleep() -> Bool {
    defer { (workers, sensor, retryAt) = (nil, nil, nil) }
    return workers?.end() == false
  }

  mutating func scheduleRetry(from now: MonotonicTime) {
    retryAt = now + SensorWaking.retryInterval
  }

  /// Whether a search is due, which is then the past.
  mutating func isRetryDue(_ now: MonotonicTime) -> Bool {
    guard let due = retryAt, now >= due else { return false }
    retryAt = nil
    return true
  }

  /// Whether a failure is another one than the last: the search is repeated, the report is not.
  mutating func isNews(_ sentence: String) -> Bool {
    defer { lastReported = sentence }
    return sentence != lastReported
  }
}

/// The service manager's watchdog; its timer is off while nothing is sampled.
struct Watchdog {
  let notifier: ServiceNotifier?
  private(set) var dueAt: MonotonicTime?

  mutating func begin(at now: MonotonicTime) {
    guard let notifier, let interval = notifier.watchdogInterval else { return }
    notifier.setWatchdog(nanoseconds: interval)
    dueAt = now
  }

  mutating func pause() {
    dueAt = nil
    if notifier?.watchdogInterval != nil { notifier?.setWatchdog(nanoseconds: 0) }
  }

  /// Feeds it when that is due and the sampler delivers records: a silent sensor gives gaps, a thread that hangs nothing.
  mutating func feed(at now: MonotonicTime, _ waking: SensorWaking) {
    guard let dueAt, now >= dueAt, let notifier, let interval = notifier.watchdogInterval else {
      return
    }
    self.dueAt = now + interval / 3
    guard let workers = waking.workers, let schedule = waking.sensor?.schedule else { return }
    let silence = now - max(workers.channel.gauge.withLock { $0.lastArrival }, schedule.start)
    if silence < max(5_000_000_000, 3 * schedule.rate.periodNanoseconds) { notifier.watchdog() }
  }
}
