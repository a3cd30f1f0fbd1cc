import IMUModel
import LogStore
import Sampling

/// The log of a take that is being written: recorder, queue, and what is reported about it.
///
/// A class, so that the writer can hold one or none; only the writer's thread uses it.
final class TakeLog {
  let frame: TakeFrame
  let queue: FlushQueue
  private var recorder: Recorder<QueueOutput>
  private var watch = ClockWatch()
  private var isStorageEndReported = false

  // Inlined, the optimiser of Swift 6.3 stops at the queue, which an error takes back.
  @inline(never)
  init(_ description: RecordingDescription, frame: TakeFrame, queue: FlushQueue) throws(LogError) {
    recorder = try Recorder(after: description, output: QueueOutput(queue), start: frame.start)
    self.frame = frame
    self.queue = queue
  }

  var ledger: TickLedger { recorder.ledger }

  var hasSample: Bool { recorder.ledger.sampled > 0 }

  /// The sampler's first tick that is not in the log.
  var reached: UInt64 { frame.base + ledger.scheduled }

  var progress: TakeProgress {
    TakeProgress(ledger: recorder.ledger, latenessPercentile99: recorder.lateness.percentile99)
  }

  /// Whether the queue has taken all that is encoded.
  func deliver() -> Bool { recorder.deliver() }

  /// Logs a record with the sampler's numbers.
  func write(_ record: TickRecord) { recorder.write(frame.rebased(record)) }

  /// Logs a gap over the sampler's ticks before `end` that are not in the log; of `cause` as in the recorder.
  func giveUp(before end: UInt64, because cause: GapCause? = nil) {
    recorder.giveUp(before: end - min(end, frame.base), because: cause)
  }

  func mark(at instant: MonotonicTime, label: String) {
    recorder.note(Mark(time: instant - frame.start, label: label))
  }

  var lateness: LatenessSummary { recorder.lateness }

  /// Logs a reading of the clocks when it says something new.
  func note(_ reading: ClockReading) {
    let pair = watch.reading(
      time: reading.monotonic - frame.start, wall: reading.wall,
      isSynchronised: reading.isSynchronised)
    if let pair { recorder.note(pair) }
  }

  /// Makes the log durable when it is time to.
  func syncIfDue(_ reading: ClockReading) { recorder.syncIfDue(now: reading.monotonic) }

  /// Writes the end; `false` when the queue has no room for all of it yet.
  func finish(_ reason: StopReason, _ reading: ClockReading) -> Bool {
    recorder.note(
      watch.end(
        time: reading.monotonic - frame.start, wall: reading.wall,
        isSynchronised: reading.isSynchronised))
    return recorder.finish(reason: reason)
  }

  /// The storage's error, the first time that it is asked for.
  func newFailure() -> StorageError? {
    guard !isStorageEndReported, let failure = queue.failure else { return nil }
    isStorageEndReported = true
    return failure
  }
}
