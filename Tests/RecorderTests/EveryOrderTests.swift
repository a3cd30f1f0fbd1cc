import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import RingBuffer
import Sampling
import Testing

/// Walks a tree of choices leaf by leaf: each run of what makes the choices takes another way.
final class ChoiceTree {
  private var path: [(chosen: Int, of: Int)] = []
  private var depth = 0

  /// One of `count` ways, beginning with 0.
  func choose(of count: Int) -> Int {
    defer { depth += 1 }
    if depth == path.count { path.append((0, count)) }
    precondition(path[depth].of == count, "the same choices lead to the same place")
    return path[depth].chosen
  }

  /// Whether there is a way that was not taken; the next run takes it.
  func goOn() -> Bool {
    depth = 0
    while let last = path.popLast() {
      guard last.chosen + 1 < last.of else { continue }
      path.append((last.chosen + 1, last.of))
      return true
    }
    return false
  }
}

/// A take on a card that has stalled, on one thread: between any two looks of the writer at what it shares with
/// sampler and flusher, these make as many of their shipped steps as the tree says.
///
///     sampler.step ─► ring of 2 ─► recorder.drain … ─► FlushQueue, full ─► flusherStep
///
/// A look into the ring follows a look into the queue in the same `drain()`. What the sampler does between them does
/// not touch the queue, so that having done it before both is the same.
final class OrderedTake {
  let tree: ChoiceTree
  let disk: MemoryDisk
  let queue = FlushQueue(capacity: 4096)
  private let clock = DozyClock()
  private var sampler: Sampler<NoisySensor, DozyClock, RingProducer<TickRecord>>
  private var storage: MemoryStorage
  private var consumer: RingConsumer<TickRecord>?
  private var stopped: StorageError?
  private var isSampling = true
  private var pauses = 0
  private(set) var isFinished = false

  /// What fills the queue while the card stalls.
  static let filler = [UInt8](repeating: 0xAA, count: 4096)
  static let start = MonotonicTime(nanoseconds: 2_000_000_000)

  init(ticks: UInt64, tree: ChoiceTree, disk: MemoryDisk) {
    self.tree = tree
    self.disk = disk
    var ring = RingEnds<TickRecord>(capacity: 2)
    sampler = Sampler(
      sensor: NoisySensor(), clock: clock, sink: ring.takeProducer(),
      rate: ExampleLog.tenHertz, start: OrderedTake.start, plannedTicks: ticks, timeUnit: 1000,
      stop: StopFlag())
    consumer = .some(ring.takeConsumer())
    storage = MemoryStorage(disk)
    _ = queue.put(OrderedTake.filler)
  }

  var ledger: TickLedger { sampler.ledger }

  /// Others act, or do not.
  func letOthersAct() {
    while true {
      var ways: [() -> Void] = []
      if isSampling { ways.append { self.stepSampler() } }
      if queue.byteCount == 4096 { ways.append { self.stepFlusher() } }
      guard !ways.isEmpty else { return }
      let way = tree.choose(of: ways.count + 1)
      guard way > 0 else { return }
      ways[way - 1]()
    }
  }

  private func stepSampler() {
    if sampler.step() == .finished { isSampling = false }
  }

  private func stepFlusher() {
    if case .finished = queue.flusherStep(&storage, clock: clock, &stopped, waits: false) {
      isFinished = true
    }
  }

  /// Runs the take; what `end` does is the writer's end of it.
  func run(
    end: (
      inout Recorder<InterruptedOutput>, _ undelivered: [TickRecord], _ pause: () -> Bool
    ) -> Void
  ) throws -> [ReadEvent] {
    guard let consumer = consumer.take() else { preconditionFailure("a take runs once") }
    let description = ExampleLog.description()
    var recorder = try Recorder(
      after: description, consumer: consumer, output: InterruptedOutput(self),
      start: OrderedTake.start)
    while isSampling {
      recorder.drain()
      recorder.sync()
      // The writer sleeps.
      if isSampling { stepSampler() }
    }
    end(&recorder, sampler.undelivered) {
      self.pauses += 1
      self.letOthersAct()
      // No card stalls for ever.
      if self.pauses == 2 { self.stepFlusher() }
      return true
    }
    queue.close()
    while !isFinished { stepFlusher() }
    return try read(try encodeHeader(description) + disk.bytes.dropFirst(OrderedTake.filler.count))
  }
}

/// The writer's end of the queue; before each look others act.
struct InterruptedOutput: LogOutput, ~Copyable {
  private let take: OrderedTake
  private var output: QueueOutput

  init(_ take: OrderedTake) {
    self.take = take
    output = QueueOutput(take.queue)
  }

  var failure: StorageError? {
    take.letOthersAct()
    return output.failure
  }

  mutating func take(from writer: inout LogWriter) -> Bool {
    take.letOthersAct()
    return output.take(from: &writer)
  }

  mutating func requestSync() { output.requestSync() }
}

@Suite("The end of a take while the card stalls")
struct EveryOrderTests {
  @Test(
    "in every order of sampler, writer and flusher each tick is in the log once, as a sample or in a gap",
    arguments: 1...4 as ClosedRange<UInt64>)
  func everyOrder(ticks: UInt64) throws {
    let tree = ChoiceTree()
    var orders = 0
    var stalledEnds = 0
    repeat {
      let take = OrderedTake(ticks: ticks, tree: tree, disk: MemoryDisk())
      let events = try take.run { recorder, undelivered, pause in
        _ = recorder.drainAll(undelivered: undelivered, pause: pause)
        if take.queue.byteCount == 4096 { stalledEnds += 1 }
        _ = recorder.finish(reason: .completed, pause: pause)
      }
      orders += 1
      try check(events, ticks: ticks, ledger: take.ledger)
    } while tree.goOn()
    #expect(orders > Int(ticks) * 2)
    print("\(ticks) ticks: \(orders) orders, in \(stalledEnds) the card still stalled at the end")
  }

  /// Each tick once, and the end's account is the sampler's.
  private func check(_ events: [ReadEvent], ticks: UInt64, ledger: TickLedger) throws {
    // Gaps come before the samples of their page.
    var found: [UInt64] = []
    var end: RecordingEnd?
    for event in events {
      switch event {
      case .sample(let tick, _, _): found.append(tick)
      case .other(.gap(let gap)): found += gap.firstTick..<gap.firstTick + gap.count
      case .other(.end(let last)): end = last
      default: break
      }
    }
    try #require(found.sorted() == Array(0..<ticks))
    try #require(end?.ledger == ledger)
    try #require(ledger.scheduled == ticks)
  }
}
