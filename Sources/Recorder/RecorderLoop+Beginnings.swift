// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Recordings that begin without a person: by motion, and in turns.
extension RecorderLoop {
  /// Handles an event in the motion, unless it would begin one recording more in 24 hours than is allowed.
  ///
  /// - Parameter isMarked: Whether it is a mark of the recording already, and begins none.
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
  func planTurns() {
    guard turns?.period != setup.configuration.every else { return }
    turns = setup.configuration.every.map { DutyCycle(period: $0, from: clock.now()) }
  }

  /// Begins the recording of a turn that is due, or leaves it out where the sensor is in use.
  func takeTurn(_ now: MonotonicTime) {
    guard turns?.takeTurn(at: now) ?? false else { return }
    if machine.state == .asleep {
      turns?.isLeftOut = false
      handle(.start(at: now, by: .duty))
    } else if machine.state != .ending, machine.state != .ended, turns?.isLeftOut == false {
      turns?.isLeftOut = true
      journal(
        .notice,
        "a turn of the duty cycle is left out, because the service is \(machine.state.rawValue); so is each other one until it is asleep"
      )
    }
  }

  /// What is known of the trigger for `status`; `nil` without one.
  func triggerStatus(isArmed: Bool) -> TriggerStatus? {
    let (setting, now) = (setup.configuration.trigger, clock.now())
    let count = triggers.count(at: now)
    return TriggerStatus(
      setting, preTrigger: setup.configuration.preTrigger,
      isArmed: isArmed && machine.state == .armed && count < setting.mostADay, count: count,
      sinceLast: triggers.last.map { now - $0 })
  }
}
