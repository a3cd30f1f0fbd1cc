import ArgumentParser
import Glibc
import IMUModel
import LinuxIO
import LogStore
import Recorder

/// The service's main thread: button, requests, signals and news in; the state machine's effects out.
///
///     button ─┐                                                    ┌─► imu-sampler, imu-writer
///     signals ─┼─► poll ─► ServiceEvent ─► ServiceMachine ─► effect ┼─► imu-flusher
///     socket ─┤                                                    ├─► light
///     news ───┘                                                    └─► answers
///
/// It waits for nothing but `poll`, with a deadline only while something is due: a gesture, the light's rhythm, a
/// retry, the watchdog. While the sensor sleeps and the light is still, nothing is.
final class ServiceLoop {
  let clock = SystemClock()
  let file: ServiceConfigurationFile
  let usualStore: String
  let signals: SignalWatch
  let news: Inbox<ServiceNews>
  let notifier: ServiceNotifier?
  let memoryRefusal: Refusal?
  let keeper: StoreKeeper
  var control: ControlSocket
  var setup: ServiceSetup
  var store: Catalogue
  /// What was read when the service was last asked to read its configuration again.
  var nextSetup: NextSetup?
  var panel: ServicePanel
  var machine: ServiceMachine

  /// While the sensor is awake.
  var threads: ServiceThreads?
  /// While the sensor samples.
  var sensor: SensorStart?
  /// While a take's file is open.
  var flusher: RunningThread<Void>?
  var take = ServiceTake()
  var retryAt: MonotonicTime?
  var watchdogAt: MonotonicTime?
  /// When a service that is to end gives up waiting for the card.
  var exitBy: MonotonicTime?
  /// What the last event was refused with, for the one who asked.
  var refusal: String?
  /// How deep the processors may sleep: held while a take runs.
  var latency = TakeLatency(microseconds: nil)
  /// Why they were not held last; `nil` when they never were refused.
  var latencyRefusal: Refusal?
  /// Counts the times that the sensor was woken: late news of an earlier time mean nothing.
  var session: UInt64 = 0
  /// What was said last about a sensor that is looked for again and again.
  var lastSaid: String?
  /// Whether the sensor was ever sampled.
  var hadSensor = false
  /// Callers who watch.
  var watchers: [ServiceWatcher] = []
  /// What they see, from the writer.
  let feed = LiveFeed()
  /// When they get more; `nil` while there are none.
  var watchAt: MonotonicTime?
  /// When they are sent how the service is.
  var watchStatusAt = MonotonicTime(nanoseconds: 0)
  /// Callers who wait until what they asked for is done.
  var requests = PendingRequests<ControlPeer>()
  /// Why there is a problem, as far as it is known.
  var lastFailure: CommandFailure?
  /// Why the service ended by itself.
  var usurped: CommandFailure?
  /// What happened to the last take, when the service ended after it.
  var lastWords: CommandFailure?
  private var pending: [(event: ServiceEvent, cause: CommandFailure?)] = []

  /// Takes everything that a service needs for itself, or nothing.
  init(
    _ file: ServiceConfigurationFile, usualStore: String, socket: String
  ) throws {
    self.file = file
    self.usualStore = usualStore
    // Before any thread: threads inherit the blocked signals.
    signals = try SignalWatch([SIGINT, SIGTERM, SIGHUP])
    setup = try ServiceSetup(try file.read(), usualStore: usualStore)
    control = try ControlSocket(path: socket)
    news = try Inbox()
    notifier = ServiceNotifier(environment: Environment.value)
    store = try OpenStore.making(setup.store)
    keeper = try StoreKeeper(news: news)
    panel = try ServicePanel(setup)
    memoryRefusal = MemoryLock.engage()
    machine = ServiceMachine(samplesWhileIdle: setup.configuration.samplesWhileIdle)
  }

  /// Works until the service is to end.
  func run() throws {
    for remark in panel.remarks { ServiceJournal.say(.warning, remark) }
    if let memoryRefusal { ServiceJournal.say(.warning, "\(memoryRefusal)") }
    keeper.tend(store)
    handle(.begin)
    notifier?.ready(status: machine.state.rawValue)
    if sensor == nil { pauseWatchdog() }
    while machine.state != .ended { pass() }
    answer(requests.refuseAll((ExitStatus.tryAgain.rawValue, "the service has ended")))
    panel.darken()
    notifier?.stopping()
    if let usurped { throw usurped }
    if let lastWords { throw ExitCode(lastWords.status.rawValue) }
  }

  /// One round: waits until something happens or is due, and deals with all of it.
  private func pass() {
    wait()
    if let signal = signals.wait(timeoutNanoseconds: 0) { receive(signal) }
    // Edges first: a gesture that is due by the clock is decided by an edge that came before.
    for event in panel.events(now: clock.now()) { handle(event) }
    for item in news.take() { hear(item) }
    for question in control.questions(at: clock.now()) {
      if !watch(question) { receive(question) }
    }
    doWhatIsDue(clock.now())
    panel.show(machine.light, now: clock.now())
  }

  private func wait() {
    let now = clock.now()
    let deadline = [
      panel.deadline(after: now), retryAt, watchdogAt, exitBy, control.deadline, watchAt,
      requests.deadline,
    ].compactMap { $0 }.min()
    var descriptors = [
      signals.fileDescriptor, news.fileDescriptor, control.fileDescriptor,
    ].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    if let button = panel.fileDescriptor {
      descriptors.append(pollfd(fd: button, events: Int16(POLLIN), revents: 0))
    }
    // Every end of the wait is looked into, also one by a signal.
    _ = poll(
      &descriptors, nfds_t(descriptors.count),
      PollTimeout.milliseconds(until: deadline, now: now))
  }

  private func receive(_ signal: Int32) {
    if signal == SIGHUP {
      keeper.read(file, usualStore: usualStore)
    } else {
      handle(.terminate)
    }
  }

  private func doWhatIsDue(_ now: MonotonicTime) {
    if let due = retryAt, now >= due {
      retryAt = nil
      handle(.retry)
    }
    if let due = exitBy, now >= due { giveUp() }
    feedWatchdog(now)
    tendWatchers(now)
    answer(requests.elapse(to: now, problem: machine.presentProblem))
  }

  private func giveUp() -> Never {
    let failure = KeptTake.lateEnd(number: take.number)
    ServiceJournal.say(.error, failure.sentence)
    answer(requests.refuseAll((failure.status.rawValue, failure.sentence)))
    exit(failure.status.rawValue)
  }

  /// Moves the machine, and carries out what follows. Events that an effect brings about wait for their turn.
  ///
  /// - Parameter cause: Why, when it is a failure.
  func handle(_ event: ServiceEvent, because cause: CommandFailure? = nil) {
    pending.append((event, cause))
    guard pending.count == 1 else { return }
    while let (event, cause) = pending.first {
      let before = machine.state
      let effects = machine.handle(event)
      tendLatency(before)
      if let cause { lastFailure = cause }
      if machine.presentProblem == nil { lastFailure = nil }
      for effect in effects { carryOut(effect) }
      answer(
        requests.note(
          event, effects, machine, because: cause.map { ($0.status.rawValue, $0.sentence) }))
      switch event {
      // After the order to begin, if a take waited for this.
      case .saved, .savedNothing, .takeRefused: threads?.orders.post(.forgetRest)
      default: break
      }
      if machine.state != before { notifier?.status(machine.state.rawValue) }
      // However the end was asked for.
      if machine.state == .ending { exitBy = exitBy ?? clock.now() + KeptTake.patience }
      pending.removeFirst()
    }
  }
}
