import Glibc
import IMUModel
import LogStore
import LogStoreTesting
import Recorder
import Testing

/// Button, gestures, state machine, writer and a store, as the service joins them, on the test's clock.
final class ButtonService {
  let directory = TemporaryDirectory(inMemory: true)
  let catalogue: Catalogue
  private(set) var machine = ServiceMachine(samplesWhileIdle: true)
  /// Files that were begun.
  private(set) var fileCount = 0
  /// Numbers of those that went to the trash.
  private(set) var discarded: Set<UInt32> = []
  /// Marks that the machine had put into takes.
  private(set) var markCount = 0
  /// What the kept takes are to hold, by their numbers.
  private(set) var promises: [UInt32: Promise] = [:]
  private let bench: WriterBench
  private var recogniser = GestureRecogniser(isHeldAtStart: false)
  private var generator: SeededGenerator
  private var take = OpenTake()
  private var pending: [ServiceEvent] = []

  /// Ticks of the pre-trigger, and of a take's length.
  static let ticksBefore: UInt64 = 50
  static let ticksAfter: UInt64 = 600

  /// What a take is to hold, in the sampler's ticks: worked out from the presses alone.
  struct Promise {
    /// The first tick from the press on; a take of what came before ends in front of it.
    var own: UInt64
    var end: UInt64
    var reason: StopReason
    var isHistory = false
  }

  /// The take at hand.
  private final class OpenTake {
    var promise: Promise?
    var plan: TakePlan?
    var storage: FileStorage?
    var entry: CatalogueEntry?
    var queue: FlushQueue?
    var isDiscarded = false
  }

  init(_ rate: SampleRate, seed: UInt64) throws {
    catalogue = try Catalogue(path: directory.path)
    bench = WriterBench(rate)
    bench.fileDelay = nil
    generator = SeededGenerator(seed: seed)
    bench.advance(to: 1)
    try handle(.begin)
    try handle(.sensorReady)
  }

  /// Presses the button in one of the ways that there are, and lets some time pass.
  func doSomething() throws {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0:
      try press(.random(in: 1_500_000_000...2_500_000_000, using: &generator))
    case 3: try pressWithoutRelease()
    case 1, 2:
      try press(.random(in: 30_000_000...300_000_000, using: &generator))
      try pass(.random(in: 50_000_000...350_000_000, using: &generator))
      try press(.random(in: 30_000_000...300_000_000, using: &generator))
    default: try press(.random(in: 30_000_000...900_000_000, using: &generator))
    }
    try pass(.random(in: 300_000_000...3_000_000_000, using: &generator))
  }

  /// Ends a take that runs.
  func stopWhatRuns() throws {
    try pass(1_000_000_000)
    if machine.state == .recording { try handle(.stop(at: bench.now)) }
    try pass(1_000_000_000)
    #expect(machine.state == .armed)
  }

  /// The button goes down, and its chip goes away or the kernel loses the release: for longer than any press.
  func pressWithoutRelease() throws {
    try feel(true)
    try pass(.random(in: 30_000_000...3_000_000_000, using: &generator))
    for gesture in recogniser.forget() { try handle(.gesture(gesture)) }
    try pass(7_000_000_000)
  }

  /// Presses the button for a moment.
  func press(_ nanoseconds: Int64 = 100_000_000) throws {
    try feel(true)
    try pass(nanoseconds)
    try feel(false)
  }

  private func feel(_ isPressed: Bool) throws {
    for gesture in recogniser.handle(ButtonEdge(isPressed: isPressed, time: bench.now)) {
      try handle(.gesture(gesture))
    }
    if isPressed { try handle(.buttonDown(at: bench.now)) }
  }

  /// Lets time pass, in steps in which the service wakes up.
  func pass(_ nanoseconds: Int64) throws {
    let end = bench.now + nanoseconds
    while bench.now < end {
      bench.advance(to: min(end, bench.now + 17_000_000))
      for gesture in recogniser.elapse(to: bench.now) { try handle(.gesture(gesture)) }
      try hearNews()
    }
  }

  private func handle(_ event: ServiceEvent) throws {
    pending.append(event)
    guard pending.count == 1 else { return }
    while let event = pending.first {
      for effect in machine.handle(event) { try carryOut(effect) }
      if event == .saved || event == .savedNothing { bench.writer.forgetRest() }
      pending.removeFirst()
    }
    // An order wakes the writer.
    bench.turn()
    try hearNews()
  }

  private func carryOut(_ effect: ServiceEffect) throws {
    switch effect {
    case .beginTake(let instant):
      take = OpenTake()
      let own = TakeFrame.firstTick(from: instant, bench.schedule)
      take.promise = Promise(
        own: own, end: own + ButtonService.ticksAfter, reason: .completed)
      bench.writer.begin(
        TakeOrder(
          at: instant, ticksBefore: ButtonService.ticksBefore,
          ticksAfter: ButtonService.ticksAfter))
    case .keepHistory(let instant):
      take = OpenTake()
      let own = TakeFrame.firstTick(from: instant, bench.schedule)
      take.promise = Promise(own: own, end: own, reason: .button, isHistory: true)
      bench.writer.begin(TakeOrder(at: instant, ticksBefore: .max, ticksAfter: 0))
      bench.writer.end(at: nil, reason: .button)
    case .holdBack(let instant): bench.writer.hold(at: instant)
    case .release: bench.writer.release()
    case .mark(let instant, let label):
      markCount += 1
      bench.writer.mark(at: instant, label: label)
    case .endTake(let instant, let reason):
      if let instant { take.promise?.end = bench.schedule.tick(at: instant) + 1 }
      take.promise?.reason = reason
      bench.writer.end(at: instant, reason: reason)
    case .discardTake(let instant):
      take.isDiscarded = true
      bench.writer.end(at: instant, reason: .button)
    case .wakeSensor, .refuse: break
    case .sleepSensor, .scheduleRetry, .reload, .exit: Issue.record("not asked for: \(effect)")
    }
  }

  // MARK: News

  private func hearNews() throws {
    for item in bench.takeNews() {
      switch item {
      case .needsFile(let plan): try makeFile(plan)
      case .ready: try handle(.takeReady)
      case .limitReached:
        let ticks = take.plan?.plannedTicks ?? 1
        let start = take.plan?.start ?? bench.now
        try handle(.limitReached(at: start + bench.schedule.rate.nanoseconds(atTick: ticks - 1)))
      case .ended: try file()
      case .nothing: try handle(.savedNothing)
      case .storageEnded: Issue.record("the storage is well")
      }
    }
  }

  private func makeFile(_ plan: TakePlan) throws {
    fileCount += 1
    var description = ExampleLog.description(UInt64(fileCount))
    description.rate = bench.schedule.rate
    description.plannedTicks = plan.plannedTicks
    description.timeUnit = WriterBench.timeUnit
    let live = try catalogue.create(
      description, wall: WriterBench.wallAtZero + bench.now.nanoseconds)
    let queue = FlushQueue()
    try bench.writer.attach(live.description, queue: queue)
    (take.plan, take.entry, take.queue) = (plan, live.entry, queue)
    take.storage = .some(live.takeStorage())
  }

  /// What the flusher does, all of it at the end: the queue has room for a take.
  private func file() throws {
    guard var storage = take.storage.take(), let entry = take.entry else {
      Issue.record("a take that was ended has a file")
      return
    }
    let failure = take.queue?.flusherLoop(&storage, clock: SteppingClock(step: 1))
    #expect(failure == nil)
    _ = consume storage
    if take.isDiscarded {
      try remove(entry)
      discarded.insert(entry.number)
    } else {
      promises[entry.number] = take.promise
    }
    try handle(.saved)
  }

  /// Other tests of this process start programs: until such a child has become its program, it has the file open too,
  /// and with it the lock that says that somebody writes.
  private func remove(_ entry: CatalogueEntry) throws {
    let now = WallTime(
      nanoseconds: WriterBench.wallAtZero + bench.now.nanoseconds, isSynchronised: true)
    for _ in 0..<100_000 {
      do {
        try catalogue.remove(entry, now: now)
        return
      } catch CatalogueError.isLive {
        sched_yield()
      }
    }
    try catalogue.remove(entry, now: now)
  }
}
