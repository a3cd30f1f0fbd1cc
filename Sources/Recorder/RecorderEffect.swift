public import IMUModel

/// What the service is to do, in the order given.
public enum RecorderEffect: Equatable, Sendable {
  /// Bring the sensor up and sample into the history; answered by ``RecorderEvent/sensorReady`` or
  /// ``RecorderEvent/sensorFailed``.
  case wakeSensor
  /// Stop sampling and let the sensor sleep. No answer.
  case sleepSensor
  /// A ``RecorderEvent/retry`` in 2 s.
  case scheduleRetry
  /// Begin a take that counts from `at`, with the pre-trigger's samples in front; answered by
  /// ``RecorderEvent/firstSample`` or ``RecorderEvent/fileRefused(_:)``.
  case beginRecording(at: MonotonicTime)
  /// Make a take of the history up to `at`; answered by ``RecorderEvent/saved``, ``RecorderEvent/savedNothing`` or
  /// ``RecorderEvent/fileRefused(_:)``.
  case keepHistory(at: MonotonicTime)
  /// Log nothing later than `at` for now; what was logged already stays.
  case holdBack(at: MonotonicTime)
  /// Continue logging, and log what was held back.
  case release
  /// Put a mark into the take, which may still await its first sample.
  case mark(at: MonotonicTime, label: String)
  /// End the take with the last tick at or before `at`, or now; answered by ``RecorderEvent/saved``,
  /// ``RecorderEvent/savedNothing`` or, when its file was not made yet, ``RecorderEvent/fileRefused(_:)``.
  case endRecording(at: MonotonicTime?, reason: StopReason)
  /// End the take at `at`, where the next one begins, and put it into the trash; answered like
  /// ``endRecording(at:reason:)``.
  case discardRecording(at: MonotonicTime)
  /// The request or press means nothing now: a sentence without its full stop, for the one who asked.
  case refuse(String)
  /// Read the configuration again; answered by ``RecorderEvent/reloaded(samplesWhileIdle:)`` or
  /// ``RecorderEvent/reloadRefused`` before any other event. No take is running.
  case reload
  /// End the process.
  case exit
}
