import IMUModel
import IMUDrivers
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import RingBuffer
import Sampling

/// A clock on which every sleep ends some microseconds late, the same ones each time.
final class DozyClock: MonotonicClock, @unchecked Sendable {
  // Safe: each test uses its own on one thread.
  private var instant: Int64 = 1_000_000_000
  private var generator = SeededGenerator(seed: 3)

  func now() -> MonotonicTime { MonotonicTime(nanoseconds: instant) }

  func sleep(until deadline: MonotonicTime) {
    instant = max(instant, deadline.nanoseconds) + Int64(generator.next() % 90_000)
  }
}

/// A chip whose counts do not compress, and that is never ill.
struct NoisySensor: IMUSensor, ~Copyable {
  private var generator = SeededGenerator(seed: 4)

  let lifeLimit: LifeLimit? = nil
  private(set) var evidence = ReadEvidence()

  var readLimit: Int64 { .max }

  var description: SensorDescription { ExampleLog.description().sensor }

  mutating func bringUp() throws(SensorError) -> BringUpStep { .ready }

  mutating func restart() {}

  mutating func read(into sample: inout RawSample) throws(BusError) -> Reading {
    for channel in 0..<7 { sample[channel] = Int16(truncatingIfNeeded: generator.next()) }
    evidence = ReadEvidence(
      isConfigured: true, outputs: SensorOutputs(low: generator.next(), high: 0))
    return .fresh
  }

  mutating func checkConfiguration() throws(BusError) -> ConfigurationCheck { .intact }
}

/// The writer's end of a queue, which says when a sync was asked for.
struct AskingOutput: LogOutput, ~Copyable {
  final class Wish {
    var isAsked = false
  }

  private var output: QueueOutput
  private let wish: Wish

  init(_ queue: FlushQueue, _ wish: Wish) {
    output = QueueOutput(queue)
    self.wish = wish
  }

  var failure: StorageError? { output.failure }

  mutating func take(from writer: inout LogWriter) -> Bool { output.take(from: &writer) }

  mutating func requestSync() {
    output.requestSync()
    wish.isAsked = true
  }
}

/// A take at 1 kHz whose card holds the flusher up in one of its syncs, without any thread: while
/// the flusher is in a sync, sampler and writer take their turns on the test's clock.
final class HeldTake: StorageWitness {
  /// How often the writer looks at the ring.
  static let writerPeriod: Int64 = 50_000_000
  static let rate = SampleRate(1000, per: 1) ?? ExampleLog.tenHertz

  let finishes = true
  let queue: FlushQueue
  let description: RecordingDescription
  /// Ticks that went by during the hold.
  private(set) var heldTicks: Range<UInt64> = 0..<0
  /// The log.
  private(set) var bytes: [UInt8] = []

  private let clock = DozyClock()
  private let hold: (sync: Int, nanoseconds: Int64)
  private let wish = AskingOutput.Wish()
  private var sampler: Sampler<NoisySensor, DozyClock, RingProducer<TickRecord>>
  private var recorder: Recorder<AskingOutput>
  private var nextTurn: MonotonicTime
  private var syncCount = 0
  private var isEnded = false
  private var isClosed = false

  /// Makes the take.
  ///
  /// - Parameters:
  ///   - ticks: Milliseconds.
  ///   - hold: Which sync takes how long; the others take no time.
  ///   - capacity: Bytes of the queue; room for several pieces, because a turn comes with each append
  ///     and not by itself.
  init(ticks: UInt64, hold: (sync: Int, nanoseconds: Int64), capacity: Int = 1 << 20) throws {
    var description = ExampleLog.description()
    description.rate = HeldTake.rate
    self.description = description
    self.hold = hold
    queue = FlushQueue(capacity: capacity)
    var ring = RingEnds<TickRecord>()
    let start = clock.now()
    recorder = try Recorder(
      after: description, consumer: ring.takeConsumer(), output: AskingOutput(queue, wish),
      start: start)
    sampler = Sampler(
      sensor: NoisySensor(), clock: clock, sink: ring.takeProducer(),
      rate: HeldTake.rate, start: start, plannedTicks: ticks, timeUnit: 1000, stop: StopFlag())
    nextTurn = start + HeldTake.writerPeriod
    let disk = MemoryDisk()
    var storage = WatchedStorage(MemoryStorage(disk), witness: self)
    passTime(until: start)
    queue.flusherLoop(&storage, clock: clock)
    bytes = try encodeHeader(description) + disk.bytes
  }

  /// What happened to the ticks, as the sampler saw it.
  var samplerLedger: TickLedger { sampler.ledger }
  /// What happened to them, as it stands in the log.
  var recorderLedger: TickLedger { recorder.ledger }
  /// How late reads began.
  var lateness: LatenessSummary { sampler.lateness }

  func willOperate() { writerTurn() }

  func didFail(_ error: StorageError) {}

  func didSync() {
    syncCount += 1
    guard syncCount == hold.sync else { return passTime(until: clock.now()) }
    let first = sampler.ledger.scheduled
    passTime(until: clock.now() + hold.nanoseconds)
    heldTicks = first..<sampler.ledger.scheduled
  }

  /// Lets the others work until `instant`, and until they leave work for the flusher.
  private func passTime(until instant: MonotonicTime) {
    wish.isAsked = false
    while !isClosed, clock.now() < instant || !(wish.isAsked || !recorder.deliver()) {
      if sampler.step() == .finished { clock.sleep(until: nextTurn) }
      guard clock.now() >= nextTurn else { continue }
      writerTurn()
      nextTurn = nextTurn + HeldTake.writerPeriod
    }
  }

  private func writerTurn() {
    guard !isClosed else { return }
    recorder.drain()
    guard sampler.ending != nil else { return recorder.syncIfDue(now: clock.now()) }
    guard recorder.deliver() else { return }
    if !isEnded {
      for record in sampler.undelivered { recorder.write(record) }
      recorder.finish(reason: .completed)
      isEnded = true
    }
    if recorder.deliver() {
      isClosed = true
      queue.close()
    }
  }
}
