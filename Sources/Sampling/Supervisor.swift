// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel

/// Decides from the sampler's reads whether the chip can still be trusted, and what to do when not: from events and their
/// times to the next duty, without a call or a clock.
///
///                       suspicion: check says lost, or trouble lasts
///     ┌──────────┐ ─────────────────────────────────────► ┌────────────────┐ ──┐ step taken,
///     │ sampling │                                        │ reinitialising │   │ or refused:
///     └──────────┘ ◄───────────────────────────────────── └────────────────┘ ◄─┘ 5 ms later again
///                       bring-up is ready
///
/// A chip whose supply dips returns asleep or with its reset configuration, without notice. Most reads would show that,
/// and samples wait for one that does not (``HeldRecords``). The whole configuration is compared every half second, and at
/// once when a read suggests it:
///
/// | sign | compared at once | given up with an intact configuration |
/// |---|---|---|
/// | the configuration is not in the read | at the first | – |
/// | no new sample | after 20 ms | after 0.5 s |
/// | all counts zero | at the first | as the same outputs |
/// | the same outputs | – | when noise would have changed them (``LifeLimit``), within 0.8 s |
/// | reads fail | at the next that succeeds | after 0.5 s |
///
/// The chip is also read between ticks that are too far apart to prove a sample, or show trouble, in time.
public struct Supervisor: Sendable, BitwiseCopyable {
  /// The meaning of a read or a check.
  public enum Verdict: Equatable, Sendable, BitwiseCopyable {
    /// Nothing is visibly wrong.
    case trust
    /// Compare the configuration before any sample counts.
    case check
    /// The chip has to be set up again.
    case lost(SensorEvent.Fault)
  }

  /// How the chip is used.
  public enum Phase: Equatable, Sendable, BitwiseCopyable {
    /// Samples are read.
    case sampling
    /// The chip is being set up; the next step may be taken at `next`.
    case reinitialising(next: MonotonicTime)
  }

  /// How the chip is used.
  public private(set) var phase = Phase.sampling
  /// The last fault noticed; `none` when there was none.
  public private(set) var fault = SensorEvent.Fault.none
  /// The errno with which the bus refused the last step of bring-up; `nil` when it did not.
  public private(set) var refusal: Int32?

  /// Nanoseconds that the last comparison of the configuration took.
  @usableFromInline var checkCost: Int64 = 0
  /// Whether the beginning of setting the chip up again was announced.
  @usableFromInline var isReinitialisationAnnounced = false
  /// When the chip was last asked for evidence of its state, with or without an answer.
  private var lastEvidence: MonotonicTime
  /// When the configuration was last compared, with or without an answer.
  private var lastCheck: MonotonicTime
  private var lastFresh: MonotonicTime
  private var failingSince: MonotonicTime?
  /// Whether a check has already answered the present suspicion.
  private var isChecked = false
  private var repetition: Repetition
  private var givenUpAt: MonotonicTime
  /// How long after a look the next one finds a new sample, in nanoseconds.
  public let lookDelay: Int64

  /// A supervisor of a chip that was set up just before `now` and makes a sample each `samplePeriod` nanoseconds.
  public init(at now: MonotonicTime, lifeLimit: LifeLimit?, samplePeriod: Int64) {
    (lastEvidence, lastCheck, lastFresh, givenUpAt) = (now, now, now, now)
    lookDelay = max(Supervisor.shortestLookDelay, samplePeriod)
    repetition = Repetition(limit: lifeLimit, at: now)
  }

  // In nanoseconds. Computed, so that the sampler's path has no lazily initialised global.

  /// Between comparisons of the configuration.
  private static var checkInterval: Int64 { 500_000_000 }
  /// After this a comparison is no longer postponed for the next tick.
  private static var checkLimit: Int64 { 900_000_000 }
  /// Without a new sample until the configuration is compared: more than ten of the chip's own periods.
  private static var staleSuspicion: Int64 { 20_000_000 }
  /// Without a new sample, or with failing reads only, until the chip is given up.
  private static var patience: Int64 { 500_000_000 }
  /// From a refused step of bring-up to the next attempt, within and after ``hope``.
  private static var backOff: (early: Int64, late: Int64) { (5_000_000, 100_000_000) }
  /// How long a chip that was given up is tried at the short interval.
  private static var hope: Int64 { 10_000_000_000 }
  /// Between looks at the chip when ticks are farther apart.
  private static var probeInterval: Int64 { 100_000_000 }
  /// The least time from a read to the look that proves it, and from a look to a deadline, so that the chip has a new
  /// sample for the tick.
  private static var shortestLookDelay: Int64 { 10_000_000 }
  /// The time limit that adapters are asked to keep, though not all do: the bus stalled a transfer that took longer.
  @inlinable static var transferLimit: Int64 { 100_000_000 }
  /// Linux's ETIMEDOUT, for a transfer that succeeded but took that long.
  @inlinable static var timedOut: Int32 { 110 }

  /// A read returned a new sample with these outputs; `isZero` when all its counts are 0.
  public mutating func notice(
    _ outputs: SensorOutputs, isZero: Bool, at now: MonotonicTime
  ) -> Verdict {
    let hadFailed = failingSince != nil
    noticeHeldUp(at: now)
    repetition.notice(outputs, at: now)
    if repetition.isFrozen(at: now) { return .lost(isZero ? .zeros : .frozen) }
    if hadFailed { return .check }
    guard isZero else {
      isChecked = false
      return .trust
    }
    return checkOnce()
  }

  /// Whether the last look repeated the outputs of the one before, where that may mean a stuck chip.
  public var isRepeating: Bool { repetition.isSuspicious }

  /// A read returned a new sample too late to count: the chip works.
  public mutating func noticeHeldUp(at now: MonotonicTime) {
    (lastEvidence, lastFresh, failingSince) = (now, now, nil)
  }

  /// The chip begins to collect samples anew: the first one takes a while.
  public mutating func noticeBegun(at now: MonotonicTime) { lastFresh = now }

  /// A read found no new sample, or none that was announced.
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

  /// The configuration could not be compared, because a transfer failed: what made it suspicious is not answered.
  public mutating func noticeFailedCheck(at now: MonotonicTime) -> Verdict {
    (lastCheck, isChecked) = (now, false)
    return noticeFailure(at: now)
  }

  /// The configuration was compared.
  public mutating func notice(_ check: ConfigurationCheck, at now: MonotonicTime) -> Verdict {
    (lastEvidence, lastCheck) = (now, now)
    switch check {
    case .intact: return .trust
    case .lost: return .lost(.configurationLost)
    case .foreign: return .lost(.identity)
    }
  }

  /// The chip is given up; the first step of setting it up may be taken at once.
  public mutating func begin(_ fault: SensorEvent.Fault, at now: MonotonicTime) {
    self.fault = fault
    refusal = nil
    isReinitialisationAnnounced = false
    phase = .reinitialising(next: now)
    givenUpAt = now
    if !isStuck { repetition.restart() }
  }

  /// Whether the chip was given up because its outputs stood still.
  public var isStuck: Bool { fault == .frozen || fault == .zeros }

  /// A step of bring-up was taken, and the next may follow after `wait` nanoseconds.
  public mutating func stepped(wait: Int64, at now: MonotonicTime) {
    refusal = nil
    phase = .reinitialising(next: now + max(0, wait))
  }

  /// A step of bring-up failed; `errno` when it was the bus that refused it.
  public mutating func refused(errno: Int32?, at now: MonotonicTime) {
    refusal = errno
    let (early, late) = Supervisor.backOff
    phase = .reinitialising(next: now + (now - givenUpAt < Supervisor.hope ? early : late))
  }

  /// Bring-up is done.
  public mutating func ready(at now: MonotonicTime) {
    (refusal, phase) = (nil, .sampling)
    (lastEvidence, lastCheck, lastFresh) = (now, now, now)
    (failingSince, isChecked) = (nil, false)
    repetition.restart()
  }

  /// The work between ticks.
  public enum Duty: Equatable, Sendable, BitwiseCopyable {
    /// Nothing before this instant.
    case none(until: MonotonicTime)
    /// Compare the configuration.
    case check
    /// Look at the chip: read a sample for its own sake.
    case probe
    /// Take a step of bring-up.
    case bringUp
  }

  /// The work at `now`, before a tick at `deadline`. `isHolding`: samples wait for proof.
  ///
  /// A comparison of the configuration that would not end before the tick, if it took as long as the last one, is
  /// postponed, but not for ever; so is one beyond `horizon`, when another loop needs the bus.
  public func duty(
    at now: MonotonicTime, before deadline: MonotonicTime, isHolding: Bool,
    horizon: MonotonicTime = MonotonicTime(nanoseconds: .max)
  ) -> Duty {
    if case .reinitialising(let next) = phase {
      return now >= next ? .bringUp : .none(until: next)
    }
    let room = deadline - now
    let sinceCheck = now - lastCheck
    let fits = min(room, horizon - now) > checkCost
    if sinceCheck >= Supervisor.checkInterval, fits || sinceCheck >= Supervisor.checkLimit {
      return .check
    }
    let interval =
      isRepeating ? 2 * lookDelay : isHolding ? lookDelay : Supervisor.probeInterval
    if now - lastEvidence >= interval, room > lookDelay { return .probe }
    // The next instant at which the answer may change.
    func due(_ instant: MonotonicTime) -> MonotonicTime {
      instant > now ? instant : MonotonicTime(nanoseconds: .max)
    }
    return .none(
      until: min(
        due(lastCheck + Supervisor.checkInterval), due(lastCheck + Supervisor.checkLimit),
        due(lastEvidence + interval)))
  }
}

/// How long the chip has repeated the same outputs.
struct Repetition: Sendable, BitwiseCopyable {
  private var outputs = SensorOutputs()
  private var since: MonotonicTime
  /// Looks that found them, the first one included.
  private(set) var looks = 0
  private let limit: LifeLimit?

  /// Nothing seen yet.
  init(limit: LifeLimit?, at now: MonotonicTime) {
    self.limit = limit
    since = now
  }

  /// Whether a working chip would have given other outputs by now.
  func isFrozen(at now: MonotonicTime) -> Bool {
    guard let limit else { return false }
    return looks >= limit.looks && now - since >= limit.time
  }

  /// Whether the last look may be of a stuck chip.
  var isSuspicious: Bool { looks > 1 && limit != nil }

  /// Counts a look with these outputs.
  mutating func notice(_ new: SensorOutputs, at now: MonotonicTime) {
    if looks > 0, new == outputs {
      looks += 1
    } else {
      (outputs, since, looks) = (new, now, 1)
    }
  }

  /// The chip was set up again: earlier looks prove nothing.
  mutating func restart() { looks = 0 }
}
