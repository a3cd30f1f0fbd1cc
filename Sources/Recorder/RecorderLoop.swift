// SPDX-License-Identifier: Apache-2.0

import Calibration
import Glibc
package import IMUModel
package import LinuxIO
import LogStore
import Sampling

/// The recorder's main thread, of `record` and of the service: carries out the effects of the state machine.
///
///     panel   ─┐                                                     ┌─► sampler, writer
///     signals ─┼─► poll ─► RecorderEvent ─► RecorderMachine ─► effect ─┼─► card
///     socket  ─┤                                                     ├─► panel
///     news    ─┘                                                     └─► answers
///
/// It waits for nothing but `poll`, with a deadline only while something is due: a gesture, the light's rhythm, a
/// retry, the watchdog. While the sensor sleeps and the light is constant, there is none.
///
/// ``run()`` waits; ``turn()`` is one round without waiting, for ``SimulatedRecorder``.
package final class RecorderLoop {
  /// The loop's surroundings, which tests replace.
  package struct Surroundings {
    package var clock = RecorderClock.system
    package var origin = RecordingOrigin()
    package var journal: Journal
    /// Opens the panel of a setup; `nil` for none.
    package var openPanel: (RecorderSetup) throws -> (any Panel)?
    /// Reads the configuration again; `nil` when there is none to read.
    package var readSetup: (@Sendable () throws -> RecorderSetup)?
    /// The path of the control socket; `nil` for none.
    package var socket: String?
    package var notifier: ServiceNotifier?
    package var signals: [Int32] = [SIGINT, SIGTERM, SIGHUP]
    /// Whether the panel may discard a single recording and begin another.
    package var isInteractive = false
    /// Called when a recording's file is made.
    package var didBegin: (SensorDescription) -> Void = { _ in }

    package init(
      journal: @escaping Journal,
      openPanel: @escaping (RecorderSetup) throws -> (any Panel)? = { _ in nil }
    ) {
      (self.journal, self.openPanel) = (journal, openPanel)
    }
  }

  let surroundings: Surroundings
  let clock: RecorderClock
  let journal: Journal
  let signals: SignalWatch
  let news: Inbox<RecorderNews>
  let card: Inbox<CardOrder>
  /// Starts sampler and writer on a channel.
  let makeWorkers: (RecorderSetup, WriterChannel) throws -> any Workers
  let memoryRefusal: Refusal?
  var keeper: StoreKeeper?
  var control: ControlSocket?
  var setup: RecorderSetup
  /// The service's store, which its keeper tidies and measures.
  var store: Catalogue?
  /// The result of the last reload.
  var nextSetup: NextSetup?
  var panel: (any Panel)?
  package private(set) var machine: RecorderMachine

  /// While the sensor is awake.
  var workers: (any Workers)?
  /// While the sensor samples.
  package internal(set) var sensor: SensorStart?
  /// The current recording, or the last one.
  var current = CurrentRecording()
  /// Finished recordings, in their order: a single one, after those that the user discarded.
  package internal(set) var filed: [FiledRecording] = []
  /// Whether the threads of a single recording hang in the kernel.
  package internal(set) var isHung = false
  var retryAt: MonotonicTime?
  var watchdogAt: MonotonicTime?
  /// When an ending recorder stops waiting for the card.
  var exitBy: MonotonicTime?
  /// When a single recording is ended that was asked to end while its sensor was set up.
  private var endAt: MonotonicTime?
  /// Whether its panel asked for that, and not a signal.
  private var endsByPanel = false
  /// The refusal of the last event, for the caller.
  var refusal: CommandFailure?
  /// Held while a recording runs.
  var latency = LatencyRequest(microseconds: nil)
  /// Its last refusal, which is reported once.
  var latencyRefusal: Refusal?
  /// Counts the wakings of the sensor.
  var session: UInt64 = 0
  /// The last report about a sensor that is not found.
  var lastReported: String?
  /// Whether the sensor was ever sampled.
  var hadSensor = false
  /// The recordings that motion has begun.
  var triggers = TriggerTally()
  /// The duty cycle, if there is one.
  var turns: DutyCycle?
  /// Whether its last turn was left out.
  var isTurnLeftOut = false
  var watchers: [Watcher] = []
  /// While a recording for a calibration by hand runs.
  var guide: CalibrationGuide?
  /// Their records, from the writer.
  package let feed: LiveFeed
  /// When they get the next frame; `nil` while there are none.
  var watchAt: MonotonicTime?
  /// When they get the next status.
  var watchStatusAt = MonotonicTime(nanoseconds: 0)
  /// Callers that wait for the result of a request.
  var requests = PendingRequests<ControlPeer>()
  /// The cause of the problem, if known.
  var lastFailure: CommandFailure?
  /// Why the recorder ended by itself.
  var fatal: CommandFailure?
  /// The failure of the last recording, if the recorder ended after it.
  package internal(set) var lastWords: CommandFailure?
  /// A sentence on the panel.
  var notice = ""
  /// Since when the loop waits for the card.
  var cardWaitSince: MonotonicTime?
  /// Whether the card is abandoned to its thread.
  private var isAbandoned = false
  private var pending: [(event: RecorderEvent, cause: CommandFailure?)] = []
  private var flusher: RunningThread<Card>?

  /// Whether the recorder works.
  package var isRunning: Bool { machine.state != .ended }

  /// Acquires all resources of a recorder, or none, and starts the flusher.
  package convenience init(_ setup: RecorderSetup, _ surroundings: Surroundings) throws {
    // Before any thread: threads inherit the blocked signals.
    let signals = try SignalWatch(surroundings.signals)
    let plannedTicks = setup.isSingle && !surroundings.isInteractive ? setup.ticksAfter : nil
    try self.init(
      setup, surroundings, signals: signals, memoryRefusal: MemoryLock.engage(),
      makeWorkers: { try WorkerThreads($0, $1, plannedTicks: plannedTicks) })
    if let socket = surroundings.socket { control = try ControlSocket(path: socket) }
    if surroundings.readSetup != nil {
      store = try Catalogue(path: setup.store, create: true)
      keeper = try StoreKeeper(news: news, journal: journal)
    }
    panel = try surroundings.openPanel(setup)
    let work = Card(setup.store, orders: card, news: news, clock: clock, journal: journal)
    flusher = .some(
      try RealTimeThread(name: "imu-flusher").run(moving: work) { card in card.run() })
  }

  /// A loop with the sampler and writer of `makeWorkers`, and its owner's card.
  init(
    _ setup: RecorderSetup, _ surroundings: Surroundings, signals: consuming SignalWatch,
    memoryRefusal: Refusal?,
    makeWorkers: @escaping (RecorderSetup, WriterChannel) throws -> any Workers
  ) throws {
    self.setup = setup
    self.surroundings = surroundings
    self.makeWorkers = makeWorkers
    (clock, journal) = (surroundings.clock, surroundings.journal)
    self.signals = signals
    news = try Inbox()
    card = try Inbox()
    feed = LiveFeed(isWatched: surroundings.isInteractive)
    self.memoryRefusal = memoryRefusal
    machine = RecorderMachine(samplesWhileIdle: setup.configuration.samplesWhileIdle)
  }

  /// Works until the recorder has ended.
  ///
  /// - Throws: The failure that ended it.
  package func run() throws {
    begin()
    while isRunning {
      wait()
      turn()
    }
    try end()
  }

  /// Reports warnings, and wakes the sensor if it is wanted.
  func begin() {
    for remark in panel?.remarks ?? [] { journal(.warning, remark) }
    if let memoryRefusal { journal(.warning, "\(memoryRefusal)") }
    if let store { keeper?.tidy(store) }
    handle(.begin)
    planTurns()
    if setup.isSingle { handle(.start(at: clock.now())) }
    surroundings.notifier?.ready(status: machine.state.rawValue)
    if sensor == nil { pauseWatchdog() }
  }

  /// Answers waiting callers, and ends the threads.
  func end() throws {
    answer(requests.refuseAll((ExitStatus.tryAgain.rawValue, "the service has ended")))
    _ = panel?.close()
    surroundings.notifier?.stopping()
    if let workers { isHung = !workers.end() || isHung }
    workers = nil
    card.post(.quit)
    if let flusher = flusher.take() {
      flusher.join(within: isAbandoned ? 0 : RecorderLoop.flusherPatience)
    }
    // The report on the recording needs other code.
    MemoryLock.releaseCode()
    if let fatal { throw fatal }
  }

  /// How long the flusher may take to return, once it has reported its last recording, in nanoseconds.
  private static var flusherPatience: Int64 { 1_000_000_000 }

  /// One round without waiting: handles all that has happened or is due.
  package func turn() {
    while let signal = signals.wait(timeoutNanoseconds: 0) { receive(signal) }
    // The panel before the clock: an earlier edge decides a gesture that is due.
    for event in panel?.events(now: clock.now()) ?? [] { receive(event) }
    handleNews()
    for question in control?.questions(at: clock.now()) ?? [] {
      if !watch(question) { receive(question) }
    }
    doWhatIsDue(clock.now())
    panel?.show(picture, now: clock.now())
  }

  /// Handles the reports of the threads.
  func handleNews() {
    for item in news.drain() { handle(item) }
  }

  /// Whether there are unhandled reports.
  var hasNews: Bool { !news.isEmpty }

  private var picture: RecorderPicture {
    RecorderPicture(
      state: machine.state, light: light, number: current.number, plan: current.plan,
      sampling: sensor, notice: notice)
  }

  private func wait() {
    let now = clock.now()
    let deadline = [
      panel?.deadline(after: now), retryAt, watchdogAt, exitBy, endAt, control?.deadline, watchAt,
      requests.deadline, singleDeadline, turns?.due,
    ].compactMap { $0 }.min()
    var descriptors = [signals.fileDescriptor, news.fileDescriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    if let descriptor = control?.fileDescriptor {
      descriptors.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    descriptors += panel?.descriptors ?? []
    // All sources are polled after every end of the wait, also by a signal.
    _ = poll(
      &descriptors, nfds_t(descriptors.count),
      PollTimeout.milliseconds(until: deadline, now: now))
  }

  private func receive(_ signal: Int32) {
    if panel?.handle(signal: signal) ?? false { return }
    if signal == SIGHUP, let readSetup = surroundings.readSetup {
      keeper?.read(readSetup)
    } else {
      receive(.terminate)
    }
  }

  /// Handles an action of the user.
  private func receive(_ event: RecorderEvent) {
    guard setup.isSingle, machine.state == .waking else { return handle(event) }
    switch event {
    case .stop, .terminate:
      // The recording was requested, so it begins, and then ends at once. A second request changes nothing: a terminal
      // that hangs up sends two signals.
      endAt = endAt ?? clock.now() + RecorderLoop.wakingPatience
      if case .stop = event { endsByPanel = true }
    default: handle(event)
    }
  }

  /// How long a single recording that is to end waits for its sensor, in nanoseconds: several times a bring-up.
  private static var wakingPatience: Int64 { 1_000_000_000 }

  private func doWhatIsDue(_ now: MonotonicTime) {
    if let due = endAt, now >= due || machine.state != .waking {
      endAt = nil
      handle(endsByPanel && machine.state != .waking ? .stop(at: now) : .terminate)
    }
    if let due = retryAt, now >= due {
      retryAt = nil
      handle(.retry)
    }
    if let due = exitBy, now >= due { giveUp() }
    takeTurn(now)
    superviseSingle(now)
    feedWatchdog(now)
    followGuide(now)
    serveWatchers(now)
    answer(requests.elapse(to: now, problem: machine.presentProblem))
  }

  /// Ends without the card, which is abandoned to its thread.
  private func giveUp() {
    let failure = Card.lateEnd(number: current.number)
    if !setup.isSingle { journal(.error, failure.sentence) }
    answer(requests.refuseAll((failure.status.rawValue, failure.sentence)))
    if setup.isSingle { fatal = failure } else { lastWords = failure }
    isAbandoned = true
    machine.abandon()
  }

  /// Handles an event, and carries out its effects. Events that an effect causes wait for their turn.
  ///
  /// - Parameter cause: The failure that led to it.
  func handle(_ event: RecorderEvent, because cause: CommandFailure? = nil) {
    pending.append((event, cause))
    guard pending.count == 1 else { return }
    while let (event, cause) = pending.first {
      let before = machine.state
      let effects = machine.handle(event)
      holdLatency(before)
      if let cause { lastFailure = cause }
      if machine.presentProblem == nil { lastFailure = nil }
      for effect in effects { carryOut(effect) }
      answer(
        requests.note(
          event, effects, machine, because: cause.map { ($0.status.rawValue, $0.sentence) }))
      switch event {
      // After the command to begin, if a recording waited for this.
      case .saved, .savedNothing, .fileRefused: send(.forgetRest)
      default: break
      }
      if machine.state != before { surroundings.notifier?.status(machine.state.rawValue) }
      // However the end was asked for.
      if machine.state == .ending { exitBy = exitBy ?? clock.now() + Card.patience }
      pending.removeFirst()
    }
    if setup.isSingle, waitsForCard { cardWaitSince = cardWaitSince ?? clock.now() }
    // A single recording is over where a service sleeps.
    if setup.isSingle, machine.state == .asleep, session > 0 { handle(.terminate) }
  }

  /// Whether a recording has no file yet, or its end is on the way to it.
  private var waitsForCard: Bool {
    switch machine.state {
    case .saving, .ending: true
    case .starting, .recording, .stopping: current.number == nil
    case .asleep, .waking, .armed, .ended: false
    }
  }

  func send(_ command: WriterCommand) { workers?.channel.commands.post(command) }
}
