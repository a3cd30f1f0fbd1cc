// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogStoreTesting
import Recorder
import RingBuffer
import Sampling
import TestSupport
import Testing

/// A sampler that runs through many recordings, the ring, and the writer of a service, on one thread and on the test's
/// clock; each recording's flusher has a thread of its own and memory for a disk.
///
///     advance(to:)   record of tick n arrives at deadline(n) + read time      writer's turn every 50 ms
final class WriterBench {
  /// From a tick's deadline to its record in the ring.
  static let readTime: Int64 = 400_000
  static let writerPeriod: Int64 = 50_000_000
  static let timeUnit: Int64 = 1000

  let schedule: Schedule
  let historyTicks: Int
  var writer: RecordingWriter
  private var producer: RingProducer<TickRecord>
  private(set) var now: MonotonicTime
  private var nextTick: UInt64 = 0
  private var nextTurn: MonotonicTime
  private var generator = SeededGenerator(seed: 11)
  /// Ticks for which the ring had no room, to be reported when it has.
  private var dropped: Gap?

  /// Ticks at which the chip does not answer; each run becomes one record, which arrives with its last tick.
  var busErrors: [Range<UInt64>] = []
  /// From which tick on records are held up in the sampler, and when they come.
  var holdUp: (from: UInt64, until: MonotonicTime)?
  /// Events, before the record of their tick.
  var events: [UInt64: SensorEvent] = [:]
  /// How long the creation of a file takes; `nil` for ever.
  var fileDelay: Int64? = 0
  /// The parameters of a recording's disk.
  var configureDisk: @Sendable (inout MemoryDisk.State) -> Void = { _ in }
  /// Stalls the flushers.
  var gate: Gate?
  /// Bytes of a recording's queue.
  var queueCapacity = 1 << 20

  /// The writer's reports.
  private(set) var news: [RecorderInput] = []
  /// The ends of recordings whose logs have them.
  private(set) var ends: [RecordingEnd] = []
  /// The current recording, and the previous ones.
  private(set) var logs: [WrittenLog] = []
  /// Offsets of the sampler's samples from its tick 0, as they went into the ring.
  private(set) var sampleTimes: [UInt64: Int64] = [:]
  /// Ticks that the ring had no room for.
  private(set) var droppedTicks: Set<UInt64> = []
  private var pendingPlan: (plan: RecordingPlan, due: MonotonicTime)?

  /// A sampler that has not started.
  init(_ rate: SampleRate, source: ClockSource = .grid) {
    var ring = RingEnds<TickRecord>()
    let start = MonotonicTime(nanoseconds: 7_000_000_123)
    schedule = Schedule(start: start, rate: rate)
    historyTicks = 600 - Int(max(10, rate.tick(atNanoseconds: 199_999_999) + 1))
    writer = RecordingWriter(
      consumer: ring.takeConsumer(), clock: TickClock(schedule, source),
      timeUnit: WriterBench.timeUnit, historyTicks: historyTicks)
    producer = ring.takeProducer()
    now = start
    nextTurn = start
  }

  /// A sampler that has started, at so many hertz, with a recording from an instant on.
  static func recording(_ hertz: UInt32, from seconds: Double) -> WriterBench {
    let bench = WriterBench(ExampleLog.rate(hertz))
    bench.advance(to: seconds)
    bench.begin()
    return bench
  }

  var isIdle: Bool { writer.isIdle }

  /// Orders a recording from now on.
  func begin(before: UInt64 = 0, after: UInt64? = nil) {
    writer.begin(RecordingOrder(at: now, ticksBefore: before, ticksAfter: after))
  }

  /// Asks for the recording's end, which has to come.
  func end(
    at instant: MonotonicTime? = nil, _ reason: StopReason,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    writer.end(at: instant, reason: reason)
    #expect(finish(), sourceLocation: sourceLocation)
  }

  /// Expects these ticks of the sampler, each with its sample or a gap, in a log; see ``WrittenLog``.
  func expect(
    _ ticks: Range<UInt64>, in log: Int, _ reason: StopReason,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try logs[log].expect(
      ticks, of: schedule, sampleTimes, reason: reason, sourceLocation: sourceLocation)
  }

  /// `seconds` after the sampler's tick 0 was due.
  func instant(_ seconds: Double) -> MonotonicTime {
    schedule.start + Int64(seconds * 1_000_000_000)
  }

  /// Advances to `seconds` after the sampler's start.
  func advance(to seconds: Double) { advance(to: instant(seconds)) }

  /// Lets time pass: samples arrive, the writer has its turns.
  func advance(to end: MonotonicTime) {
    while true {
      let arrival = nextArrival
      guard min(arrival, nextTurn) <= end else { break }
      if arrival <= nextTurn {
        now = arrival
        sample()
      } else {
        now = nextTurn
        nextTurn = nextTurn + WriterBench.writerPeriod
        turn()
      }
    }
    now = max(now, end)
  }

  /// When the next tick's record comes.
  private var nextArrival: MonotonicTime {
    let arrival = schedule.deadline(of: nextTick) + WriterBench.readTime
    guard let holdUp, nextTick >= holdUp.from else { return arrival }
    return max(arrival, holdUp.until)
  }

  /// The writer's turn, as when an order wakes it.
  func turn() {
    if let (plan, due) = pendingPlan, due <= now {
      pendingPlan = nil
      attach(plan)
    }
    let reading = ClockReading(
      monotonic: now, wall: ExampleRecording.wall + now.nanoseconds, isSynchronised: true)
    var seen: [TickRecord] = []
    writer.look(into: &seen)
    let round = writer.advance(reading)
    news += round.events
    if let plan = round.plan, let fileDelay { pendingPlan = (plan, now + fileDelay) }
    if let end = round.end {
      ends.append(end)
      logs.last?.finish()
    }
    if pendingPlan.map({ $0.due <= now }) ?? false { turn() }
  }

  private func attach(_ plan: RecordingPlan) {
    var description = ExampleLog.description(UInt64(logs.count + 1))
    description.rate = schedule.rate
    description.plannedTicks = plan.plannedTicks
    description.timeUnit = WriterBench.timeUnit
    let log = WrittenLog(
      description, plan, queueCapacity: queueCapacity, disk: MemoryDisk(configureDisk),
      gate: gate ?? Gate())
    logs.append(log)
    do {
      try writer.attach(description, queue: log.queue)
    } catch {
      preconditionFailure("the example's description is one: \(error)")
    }
  }

  /// The reports since the last call.
  func drainNews() -> [RecorderInput] {
    defer { news = [] }
    return news
  }

  /// Advances in turns until the writer is idle; `false` if it is not idle within `seconds`.
  func finish(within seconds: Double = 10) -> Bool {
    let end = now + Int64(seconds * 1_000_000_000)
    turn()
    while !writer.isIdle, now < end { advance(to: now + WriterBench.writerPeriod) }
    return writer.isIdle
  }

  // MARK: The sampler

  private func sample() {
    let tick = nextTick
    nextTick += 1
    if let event = events[tick] { _ = producer.push(TickRecord(event)) }
    if let run = busErrors.first(where: { $0.contains(tick) }) {
      guard tick == run.upperBound - 1 else { return }
      let gap = Gap(
        firstTick: run.lowerBound, count: UInt64(run.count), cause: .busError, code: 121)
      return deliver(TickRecord(gap), ticks: run)
    }
    let late = Int64(generator.next() % 90_000)
    let offset = schedule.rate.nanoseconds(atTick: tick) + late
    let time = offset - offset % WriterBench.timeUnit
    sampleTimes[tick] = time
    deliver(
      TickRecord(tick: tick, time: time, lateness: late, sample: ExampleLog.sample(tick)),
      ticks: tick..<tick + 1)
  }

  private func deliver(_ record: TickRecord, ticks: Range<UInt64>) {
    if let gap = dropped, producer.push(TickRecord(gap)) { dropped = nil }
    if dropped == nil, producer.push(record) { return }
    for tick in ticks {
      droppedTicks.insert(tick)
      sampleTimes[tick] = nil
    }
    if dropped == nil {
      dropped = Gap(firstTick: ticks.lowerBound, count: 0, cause: .ringFull, code: 0)
    }
    dropped?.count += UInt64(ticks.count)
  }
}
