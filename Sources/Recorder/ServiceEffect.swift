public import IMUModel

/// What the service is to do, in the order given.
public enum ServiceEffect: Equatable, Sendable {
  /// Bring the sensor up and sample into the history; answered by ``ServiceEvent/sensorReady`` or
  /// ``ServiceEvent/sensorFailed``.
  case wakeSensor
  /// Stop sampling and let the sensor sleep. No answer.
  case sleepSensor
  /// A ``ServiceEvent/retry`` in 2 s.
  case scheduleRetry
  /// Begin a take that counts from `at`, with the pre-trigger's samples in front; answered by
  /// ``ServiceEvent/takeReady`` or ``ServiceEvent/takeRefused(_:)``.
  case beginTake(at: MonotonicTime)
  /// Make a take of the history up to `at`; answered by ``ServiceEvent/saved``, ``ServiceEvent/savedNothing`` or
  /// ``ServiceEvent/takeRefused(_:)``.
  case keepHistory(at: MonotonicTime)
  /// Log nothing later than `at` for now; what was logged already stays.
  case holdBack(at: MonotonicTime)
  /// Continue logging, and log what was held back.
  case release
  /// Put a mark into the take, which may still await its first sample.
  case mark(at: MonotonicTime, label: String)
  /// End the take with the last tick at or before `at`, or now; answered by ``ServiceEvent/saved``,
  /// ``ServiceEvent/savedNothing`` or, when its file was not made yet, ``ServiceEvent/takeRefused(_:)``.
  case endTake(at: MonotonicTime?, reason: StopReason)
  /// End the take at `at`, where the next one begins, and put it into the trash; answered like
  /// ``endTake(at:reason:)``.
  case discardTake(at: MonotonicTime)
  /// The request or press means nothing now: a sentence without its full stop, for the one who asked.
  case refuse(String)
  /// Read the configuration again; answered by ``ServiceEvent/reloaded(samplesWhileIdle:)`` or
  /// ``ServiceEvent/reloadRefused`` before any other event. No take is running.
  case reload
  /// End the process.
  case exit
}
