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
///     imu-sampler  opens the sensors, samples     ─► rings ─►  imu-writer  history, recordings ──► card
///     imu-sampler  … those of another bus         ─► rings ─►      │
///          └── news ──► loop ◄── news ─────────────────────────────┘ ◄── commands ── loop, card
///
/// The sensors of one bus share a thread: the kernel has one transfer on a bus at a time.
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
  private var writer: RunningThread<WriterGroup>?
  private let consumers: [Handover<RingConsumer<TickRecord>>]

  /// How long to wait for the sampler to end: sensors that are set up are asked one after the other.
  private let patience: Int64

  /// Starts the sampler; ``SensorNews/ready(_:)`` follows.
  ///
  /// - Parameter isPlanned: Whether it ends by itself, after the ticks of the setup.
  init(_ setup: RecorderSetup, _ channel: WriterChannel, isPlanned: Bool) throws(LinuxIOError) {
    let thread = try RealTimeThread(name: "imu-sampler", priority: WorkerThreads.priority)
    var refused = thread.scheduling.refusal
    var others: [Handover<RealTimeThread>] = []
    for _ in setup.membersByBus.dropFirst() {
      let other = try RealTimeThread(name: "imu-sampler", priority: WorkerThreads.priority)
      refused = refused ?? other.scheduling.refusal
      others.append(Handover(other))
    }
    self.channel = channel
    (scheduling, refusal) = (thread.scheduling, refused)
    patience = Int64(setup.members.count) * WorkerThreads.patience
    let rings = SensorRings(setup.members.count)
    consumers = rings.consumers
    let work = SamplerWork(
      setup: setup, channel: channel, isPlanned: isPlanned, stop: stop, producers: rings.producers,
      others: others)
    let ended = self.ended
    sampler = .some(
      thread.run(moving: work) { work in
        work.run()
        ended.request()
      })
  }

  func startWriter(_ start: SensorStart, _ setup: RecorderSetup) throws(LinuxIOError) {
    let thread = try RealTimeThread(name: "imu-writer")
    let work = WriterGroup(consumers, start, setup, channel)
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
      hasEnded = sampler.join(within: patience)
    }
    if let writer = writer.take() {
      hasEnded = writer.join(within: WorkerThreads.patience) && hasEnded
    }
    return hasEnded
  }
}

extension RingProducer: TickSink where Element == TickRecord {}

/// The sampler thread's work: opens the sensors, brings them up and samples, while the loop serves the button. Returns when
/// it was asked to stop, or after all planned ticks.
private struct SamplerWork: ~Copyable {
  let setup: RecorderSetup
  let channel: WriterChannel
  let isPlanned: Bool
  let stop: StopFlag
  let producers: [Handover<RingProducer<TickRecord>>]
  /// Threads for the sensors of further buses.
  let others: [Handover<RealTimeThread>]

  mutating func run() {
    do {
      let sensors = try ReadySensors(setup, unless: stop)
      // Megabytes of code that only opening the sensors needed.
      MemoryLock.releaseCode()
      let (start, loops) = try sensors.begin(producers, stop: stop, isPlanned: isPlanned)
      channel.report(.ready(start))
      let buses = setup.membersByBus.map { members in
        BusWork(loops: members.map { ($0, loops[$0]) }, channel: channel)
      }
      let running = zip(others, buses.dropFirst()).map { thread, work in
        Handover(thread.take().run(moving: Handover(work)) { $0.take().run() })
      }
      buses[0].run()
      for thread in running { _ = thread.take().join() }
    } catch {
      channel.report(
        .failed(
          CommandFailure(error) ?? CommandFailure(.unavailable, "the sensor failed: \(error)")))
    }
  }
}

/// The loops of the sensors of one bus, with their places in the take, which one thread runs.
private struct BusWork {
  let loops: [(index: Int, loop: AnySamplingLoop)]
  let channel: WriterChannel

  func run() {
    var group = SamplerGroup(loops.map(\.loop))
    group.run()
    for (index, loop) in loops {
      channel.commands.post(.samplerEnded(loop.undelivered, index))
    }
  }
}
