// SPDX-License-Identifier: Apache-2.0

package import IMUModel
import LogStore
import RingBuffer
import Sampling

/// The writer thread's work: the sensors' writers, which begin and end recordings together.
///
///     commands ─► all writers        each: ring ─► log ─► queue ─► card
///     news     ◄─ one for all        a file for each is ordered when one has its first record
///
/// No writer waits for another: when one has its first record, the others begin without. Each log has its end for itself, and
/// the recording is over when all have it.
struct WriterGroup: ~Copyable {
  private let channel: WriterChannel
  private let writers: [WriterWork]
  private let starts: [SensorStart]
  private let names: [String]
  private var begun: (headers: [RecordingDescription], setup: RecorderSetup)?
  private var ends: [RecordingEnd?]
  private var reached: [MonotonicTime?]
  private var (hasFirstSample, isLimitReported) = (false, false)
  private var isDiscarded = false
  private var isQuitting = false

  init(
    _ consumers: [Handover<RingConsumer<TickRecord>>], _ start: SensorStart,
    _ setup: RecorderSetup, _ channel: WriterChannel
  ) {
    self.channel = channel
    starts = start.members
    names = setup.members.map(\.name)
    writers = zip(consumers, zip(start.members, setup.members)).enumerated().map { index, sensor in
      WriterWork(
        consumer: sensor.0.take(), sensor.1.0, sensor.1.1, channel, index: index)
    }
    (ends, reached) = (writers.map { _ in nil }, writers.map { _ in nil })
  }

  /// How often the writer looks at the rings during a recording, in nanoseconds: at 1 kHz 50 of its 600 slots.
  static var period: Int64 { 50_000_000 }

  private var isIdle: Bool { writers.allSatisfy(\.isIdle) }

  mutating func run() {
    while !(isQuitting && isIdle) {
      let idle = writers.map(\.idlePeriod).min() ?? WriterGroup.period
      let usual = isIdle ? idle : WriterGroup.period
      let period = channel.feed.isWatched ? min(usual, LiveFeed.framePeriod) : usual
      channel.commands.wait(until: channel.clock.now() + period)
      round()
    }
  }

  mutating func round() {
    for command in channel.commands.drain() { carryOut(command) }
    let reading = channel.clock.reading()
    for (index, writer) in writers.enumerated() where writer.look(now: reading.monotonic) {
      channel.report(
        .silent(
          writer.isSilent, place: place(index), isAnySilent: writers.contains(where: \.isSilent)))
    }
    reportMotion()
    let isForced = writers.count > 1 && writers.contains(where: \.hasFirstRecord)
    let givesUp =
      writers.count == 1 || writers.allSatisfy { $0.hasNothing(now: reading.monotonic) }
    let rounds = writers.map { $0.advance(reading, isForced: isForced, givesUp: givesUp) }
    report(rounds)
    // After the limit of a recording is reported.
    reportMotion()
    let plans = rounds.compactMap(\.plan)
    if plans.count == writers.count { requestFiles(plans) }
    if !ends.contains(where: { $0 == nil }) { file(ends.compactMap { $0 }) }
    let lost = writers.map { $0.takeLostMarks() }.max() ?? 0
    if lost > 0 { channel.news.post(.marksLost(lost)) }
    for writer in writers { writer.show(now: reading.monotonic) }
    publish()
  }

  private mutating func carryOut(_ command: WriterCommand) {
    switch command {
    case .begin(let order, let headers, let setup):
      begun = (headers, setup)
      (isDiscarded, hasFirstSample, isLimitReported) = (false, false, false)
      (ends, reached) = (writers.map { _ in nil }, writers.map { _ in nil })
      for (index, member) in setup.members.enumerated() {
        writers[index].begin(
          member.order(order, isFirst: index == 0), by: headers[index].begunBy)
      }
    case .hold(let instant): writers.forEach { $0.hold(at: instant) }
    case .release: writers.forEach { $0.release() }
    case .takeOver: writers.forEach { $0.takeOver() }
    case .mark(let instant, let label): writers.forEach { $0.mark(at: instant, label: label) }
    case .end(let instant, let reason, let isDiscarded):
      self.isDiscarded = self.isDiscarded || isDiscarded
      writers.forEach { $0.end(at: instant, reason: reason) }
    case .attach(let files):
      for (writer, file) in zip(writers, files) { writer.attach(file.0, file.1) }
    case .abandon(let failure, let isFull):
      writers.forEach { $0.abandon() }
      channel.news.post(.fileRefused(failure, isFull: isFull))
    case .samplerEnded(let rest, let index): writers[index].samplerEnded(rest)
    case .forgetRest: writers.forEach { $0.forgetRest() }
    case .look: break
    case .quit: isQuitting = true
    }
  }

  private func reportMotion() {
    for (event, isMarked, holds) in writers[0].takeMotion() {
      switch event {
      case .began(let instant, _, let level):
        let label = TriggerWatch.label(level)
        if isMarked { writers.forEach { $0.mark(at: instant, label: label) } }
      case .quiet(let instant, _):
        if holds { writers.forEach { $0.hold(at: instant) } }
      }
      channel.report(.motion(event, isMarked: isMarked))
    }
  }

  /// Reports what happened to the recording, once for all sensors.
  private mutating func report(_ rounds: [RecordingWriter.Round]) {
    var nothing = 0
    for (index, round) in rounds.enumerated() {
      if let end = round.end { ends[index] = end }
      for event in round.events {
        switch event {
        case .firstSample where hasFirstSample: continue
        case .firstSample: hasFirstSample = true
        case .limitReached(let instant):
          reached[index] = instant
          continue
        case .savedNothing:
          nothing += 1
          guard nothing == 1 else { continue }
        // A log that was removed is its sensor's alone.
        case .storageEnded where isAlone(in: index): continue
        default: break
        }
        channel.news.post(.recording(event))
      }
    }
    guard !isLimitReported, reached.contains(where: { $0 != nil }) else { return }
    guard zip(writers, reached).allSatisfy({ $1 != nil || $0.failure != nil }) else { return }
    isLimitReported = true
    if let last = reached.compactMap({ $0 }).max() {
      channel.news.post(.recording(.limitReached(at: last)))
    }
  }

  /// Whether the log of a sensor is gone, and those of others go on.
  private func isAlone(in index: Int) -> Bool {
    writers[index].failure?.isGone ?? false
      && writers.enumerated().contains { $0 != index && $1.failure == nil }
  }

  /// Orders the recording's files from the card, which answers with a command.
  private func requestFiles(_ plans: [RecordingPlan]) {
    guard let (headers, setup) = begun else { preconditionFailure("a recording has begun") }
    var plans = plans
    plans[0].companions = plans.dropFirst().map(\.frame)
    let logs = zip(headers, plans).map { header, plan in
      var header = header
      header.plannedTicks = plan.plannedTicks
      return (header, plan)
    }
    channel.card.post(.record(logs, setup, writer: channel.commands))
  }

  private mutating func file(_ all: [RecordingEnd]) {
    ends = writers.map { _ in nil }
    let isEmpty = all.allSatisfy { $0.tally.sampled == 0 } && begun?.setup.isSingle == false
    channel.card.post(.file(isDiscarded ? .discarded : isEmpty ? .withoutSamples : .kept, all))
  }

  /// Publishes the progress of the first sensor's log for the loop.
  private func publish() {
    var gauge = writers[0].gauge
    // Of several sensors one may be slow, and its bus may hang: the others go on.
    gauge.lastArrival = writers.map(\.gauge.lastArrival).max() ?? gauge.lastArrival
    if writers.count > 1 {
      gauge.members = zip(writers, zip(names, starts)).map { writer, sensor in
        MemberStatus(
          name: sensor.0, sensor: sensor.1.sensor.place, rate: sensor.1.schedule.rate.hertz,
          tally: writer.gauge.progress?.tally, clock: writer.gauge.clock)
      }
    }
    channel.gauge.withLock { $0 = gauge }
  }

  /// A sensor in reports.
  private func place(_ index: Int) -> String {
    let place = starts[index].sensor.place.description
    return names[index].isEmpty ? place : "\(names[index]), the \(place),"
  }
}

extension RecordingWriter {
  /// The result of a round, which the owner passes to the card and to the loop.
  package struct Round: Equatable, Sendable {
    /// The recording has its first record: make its file, then call ``attach(_:queue:)`` or ``abandon()``.
    package var plan: RecordingPlan?
    /// The log has its end, and the queue is closed: the flusher does the rest. It may have no sample.
    package var end: RecordingEnd?
    /// For the machine: first sample, limit, storage; ``RecorderInput/savedNothing`` for a recording without a record.
    package var events: [RecorderInput] = []
  }
}
