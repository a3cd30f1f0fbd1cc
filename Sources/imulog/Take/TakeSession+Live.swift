import Glibc
import IMUDrivers
import IMUModel
import LinuxIO
import LogFormat
import LogStore
import Recorder
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

  /// How often it looks whether the recording's file is made.
  private static var filePeriod: Int64 { 2_000_000 }

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
      try OpenStore.making(store).remove(ended.entry, now: now)
      discarded.append(ended.entry.number)
      next = ended.sensor
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
    let oversight = TakeOversight(screen: screen)
    // Until the sampler has ended, on whatever way out.
    let latency = TakeLatency(microseconds: request.cpuLatency)
    defer { withExtendedLifetime(latency) {} }
    let (queue, samplerEnded) = (oversight.queue, oversight.samplerEnded)
    let clock = self.clock
    let session = self
    let log = description(
      of: sensor.description, realTime: realTime, cpuLatency: latency.words)
    let files = try Inbox<Result<RecordingFile, any Error>>()
    let watching = try screen?.prepare()
    let flushing = threads.flusher.run {
      do {
        let live = try session.createRecording(log)
        files.post(.success((live.entry, live.description)))
        var storage = live.takeStorage()
        queue.flusherLoop(&storage, clock: clock)
        // The lock goes with the storage.
      } catch {
        files.post(.failure(error))
      }
    }
    guard let file = waitForFile(files, oversight, signals) else {
      flushing.leaveBehind()
      throw KeptTake.lateEnd(number: nil)
    }
    let (entry, description) = try file.get()
    var ring = RingEnds<TickRecord>()
    let start = clock.now() + TakeSession.lead
    var recorder: Recorder<QueueOutput>
    do {
      recorder = try Recorder(
        after: description, consumer: ring.takeConsumer(), output: QueueOutput(queue), start: start)
    } catch {
      // The store has made a header of the same description.
      preconditionFailure("a header that was written cannot be continued: \(error)")
    }
    var watch = ClockWatch()
    note(&recorder, &watch, start)
    let sampler = Sampler(
      sensor: sensor, clock: clock, sink: RingSink(ring.takeProducer()), rate: request.sensor.rate,
      start: start,
      plannedTicks: request.plannedTicks, timeUnit: TakeSession.timeUnit, stop: oversight.stop)

    let rate = request.sensor.rate
    oversight.begin(until: request.plannedTicks.map { start + rate.nanoseconds(atTick: $0) })
    screen?.begin(number: entry.number, start: start)
    let sampling = threads.sampler.run(moving: sampler) { sampler in
      sampler.run()
      samplerEnded.request()
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
      screen.watchOver(oversight, signals: signals)
    } else {
      while oversight.isSampling {
        if signals.wait(timeoutNanoseconds: TakeSession.mainPeriod) != nil {
          oversight.handle(.stopRequested(.signal))
        }
        oversight.look()
      }
    }

    let isHung = !samplerEnded.isRequested
    guard !isHung else {
      sampling.join(within: 0)
      samplerEnded.request()
      let outcome = try finish(
        oversight, work: writing.join(), undelivered: nil, flushing: flushing, signals: signals,
        entry: entry, start: start)
      return EndedTake(outcome: outcome, entry: entry, sensor: nil)
    }
    let ended = sampling.join()
    let outcome = try finish(
      oversight, work: writing.join(), undelivered: ended.undelivered, flushing: flushing,
      signals: signals, entry: entry, start: start)
    return EndedTake(outcome: outcome, entry: entry, sensor: .some(ended.releaseSensor()))
  }

  /// Waits for the recording's file; `nil` when it takes too long for who wants the end.
  private func waitForFile(
    _ files: Inbox<Result<RecordingFile, any Error>>, _ oversight: TakeOversight,
    _ signals: borrowing SignalWatch
  ) -> Result<RecordingFile, any Error>? {
    while oversight.waitForCard(signals, nanoseconds: TakeSession.filePeriod) {
      if let file = files.take().first { return file }
    }
    return nil
  }

  private func finish(
    _ oversight: TakeOversight, work: consuming WriterWork, undelivered: [TickRecord]?,
    flushing: consuming RunningThread<Void>, signals: borrowing SignalWatch,
    entry: CatalogueEntry, start: MonotonicTime
  ) throws -> TakeOutcome {
    var recorder = work.recorder
    let queue = oversight.queue
    // The queue may be full of what a slow card has not taken yet.
    var isPatient = recorder.drainAll(undelivered: undelivered ?? []) {
      oversight.waitForCard(signals, nanoseconds: TakeSession.writerPeriod)
    }
    if undelivered == nil, let stoppedAt = oversight.stoppedAt {
      let schedule = Schedule(start: start, rate: request.sensor.rate)
      recorder.giveUp(before: min(schedule.tick(at: stoppedAt) + 1, request.plannedTicks ?? .max))
    }
    oversight.look()
    guard case .finishLog(let reason)? = oversight.handle(.samplerFinished).first else {
      preconditionFailure("a take that was recording ends with its log")
    }
    let reading = clockReading(start: start)
    recorder.note(
      work.watch.end(
        time: reading.time, wall: reading.wall, isSynchronised: reading.isSynchronised))
    if isPatient {
      isPatient = recorder.finish(reason: reason) {
        oversight.waitForCard(signals, nanoseconds: TakeSession.writerPeriod)
      }
    }
    queue.close()
    while isPatient, !flushing.isFinished {
      isPatient = oversight.waitForCard(signals, nanoseconds: TakeSession.filePeriod)
    }
    guard isPatient else {
      flushing.leaveBehind()
      throw KeptTake.lateEnd(number: entry.number)
    }
    flushing.join()
    return outcome(
      of: entry, id: recorder.id, reason: reason, ledger: recorder.ledger,
      lateness: recorder.lateness, failure: queue.failure,
      hang: undelivered == nil ? TakeSession.hang(entry.number) : nil)
  }

  private static func hang(_ number: UInt32) -> CommandFailure {
    CommandFailure(
      .unavailable,
      "the sensor's bus hangs, and recording \(number) ends with a gap; check that SDA and SCL are not shorted, and"
        + " switch the sensor's power off and on")
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

/// A recording whose file is there, and what its header says.
private typealias RecordingFile = (entry: CatalogueEntry, description: RecordingDescription)

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
