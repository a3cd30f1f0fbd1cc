import Glibc
import IMUDrivers
import IMUModel
import LinuxIO
import LogFormat
import LogStore
import Recording
import RingBuffer
import Sampling

/// A take in real time, on four threads:
///
///     imu-sampler  SCHED_FIFO: waits for the clock and the bus, and for nothing else
///     imu-writer   drains the ring, encodes
///     imu-flusher  writes and syncs: the only one that waits for the card
///     main         signals, and the card's failures
extension TakeSession {
  /// SCHED_FIFO priority of the sampler: above the threaded interrupts of a PREEMPT_RT kernel (50), below the
  /// kernel's own watchdogs (99).
  private static var priority: Int32 { 80 }

  /// How often the writer looks at the ring: at 1 kHz 50 of its 600 slots.
  static var writerPeriod: Int64 { 50_000_000 }

  /// How often the main thread looks at the card and at the end of the take.
  private static var mainPeriod: Int64 { 50_000_000 }

  func runLive<Sensor: IMUSensor & Sendable & ~Copyable>(
    _ sensor: consuming sending Sensor
  ) throws -> TakeOutcome {
    if request.isOnTerminal { return try runOnTerminal(sensor) }
    let signals = try SignalWatch()
    let threads = try TakeThreads.start(priority: TakeSession.priority)
    let realTime = granted(threads)
    try bringUp(&sensor)
    return try record(
      sensor, realTime: realTime, signals: signals, threads: threads, screen: nil
    ).outcome
  }

  /// A take with its graph on the terminal; a take that the user throws away is followed by another.
  private func runOnTerminal<Sensor: IMUSensor & Sendable & ~Copyable>(
    _ sensor: consuming sending Sensor
  ) throws -> TakeOutcome {
    let signals = try SignalWatch(SignalWatch.atTerminal)
    let first = try TakeThreads.start(priority: TakeSession.priority)
    let realTime = granted(first)
    var threads = TakeThreads?.some(first)
    try bringUp(&sensor)
    let screen = TakeScreen(
      try TerminalSession(), request: request, sensor: sensor.description)
    var next = Sensor?.some(sensor)
    var discarded: [UInt32] = []
    while let sensor = next.take() {
      if threads == nil { threads = try TakeThreads.start(priority: TakeSession.priority) }
      guard let ready = threads.take() else { preconditionFailure("threads were just made") }
      let ended = try record(
        sensor, realTime: realTime, signals: signals, threads: ready, screen: screen)
      guard screen.isDiscarded, ended.outcome.failure == nil else {
        var outcome = ended.outcome
        outcome.discarded = discarded
        return outcome
      }
      let now = SystemClock().wallTime
      try OpenStore.writing(store, now: now).remove(ended.entry, now: now)
      discarded.append(ended.entry.number)
      next = .some(ended.sensor)
    }
    preconditionFailure("a take that was thrown away is followed by another")
  }

  /// What the system granted, and says what it did not.
  private func granted(_ threads: borrowing TakeThreads) -> String {
    let refusals = [threads.sampler.scheduling.refusal, MemoryLock.engage()].compactMap { $0 }
    for refusal in refusals { Console.talk("\(refusal)") }
    // Asked for again by each take, when there may be a screen.
    if let refusal = TakeLatency(microseconds: request.cpuLatency).refusal {
      Console.talk("\(refusal)")
    }
    return
      refusals.isEmpty
      ? "\(threads.sampler.scheduling), memory locked"
      : (["\(threads.sampler.scheduling)"] + refusals.map(\.what).map { "refused: \($0)" })
        .joined(separator: "; ")
  }

  /// One take of a sensor that is set up.
  private func record<Sensor: IMUSensor & Sendable & ~Copyable>(
    _ sensor: consuming sending Sensor, realTime: String, signals: borrowing SignalWatch,
    threads: consuming TakeThreads, screen: TakeScreen?
  ) throws -> EndedTake<Sensor> {
    var take = Take()
    _ = take.handle(.begin)
    // Until the sampler has ended, on whatever way out.
    let latency = TakeLatency(microseconds: request.cpuLatency)
    defer { withExtendedLifetime(latency) {} }
    let live = try createRecording(
      description(of: sensor.description, realTime: realTime, cpuLatency: latency.words))
    let entry = live.entry
    let description = live.description
    var ring = RingEnds<TickRecord>()
    let queue = FlushQueue()
    let stop = StopFlag()
    let samplerEnded = StopFlag()
    let start = clock.now() + TakeSession.lead
    var recorder = try Recorder(
      after: description, consumer: ring.takeConsumer(), output: QueueOutput(queue),
      start: start)
    var watch = ClockWatch()
    note(&recorder, &watch, start)
    let sampler = Sampler(
      sensor: sensor, clock: clock, sink: RingSink(ring.takeProducer()), rate: request.sensor.rate,
      start: start,
      plannedTicks: request.plannedTicks, timeUnit: TakeSession.timeUnit, stop: stop)

    _ = take.handle(.sensorReady)
    let clock = self.clock
    let session = self
    let watching = try screen?.begin(number: entry.number, start: start)
    let sampling = threads.sampler.run(moving: sampler) { sampler in
      sampler.run()
      samplerEnded.request()
    }
    let flushing = threads.flusher.run(moving: live.takeStorage()) { storage in
      queue.flusherLoop(&storage, clock: clock)
    }
    let writing = threads.writer.run(
      moving: WriterWork(recorder: recorder, watch: watch, watching: watching)
    ) { work in
      while !samplerEnded.isRequested {
        work.showNews()
        work.recorder.drain()
        work.recorder.syncIfDue(now: clock.now())
        session.note(&work.recorder, &work.watch, start)
        clock.sleep(until: clock.now() + work.period)
      }
      // A mark of the last moment.
      work.showNews()
    }
    if let screen {
      screen.watchOver(&take, signals: signals, queue: queue, stop: stop, ended: samplerEnded)
    } else {
      watchOver(&take, signals: signals, queue: queue, stop: stop, ended: samplerEnded)
    }

    let ended = sampling.join()
    let outcome = finish(
      take, work: writing.join(), queue: queue, undelivered: ended.undelivered,
      lateness: ended.lateness, flushing: flushing, entry: entry, start: start)
    return EndedTake(outcome: outcome, entry: entry, sensor: ended.releaseSensor())
  }

  /// Looks after signals and the card until the sampler has ended.
  private func watchOver(
    _ take: inout Take, signals: borrowing SignalWatch, queue: FlushQueue, stop: StopFlag,
    ended: StopFlag
  ) {
    while !ended.isRequested {
      if signals.wait(timeoutNanoseconds: TakeSession.mainPeriod) != nil {
        if take.handle(.stopRequested(.signal)).contains(.stopSampler) { stop.request() }
      }
      if let failure = queue.failure {
        let event: Take.Event = failure.isFull ? .storageFull : .storageFailed
        if take.handle(event).contains(.stopSampler) { stop.request() }
      }
    }
  }

  private func finish(
    _ state: Take, work: consuming WriterWork, queue: FlushQueue, undelivered: [TickRecord],
    lateness: LatenessSummary, flushing: consuming RunningThread<FileStorage>,
    entry: CatalogueEntry, start: MonotonicTime
  ) -> TakeOutcome {
    var take = state
    var recorder = work.recorder
    let clock = self.clock
    // The queue may be full of what a slow card has not taken yet.
    let pause = { clock.sleep(until: clock.now() + TakeSession.writerPeriod) }
    recorder.drainAll(undelivered: undelivered, pause: pause)
    if let failure = queue.failure {
      _ = take.handle(failure.isFull ? .storageFull : .storageFailed)
    }
    guard case .finishLog(let reason)? = take.handle(.samplerFinished).first else {
      preconditionFailure("a take that was recording ends with its log")
    }
    let reading = clockReading(start: start)
    recorder.note(
      work.watch.end(
        time: reading.time, wall: reading.wall, isSynchronised: reading.isSynchronised))
    recorder.finish(reason: reason, lateness: lateness, pause: pause)
    queue.close()
    // The lock goes with the storage.
    _ = flushing.join()
    return outcome(
      of: entry, id: recorder.id, reason: reason, ledger: recorder.ledger, lateness: lateness,
      failure: queue.failure)
  }

  /// Logs a reading of the wall clock if it says something new.
  private func note(
    _ recorder: inout Recorder<QueueOutput>, _ watch: inout ClockWatch, _ start: MonotonicTime
  ) {
    let reading = clockReading(start: start)
    if let pair = watch.reading(
      time: reading.time, wall: reading.wall, isSynchronised: reading.isSynchronised)
    {
      recorder.note(pair)
    }
  }
}

/// The threads of a take, made before anything that would have to be taken back.
struct TakeThreads: ~Copyable {
  let sampler: RealTimeThread
  let writer: RealTimeThread
  let flusher: RealTimeThread

  /// All three threads, or none.
  static func start(priority: Int32) throws(LinuxIOError) -> TakeThreads {
    let sampler = try RealTimeThread(name: "imu-sampler", priority: priority)
    let writer = try RealTimeThread(name: "imu-writer")
    let flusher = try RealTimeThread(name: "imu-flusher")
    return TakeThreads(sampler: sampler, writer: writer, flusher: flusher)
  }
}
