import IMUModel
import LinuxIO
import LogFormat
import LogStore
import Recorder
import RingBuffer

/// The writer thread's work in a service: orders in, news out, ring to log.
struct ServiceWriting: ~Copyable {
  var writer: TakeWriter
  let orders: Inbox<WriterOrder>
  let news: Inbox<ServiceNews>
  let gauge: SamplingGauge
  /// For those who watch.
  let feed: LiveFeed
  let samples: SampleCount
  private var silence: SilenceWatch
  private let session: UInt64
  /// Nanoseconds between two looks at the ring while no take runs.
  let idlePeriod: Int64
  private var queue: FlushQueue?
  private var seen: UInt64 = 0
  private var shown: [TickRecord] = []

  init(
    writer: consuming TakeWriter, orders: Inbox<WriterOrder>, news: Inbox<ServiceNews>,
    gauge: SamplingGauge, feed: LiveFeed, samples: SampleCount, silence: SilenceWatch,
    session: UInt64, idlePeriod: Int64
  ) {
    self.writer = writer
    self.orders = orders
    self.news = news
    self.gauge = gauge
    self.feed = feed
    self.samples = samples
    self.silence = silence
    self.session = session
    self.idlePeriod = idlePeriod
  }

  /// How often the writer looks at the ring during a take, in nanoseconds, as that of `record`.
  private static var period: Int64 { 50_000_000 }

  /// Half of the time in which the room fills that the history leaves in the ring; a second at most.
  static func idlePeriod(_ rate: SampleRate, historyTicks: Int) -> Int64 {
    let room = UInt64(max(2, 600 - historyTicks) / 2)
    return min(1_000_000_000, max(period, rate.nanoseconds(atTick: room)))
  }

  mutating func run() {
    var isQuitting = false
    while !(isQuitting && writer.isIdle) {
      let now = SystemClock().now()
      let isWatched = feed.isWatched
      let usual = writer.isIdle ? idlePeriod : ServiceWriting.period
      orders.wait(until: now + (isWatched ? min(usual, TakeWatching.framePeriod) : usual))
      for order in orders.take() {
        if case .quit = order { isQuitting = true } else { carryOut(order) }
      }
      let clocks = SystemClock().readWallClock()
      let reading = ClockReading(
        monotonic: clocks.monotonic, wall: clocks.wall, isSynchronised: clocks.isSynchronised)
      if isWatched { handOn() }
      let progress = writer.progress
      for item in writer.tend(reading) { news.post(.take(item)) }
      show(writer.progress ?? progress, now: reading.monotonic)
      if silence.notice(samples.value, now: reading.monotonic) {
        news.post(.sensorSilent(silence.isSilent, session: session))
      }
    }
  }

  private mutating func carryOut(_ order: WriterOrder) {
    switch order {
    case .begin(let order):
      (gauge.value.progress, gauge.value.longestSync) = (nil, nil)
      writer.begin(order)
    case .hold(let instant): writer.hold(at: instant)
    case .release: writer.release()
    case .mark(let instant, let label): writer.mark(at: instant, label: label)
    case .end(let instant, let reason): writer.end(at: instant, reason: reason)
    case .attach(let description, let queue): attach(description, queue)
    case .abandon: writer.abandon()
    case .forgetRest: writer.forgetRest()
    case .look, .quit: break
    }
  }

  /// Shows what came into the ring, before anything leaves it.
  private mutating func handOn() {
    shown.removeAll(keepingCapacity: true)
    writer.look(into: &shown)
    feed.offer(shown)
  }

  private mutating func attach(_ description: RecordingDescription, _ queue: FlushQueue) {
    do {
      try writer.attach(description, queue: queue)
      self.queue = queue
    } catch {
      // The store has made a header of the same description.
      preconditionFailure("a header that was written cannot be continued: \(error)")
    }
  }

  private mutating func show(_ progress: TakeProgress?, now: MonotonicTime) {
    var reading = gauge.value
    let isNew = writer.arrivals != seen
    seen = writer.arrivals
    if isNew { reading.lastArrival = now }
    // What the last take came to is reported until the next one has begun.
    reading.progress = progress ?? reading.progress
    reading.longestSync = queue?.longestSync ?? reading.longestSync
    if writer.isIdle { queue = nil }
    gauge.value = reading
  }
}
