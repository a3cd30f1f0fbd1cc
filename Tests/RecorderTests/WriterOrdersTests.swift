// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LinuxIO
import LogStore
import LogStoreTesting
import RingBuffer
import Sampling
import Synchronization
import Testing

@testable import Recorder

/// The shipped work of the writer's thread with a trigger at 100 Hz, stepped by the test, which is its loop, sampler and card.
/// 0.5 g begin an event, which is over 1 s after its last sample.
private final class OrderedWriter {
  private final class Now: Sendable {
    let time: Mutex<MonotonicTime>
    init(_ time: MonotonicTime) { self.time = Mutex(time) }
  }

  let channel: WriterChannel
  let setup: RecorderSetup
  let start: SensorStart
  private let clock: Now
  private var producer: RingProducer<TickRecord>
  private var work: WriterGroup
  private var tick: UInt64 = 0

  init() throws {
    var configuration = RecorderConfiguration.default
    configuration.rate = ExampleLog.rate(100)
    configuration.trigger.threshold = TriggerSetting.Threshold(.peak, 0.5)
    configuration.trigger.postTrigger = 1_000_000_000
    setup = RecorderSetup(configuration, sensor: CountingSource(), store: "unused")
    let instant = MonotonicTime(nanoseconds: 7_000_000_000)
    start = SensorStart(
      schedule: Schedule(start: instant, rate: configuration.rate),
      sensor: ExampleLog.description().sensor, expectation: nil, boardTitle: "test")
    let now = Now(instant)
    clock = now
    channel = try WriterChannel(
      session: 3, news: Inbox(), card: Inbox(), feed: LiveFeed(isWatched: false),
      clock: RecorderClock {
        now.time.withLock { $0 }
      } reading: {
        ClockReading(
          monotonic: now.time.withLock { $0 }, wall: ExampleRecording.wall, isSynchronised: true)
      })
    var ring = RingEnds<TickRecord>()
    work = WriterGroup([Handover(ring.takeConsumer())], start, setup, channel)
    producer = ring.takeProducer()
  }

  /// Samples up to a tick, with a spike at one, and a round of the writer each 0.1 s.
  func sample(to end: UInt64, spike: UInt64? = nil) {
    while tick < end {
      let offset = start.schedule.rate.nanoseconds(atTick: tick)
      let sample = RawSample(ax: -40, ay: 25, az: tick == spike ? 14_000 : 8190)
      let record = TickRecord(tick: tick, time: offset, lateness: 0, sample: sample)
      let isPushed = producer.push(record)
      #expect(isPushed)
      clock.time.withLock { $0 = start.schedule.start + offset }
      tick += 1
      if tick % 10 == 0 { round() }
    }
    round()
  }

  func round(_ commands: WriterCommand...) {
    for command in commands { channel.commands.post(command) }
    work.round()
  }

  /// Begins the recording of an event.
  func begin(at tick: UInt64) {
    let header = setup.header(
      of: start, from: RecordingOrigin(), realTime: "none", cpuLatency: "", begunBy: .trigger)
    round(
      .begin(
        RecordingOrder(
          at: start.schedule.deadline(of: tick), ownTick: tick, ticksBefore: 50, ticksAfter: 2000),
        [header], setup))
  }

  /// Makes the file that the writer has asked for.
  func attach() throws {
    var description: RecordingDescription?
    for case .record(let logs, _, _) in channel.card.drain() { description = logs[0].0 }
    round(.attach([(try #require(description), FlushQueue())]))
  }

  /// Ticks in the log.
  var logged: UInt64 { channel.gauge.withLock { $0.progress?.tally.scheduled ?? 0 } }

  /// News in words.
  func news() -> [String] {
    channel.news.drain().map { item in
      switch item {
      case .sensor(.motion(.began(_, let tick, _), let isMarked), _):
        return "event \(tick)" + (isMarked ? " marked" : "")
      case .sensor(.motion(.quiet(_, let tick), _), _): return "quiet \(tick)"
      case .marksLost(let count): return "\(count) marks lost"
      case .fileRefused: return "file refused"
      default: return "other"
      }
    }.filter { $0 != "other" }
  }
}

@Suite("The order of orders and news at the writer")
struct WriterOrdersTests {
  @Test(
    "the motion's end ends what is logged, until a person takes the recording over, before that or after it"
  )
  func takeOver() throws {
    for isOver in [true, false] {
      let writer = try OrderedWriter()
      writer.sample(to: 301, spike: 300)
      #expect(writer.news() == ["event 300"])
      writer.begin(at: 300)
      try writer.attach()
      // The motion is over with tick 400.
      writer.sample(to: isOver ? 420 : 350)
      if isOver {
        #expect(writer.news() == ["quiet 400"])
        #expect(writer.logged == 151)
      }
      writer.round(.takeOver)
      writer.sample(to: 500)
      #expect(writer.logged == 250)
      // A press that may be the end holds back as ever, and no other take-over undoes that.
      writer.round(.hold(at: writer.start.schedule.deadline(of: 505)))
      writer.sample(to: 600)
      #expect(writer.logged == 256)
      writer.round(.release)
      writer.sample(to: 700)
      #expect(writer.logged == 450)
    }
  }

  @Test(
    "news of a refused file come before those of events after it, and its marks are counted as lost"
  )
  func refusedFile() throws {
    let writer = try OrderedWriter()
    writer.sample(to: 301, spike: 300)
    _ = writer.news()
    writer.begin(at: 300)
    writer.sample(to: 450)
    #expect(writer.news() == ["quiet 400"])
    writer.round(.takeOver, .mark(at: writer.start.schedule.deadline(of: 310), label: "kerb"))
    writer.sample(to: 460, spike: 455)
    #expect(writer.news() == ["event 455 marked"])
    writer.round(.abandon(CommandFailure(.cannotCreate, "no room"), isFull: true))
    #expect(writer.news() == ["file refused", "2 marks lost"])
    writer.sample(to: 620, spike: 600)
    #expect(writer.news() == ["quiet 555", "event 600"])
    // One more comes from the loop before it knows.
    writer.round(.mark(at: writer.start.schedule.deadline(of: 310), label: "late"))
    #expect(writer.news() == ["1 marks lost"])
  }
}
