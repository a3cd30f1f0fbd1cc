// SPDX-License-Identifier: Apache-2.0

import Certificate
import Files
package import IMUModel
import LogFormat
import LogStore
import Sampling

/// The log of a recording that is being written: encoder, account, queue.
///
///     ring ─► RecordingWriter ─► RecordingLog ─► LogEncoder ─► FlushQueue ─► card
///                             │ while the queue has no room, records wait in memory and in the ring; once that is
///                             ▼ full, the sampler drops the newest samples and counts them
///                         tally, lateness
///
/// The sensor's certificate goes into the log with the first sync after it was measured, or after 10 s, and once more
/// before the end if it has changed.
///
/// Allocates only when the encoder's buffers grow and for a certificate. Only the writer's thread uses it.
final class RecordingLog {
  let frame: RecordingFrame
  let queue: FlushQueue
  private(set) var tally = TickTally()
  private var writer: LogEncoder
  private let syncInterval: Int64
  private var nextSync: MonotonicTime
  private var histogram = LatenessHistogram()
  /// Why the newest tick has no sample; `nil` when it has one.
  private var newestGap: Gap?
  private var watch = ClockWatch()
  private var isStorageEndReported = false
  private var meter: CertificateMeter?
  private var certificate: SensorCertificate?

  /// A log whose header, `description`, is already in the file; `expectation` is `nil` for a log without a certificate.
  // If this is inlined, the optimiser of Swift 6.3 fails: it reports a leak of the queue where this throws.
  @inline(never)
  init(
    _ description: RecordingDescription, frame: RecordingFrame, queue: FlushQueue,
    _ expectation: SensorExpectation? = nil
  ) throws(LogError) {
    meter = expectation.map { CertificateMeter(description, $0) }
    writer = try LogEncoder.after(description)
    syncInterval = description.syncInterval
    nextSync = frame.start + description.syncInterval
    (self.frame, self.queue) = (frame, queue)
  }

  var hasSample: Bool { tally.sampled > 0 }

  /// The sampler's first tick that is not in the log.
  var reached: UInt64 { frame.base + tally.scheduled }

  /// How late the sampler woke for the samples in the log.
  var lateness: LatenessSummary { histogram.summary }

  /// The storage's error, once.
  func newFailure() -> StorageError? {
    guard !isStorageEndReported, let failure = queue.failure else { return nil }
    isStorageEndReported = true
    return failure
  }

  /// Logs a record with the sampler's numbers.
  func write(_ record: TickRecord) {
    tally.add(record)
    switch record.kind {
    case .sample:
      histogram.record(Int64(record.lateness))
      newestGap = nil
    case .gap: newestGap = record.gap
    case .sensorEvent, .reading, .busClock, .field: break
    }
    let rebased = frame.rebased(record)
    meter?.add(rebased)
    writer.append(rebased)
  }

  /// Logs a gap over the ticks before `end`. Without a cause, a bus error goes on, and other ticks are missed.
  func giveUp(before end: UInt64, because cause: GapCause? = nil) {
    guard reached < end else { return }
    var gap = Gap(firstTick: reached, count: end - reached, cause: cause ?? .missed)
    if cause == nil, let newestGap, newestGap.cause == .busError {
      (gap.cause, gap.code) = (.busError, newestGap.code)
    }
    write(TickRecord(gap))
  }

  func mark(at instant: MonotonicTime, label: String) {
    writer.append(Mark(time: instant - frame.start, label: label))
  }

  /// Logs a reading of the clocks if it is new to the log.
  func note(_ reading: ClockReading) {
    if let pair = watch.note(pair(reading, .start)) { writer.append(pair) }
  }

  private func pair(_ reading: ClockReading, _ reason: ClockPair.Reason) -> ClockPair {
    ClockPair(
      time: reading.monotonic - frame.start, wall: reading.wall,
      isSynchronised: reading.isSynchronised, reason: reason, others: reading.others)
  }

  /// Moves encoded bytes to the queue; `false` when some are left because it has no room.
  func deliver() -> Bool { writer.drain(into: queue) }

  /// Syncs the log when that is due: once, however late, and not before the queue has room for the bytes.
  func syncIfDue(_ now: MonotonicTime) {
    guard syncInterval > 0, now >= nextSync else { return }
    writer.flush()
    if certificate == nil, meter?.isDue(after: now - frame.start) ?? false { writeCertificate() }
    guard deliver() else { return }
    queue.requestSync()
    nextSync = max(nextSync + syncInterval, now)
  }

  /// Writes the sensor's certificate if it is not in the log as it is now.
  private func writeCertificate() {
    guard let now = meter?.certificate(), now != certificate else { return }
    writer.append(now)
    certificate = now
  }

  /// Writes the end; no record may follow. Bytes that find no room are left to ``deliver()``.
  func finish(_ reason: StopReason, _ reading: ClockReading) -> RecordingEnd {
    writeCertificate()
    writer.append(pair(reading, .end))
    let end = RecordingEnd(reason: reason, tally: tally, lateness: lateness)
    writer.finish(end)
    if deliver() { queue.requestSync() }
    return end
  }
}

/// The place of a recording in the ticks of a sampler that runs through many.
///
///     sampler's tick   0 … base     base+1 …
///     recording's tick     0        1
///
/// A recording's times count from its own tick 0.
package struct RecordingFrame: Equatable, Sendable {
  /// The sampler's instant of tick 0.
  private let origin: MonotonicTime
  /// The sampler's tick that is the recording's tick 0.
  package let base: UInt64
  /// Sample times are multiples of it, in nanoseconds.
  package let timeUnit: Int64

  /// When the recording's tick 0 was due.
  package let start: MonotonicTime

  package init(clock: TickClock, base: UInt64, timeUnit: Int64) {
    (origin, start) = (clock.schedule.start, clock.start(at: base))
    self.base = base
    self.timeUnit = timeUnit
  }

  /// The record with the recording's numbers and times; its tick must not be before ``base``. Times are rounded down to the
  /// time unit, but not before the recording's start.
  package func rebased(_ record: TickRecord) -> TickRecord {
    var record = record
    switch record.kind {
    case .sample:
      let time = max(0, record.time - (start - origin))
      record.time = time - time % timeUnit
    // What it is about may have begun before the recording.
    case .reading, .busClock, .field: record.time -= start - origin
    case .gap, .sensorEvent: break
    }
    record.tick -= base
    return record
  }
}

/// One instant on the monotonic and on the wall clock.
package struct ClockReading: Equatable, Sendable {
  package var monotonic: MonotonicTime
  /// Nanoseconds since 1970.
  package var wall: Int64
  /// Whether the kernel reports its wall clock as synchronised.
  package var isSynchronised: Bool
  /// The kernel's other clocks; `nil` in virtual time.
  package var others: ClockPair.Others?

  package init(
    monotonic: MonotonicTime, wall: Int64, isSynchronised: Bool, others: ClockPair.Others? = nil
  ) {
    (self.monotonic, self.wall, self.isSynchronised) = (monotonic, wall, isSynchronised)
    self.others = others
  }

  /// An instant on the kernel's clocks, by their present distances.
  func origin(at instant: MonotonicTime) -> ClockOrigin? {
    others.map {
      let monotonic = instant.nanoseconds
      return ClockOrigin(
        monotonic: monotonic, raw: monotonic + $0.raw, boottime: monotonic + $0.boottime)
    }
  }

  var wallTime: WallTime { WallTime(nanoseconds: wall, isSynchronised: isSynchronised) }
}

/// Decides which readings of the clocks are logged: the first, the first synchronised one, those after a step of the wall
/// clock, a change of its distance to the monotonic clock by more than ``stepThreshold``, and one in each minute. Pure.
package struct ClockWatch: Sendable {
  /// 50 ms, in nanoseconds: the kernel slews 0.5 ms a second (adjtime(3)), and a person notices no smaller error.
  private static let stepThreshold: Int64 = 50_000_000
  /// Nanoseconds to the next pair at most.
  private static let interval: Int64 = 60_000_000_000

  private var last: ClockPair?

  package init() {}

  /// The pair to log for a reading, with its reason; `nil` when it is nothing new.
  package mutating func note(_ reading: ClockPair) -> ClockPair? {
    var pair = reading
    pair.reason = .start
    guard let last else {
      self.last = pair
      return pair
    }
    let (difference, overflow) = pair.wallAtStart.subtractingReportingOverflow(last.wallAtStart)
    let isStep = overflow || difference.magnitude > UInt64(ClockWatch.stepThreshold)
    if reading.isSynchronised && !last.isSynchronised {
      pair.reason = .becameSynchronised
    } else if isStep {
      pair.reason = .stepped
    } else if reading.time - last.time >= ClockWatch.interval {
      pair.reason = .during
    } else {
      return nil
    }
    self.last = pair
    return pair
  }
}
