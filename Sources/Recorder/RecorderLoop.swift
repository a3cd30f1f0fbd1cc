// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
package import LinuxIO
import LogStore
import Sampling

/// The recorder's main thread, of `record` and of the service: carries out the effects of the state machine.
///
///     panel   ─┐                                                     ┌─► sampler, writer
///     signals ─┼─► poll ─► RecorderInput ─► RecorderMachine ─► effect ─┼─► card
///     socket  ─┤                                                     ├─► panel
///     news    ─┘                                                     └─► answers
///
/// It waits for nothing but `poll`, without a deadline while the sensor sleeps and the light is constant.
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
    package var didBegin: (SensorStart) -> Void = { _ in }

    package init(
      journal: @escaping Journal,
      openPanel: @escaping (RecorderSetup) throws -> (any Panel)? = { _ in nil }
    ) {
      (self.journal, self.openPanel) = (journal, openPanel)
    }
  }

  let surroundings: Surroundings
  let signals: SignalWatch
  let news: Inbox<RecorderNews>
  let card: Inbox<CardOrder>
  /// The service's store, and the work in it beside recordings.
  var keeper: StoreKeeper?
  var setup: RecorderSetup
  /// The result of the last reload.
  var nextSetup: NextSetup?
  var panel: (any Panel)?
  package private(set) var machine: RecorderMachine
  var waking: SensorWaking
  var watchdog: Watchdog
  /// The current recording, or the last one.
  var current = CurrentRecording()
  /// Of a recorder of one recording.
  package internal(set) var single = SingleRecording()
  package internal(set) var ending = RecorderEnding()
  /// Held while a recording runs.
  var latency = LatencyRequest()
  var triggers = TriggerTally()
  var cycle: DutyCycle?
  let callers = Callers()
  var watchers: Watchers
  /// While a recording for a calibration by hand runs.
  var guide = HandGuide()
  /// The cause of the problem, if known.
  var lastFailure: CommandFailure?
  var notice = ""
  private var pending: [(input: RecorderInput, cause: CommandFailure?)] = []
  private var flusher: RunningThread<Card>?

  var clock: RecorderClock { surroundings.clock }
  var journal: Journal { surroundings.journal }
  var workers: (any Workers)? { waking.workers }
  /// While the sensor samples.
  package var sensor: SensorStart? { waking.sensor }
  /// The users' names for the sensors, in the order of the recordings.
  package var sensorNames: [String] { setup.members.map(\.name) }
  package var feed: LiveFeed { watchers.feed }

  package var isRunning: Bool { machine.state != .ended }

  /// Acquires all resources of a recorder, or none, and starts the flusher.
  package convenience init(_ setup: RecorderSetup, _ surroundings: Surroundings) throws {
    // Before any thread: threads inherit the blocked signals.
    let signals = try SignalWatch(surroundings.signals)
    let isPlanned = setup.isSingle && !surroundings.isInteractive
    try self.init(
      setup, surroundings, signals: signals, memoryRefusal: MemoryLock.engage(),
      makeWorkers: { try WorkerThreads($0, $1, isPlanned: isPlanned) })
    if let socket = surroundings.socket { callers.control = try ControlSocket(path: socket) }
    if surroundings.readSetup != nil {
      keeper = try StoreKeeper(
        try Catalogue(path: setup.store, create: true), news: news, journal: journal)
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
    self.signals = signals
    news = try Inbox()
    card = try Inbox()
    watchers = Watchers(feed: LiveFeed(isWatched: surroundings.isInteractive))
    waking = SensorWaking(makeWorkers: makeWorkers, memoryRefusal: memoryRefusal)
    watchdog = Watchdog(notifier: surroundings.notifier)
    machine = RecorderMachine(samplesWhileIdle: setup.configuration.samplesWhileIdle)
  }

  /// Works until the recorder has ended; throws the failure that ended it.
  package func run() throws {
    begin()
    while isRunning {
      wait()
      round()
    }
    try end()
  }

  /// Reports warnings, and wakes the sensor if it is wanted.
  func begin() {
    for remark in panel?.remarks ?? [] { journal(.warning, remark) }
    if let memoryRefusal = waking.memoryRefusal { journal(.warning, "\(memoryRefusal)") }
    keeper?.tidy()
    handle(.begin)
    planCycles()
    if setup.isSingle { handle(.start(at: clock.now())) }
    surroundings.notifier?.ready(status: machine.state.rawValue)
    if sensor == nil { watchdog.pause() }
  }

  /// Answers waiting callers, and ends the threads.
  func end() throws {
    callers.refuseAll(CommandFailure(.tryAgain, "the service has ended"))
    _ = panel?.close()
    surroundings.notifier?.stopping()
    ending.isHung = waking.sleep() || ending.isHung
    card.post(.quit)
    if let flusher = flusher.take() {
      flusher.join(within: ending.isAbandoned ? 0 : RecorderLoop.flusherPatience)
    }
    // The report on the recording needs other code.
    MemoryLock.releaseCode()
    if let failure = ending.fatal { throw failure }
  }

  /// How long the flusher may take to return, once it has reported its last recording, in nanoseconds.
  private static var flusherPatience: Int64 { 1_000_000_000 }

  /// One round without waiting: handles all that has happened or is due.
  package func round() {
    while let signal = signals.wait(timeoutNanoseconds: 0) { receive(signal) }
    // The panel before the clock: an earlier edge decides a gesture that is due.
    for input in panel?.inputs(now: clock.now()) ?? [] { receive(input) }
    handleNews()
    for question in callers.control?.questions(at: clock.now()) ?? [] { receive(question) }
    doWhatIsDue(clock.now())
    panel?.show(picture, now: clock.now())
  }

  func handleNews() {
    for item in news.drain() { handle(item) }
  }

  var hasNews: Bool { !news.isEmpty }

  private var picture: RecorderPicture {
    RecorderPicture(
      state: machine.state, light: guide.light(machine.light), number: current.number,
      plan: current.plan, sampling: sensor,
      members: workers?.channel.gauge.withLock { $0.members } ?? [], notice: notice)
  }

  private func wait() {
    let now = clock.now()
    let deadline = [
      panel?.deadline(after: now), waking.retryAt, watchdog.dueAt, ending.exitBy, single.endAt,
      callers.deadline, watchers.dueAt, singleDeadline, cycle?.due,
    ].compactMap { $0 }.min()
    var descriptors = [signals.fileDescriptor, news.fileDescriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    if let descriptor = callers.control?.fileDescriptor {
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

  private func receive(_ input: RecorderInput) {
    let isEarly = setup.isSingle && machine.state == .waking
    if !isEarly || !single.postponesEnd(input, at: clock.now()) { handle(input) }
  }

  private func doWhatIsDue(_ now: MonotonicTime) {
    if let end = single.endIfDue(now, isWaking: machine.state == .waking) { handle(end) }
    if waking.isRetryDue(now) { handle(.retry) }
    if let due = ending.exitBy, now >= due { giveUp() }
    takeCycle(now)
    superviseSingle(now)
    watchdog.feed(at: now, waking)
    followGuide()
    serveWatchers(now)
    callers.answer(callers.requests.elapse(to: now, problem: machine.presentProblem))
  }

  /// Ends without the card, which is abandoned to its thread.
  private func giveUp() {
    let failure = Card.lateEnd(number: current.number)
    if !setup.isSingle { journal(.error, failure.sentence) }
    callers.refuseAll(failure)
    if setup.isSingle { ending.fatal = failure } else { ending.lastWords = failure }
    ending.isAbandoned = true
    machine.abandon()
  }

  /// Handles an input and carries out its effects. Inputs that an effect causes wait until it is done.
  func handle(_ input: RecorderInput, because cause: CommandFailure? = nil) {
    pending.append((input, cause))
    guard pending.count == 1 else { return }
    while let (input, cause) = pending.first {
      let before = machine.state
      let effects = machine.handle(input)
      holdLatency(before)
      if let cause { lastFailure = cause }
      if machine.presentProblem == nil { lastFailure = nil }
      for effect in effects { carryOut(effect) }
      callers.answer(
        callers.requests.note(
          input, effects, machine, because: cause.map { ($0.status.rawValue, $0.sentence) }))
      switch input {
      // After the command to begin, if a recording waited for this.
      case .saved, .savedNothing, .fileRefused: send(.forgetRest)
      default: break
      }
      if machine.state != before { surroundings.notifier?.status(machine.state.rawValue) }
      // However the end was asked for.
      if machine.state == .ending { ending.exitBy = ending.exitBy ?? clock.now() + Card.patience }
      pending.removeFirst()
    }
    if setup.isSingle, waitsForCard {
      single.cardWaitSince = single.cardWaitSince ?? clock.now()
    }
    // A single recording is over where a service sleeps.
    if setup.isSingle, machine.state == .asleep, waking.session > 0 { handle(.terminate) }
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
