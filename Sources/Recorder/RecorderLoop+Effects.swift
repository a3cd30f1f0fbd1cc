// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LinuxIO
import Sampling
import Text

/// The loop's data about the current or the last recording.
struct CurrentRecording {
  /// `nil` before the first one.
  var reason: StartReason?
  /// `nil` while it has no file.
  var number: UInt32?
  /// Ticks and times, once it has a file.
  var plan: RecordingPlan?
  /// Once its file has its end.
  var tally: TickTally?
  /// Whether its file is gone or cannot be read.
  var isUnreadable = false
}

// MARK: Effects

extension RecorderLoop {
  func carryOut(_ effect: RecorderEffect) {
    switch effect {
    case .wakeSensor: wakeSensor()
    case .sleepSensor: sleepSensor()
    case .scheduleRetry: waking.scheduleRetry(from: clock.now())
    case .beginRecording(let start):
      if start.reason == .trigger { triggers.noteBeginning(at: clock.now()) }
      begin(
        RecordingOrder(
          at: start.at, ownTick: start.tick, ticksBefore: setup.ticksBefore,
          ticksAfter: setup.ticksAfter), by: start.reason)
    case .keepHistory(let instant, let reason):
      begin(RecordingOrder(at: instant, ticksBefore: .max, ticksAfter: 0), by: reason)
      send(.end(at: nil, reason: .button))
    case .holdBack(let instant): send(.hold(at: instant))
    case .release: send(.release)
    case .takeOver: send(.takeOver)
    case .mark(let instant, let label):
      send(.mark(at: instant, label: label))
      sendMarkToWatchers(at: instant)
    case .endRecording(let instant, let reason):
      send(.end(at: instant, reason: reason))
      // Its next samples belong to no recording.
      if setup.isSingle { workers?.stopSampling() }
    case .discardRecording(let instant): send(.end(at: instant, reason: .button, isDiscarded: true))
    case .refuse(let sentence, let status):
      callers.refusal = CommandFailure(status, sentence)
      journal(.notice, sentence)
    case .report(let sentence): journal(.warning, sentence)
    case .reload: reload()
    case .exit: break
    }
  }

  private func begin(_ order: RecordingOrder, by reason: StartReason) {
    guard let sensor, let realTime = waking.realTime else { return }
    current = CurrentRecording()
    current.reason = reason
    for (member, start) in zip(setup.members, sensor.members) {
      guard let calibration = member.calibration, member.isForeign(start.sensor) else { continue }
      journal(
        .warning,
        "the calibration \(calibration.name) is of \(calibration.sensor), and the chip is \(start.sensor.model); the recording has none"
      )
    }
    let headers = setup.headers(
      of: sensor, from: surroundings.origin, realTime: realTime,
      cpuLatency: latency.words, begunBy: reason)
    send(.begin(order, headers, setup))
    keeper?.tidy()
  }

  private func wakeSensor() {
    do {
      let channel = try WriterChannel(
        session: waking.nextSession(), news: news, card: card, feed: feed, clock: clock)
      waking.workers = try waking.makeWorkers(setup, channel)
    } catch {
      sensorFailed(CommandFailure(error, else: .unavailable))
    }
  }

  private func sleepSensor() {
    ending.isHung = waking.sleep() || ending.isHung
    watchdog.pause()
  }

  /// Holds the processors awake during a recording; `before` is the state before the input.
  func holdLatency(_ before: RecorderMachine.State) {
    let isRecording = machine.state.isLogging
    guard isRecording != before.isLogging else { return }
    let limit =
      isRecording ? setup.configuration.cpuLatency.microseconds(at: setup.fastestRate) : nil
    if let refusal = latency.ask(microseconds: limit) { journal(.warning, "\(refusal)") }
  }

  // MARK: The configuration

  /// Applies the setup that the keeper has read; the loop itself never waits for the card.
  private func reload() {
    guard let nextSetup else {
      preconditionFailure("a configuration is read before it is put in force")
    }
    let notifier = surroundings.notifier
    notifier?.reloading(at: clock.now())
    do {
      let next = try nextSetup.get()
      try replacePanel(next.setup)
      setup = next.setup
      card.post(.use(next.store.path))
      keeper?.use(next.store)
      journal(.notice, "the configuration was read again and is in force")
      planCycles()
      handle(.reloaded(samplesWhileIdle: setup.configuration.samplesWhileIdle))
    } catch {
      let failure = CommandFailure(error, else: .configuration)
      journal(.error, "\(failure.sentence); the configuration before stays in force")
      handle(.reloadRefused, because: failure)
    }
    notifier?.ready(status: machine.state.rawValue)
  }

  /// Requests other lines if the configuration names others, and the old ones again if those are refused.
  private func replacePanel(_ next: RecorderSetup) throws {
    let (old, new) = (setup.configuration, next.configuration)
    guard
      setup.button != next.button || setup.light != next.light
        || old.isButtonActiveLow != new.isButtonActiveLow
        || old.isLightActiveLow != new.isLightActiveLow
    else { return }
    for input in panel?.close() ?? [] { handle(input) }
    do {
      panel = try surroundings.openPanel(next)
    } catch {
      do {
        panel = try surroundings.openPanel(setup)
      } catch {
        journal(.error, "\(error); the former lines are lost too")
      }
      throw error
    }
    for remark in panel?.remarks ?? [] { journal(.warning, remark) }
  }
}

/// A limit to the processors' sleep, held until the next one is asked for.
struct LatencyRequest {
  private var hold: LatencyHold?
  private var refusal: Refusal?
  private var lastRefusal: Refusal?

  /// Asks for wake-ups within so many microseconds, or without a limit. Returns a refusal that is not the last one again.
  mutating func ask(microseconds: Int32?) -> Refusal? {
    (hold, refusal) = microseconds.map { LatencyHold.engage(microseconds: $0) } ?? (nil, nil)
    guard let refusal, refusal != lastRefusal else { return nil }
    lastRefusal = refusal
    return refusal
  }

  /// For the log's header.
  var words: String {
    if let hold { return "held at \(hold.microseconds) µs" }
    return refusal == nil ? "not held" : "refused"
  }
}

// MARK: News

extension RecorderLoop {
  func handle(_ item: RecorderNews) {
    switch item {
    case .sensor(let news, let session):
      if let workers = waking.workers(of: session) {
        handle(news, workers)
      } else if case .motion(.began, isMarked: false) = news {
        journal(.warning, RefusalText.eventIsLost)
      }
    case .marksLost(let count): journal(.warning, RefusalText.marksAreLost(count))
    case .recording(let input):
      if input == .savedNothing {
        takeBackBeginning()
        journal(.notice, RefusalText.hadNoSample)
        if setup.isSingle {
          ending.fatal = CommandFailure(.tryAgain, RefusalText.endedBeforeSample)
        }
      }
      handle(input)
    case .fileMade(let number, let plan):
      (current.number, current.plan) = (number, plan)
      (single.cardWaitSince, notice) = (nil, "")
      if let sensor { surroundings.didBegin(sensor) }
    case .fileRefused(let failure, let isFull):
      takeBackBeginning()
      if setup.isSingle { ending.fatal = failure } else { journal(.error, failure.sentence) }
      handle(.fileRefused(isFull ? .storageFull : .storage), because: failure)
    case .filed(let recording): handle(recording)
    case .configurationRead(let next):
      nextSetup = next
      handle(.reload)
    }
  }

  private func handle(_ news: SensorNews, _ workers: any Workers) {
    switch news {
    case .ready(let start): sensorIsReady(start, workers)
    case .failed(let failure):
      // The writer ends a recording first; then the machine lets the sensor sleep.
      if machine.state.isIdle { sleepSensor() }
      sensorFailed(failure)
    case .silent(let isSilent, let place, let isAnySilent):
      handle(isSilent: isSilent, place, isAnySilent: isAnySilent)
    case .interruptSilent:
      notice =
        "no edge comes from the chip's interrupt line; check the wire, or set interrupt to none. "
        + "Without it the times are less certain, and nothing else is lost"
      if panel == nil { journal(.warning, notice) }
    case .motion(let event, let isMarked): handle(event, isMarked: isMarked)
    }
  }

  /// Ends a service that never had its sensor because another program holds it: this is probably a second service. Other
  /// failures may be temporary, but a single recording does not wait.
  private func sensorFailed(_ failure: CommandFailure) {
    if setup.isSingle || (failure.status == .tryAgain && !waking.hadSensor) {
      ending.fatal = failure
      return handle(machine.state.isIdle ? .terminate : .sensorFailed)
    }
    if waking.isNews(failure.sentence) { journal(.error, failure.sentence) }
    handle(.sensorFailed, because: failure)
  }

  /// The sampler keeps polling and sets the chip up again when it answers.
  private func handle(isSilent: Bool, _ place: String, isAnySilent: Bool) {
    // A single recording of one sensor has nothing else to say.
    if !setup.isSingle || !setup.companions.isEmpty {
      journal(
        isSilent ? .error : .notice,
        isSilent
          ? "\(place) stopped delivering samples; check the wiring. Retrying"
          : "\(place) delivers samples again")
    }
    handle(isAnySilent ? .sensorSilent : .sensorAnswers)
  }

  private func sensorIsReady(_ start: SensorStart, _ workers: any Workers) {
    do {
      try workers.startWriter(start, setup)
    } catch {
      sleepSensor()
      return sensorFailed(CommandFailure(error, else: .unavailable))
    }
    waking.note(start)
    sendSensorToWatchers()
    if let refusal = workers.refusal { journal(.warning, "\(refusal)") }
    for (member, start) in zip(setup.members, start.members) {
      journal(
        .information,
        "\(member.name.isEmpty ? "" : member.name + ": ")\(start.sensor.place) samples at "
          + "\(Plain.hertz(start.schedule.rate)) Hz"
          + (start.clock == .grid ? "" : " by its own clock"))
    }
    watchdog.begin(at: clock.now())
    handle(.sensorReady)
  }

  private func handle(_ recording: FiledRecording) {
    single.cardWaitSince = nil
    current.tally = recording.end.tally
    let failure = recording.members.lazy.compactMap(\.failure).first?.failure
    if let problem = recording.failure {
      // Counts the file's contents, not the bytes queued for it.
      current.tally = problem.kept?.tally
      current.isUnreadable = problem.kept == nil
    }
    for problem in recording.members.compactMap(\.failure) {
      if !setup.isSingle { journal(.error, problem.failure.sentence) }
      handle(
        .storageEnded(problem.isFull ? .storageFull : .storage), because: problem.failure)
    }
    if setup.isSingle { single.filed.append(recording) }
    var outcome = RecorderInput.saved
    switch recording.fate {
    case .kept:
      for log in recording.members {
        // Of an unreadable file only the failure is known.
        guard let tally = log.failure.map({ $0.kept?.tally }) ?? log.end.tally else { continue }
        journal(
          .notice, "recording \(log.number): \(tally.sampled) of \(tally.scheduled) samples")
      }
    case .discarded:
      for log in recording.members where log.failure == nil {
        journal(.notice, "recording \(log.number) was thrown away; it is in the trash")
      }
    case .withoutSamples:
      journal(.notice, RefusalText.hadNoSample)
      current.number = nil
      takeBackBeginning()
      outcome = .savedNothing
    }
    handle(outcome, because: failure)
    if machine.state == .ended { ending.lastWords = failure }
  }
}

// MARK: A single recording

extension RecorderLoop {
  /// Nanoseconds that a sampler may be overdue.
  private static var samplerPatience: Int64 { 5_000_000_000 }
  /// Nanoseconds until a wait for the card is reported.
  private static var silence: Int64 { 4_000_000_000 }

  /// When the sampler of a single recording is overdue; `nil` while unknown, or after its end.
  private var overdueAt: MonotonicTime? {
    guard setup.isSingle, let plan = current.plan, let ticks = plan.plannedTicks, let sensor,
      let workers, !workers.hasSamplerEnded,
      machine.state.isLogging
    else { return nil }
    // After a recording that was thrown away each sensor of a take begins at a tick of its own.
    let latest = sensor.members.map(\.schedule.rate.periodNanoseconds).max() ?? 0
    return plan.start.later(by: sensor.schedule.rate.nanoseconds(atTick: ticks))
      .later(by: sensor.companions.isEmpty ? 0 : latest).later(by: RecorderLoop.samplerPatience)
  }

  /// When ``superviseSingle(_:)`` is due.
  var singleDeadline: MonotonicTime? {
    [overdueAt, notice.isEmpty ? single.cardWaitSince.map { $0 + RecorderLoop.silence } : nil]
      .compactMap { $0 }.min()
  }

  /// Ends a recording whose sampler hangs in the kernel, where nothing can interrupt it, and reports a wait for the card.
  func superviseSingle(_ now: MonotonicTime) {
    if let overdueAt, now >= overdueAt { handle(.sensorFailed) }
    guard let since = single.cardWaitSince, notice.isEmpty, now - since >= RecorderLoop.silence
    else { return }
    let limit = "\(Card.patience / 1_000_000_000) s"
    notice =
      "waits for the card"
      + (ending.exitBy == nil ? "; Ctrl-C gives it \(limit)" : ", up to \(limit)")
    if panel == nil { journal(.warning, notice) }
  }
}

/// What a recorder of one recording keeps beside what a service does.
package struct SingleRecording {
  /// Finished recordings, in their order: the one, after those that the user discarded.
  package internal(set) var filed: [FiledRecording] = []
  /// When the recording is ended that was asked to end while its sensor was set up.
  private(set) var endAt: MonotonicTime?
  /// Whether its panel asked for that, and not a signal.
  private var endsByPanel = false
  /// Since when the loop waits for the card.
  var cardWaitSince: MonotonicTime?

  /// How long an end waits for the sensor, in nanoseconds: several times a bring-up.
  private static var wakingPatience: Int64 { 1_000_000_000 }

  /// Whether the user's input asks for the end, which waits for the sensor: the recording begins, and ends at once. A second
  /// request changes nothing: a terminal that hangs up sends two signals.
  mutating func postponesEnd(_ input: RecorderInput, at now: MonotonicTime) -> Bool {
    switch input {
    case .stop: endsByPanel = true
    case .terminate: break
    default: return false
    }
    endAt = endAt ?? now + SingleRecording.wakingPatience
    return true
  }

  /// The end that waited, when the sensor is set up or the patience is over.
  mutating func endIfDue(_ now: MonotonicTime, isWaking: Bool) -> RecorderInput? {
    guard let due = endAt, now >= due || !isWaking else { return nil }
    endAt = nil
    return endsByPanel && !isWaking ? .stop(at: now) : .terminate
  }
}

/// How the recorder ends, and why.
package struct RecorderEnding {
  /// When it stops waiting for the card.
  var exitBy: MonotonicTime?
  var isAbandoned = false
  /// Whether the threads of a sensor hang in the kernel.
  package internal(set) var isHung = false
  /// Why the recorder ended by itself.
  var fatal: CommandFailure?
  /// The failure of the last recording, if the recorder ended after it.
  package internal(set) var lastWords: CommandFailure?
}
