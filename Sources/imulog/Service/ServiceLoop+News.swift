import IMUModel
import LinuxIO
import LogStore
import Recorder

/// What the other threads report.
extension ServiceLoop {
  func hear(_ item: ServiceNews) {
    switch item {
    case .sensorReady(let start, let session):
      guard let threads, threads.session == session else { return }
      sensorIsReady(start, threads)
    case .sensorFailed(let failure, let session):
      guard let threads, threads.session == session else { return }
      threads.end()
      self.threads = nil
      sensor = nil
      pauseWatchdog()
      sensorFailed(failure)
    case .sensorSilent(let isSilent, let session):
      guard let threads, threads.session == session else { return }
      hear(isSilent: isSilent)
    case .take(let item): hear(item)
    case .fileMade(let number): take.number = number
    case .fileRefused(let failure, let isFull):
      joinFlusher()
      ServiceJournal.say(.error, failure.sentence)
      handle(.takeRefused(isFull ? .storageFull : .storage), because: failure)
    case .filed(let filed): hear(filed)
    case .configurationRead(let next):
      nextSetup = next
      handle(.reload)
    }
  }

  /// A sensor that another program has is the end of a service that never had it: two of them are one too many.
  /// Every other failure may pass.
  private func sensorFailed(_ failure: CommandFailure) {
    if failure.status == .tryAgain, !hadSensor {
      usurped = failure
      return handle(.terminate)
    }
    sayOnce(failure.sentence)
    handle(.sensorFailed, because: failure)
  }

  /// The sampler keeps asking and sets the chip up again when it answers.
  private func hear(isSilent: Bool) {
    let place = sensor?.sensor.place ?? "the sensor"
    ServiceJournal.say(
      isSilent ? .error : .notice,
      isSilent
        ? "\(place) gives no samples any more; look at its wires. It is asked again and again"
        : "\(place) gives samples again")
    handle(isSilent ? .sensorSilent : .sensorHeard)
  }

  private func sensorIsReady(_ start: SensorStart, _ threads: ServiceThreads) {
    do {
      try threads.startWriter(start.schedule, historyTicks: setup.historyTicks, feed: feed)
    } catch {
      ServiceJournal.say(.error, "\(error)")
      threads.end()
      self.threads = nil
      return handle(.sensorFailed, because: CommandFailure(error))
    }
    sensor = start
    sendSensorToWatchers()
    hadSensor = true
    lastSaid = nil
    if let refusal = threads.scheduling.refusal { ServiceJournal.say(.warning, "\(refusal)") }
    ServiceJournal.say(
      .information, "\(start.sensor.place) samples at \(start.schedule.rate.hertz) Hz")
    if let interval = notifier?.watchdogInterval {
      notifier?.setWatchdog(nanoseconds: interval)
      watchdogAt = clock.now()
    }
    handle(.sensorReady)
  }

  private func hear(_ item: TakeNews) {
    switch item {
    case .needsFile(let plan): makeFile(plan)
    case .ready: handle(.takeReady)
    case .limitReached:
      guard let plan = take.plan, let ticks = plan.plannedTicks, let sensor else { return }
      let rate = sensor.schedule.rate
      handle(.limitReached(at: plan.start + rate.nanoseconds(atTick: max(1, ticks) - 1)))
    case .storageEnded(let isFull): handle(.storageEnded(isFull ? .storageFull : .storage))
    case .ended(_, let ledger):
      take.ledger = ledger
      take.fate?.post(
        take.isDiscarded ? .discarded : ledger.sampled == 0 ? .withoutSamples : .kept)
    case .nothing:
      ServiceJournal.say(.notice, "the recording had no sample, and nothing is kept")
      handle(.savedNothing)
    }
  }

  /// The take has its first record: a thread makes its file and writes it.
  private func makeFile(_ plan: TakePlan) {
    guard let threads, let sensor else { return }
    do {
      let fate = try Inbox<TakeFate>()
      take.plan = plan
      take.fate = fate
      let filer = ServiceFiler(
        store: store, description: description(plan, sensor, threads),
        reserve: setup.configuration.reserve, deletesOldest: setup.configuration.deletesOldest,
        news: news, orders: threads.orders, fate: fate)
      flusher = .some(try RealTimeThread(name: "imu-flusher").run { filer.run() })
    } catch {
      ServiceJournal.say(.error, "\(error)")
      threads.orders.post(.abandon)
      handle(.takeRefused(.storage), because: CommandFailure(error))
    }
  }

  private func description(
    _ plan: TakePlan, _ start: SensorStart, _ threads: ServiceThreads
  ) -> RecordingDescription {
    var generator = SystemRandomNumberGenerator()
    return RecordingDescription(
      id: .random(using: &generator), number: 0, rate: start.schedule.rate,
      channels: setup.configuration.channels, plannedTicks: plan.plannedTicks,
      timeUnit: ServiceThreads.timeUnit, sensor: start.sensor, board: start.boardTitle,
      host: SystemTree.live.hostName() ?? "", software: Software.name,
      note: setup.configuration.note, syncInterval: setup.syncInterval,
      realTime: realTime(threads), cpuLatency: latency.words)
  }

  /// What the system granted, in words.
  func realTime(_ threads: ServiceThreads) -> String {
    let refusals = [threads.scheduling.refusal, memoryRefusal].compactMap { $0 }
    guard !refusals.isEmpty else { return "\(threads.scheduling), memory locked" }
    return (["\(threads.scheduling)"] + refusals.map { "refused: \($0.what)" })
      .joined(separator: "; ")
  }

  private func hear(_ filed: FiledTake) {
    joinFlusher()
    let failure = filed.failure?.failure
    if let problem = filed.failure {
      ServiceJournal.say(.error, problem.failure.sentence)
      // What is in the file counts, and not what was given to it.
      take.ledger = problem.ledger
      take.isUnreadable = problem.ledger == nil
      handle(
        .storageEnded(problem.isFull ? .storageFull : .storage), because: problem.failure)
    }
    switch filed.fate {
    case .kept:
      // Of what cannot be read, its failure is all that is known.
      if let ledger = take.ledger {
        ServiceJournal.say(
          .notice,
          "recording \(filed.number): \(ledger.sampled) of \(ledger.scheduled) samples")
      }
    case .discarded:
      if failure == nil {
        ServiceJournal.say(
          .notice, "recording \(filed.number) was thrown away; it is in the trash")
      }
    case .withoutSamples:
      ServiceJournal.say(.notice, "the recording had no sample, and nothing is kept")
    }
    if case .withoutSamples = filed.fate {
      take.number = nil
      handle(.savedNothing, because: failure)
    } else {
      handle(.saved, because: failure)
    }
    if machine.state == .ended { lastWords = failure }
  }

  /// The flusher has reported its last news: it returns at once.
  private func joinFlusher() {
    if let flusher = flusher.take() { flusher.join() }
  }

  /// A sensor that is looked for every 2 s is reported once.
  private func sayOnce(_ sentence: String) {
    guard sentence != lastSaid else { return }
    lastSaid = sentence
    ServiceJournal.say(.error, sentence)
  }
}
