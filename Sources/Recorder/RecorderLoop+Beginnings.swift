// SPDX-License-Identifier: Apache-2.0

import Calibration
package import IMUModel

extension RecorderLoop {
  /// Handles an event in the motion, unless it would exceed the limit of 24 hours. One that is a mark already begins none.
  func handle(_ event: TriggerWatch.Event, isMarked: Bool) {
    switch event {
    case .quiet(let instant, _): handle(.quiet(at: instant))
    case .began(let instant, let tick, let level):
      let now = clock.now()
      triggers.noteEvent(at: now)
      guard !isMarked else { return sendMarkToWatchers(at: instant) }
      let most = setup.configuration.trigger.mostADay
      // In a recording that runs or waits it is a mark.
      let isMark = machine.state.isLogging || machine.waitingStart != nil
      guard isMark || triggers.count(at: now) < most else {
        if triggers.isNewlyFull() {
          journal(
            .warning,
            "trigger-most reached: \(most) recordings in 24 hours. The trigger is off until the oldest is a day old"
          )
        }
        return
      }
      handle(.triggered(at: instant, tick: tick, label: TriggerWatch.label(level)))
    }
  }

  /// Counts the current recording no more: nothing of it is kept, because the card refused it or it had no sample.
  func takeBackBeginning() {
    if current.reason == .trigger { triggers.takeBackBeginning() }
  }

  /// Begins the duty cycle of the configuration, if it is another one.
  func planCycles() {
    guard cycle?.period != setup.configuration.every else { return }
    cycle = setup.configuration.every.map { DutyCycle(period: $0, from: clock.now()) }
  }

  /// Begins the recording of a cycle that is due, or leaves it out where the sensor is in use.
  func takeCycle(_ now: MonotonicTime) {
    guard cycle?.takeCycle(at: now) ?? false else { return }
    if machine.state == .asleep {
      cycle?.isLeftOut = false
      handle(.start(at: now, by: .duty))
    } else if machine.state != .ending, machine.state != .ended, cycle?.isLeftOut == false {
      cycle?.isLeftOut = true
      journal(
        .notice,
        "a recording of the duty cycle is left out, because the service is \(machine.state.rawValue); it resumes when it is asleep"
      )
    }
  }

  func triggerStatus(isArmed: Bool) -> TriggerStatus? {
    let (setting, now) = (setup.configuration.trigger, clock.now())
    let count = triggers.count(at: now)
    return TriggerStatus(
      setting, preTrigger: setup.configuration.preTrigger,
      isArmed: isArmed && machine.state == .armed && count < setting.mostADay, count: count,
      sinceLast: triggers.last.map { now - $0 })
  }
}

/// The cycles of a duty cycle on the monotonic clock, which stands still in a suspension; a missed cycle is left out.
package struct DutyCycle {
  /// Nanoseconds from the end of a recording to the next cycle: time to save it, and for the sensor to sleep and wake.
  package static let shortestSleep: Int64 = 1_000_000_000

  /// Nanoseconds from one cycle to the next.
  package let period: Int64
  package private(set) var due: MonotonicTime
  /// Whether the last cycle was left out: of several in a row the journal has the first.
  var isLeftOut = false

  package init(period: Int64, from start: MonotonicTime) { (self.period, due) = (period, start) }

  /// Whether a cycle is due, which is then the past.
  package mutating func takeCycle(at now: MonotonicTime) -> Bool {
    guard now >= due else { return false }
    due = due + ((now - due) / period + 1) * period
    return true
  }
}

/// The recordings that motion has begun since the service started. The 24 hours are the monotonic clock's.
package struct TriggerTally {
  private static var day: Int64 { 86_400_000_000_000 }

  /// Beginnings in the last 24 hours, at most as many as are allowed.
  private var begun: [MonotonicTime] = []
  /// The latest event, also of one that began no recording.
  package private(set) var last: MonotonicTime?
  /// Whether the limit was reported since it was reached.
  private var isReported = false

  package init() {}

  /// Beginnings in the 24 hours before `now`.
  package func count(at now: MonotonicTime) -> Int {
    begun.count { now - $0 < TriggerTally.day }
  }

  package mutating func noteEvent(at instant: MonotonicTime) { last = instant }

  package mutating func noteBeginning(at now: MonotonicTime) {
    begun.removeAll { now - $0 >= TriggerTally.day }
    begun.append(now)
    isReported = false
  }

  /// The recording that began last got no file or no sample, and is none.
  package mutating func takeBackBeginning() { _ = begun.popLast() }

  /// Whether this refusal is the first one since the limit was reached.
  package mutating func isNewlyFull() -> Bool {
    defer { isReported = true }
    return !isReported
  }
}

/// A calibration by hand without a screen: two presses begin a recording, and the light shows the ``CalibrationGuide``.
struct HandGuide {
  private var guide: CalibrationGuide?

  var isOn: Bool { guide != nil }

  mutating func begin(_ sensor: SensorStart, channels: ChannelSet) {
    guide = CalibrationGuide(sensor.sensor, channels: channels, rate: sensor.schedule.rate)
  }

  mutating func add(_ records: [TickRecord]) {
    for record in records { guide?.add(record) }
  }

  /// Ends with the recording; returns what is missing, or `nil`: the light does not show it to who was away.
  mutating func end() -> String? {
    defer { guide = nil }
    guard let guide, guide.next != .done else { return nil }
    let turns = guide.hasTurns ? " and \(guide.turns.count) of 3 turns" : ""
    let edges = min(guide.diagonals.count, 6)
    return
      "the guided recording ended with \(guide.faces.count) of 6 faces, \(edges) of 6 edges"
      + "\(turns); all of it takes about 2 min: a rate of 50 Hz and a length of 3 min are enough"
  }

  /// The machine's light, or the guide's while the recording runs.
  func light(_ light: Light) -> Light {
    guard light == .recording, let guide else { return light }
    if guide.next == .done { return .guide(.done) }
    if guide.isTaken { return .guide(.taken) }
    return .guide(guide.stillFor == nil ? .move : .hold)
  }
}

extension RecorderLoop {
  func followGuide() {
    guard machine.isGuided, machine.state.isLogging else {
      if let sentence = guide.end() { journal(.notice, sentence) }
      return
    }
    guard !guide.isOn, let sensor else { return }
    guide.begin(sensor, channels: setup.configuration.channels)
    look()
  }
}
