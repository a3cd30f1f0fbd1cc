public import IMUDrivers
public import IMUModel

/// Decides from what the sampler sees whether the chip can still be trusted, and what to do when not.
///
/// Pure: it is told what happened and when, and answers what to do; it calls nothing and reads no clock.
///
///                       suspicion: check says lost, or trouble lasts
///     ┌──────────┐ ─────────────────────────────────────► ┌────────────────┐ ──┐ step taken,
///     │ sampling │                                        │ reinitialising │   │ or refused:
///     └──────────┘ ◄───────────────────────────────────── └────────────────┘ ◄─┘ 1 s later again
///                       bring-up is ready
///
/// A chip whose supply dips comes back asleep or with its reset configuration and says nothing. So the
/// configuration is compared every half second, and at once when a read looks like it:
///
/// | sign | compared at once | given up, though the configuration is intact |
/// |---|---|---|
/// | no new sample | after 20 ms | after 0.5 s |
/// | all counts zero | at the first | as the same sample |
/// | the same sample | – | after 0.5 s and 5 samples |
/// | reads fail | at the next that succeeds | after 0.5 s |
///
/// A chip at rest with a coarse range may rightly give the same sample for long. When setting it up again brings
/// back the very sample, it is believed for twice as long the next time.
public struct Supervisor: Sendable, BitwiseCopyable {
  /// What a read or a check means.
  public enum Verdict: Equatable, Sendable, BitwiseCopyable {
    /// Nothing is wrong as far as can be seen.
    case trust
    /// Compare the configuration before believing anything.
    case check
    /// The chip has to be set up again.
    case lost(SensorEvent.Fault)
  }

  /// Which way the chip is used.
  public enum Phase: Equatable, Sendable, BitwiseCopyable {
    /// Samples are read.
    case sampling
    /// The chip is being set up; the next step may be taken at `next`.
    case reinitialising(next: MonotonicTime)
  }

  /// Which way the chip is used.
  public private(set) var phase = Phase.sampling
  /// What was noticed last; `none` when nothing ever was.
  public private(set) var fault = SensorEvent.Fault.none
  /// The errno with which the bus refused the last step of bring-up; `nil` when it did not.
  public private(set) var refusal: Int32?

  /// When the chip was last asked for anything that tells of its state.
  var lastEvidence: MonotonicTime
  /// When the configuration was asked for, with or without an answer.
  var lastCheck: MonotonicTime
  private var lastFresh: MonotonicTime
  private var failingSince: MonotonicTime?
  /// Whether the present suspicion was answered by a check already.
  private var isChecked = false
  private var repetition: Repetition

  /// A supervisor of a chip that was set up just before `now`.
  public init(at now: MonotonicTime) {
    lastEvidence = now
    lastCheck = now
    lastFresh = now
    repetition = Repetition(at: now)
  }

  // Measured in nanoseconds. Computed, so that no lazily made global stands on the sampler's path.

  /// Between comparisons of the configuration.
  static var checkInterval: Int64 { 500_000_000 }
  /// A comparison is no longer put off for the next tick's sake.
  static var checkLimit: Int64 { 900_000_000 }
  /// Without a new sample until the configuration is compared: more than ten of the chip's own periods.
  static var staleSuspicion: Int64 { 20_000_000 }
  /// Without a new sample, or with failing reads only, until the chip is given up.
  static var patience: Int64 { 500_000_000 }
  /// From a refused step of bring-up to the next attempt.
  static var backOff: Int64 { 1_000_000_000 }
  /// Between looks at the chip when ticks are farther apart.
  static var probeInterval: Int64 { 100_000_000 }
  /// Before a deadline no look is taken, so that the chip has a new sample for the tick.
  static var probeMargin: Int64 { 10_000_000 }
}

extension Supervisor {
  /// A read gave a new sample.
  public mutating func notice(_ sample: RawSample, at now: MonotonicTime) -> Verdict {
    lastEvidence = now
    lastFresh = now
    let hadFailed = failingSince != nil
    failingSince = nil
    repetition.notice(sample, at: now)
    if repetition.isFrozen(at: now) { return .lost(repetition.isZero ? .zeros : .frozen) }
    if hadFailed { return .check }
    guard repetition.isZero else {
      isChecked = false
      return .trust
    }
    return checkOnce()
  }

  /// A read gave a new sample too late to be believed: the chip lives, as far as can be seen.
  public mutating func noticeHeldUp(at now: MonotonicTime) {
    lastEvidence = now
    lastFresh = now
    failingSince = nil
  }

  /// A read found no new sample.
  public mutating func noticeStale(at now: MonotonicTime) -> Verdict {
    lastEvidence = now
    failingSince = nil
    let age = now - lastFresh
    if age >= Supervisor.patience { return .lost(.noData) }
    return age >= Supervisor.staleSuspicion ? checkOnce() : .trust
  }

  /// One comparison answers a run of suspicious reads; the regular ones follow anyway.
  private mutating func checkOnce() -> Verdict {
    defer { isChecked = true }
    return isChecked ? .trust : .check
  }

  /// A transfer failed, retries included.
  public mutating func noticeFailure(at now: MonotonicTime) -> Verdict {
    lastEvidence = now
    let since = failingSince ?? now
    failingSince = since
    return now - since >= Supervisor.patience ? .lost(.bus) : .trust
  }

  /// The configuration could not be compared, because a transfer failed.
  public mutating func noticeFailedCheck(at now: MonotonicTime) -> Verdict {
    lastCheck = now
    return noticeFailure(at: now)
  }

  /// The configuration was compared.
  public mutating func notice(_ check: ConfigurationCheck, at now: MonotonicTime) -> Verdict {
    lastEvidence = now
    lastCheck = now
    switch check {
    case .intact: return .trust
    case .lost: return .lost(.configurationLost)
    case .foreign: return .lost(.identity)
    }
  }
}

extension Supervisor {
  /// The chip is given up; the first step of setting it up may be taken at once.
  public mutating func begin(_ fault: SensorEvent.Fault, at now: MonotonicTime) {
    self.fault = fault
    refusal = nil
    phase = .reinitialising(next: now)
    repetition.giveUp(isFrozen: fault == .frozen || fault == .zeros)
  }

  /// A step of bring-up was taken, and the next may follow after `wait` nanoseconds.
  public mutating func stepped(wait: Int64, at now: MonotonicTime) {
    refusal = nil
    phase = .reinitialising(next: now + max(0, wait))
  }

  /// A step of bring-up failed; `errno` when it was the bus that refused it.
  public mutating func refused(errno: Int32?, at now: MonotonicTime) {
    refusal = errno
    phase = .reinitialising(next: now + Supervisor.backOff)
  }

  /// Bring-up is done.
  public mutating func ready(at now: MonotonicTime) {
    refusal = nil
    phase = .sampling
    lastEvidence = now
    lastCheck = now
    lastFresh = now
    failingSince = nil
    isChecked = false
    repetition.restart(at: now)
  }
}
