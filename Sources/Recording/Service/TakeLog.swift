import IMUModel
import LogStore
import Sampling

/// The log of a take that is being written: recorder, queue, and what is told about it.
///
/// A class, so that the writer can hold one or none; only the writer's thread uses it.
final class TakeLog {
  let frame: TakeFrame
  let queue: FlushQueue
  private var recorder: Recorder<QueueOutput>
  private var watch = ClockWatch()
  private var histogram = LatenessHistogram()
  private(set) var hasSample = false
  private(set) var isStorageEndTold = false
  /// Why the newest tick has no sample; `nil` when it has one.
  private var newestGap: Gap?

  init(_ description: RecordingDescription, frame: TakeFrame, queue: FlushQueue) throws(LogError) {
    self.frame = frame
    self.queue = queue
    recorder = try Recorder(after: description, output: QueueOutput(queue), start: frame.start)
  }

  var ledger: TickLedger { recorder.ledger }

  /// The sampler's first tick that is not in the log.
  var reached: UInt64 { frame.base + ledger.scheduled }

  var progress: TakeProgress {
    TakeProgress(ledger: recorder.ledger, latenessPercentile99: histogram.percentile(99))
  }

  /// Whether the queue has taken all that is encoded.
  func deliver() -> Bool { recorder.deliver() }

  /// Logs a record with the sampler's numbers.
  func write(_ record: TickRecord) {
    if let lateness = frame.lateness(of: record) {
      histogram.record(lateness)
      hasSample = true
    }
    if record.kind != .sensorEvent { newestGap = record.gap }
    recorder.write(frame.rebased(record))
  }

  /// Logs a gap over the sampler's ticks before `end` that are not in the log. A bus that refused the ticks before
  /// them is why the sampler is silent; else they count as missed.
  func giveUp(before end: UInt64) {
    let first = reached
    guard first < end else { return }
    var gap = Gap(firstTick: first, count: end - first, cause: .missed)
    if let newestGap, newestGap.cause == .busError {
      (gap.cause, gap.code) = (.busError, newestGap.code)
    }
    write(TickRecord(gap))
  }

  func mark(at instant: MonotonicTime, label: String) {
    recorder.note(Mark(time: instant - frame.start, label: label))
  }

  /// Logs a reading of the clocks when it says something new, and syncs when it is time to.
  func keepUp(_ reading: ClockReading) {
    let pair = watch.reading(
      time: reading.monotonic - frame.start, wall: reading.wall,
      isSynchronised: reading.isSynchronised)
    if let pair { recorder.note(pair) }
    recorder.syncIfDue(now: reading.monotonic)
  }

  /// Writes the end; `false` when the queue has no room for all of it yet.
  func finish(_ reason: StopReason, _ reading: ClockReading) -> Bool {
    recorder.note(
      watch.end(
        time: reading.monotonic - frame.start, wall: reading.wall,
        isSynchronised: reading.isSynchronised))
    return recorder.finish(reason: reason, lateness: histogram.summary)
  }

  /// The storage's error, the first time that it is asked for.
  func newFailure() -> StorageError? {
    guard !isStorageEndTold, let failure = queue.failure else { return nil }
    isStorageEndTold = true
    return failure
  }
}
