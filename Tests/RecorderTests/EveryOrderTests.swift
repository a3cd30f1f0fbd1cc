// SPDX-License-Identifier: Apache-2.0

import Files
import IMUModel
import LogFormat
import LogStore
import LogStoreTesting
import Recorder
import Testing

/// Enumerates a tree of choices leaf by leaf: each run takes another path.
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

  /// Whether an untaken path remains; the next run takes it.
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

/// A recording on a stalled card, on one thread: before each access of the writer to the queue, which it shares with the
/// flusher, sampler and flusher make as many of their shipped steps as the tree chooses.
///
///     sampler.step ─► ring of 2 ─► writer.advance … ─► FlushQueue, full ─► flusherStep
///
/// An access to the ring follows one to the queue in the same round. The sampler's steps between them do not touch the
/// queue, so running them before both is equivalent.
final class OrderedRecording: @unchecked Sendable {
  // Safe: one thread uses it.
  let disk = MemoryDisk()
  private(set) var stepped: SteppedRecording<DozyClock>?
  private let tree: ChoiceTree
  private var storage: MemoryStorage
  private var stopped: StorageError?
  private var isFinished = false
  /// Whether the writer is in a step: steps do not nest.
  private var isAtWork = false
  /// Whether the card was still stalled when the sampler ended.
  private(set) var isStalledAtEnd = false

  /// The bytes that fill the queue while the card stalls.
  static let filler = [UInt8](repeating: 0xAA, count: 4096)

  init(ticks: UInt64, tree: ChoiceTree) {
    self.tree = tree
    storage = MemoryStorage(disk)
    var description = ExampleLog.description()
    // A sync is due in each round.
    description.syncInterval = 1
    let queue = FlushQueue(capacity: 4096, syncsEarly: true) { [weak self] in
      self?.letOthersAct()
    }
    _ = queue.put(OrderedRecording.filler)
    stepped = SteppedRecording(DozyClock(), description, ticks: ticks, queue: queue, ring: 2)
  }

  /// Lets the other threads step, as the tree chooses.
  private func letOthersAct() {
    guard let stepped, isAtWork else { return }
    while true {
      var ways: [() -> Void] = []
      if stepped.isSampling { ways.append { stepped.stepSampler() } }
      if stepped.queue.byteCount == 4096 { ways.append { self.stepFlusher() } }
      guard !ways.isEmpty else { return }
      let way = tree.choose(of: ways.count + 1)
      guard way > 0 else { return }
      ways[way - 1]()
    }
  }

  private func stepFlusher() {
    guard let stepped else { return }
    let step = stepped.queue.flusherStep(&storage, clock: stepped.clock, &stopped, waits: false)
    if case .finished = step { isFinished = true }
  }

  /// Runs it to the log's end.
  func run() throws -> [ReadEvent] {
    guard let stepped else { return [] }
    while stepped.isSampling {
      round(stepped)
      // The writer sleeps.
      stepped.stepSampler()
    }
    isStalledAtEnd = stepped.queue.byteCount == 4096
    var rounds = 0
    while stepped.end == nil {
      round(stepped)
      rounds += 1
      // The stall ends.
      if rounds >= 2 { stepFlusher() }
    }
    while !isFinished { stepFlusher() }
    return try read(stepped.log(Array(disk.bytes.dropFirst(OrderedRecording.filler.count))))
  }

  private func round(_ stepped: SteppedRecording<DozyClock>) {
    isAtWork = true
    stepped.stepWriter()
    isAtWork = false
  }
}

@Suite("The end of a recording while the card stalls")
struct EveryOrderTests {
  @Test(
    "in every order of sampler, writer and flusher each tick is in the log once, as a sample or in a gap",
    arguments: 1...4 as ClosedRange<UInt64>)
  func everyOrder(ticks: UInt64) throws {
    let tree = ChoiceTree()
    var orders = 0
    var stalledEnds = 0
    repeat {
      let ordered = OrderedRecording(ticks: ticks, tree: tree)
      let events = try ordered.run()
      if ordered.isStalledAtEnd { stalledEnds += 1 }
      orders += 1
      try check(events, ticks: ticks, tally: try #require(ordered.stepped?.tally))
    } while tree.goOn()
    #expect(orders > Int(ticks) * 2)
    print("\(ticks) ticks: \(orders) orders, in \(stalledEnds) the card still stalled at the end")
  }

  /// Expects each tick once, and the sampler's tally in the end record.
  private func check(_ events: [ReadEvent], ticks: UInt64, tally: TickTally) throws {
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
    try #require(end?.tally == tally)
    try #require(tally.scheduled == ticks)
  }
}
