public import IMUModel

/// What happens to the service.
public enum RecorderEvent: Equatable, Sendable {
  /// The service is up.
  case begin
  /// The button went down; what it means is reported as a gesture, when it has gone up or was held long enough.
  case buttonDown(at: MonotonicTime)
  /// The button was used.
  case gesture(Gesture)

  // Requests; `at` is when they came.

  /// Begin a take.
  case start(at: MonotonicTime)
  /// End the take and keep it.
  case stop(at: MonotonicTime)
  /// Put a mark into the take.
  case mark(at: MonotonicTime, label: String)
  /// Keep what was sampled before.
  case keep(at: MonotonicTime)
  /// Throw the take away and begin anew.
  case discard(at: MonotonicTime)

  // The sensor.

  /// Sampling runs.
  case sensorReady
  /// The sensor could not be brought up, or was given up. It is not sampled any more.
  case sensorFailed
  /// The sensor is sampled and does not answer; the gaps continue.
  case sensorSilent
  /// It answers again.
  case sensorAnswers
  /// The time of ``RecorderEffect/scheduleRetry`` is over.
  case retry

  // The take.

  /// Space for the take is made and its first sample is in.
  case firstSample
  /// The take's file could not be made; nothing is kept.
  case fileRefused(Problem)
  /// The take has all its ticks, the last of them at this instant.
  case limitReached(at: MonotonicTime)
  /// The storage is full, has reached its reserve, or failed.
  case storageEnded(Problem)
  /// The take's log has its end and is durable; what was discarded is gone.
  case saved
  /// The take had no sample, and nothing is kept.
  case savedNothing

  // The service.

  /// SIGHUP: the configuration is to be read again.
  case reload
  /// It was read and is in force.
  case reloaded(samplesWhileIdle: Bool)
  /// It is wrong; the old one stays in force.
  case reloadRefused
  /// SIGTERM or SIGINT.
  case terminate
}
