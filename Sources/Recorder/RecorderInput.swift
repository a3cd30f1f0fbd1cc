// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// The input of ``RecorderMachine``. A gesture has the stamp of its first press, a request the instant at which it arrived.
package enum RecorderInput: Equatable, Sendable {
  /// The recorder has started.
  case begin

  // The button, from GestureRecogniser.

  /// The button went down; the gesture follows.
  case buttonDown(at: MonotonicTime)
  /// A short press was released; ``single(at:)`` or ``double(at:)`` follows before any other gesture.
  case press(at: MonotonicTime)
  /// No second press followed that of ``press(at:)``.
  case single(at: MonotonicTime)
  /// A second short press followed that of ``press(at:)``, and was released.
  case double(at: MonotonicTime)
  /// A long press was released.
  case long(at: MonotonicTime)
  /// The button has been held for the time of a long press, which may become a very long one. For the light.
  case holding(at: MonotonicTime)
  /// The button has been held for the time of a very long press; its release means nothing.
  case veryLong(at: MonotonicTime)
  /// A press whose release is lost.
  case forgotten(at: MonotonicTime)

  // Requests.

  case start(at: MonotonicTime, by: StartReason = .request)
  /// End the recording and keep it.
  case stop(at: MonotonicTime)
  case mark(at: MonotonicTime, label: String)
  /// Keep the history.
  case keep(at: MonotonicTime)
  /// Discard the recording and begin another one.
  case discard(at: MonotonicTime)

  // Motion, from TriggerWatch.

  /// The sample of `tick` is the first one of an event that is in no log; the words are its mark's.
  case triggered(at: MonotonicTime, tick: UInt64, label: String)
  /// The event is over with the last tick at `at`.
  case quiet(at: MonotonicTime)

  // The sensor.

  case sensorReady
  /// The sensor could not be brought up, or was given up; it is not sampled.
  case sensorFailed
  /// The sensor is polled and does not answer; the gaps continue.
  case sensorSilent
  case sensorAnswers
  /// The time of ``RecorderEffect/scheduleRetry`` has passed.
  case retry

  // The recording.

  /// The recording has its file, and its first sample is in the log.
  case firstSample
  /// The file could not be made; nothing is kept.
  case fileRefused(Problem)
  /// The log has all planned ticks, the last one at this instant.
  case limitReached(at: MonotonicTime)
  /// The storage is full, has reached its reserve, or failed.
  case storageEnded(Problem)
  /// The log has its end and is durable; a discarded recording is in the trash.
  case saved
  /// The recording had no sample, and nothing is kept.
  case savedNothing

  // The recorder.

  /// SIGHUP: read the configuration again.
  case reload
  /// The new configuration is in force.
  case reloaded(samplesWhileIdle: Bool)
  /// The new configuration is wrong; the old one stays in force.
  case reloadRefused
  /// SIGTERM or SIGINT.
  case terminate
}

/// What begins a recording.
package struct RecordingStart: Hashable, Sendable {
  /// The instant of the press or request, or of an event's first sample.
  package var at: MonotonicTime
  package var reason: StartReason
  /// The sampler's tick of an event's first sample.
  package var tick: UInt64?
  /// The words of the event's mark.
  package var label = ""
  /// The press or request that took over what an event began; `nil` for none.
  package var taker: Taker?

  package struct Taker: Hashable, Sendable {
    package var at: MonotonicTime
    package var reason: StartReason
  }

  /// Whether motion began it, and so ends it.
  var isOfMotion: Bool { reason == .trigger && taker == nil }

  /// Whether a person's press at `press` began it, or took it over.
  func isBegun(by press: MonotonicTime) -> Bool { press == taker?.at ?? at }
}

/// An order of ``RecorderMachine``, carried out by ``RecorderLoop`` in the order given.
package enum RecorderEffect: Equatable, Sendable {
  /// Bring the sensor up and sample; answered by ``RecorderInput/sensorReady`` or ``RecorderInput/sensorFailed``.
  case wakeSensor
  /// Stop sampling and let the sensor sleep. No answer.
  case sleepSensor
  /// A ``RecorderInput/retry`` in 2 s.
  case scheduleRetry
  /// Begin a recording; answered by ``RecorderInput/firstSample`` or ``RecorderInput/fileRefused(_:)``.
  case beginRecording(RecordingStart)
  /// Make a recording of the history up to `at`; answered like ``endRecording(at:reason:)``.
  case keepHistory(at: MonotonicTime, by: StartReason)
  /// Log nothing later than `at` for now; logged ticks stay.
  case holdBack(at: MonotonicTime)
  /// Continue logging, with the ticks that were held back.
  case release
  /// The motion that began the recording no longer ends it; logging continues with the ticks that its end held back.
  case takeOver
  /// Put a mark into the recording, which may still wait for its first sample.
  case mark(at: MonotonicTime, label: String)
  /// End the recording with the last tick at or before `at`, or now; answered by ``RecorderInput/saved``,
  /// ``RecorderInput/savedNothing`` or, while it has no file, ``RecorderInput/fileRefused(_:)``.
  case endRecording(at: MonotonicTime?, reason: StopReason)
  /// End the recording at `at` and move it to the trash; answered like ``endRecording(at:reason:)``.
  case discardRecording(at: MonotonicTime)
  /// The request or press has no effect: a sentence without its full stop, and an exit status, for the caller.
  case refuse(String, ExitStatus = .tryAgain)
  /// An event in the motion has no recording: a sentence for the journal.
  case report(String)
  /// Use the new configuration; it is in force or refused before any other input.
  case reload
  case exit
}

/// Why a request, press or event has no effect, and the remedy.
enum RefusalText {
  static let isRecording = "a recording is running already; stop it before beginning another"
  static let endsBeforeKeeping =
    "a recording is running and has these samples; stop it to keep them"
  static let noRecording = "no recording is running; begin one with the button or with imulog start"
  static let isStarting = "another recording is already about to begin"
  static let isSaving = "the last recording is still being saved; try again in a moment"
  static let isStopping = "the recording is being stopped; try again in a moment"
  static let nothingSampled =
    "nothing was sampled before, because the sensor sleeps while idle; set while-idle = sample in the configuration"
  static let notSampledYet = "nothing has been sampled yet; the sensor is being brought up"
  static let hasJustEnded = "the recording had just ended and is kept; press again for another"
  static let markIsLate =
    "two presses came after the recording's end and mark nothing; the recording is kept"
  static let eventIsLost =
    "motion began an event while the sensor was lost; the event has no recording"
  static let stopCallsEventOff =
    "motion began an event while the last recording was being saved; a stop cancelled its recording"
  static let endCallsEventOff =
    "motion began an event that has no recording, because the service is ending"
  static let noSensor =
    "no recording can begin: \(Problem.sensor.meaning); it is tried again every 2 s; see imulog status"
  static let couldNotBegin = "the recording could not begin: \(Problem.sensor.meaning)"
  static let hadNoSample = "the recording had no sample, and nothing is kept"
  static let hasNoFile = "the recording's file could not be made; the service's journal says why"
  static let endedBeforeSample =
    "the recording ended before its first sample, and nothing is kept"
  static let wasCalledOff = "a stop came before the recording could begin"
  static let hasSilentSensor =
    "the recording has begun but logs only gaps, because its sensor gives no samples"
  static let endIsLate =
    "the end of the recording is not on the card yet; imulog status shows when it is saved"
  static let firstSampleIsLate =
    "the recording has begun, but its first sample is not in the log yet; see imulog status"
  static let beginningIsLate =
    "the recording begins as soon as it can; imulog status shows when it has begun"
  static let isEnding = "the service is ending"

  static func marksAreLost(_ count: Int) -> String {
    "\(count == 1 ? "a mark was" : "\(count) marks were") lost: the recording had ended or was not kept"
  }
}
