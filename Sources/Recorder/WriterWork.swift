// SPDX-License-Identifier: Apache-2.0

import Files
package import IMUModel
import LinuxIO
import LogStore
import RingBuffer
import Sampling

/// An order to the writers, from the loop, the sampler or the card. Those of one sensor have its place in the take.
enum WriterCommand: Sendable {
  /// A recording begins; the headers still lack their numbers and their ticks.
  case begin(RecordingOrder, [RecordingDescription], RecorderSetup)
  /// Log nothing later than this for now.
  case hold(at: MonotonicTime)
  case release
  /// Motion ends the recording no more: what it held back is logged.
  case takeOver
  case mark(at: MonotonicTime, label: String)
  /// The recording ends; the last value is whether the user discards it.
  case end(at: MonotonicTime?, reason: StopReason, isDiscarded: Bool = false)
  /// From the card: the files are there.
  case attach([(RecordingDescription, FlushQueue)])
  /// From the card: there will be no file. The writer passes it on, in order with its other news of the recording.
  case abandon(CommandFailure, isFull: Bool)
  /// From the sampler: it has ended, with records that follow those of the ring.
  case samplerEnded([TickRecord], Int)
  /// No recording follows the last one at once.
  case forgetRest
  /// A watcher has connected: look at the ring now.
  case look
  /// Return when there is no recording.
  case quit
}

/// The writer's progress for the loop, for `status` and for the watchdog.
struct WriterGauge: Sendable {
  var progress: RecordingProgress?
  /// Of a chip that keeps the time.
  var clock: ChipClockState?
  var isTriggerArmed = false
  /// Each sensor of a take.
  var members: [MemberStatus] = []
  /// The longest sync of the recording, in nanoseconds.
  var longestSync: Int64?
  /// When the sampler was last seen to deliver a record; of several sensors, the one not seen for longest.
  var lastArrival = MonotonicTime(nanoseconds: 0)
}

/// What the writer does for one sensor: ring to log, and what is seen in the samples.
///
/// Only the writer's thread uses it.
final class WriterWork {
  private var writer: RecordingWriter
  private let start: SensorStart
  private let channel: WriterChannel
  /// Its place among the sensors of a take.
  private let index: Int
  private var silence: SilenceWatch
  private var clock: LiveChipClock?
  private var interrupt: InterruptWatch?
  /// Of the first sensor: motion of others begins no recording.
  private var trigger: TriggerWatch?
  /// Whether the recording ends with the motion that began it.
  private var endsWithMotion = false
  /// Events in the motion from the first one on of which it is open whether the recording has it.
  private var undecided: [TriggerWatch.Event] = []
  /// Nanoseconds between two looks at the ring while there is no recording.
  let idlePeriod: Int64
  private var queue: FlushQueue?
  private var arrivals: UInt64 = 0
  private var samples: UInt64 = 0
  private var seen: [TickRecord] = []
  private var shownAt = MonotonicTime(nanoseconds: 0)
  private(set) var gauge = WriterGauge()

  init(
    consumer: consuming RingConsumer<TickRecord>, _ start: SensorStart, _ setup: RecorderSetup,
    _ channel: WriterChannel, index: Int
  ) {
    writer = RecordingWriter(
      consumer: consumer, clock: TickClock(start.schedule, start.clock),
      timeUnit: RecorderSetup.timeUnit,
      historyTicks: setup.historyTicks, hasField: start.sensor.field != nil,
      expectation: start.expectation)
    (self.start, self.channel, self.index) = (start, channel, index)
    clock = LiveChipClock(start)
    interrupt = start.hasInterrupt ? InterruptWatch() : nil
    trigger =
      index > 0
      ? nil
      : TriggerWatch(setup.configuration.trigger, start.schedule, start.clock, start.sensor)
    silence = SilenceWatch(start.schedule.rate, start: start.schedule.start)
    idlePeriod = WriterWork.idlePeriod(start.schedule.rate, historyTicks: setup.historyTicks)
  }

  /// Half of the time in which the ring's slots beyond the history fill up; a second at most.
  private static func idlePeriod(_ rate: SampleRate, historyTicks: Int) -> Int64 {
    let room = UInt64(max(2, 600 - historyTicks) / 2)
    return min(1_000_000_000, max(WriterGroup.period, rate.nanoseconds(atTick: room)))
  }

  var isIdle: Bool { writer.isIdle }
  /// See ``RecordingWriter/hasFirstRecord``.
  var hasFirstRecord: Bool { writer.hasFirstRecord }
  /// See ``RecordingWriter/hasNothing(now:)``.
  func hasNothing(now: MonotonicTime) -> Bool { writer.hasNothing(now: now) }
  var isSilent: Bool { silence.isSilent }
  /// Why its log accepts no more bytes; `nil` while it does.
  var failure: StorageError? { queue?.failure }

  func begin(_ order: RecordingOrder, by reason: StartReason?) {
    (gauge.progress, gauge.longestSync) = (nil, nil)
    endsWithMotion = reason == .trigger
    writer.begin(order)
  }

  func hold(at instant: MonotonicTime) { writer.hold(at: instant) }
  func release() { writer.release() }
  func takeOver() {
    endsWithMotion = false
    // The end of the motion may have come before.
    writer.release()
  }
  func mark(at instant: MonotonicTime, label: String) { writer.mark(at: instant, label: label) }
  func end(at instant: MonotonicTime?, reason: StopReason) {
    writer.end(at: instant, reason: reason)
  }
  func abandon() { writer.abandon() }
  func samplerEnded(_ rest: [TickRecord]) { writer.samplerEnded(rest) }
  func forgetRest() { writer.forgetRest() }
  func takeLostMarks() -> Int { writer.takeLostMarks() }

  func attach(_ description: RecordingDescription, _ queue: FlushQueue) {
    do {
      try writer.attach(description, queue: queue)
      self.queue = queue
    } catch {
      // The store has made a header of the same description.
      preconditionFailure("a header that was written cannot be continued: \(error)")
    }
  }

  /// Looks at new records before they leave the ring: for watchers, for motion, and to know whether the chip answers. Returns
  /// whether that has changed.
  func look(now: MonotonicTime) -> Bool {
    seen.removeAll(keepingCapacity: true)
    writer.look(into: &seen)
    for record in seen {
      if let event = trigger?.note(record) { undecided.append(event) }
      guard record.kind != .sample else {
        samples += 1
        continue
      }
      clock?.note(record)
      if interrupt?.notice(record) ?? false { channel.report(.interruptSilent) }
    }
    channel.feed.offer(seen, of: index)
    if writer.arrivals != arrivals {
      arrivals = writer.arrivals
      gauge.lastArrival = now
    }
    return silence.notice(samples, isBlocked: writer.isRingFull, now: now)
  }

  /// Moves records; see ``RecordingWriter/advance(_:isForced:givesUp:)``.
  func advance(
    _ reading: ClockReading, isForced: Bool, givesUp: Bool
  ) -> RecordingWriter.Round {
    let round = writer.advance(reading, isForced: isForced, givesUp: givesUp)
    if let end = round.end {
      // The figures of a recording are shown until the next one begins.
      gauge.progress = RecordingProgress(tally: end.tally, lateness: end.lateness)
      gauge.longestSync = queue?.longestSync ?? gauge.longestSync
      queue = nil
    }
    return round
  }

  /// Takes the events in the motion of which it is known whether the recording has them. One in it becomes its mark, before
  /// the log gets its end. While that is open, because a press may be the end, it waits with those after it. When an event
  /// ends, nothing later is logged.
  func takeMotion() -> [(event: TriggerWatch.Event, isMarked: Bool, holds: Bool)] {
    var found: [(event: TriggerWatch.Event, isMarked: Bool, holds: Bool)] = []
    while let event = undecided.first {
      var isMarked = false
      if case .began(_, let tick, _) = event {
        guard let isInside = writer.includes(tick) else { break }
        isMarked = isInside
      }
      var holds = false
      if case .quiet = event { holds = endsWithMotion }
      undecided.removeFirst()
      found.append((event, isMarked, holds))
    }
    return found
  }

  /// Keeps the clock of the chip, the trigger and the recording's progress, as often as a person can perceive.
  func show(now: MonotonicTime) {
    guard now - shownAt >= WriterGroup.period,
      clock != nil || trigger != nil || writer.progress != nil
    else { return }
    shownAt = now
    gauge.clock = clock?.state
    gauge.isTriggerArmed = trigger?.isArmed ?? false && !silence.isSilent
    guard let progress = writer.progress else { return }
    gauge.progress = progress
    gauge.longestSync = queue?.longestSync ?? gauge.longestSync
  }
}

/// Detects that samples stop arriving, and that they resume.
///
///     samples   │ │ │ │ │ │                              │ │ │ │
///               └─────────┴─ patience ─┐                 ┌───────
///     silent                           └─────────────────┘
package struct SilenceWatch: Sendable {
  private let patience: Int64
  private var count: UInt64 = 0
  private var lastSampleAt: MonotonicTime
  package private(set) var isSilent = false

  /// Expects samples at `rate` from `start` on. Silence lasts more than 2 s or three periods: longer than the recovery of a
  /// chip that loses its supply for an instant.
  package init(_ rate: SampleRate, start: MonotonicTime) {
    patience = max(2_000_000_000, 3 * rate.periodNanoseconds)
    lastSampleAt = start
  }

  /// Whether ``isSilent`` has changed, given that `count` samples have arrived by `now`. A full ring (`isBlocked`) is not
  /// silence of the chip.
  package mutating func notice(
    _ count: UInt64, isBlocked: Bool = false, now: MonotonicTime
  ) -> Bool {
    if count != self.count || isBlocked { (self.count, lastSampleAt) = (count, now) }
    let was = isSilent
    isSilent = now - lastSampleAt > patience
    return isSilent != was
  }
}
