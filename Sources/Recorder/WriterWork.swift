// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LinuxIO
import LogStore
import RingBuffer
import Sampling

/// An order to the writer, from the loop, the sampler or the card.
enum WriterCommand: Sendable {
  /// A recording begins; the header still lacks its number and its ticks.
  case begin(RecordingOrder, RecordingDescription, RecorderSetup)
  /// Log nothing later than this for now.
  case hold(at: MonotonicTime)
  case release
  /// Motion ends the recording no more: what it held back is logged.
  case takeOver
  case mark(at: MonotonicTime, label: String)
  /// The recording ends; the last value is whether the user discards it.
  case end(at: MonotonicTime?, reason: StopReason, isDiscarded: Bool = false)
  /// From the card: the file is there.
  case attach(RecordingDescription, FlushQueue)
  /// From the card: there will be no file. The writer passes it on, in order with its other news of the recording.
  case abandon(CommandFailure, isFull: Bool)
  /// From the sampler: it has ended, with records that follow those of the ring.
  case samplerEnded([TickRecord])
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
  /// The longest sync of the recording, in nanoseconds.
  var longestSync: Int64?
  /// When the sampler was last seen to deliver a record.
  var lastArrival = MonotonicTime(nanoseconds: 0)
}

/// The writer thread's work: commands in, ring to log, news out.
struct WriterWork: ~Copyable {
  private var writer: RecordingWriter
  private let start: SensorStart
  private let channel: WriterChannel
  private var silence: SilenceWatch
  private var clock: LiveChipClock?
  private var interrupt: InterruptWatch?
  private var trigger: TriggerWatch?
  /// Whether the recording ends with the motion that began it.
  private var endsWithMotion = false
  /// Events in the motion from the first one on of which it is open whether the recording has it.
  private var undecided: [TriggerWatch.Event] = []
  /// Nanoseconds between two looks at the ring while there is no recording.
  private let idlePeriod: Int64
  private var begun: (header: RecordingDescription, setup: RecorderSetup)?
  private var queue: FlushQueue?
  private var isDiscarded = false
  private var isQuitting = false
  private var arrivals: UInt64 = 0
  private var samples: UInt64 = 0
  private var seen: [TickRecord] = []
  private var shownAt = MonotonicTime(nanoseconds: 0)

  init(
    consumer: consuming RingConsumer<TickRecord>, _ start: SensorStart, _ setup: RecorderSetup,
    _ channel: WriterChannel
  ) {
    writer = RecordingWriter(
      consumer: consumer, clock: TickClock(start.schedule, start.clock),
      timeUnit: RecorderSetup.timeUnit,
      historyTicks: setup.historyTicks, hasField: start.sensor.field != nil,
      expectation: start.expectation)
    (self.start, self.channel) = (start, channel)
    clock = LiveChipClock(start)
    interrupt = start.hasInterrupt ? InterruptWatch() : nil
    trigger = TriggerWatch(
      setup.configuration.trigger, start.schedule, start.clock, start.sensor)
    silence = SilenceWatch(start.schedule.rate, start: start.schedule.start)
    idlePeriod = WriterWork.idlePeriod(start.schedule.rate, historyTicks: setup.historyTicks)
  }

  /// How often the writer looks at the ring during a recording, in nanoseconds: at 1 kHz 50 of its 600 slots.
  static var period: Int64 { 50_000_000 }

  /// Half of the time in which the ring's slots beyond the history fill up; a second at most.
  private static func idlePeriod(_ rate: SampleRate, historyTicks: Int) -> Int64 {
    let room = UInt64(max(2, 600 - historyTicks) / 2)
    return min(1_000_000_000, max(period, rate.nanoseconds(atTick: room)))
  }

  mutating func run() {
    while !(isQuitting && writer.isIdle) {
      let usual = writer.isIdle ? idlePeriod : WriterWork.period
      let period = channel.feed.isWatched ? min(usual, LiveFeed.framePeriod) : usual
      channel.commands.wait(until: channel.clock.now() + period)
      round()
    }
  }

  mutating func round() {
    for command in channel.commands.drain() { carryOut(command) }
    let reading = channel.clock.reading()
    look(now: reading.monotonic)
    let round = writer.advance(reading)
    for event in round.events { channel.news.post(.recording(event)) }
    // After the limit of a recording is reported.
    reportMotion()
    if let plan = round.plan { requestFile(plan) }
    if let end = round.end { file(end) }
    let lost = writer.takeLostMarks()
    if lost > 0 { channel.news.post(.marksLost(lost)) }
    show(now: reading.monotonic)
  }

  private mutating func carryOut(_ command: WriterCommand) {
    switch command {
    case .begin(let order, let header, let setup):
      channel.gauge.withLock { ($0.progress, $0.longestSync) = (nil, nil) }
      begun = (header, setup)
      (isDiscarded, endsWithMotion) = (false, header.begunBy == .trigger)
      writer.begin(order)
    case .hold(let instant): writer.hold(at: instant)
    case .release: writer.release()
    case .takeOver:
      endsWithMotion = false
      // The end of the motion may have come before.
      writer.release()
    case .mark(let instant, let label): writer.mark(at: instant, label: label)
    case .end(let instant, let reason, let isDiscarded):
      self.isDiscarded = self.isDiscarded || isDiscarded
      writer.end(at: instant, reason: reason)
    case .attach(let description, let queue): attach(description, queue)
    case .abandon(let failure, let isFull):
      writer.abandon()
      channel.news.post(.fileRefused(failure, isFull: isFull))
    case .samplerEnded(let rest): writer.samplerEnded(rest)
    case .forgetRest: writer.forgetRest()
    case .look: break
    case .quit: isQuitting = true
    }
  }

  /// Looks at new records before they leave the ring: for watchers, for motion, and to know whether the chip answers.
  private mutating func look(now: MonotonicTime) {
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
    reportMotion()
    if channel.feed.isWatched { channel.feed.offer(seen) }
    if writer.arrivals != arrivals {
      arrivals = writer.arrivals
      channel.gauge.withLock { $0.lastArrival = now }
    }
    if silence.notice(samples, isBlocked: writer.isRingFull, now: now) {
      channel.report(.silent(silence.isSilent))
    }
  }

  /// Reports events in the motion. One in the recording becomes its mark, before the log gets its end. While that is open,
  /// because a press may be the end, it waits with those after it. When an event ends, nothing later is logged.
  private mutating func reportMotion() {
    while let event = undecided.first {
      var isMarked = false
      switch event {
      case .began(let instant, let tick, let level):
        guard let isInside = writer.includes(tick) else { return }
        isMarked = isInside
        if isInside { writer.mark(at: instant, label: TriggerWatch.label(level)) }
      case .quiet(let instant, _):
        if endsWithMotion { writer.hold(at: instant) }
      }
      undecided.removeFirst()
      channel.report(.motion(event, isMarked: isMarked))
    }
  }

  /// Orders the recording's file from the card, which answers with a command.
  private func requestFile(_ plan: RecordingPlan) {
    guard case (var header, let setup)? = begun else {
      preconditionFailure("a recording has begun")
    }
    header.plannedTicks = plan.plannedTicks
    channel.card.post(.record(header, plan, setup, writer: channel.commands))
  }

  private mutating func file(_ end: RecordingEnd) {
    // The figures of a recording are shown until the next one begins.
    let longest = queue?.longestSync
    channel.gauge.withLock { gauge in
      gauge.progress = RecordingProgress(tally: end.tally, lateness: end.lateness)
      gauge.longestSync = longest ?? gauge.longestSync
    }
    queue = nil
    let isEmpty = end.tally.sampled == 0 && begun?.setup.isSingle == false
    channel.card.post(.file(isDiscarded ? .discarded : isEmpty ? .withoutSamples : .kept, end))
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

  /// Publishes the clock of the chip, the trigger and the recording's progress, as often as a person can perceive.
  private mutating func show(now: MonotonicTime) {
    guard now - shownAt >= WriterWork.period,
      clock != nil || trigger != nil || writer.progress != nil
    else { return }
    shownAt = now
    let (state, progress, longest) = (clock?.state, writer.progress, queue?.longestSync)
    let isArmed = trigger?.isArmed ?? false && !silence.isSilent
    channel.gauge.withLock { gauge in
      gauge.clock = state
      gauge.isTriggerArmed = isArmed
      guard let progress else { return }
      gauge.progress = progress
      gauge.longestSync = longest ?? gauge.longestSync
    }
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
