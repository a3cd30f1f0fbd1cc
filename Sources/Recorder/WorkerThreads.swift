// SPDX-License-Identifier: Apache-2.0

import IMUDrivers
public import IMUModel
import LinuxIO
public import RingBuffer
public import Sampling
import Synchronization

/// The sampler and the writer as the loop sees them: on threads of their own, or stepped in simulated time.
protocol Workers: AnyObject {
  var channel: WriterChannel { get }
  /// Real-time scheduling that the kernel refused the sampler.
  var refusal: Refusal? { get }

  /// The granted scheduling and memory lock, in words.
  func realTime(memory refusal: Refusal?) -> String

  func startWriter(_ start: SensorStart, _ setup: RecorderSetup) throws(LinuxIOError)

  /// Asks the sampler to end after the current tick.
  func stopSampling()

  var hasSamplerEnded: Bool { get }

  /// Ends both within a bounded time; returns whether they have ended.
  func end() -> Bool
}

/// The connections of loop, sampler, writer and card, from one waking of the sensor until it sleeps.
final class WriterChannel: Sendable {
  /// The number of the waking: late news of an earlier one is ignored.
  let session: UInt64
  let commands: Inbox<WriterCommand>
  let news: Inbox<RecorderNews>
  let card: Inbox<CardOrder>
  let gauge = Mutex(WriterGauge())
  let feed: LiveFeed
  let clock: RecorderClock

  init(
    session: UInt64, news: Inbox<RecorderNews>, card: Inbox<CardOrder>, feed: LiveFeed,
    clock: RecorderClock
  ) throws(LinuxIOError) {
    commands = try Inbox()
    (self.session, self.news, self.card) = (session, news, card)
    (self.feed, self.clock) = (feed, clock)
  }

  func report(_ news: SensorNews) { self.news.post(.sensor(news, session: session)) }
}

/// The sampler and the writer on their own threads, from the sensor's bring-up until it sleeps.
///
///     imu-sampler  opens the sensor, samples      ─► ring ─►  imu-writer  history, recordings ──► card
///          └── news ──► loop ◄── news ─────────────────────────┘ ◄── commands ── loop, card
final class WorkerThreads: Workers {
  /// SCHED_FIFO priority of the sampler: above PREEMPT_RT's threaded interrupts (50), below the kernel's watchdogs (99).
  private static var priority: Int32 { 80 }
  /// How long to wait for a thread to end, in nanoseconds: usually 0.1 s. One that a bus blocks for longer is abandoned, and
  /// keeps its chip until it ends.
  private static var patience: Int64 { 1_000_000_000 }

  let channel: WriterChannel
  let refusal: Refusal?
  private let scheduling: SchedulingReport
  private let stop = StopFlag()
  private let ended = StopFlag()
  private var sampler: RunningThread<SamplerWork>?
  private var writer: RunningThread<WriterWork>?
  private var consumer: RingConsumer<TickRecord>?

  /// Starts the sampler; ``SensorNews/ready(_:)`` follows.
  init(_ setup: RecorderSetup, _ channel: WriterChannel, plannedTicks: UInt64?) throws(LinuxIOError)
  {
    let thread = try RealTimeThread(name: "imu-sampler", priority: WorkerThreads.priority)
    self.channel = channel
    (scheduling, refusal) = (thread.scheduling, thread.scheduling.refusal)
    var ring = RingEnds<TickRecord>()
    consumer = .some(ring.takeConsumer())
    let work = SamplerWork(
      setup: setup, channel: channel, plannedTicks: plannedTicks, stop: stop,
      producer: .some(ring.takeProducer()))
    let ended = self.ended
    sampler = .some(
      thread.run(moving: work) { work in
        work.run()
        ended.request()
      })
  }

  func startWriter(_ start: SensorStart, _ setup: RecorderSetup) throws(LinuxIOError) {
    let thread = try RealTimeThread(name: "imu-writer")
    guard let consumer = consumer.take() else { preconditionFailure("one writer a sampler") }
    let work = WriterWork(consumer: consumer, start, setup, channel)
    writer = .some(thread.run(moving: work) { work in work.run() })
  }

  func realTime(memory memoryRefusal: Refusal?) -> String {
    let refusals = [refusal, memoryRefusal].compactMap { $0 }
    guard !refusals.isEmpty else { return "\(scheduling), memory locked" }
    return (["\(scheduling)"] + refusals.map { "refused: \($0.what)" }).joined(separator: "; ")
  }

  func stopSampling() { stop.request() }

  var hasSamplerEnded: Bool { ended.isRequested }

  func end() -> Bool {
    stop.request()
    channel.commands.post(.quit)
    var hasEnded = true
    if let sampler = sampler.take() {
      hasEnded = sampler.join(within: WorkerThreads.patience)
    }
    if let writer = writer.take() {
      hasEnded = writer.join(within: WorkerThreads.patience) && hasEnded
    }
    return hasEnded
  }
}

extension RingProducer: TickSink where Element == TickRecord {}

/// The sampler thread's work: opens the sensor, brings it up and samples, while the loop serves the button.
private struct SamplerWork: ~Copyable {
  let setup: RecorderSetup
  let channel: WriterChannel
  let plannedTicks: UInt64?
  let stop: StopFlag
  var producer: RingProducer<TickRecord>?

  mutating func run() {
    let sampling = SensorSampling(
      rate: setup.rate, channel: channel, plannedTicks: plannedTicks, stop: stop,
      place: ProducerPlace(producer.take()))
    do {
      try setup.sensor.open(for: sampling)
    } catch {
      channel.report(
        .failed(
          CommandFailure(error) ?? CommandFailure(.unavailable, "the sensor failed: \(error)")))
    }
  }
}

/// Where the ring's end waits until the sensor's type is known. Only the sampler thread uses it.
private final class ProducerPlace {
  var producer: RingProducer<TickRecord>?

  init(_ producer: consuming RingProducer<TickRecord>?) {
    self.producer = producer
  }
}

/// Samples a sensor; returns when it was asked to stop, or after all planned ticks.
private struct SensorSampling: SensorUser {
  let rate: SampleRate
  let channel: WriterChannel
  let plannedTicks: UInt64?
  let stop: StopFlag
  let place: ProducerPlace

  func use<Sensor: IMUSensor & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending Sensor, busClock: BusClock, clock: Clock, boardTitle: String
  ) throws {
    try sensor.bringUp(on: clock)
    let (description, expectation) = (sensor.description, sensor.expectation)
    var sampler = Sampler(
      sensor: sensor, clock: clock, sink: producer(), rate: rate,
      start: clock.now() + RecorderSetup.lead, plannedTicks: plannedTicks,
      timeUnit: RecorderSetup.timeUnit, stop: stop)
    run(&sampler, .grid, busClock, description, expectation, boardTitle)
  }

  func use<Bus: I2CBus & Sendable & ~Copyable, Clock: MonotonicClock>(
    _ sensor: consuming sending FIFOSensor<Bus>, busClock: BusClock, clock: Clock,
    boardTitle: String
  ) throws {
    try sensor.bringUp(on: clock)
    let (description, hasInterrupt) = (sensor.description, sensor.hasInterrupt)
    let expectation = sensor.expectation
    var drainer = Drainer(
      sensor: sensor, clock: clock, sink: producer(), rate: rate,
      start: clock.now() + RecorderSetup.lead, timeUnit: RecorderSetup.timeUnit, stop: stop)
    run(
      &drainer, .chip(busClock: busClock.configured), busClock, hasInterrupt: hasInterrupt,
      description, expectation, boardTitle)
  }

  private func producer() -> RingProducer<TickRecord> {
    guard let producer = place.producer.take() else {
      preconditionFailure("a sensor is used once")
    }
    return producer
  }

  private func run<Loop: SamplingLoop & ~Copyable>(
    _ loop: inout Loop, _ clock: ClockSource, _ busClock: BusClock, hasInterrupt: Bool = false,
    _ sensor: SensorDescription, _ expectation: SensorExpectation?, _ boardTitle: String
  ) {
    channel.report(
      .ready(
        SensorStart(
          schedule: loop.schedule, clock: clock, busClock: busClock, hasInterrupt: hasInterrupt,
          sensor: sensor, expectation: expectation, boardTitle: boardTitle)))
    loop.run()
    channel.commands.post(.samplerEnded(loop.undelivered))
  }
}

extension ChipSetUp where Self: ~Copyable {
  /// Sets the chip up, waiting on the clock as the data sheet demands.
  mutating func bringUp(on clock: some MonotonicClock) throws(SensorError) {
    while case .wait(let nanoseconds) = try bringUp() {
      clock.sleep(until: clock.now() + nanoseconds)
    }
    // Megabytes of code that only opening the sensor needed.
    MemoryLock.releaseCode()
  }
}
