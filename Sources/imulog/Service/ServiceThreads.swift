import IMUModel
import LinuxIO
import Recorder
import RingBuffer
import Sampling

/// The sampler and the writer of a service, from the sensor's first register to its rest.
///
///     imu-sampler  opens the sensor, samples      ─► ring ─►  imu-writer  history, takes
///          └── news ──► main thread ◄── news ──────────────────────┘ ◄── orders ── main thread, imu-flusher
final class ServiceThreads {
  /// Sample times are kept to a microsecond, as those of `record`.
  static var timeUnit: Int64 { 1000 }
  /// From the end of set-up to tick 0: time for the writer to be at its place.
  static var lead: Int64 { 2_000_000 }
  /// SCHED_FIFO priority of the sampler, as that of `record`.
  private static var priority: Int32 { 80 }

  /// What to ask of the writer.
  let orders: Inbox<WriterOrder>
  /// What the writer shows.
  let gauge = SamplingGauge()
  /// Which waking of the sensor these are for.
  let session: UInt64
  /// What the kernel granted the sampler.
  let scheduling: SchedulingReport
  private let news: Inbox<ServiceNews>
  private let stop = StopFlag()
  private let samples = SampleCount()
  private var sampler: RunningThread<ServiceSampler>?
  private var writer: RunningThread<ServiceWriting>?
  private var consumer: RingConsumer<TickRecord>?

  /// Starts the sampler; `news` will say when it samples.
  init(
    _ request: SensorRequest, session: UInt64, news: Inbox<ServiceNews>
  ) throws(LinuxIOError) {
    self.news = news
    self.session = session
    orders = try Inbox()
    let thread = try RealTimeThread(name: "imu-sampler", priority: ServiceThreads.priority)
    scheduling = thread.scheduling
    var ring = RingEnds<TickRecord>()
    consumer = .some(ring.takeConsumer())
    let work = ServiceSampler(
      request: request, session: session, news: news, stop: stop,
      samples: samples, producer: .some(ring.takeProducer()))
    sampler = .some(thread.run(moving: work) { work in work.run() })
  }

  /// Starts the writer for a sampler that samples.
  func startWriter(
    _ schedule: Schedule, historyTicks: Int, feed: LiveFeed
  ) throws(LinuxIOError) {
    let thread = try RealTimeThread(name: "imu-writer")
    guard let consumer = consumer.take() else { preconditionFailure("one writer a sampler") }
    let work = ServiceWriting(
      writer: TakeWriter(
        consumer: consumer, schedule: schedule, timeUnit: ServiceThreads.timeUnit,
        historyTicks: historyTicks),
      orders: orders, news: news, gauge: gauge, feed: feed, samples: samples,
      silence: SilenceWatch(schedule.rate, start: schedule.start), session: session,
      idlePeriod: ServiceWriting.idlePeriod(schedule.rate, historyTicks: historyTicks))
    writer = .some(thread.run(moving: work) { work in work.run() })
  }

  /// Stops both threads and waits for them, usually up to 0.1 s. A thread that a bus holds up for longer is left
  /// behind, because the main thread has requests to answer and a watchdog to feed; until it has ended, it keeps its
  /// chip, and the sensor cannot be woken. No take may be at hand.
  func end() {
    stop.request()
    orders.post(.quit)
    if let sampler = sampler.take() { sampler.join(within: ServiceThreads.patience) }
    if let writer = writer.take() { writer.join(within: ServiceThreads.patience) }
  }

  /// How long to wait for a thread that was asked to end, in nanoseconds: of what systemd gives between two signs of
  /// life, 10 s, a small part.
  private static var patience: Int64 { 1_000_000_000 }
}
