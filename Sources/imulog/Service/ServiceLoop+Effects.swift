import IMUModel
import LinuxIO
import LogStore
import Recorder

/// What the machine wants done.
extension ServiceLoop {
  func carryOut(_ effect: ServiceEffect) {
    switch effect {
    case .wakeSensor: wakeSensor()
    case .sleepSensor: sleepSensor()
    case .scheduleRetry: retryAt = clock.now() + ServiceLoop.retryInterval
    case .beginTake(let instant):
      begin(
        TakeOrder(at: instant, ticksBefore: setup.ticksBefore, ticksAfter: setup.ticksAfter))
    case .keepHistory(let instant):
      begin(TakeOrder(at: instant, ticksBefore: .max, ticksAfter: 0))
      threads?.orders.post(.end(at: nil, reason: .button))
    case .holdBack(let instant): threads?.orders.post(.hold(at: instant))
    case .release: threads?.orders.post(.release)
    case .mark(let instant, let label):
      threads?.orders.post(.mark(at: instant, label: label))
      sendMarkToWatchers(at: instant)
    case .endTake(let instant, let reason):
      threads?.orders.post(.end(at: instant, reason: reason))
    case .discardTake(let instant):
      take.isDiscarded = true
      threads?.orders.post(.end(at: instant, reason: .button))
    case .refuse(let sentence):
      refusal = sentence
      ServiceJournal.say(.notice, sentence)
    case .reload: reload()
    case .exit: break
    }
  }

  /// Nanoseconds until a sensor that was not found is looked for again.
  private static var retryInterval: Int64 { 2_000_000_000 }

  private func begin(_ order: TakeOrder) {
    take = ServiceTake()
    threads?.orders.post(.begin(order))
    keeper.tend(store)
  }

  private func wakeSensor() {
    do {
      session += 1
      threads = try ServiceThreads(setup.sensor, session: session, news: news)
    } catch {
      ServiceJournal.say(.error, "\(error)")
      handle(.sensorFailed, because: CommandFailure(error))
    }
  }

  private func sleepSensor() {
    threads?.end()
    (threads, sensor, retryAt) = (nil, nil, nil)
    pauseWatchdog()
  }

  /// No one is to wake the manager's clock while nothing is sampled.
  func pauseWatchdog() {
    watchdogAt = nil
    if notifier?.watchdogInterval != nil { notifier?.setWatchdog(nanoseconds: 0) }
  }

  // MARK: The configuration

  /// Puts in force what the keeper read: a card that hangs has held up no take, and no sign of life.
  private func reload() {
    guard let nextSetup else { preconditionFailure("the news of what was read order the reload") }
    notifier?.reloading(at: clock.now())
    do {
      let next = try nextSetup.get()
      try replacePanel(next.setup)
      (setup, store) = (next.setup, next.store)
      keeper.tend(store)
      ServiceJournal.say(.notice, "the configuration was read again and is in force")
      handle(.reloaded(samplesWhileIdle: setup.configuration.samplesWhileIdle))
    } catch {
      let failure = CommandFailure(error, else: .configuration)
      ServiceJournal.say(.error, "\(failure.sentence); the configuration before stays in force")
      handle(.reloadRefused, because: failure)
    }
    notifier?.ready(status: machine.state.rawValue)
  }

  /// Asks for other lines when the configuration names others. The kernel gives a line to one owner at a time, so
  /// the old ones go first and come back when the new ones are refused.
  private func replacePanel(_ next: ServiceSetup) throws {
    let (old, new) = (setup.configuration, next.configuration)
    guard
      setup.button != next.button || setup.light != next.light
        || old.isButtonActiveLow != new.isButtonActiveLow
        || old.isLightActiveLow != new.isLightActiveLow
    else { return }
    panel.darken()
    for event in panel.close() { handle(event) }
    do {
      panel = try ServicePanel(next)
    } catch {
      takeBackPanel()
      throw error
    }
    for remark in panel.remarks { ServiceJournal.say(.warning, remark) }
  }

  /// Asks for the old lines again.
  private func takeBackPanel() {
    do {
      panel = try ServicePanel(setup)
    } catch {
      ServiceJournal.say(.error, "\(error); the lines of before are lost too")
    }
  }
}
