public import IMUDrivers
public import IMUModel

/// Samples between their read and their proof.
extension Sampler where Sensor: ~Copyable, Sink: ~Copyable {
  /// Notes the evidence of a read with a new sample, about the chip and the samples before it.
  @inlinable
  mutating func look(at now: MonotonicTime, isZero: Bool) -> Supervisor.Verdict {
    let evidence = sensor.evidence
    let verdict = supervisor.notice(evidence.outputs, isZero: isZero, at: now)
    held.proveAnnouncement()
    if !supervisor.isRepeating { held.proveLife() }
    if evidence.isConfigured { held.proveConfiguration() }
    release(at: now)
    return verdict
  }

  /// Notes the evidence of the read about the configuration alone.
  @inlinable
  mutating func noteConfiguration(at now: MonotonicTime) {
    guard sensor.evidence.isConfigured else { return }
    held.proveConfiguration()
    release(at: now)
  }

  /// Holds the present tick's sample, which the chip announced, until it is proved.
  @inlinable
  mutating func holdAnnounced(_ sample: RawSample, at now: MonotonicTime) {
    hold(sample, at: now)
    held.proveAnnouncement()
  }

  /// Holds the present tick's sample until it is proved.
  ///
  /// When there is no room, the oldest one has waited for more than a second: it is released as a sample when its
  /// configuration was proved, because suspicion alone costs no sample.
  @inlinable
  mutating func hold(_ sample: RawSample, at now: MonotonicTime) {
    if held.isFull { handOnFirst(unlessProved: .ringFull, code: 0, at: now) }
    let time = now - schedule.start
    held.append(
      TickRecord(
        tick: tick, time: time - time % timeUnit, lateness: wakeLateness, sample: sample))
  }

  /// Adds ticks without a sample, after the records that are held.
  @inlinable
  mutating func skip(_ gap: Gap, at now: MonotonicTime) {
    release(at: now)
    guard gap.count > 0 else { return }
    while !held.isEmpty {
      if held.append(gap) { return }
      handOnFirst(unlessProved: .ringFull, code: 0, at: now)
    }
    outbox.skip(gap, at: now)
  }

  /// Passes proved records to the outbox.
  @inlinable
  mutating func release(at now: MonotonicTime) {
    while held.isFirstReady { handOn(held.removeFirst(), at: now) }
  }

  /// The chip is proved to be stuck: samples since its outputs last changed become gaps.
  @inlinable
  mutating func condemnRun(at now: MonotonicTime) {
    while !held.isEmpty {
      if held.alive > 0 {
        handOnFirst(unlessProved: .reinitialising, code: 0, at: now)
      } else {
        handOn(held.removeFirst(), as: .frozen, code: 0, at: now)
      }
    }
  }

  /// Nothing will prove the latest reads: samples after the last proof of the configuration become gaps.
  @inlinable
  mutating func condemnUnproved(_ cause: GapCause, code: Int32 = 0, at now: MonotonicTime) {
    while !held.isEmpty { handOnFirst(unlessProved: cause, code: code, at: now) }
  }

  /// Looks at the chip until all records held are proved, at most for 0.9 s. The rest count as bus errors, because the
  /// bus prevented their proof.
  @inlinable
  mutating func resolveHeld() {
    let limit = clock.now() + Sampler.settlement
    if case .sampling = supervisor.phase, !held.isEmpty {
      // As soon as the chip has another sample.
      clock.sleep(until: min(consumed + samplePeriod, limit))
      probe(at: clock.now())
    }
    while case .sampling = supervisor.phase, !held.isEmpty {
      let now = clock.now()
      guard now < limit else { break }
      switch supervisor.duty(
        at: now, before: limit + Sampler.settlement, checkCost: 0, isHolding: true)
      {
      case .none(let until): clock.sleep(until: min(until, limit))
      case .check: if case .lost(let fault) = compareConfiguration() { lose(fault) }
      default: probe(at: now)
      }
    }
    if case .sampling = supervisor.phase, held.configured < held.count,
      case .lost(let fault) = compareConfiguration()
    {
      lose(fault)
    }
    condemnUnproved(.busError, code: holdUp, at: clock.now())
  }

  /// The longest wait for proof at the end of the loop, in nanoseconds.
  @inlinable static var settlement: Int64 { 900_000_000 }

  @inlinable
  mutating func handOnFirst(unlessProved cause: GapCause, code: Int32, at now: MonotonicTime) {
    let (isConfigured, isAnnounced) = (held.configured > 0, held.announced > 0)
    let record = held.removeFirst()
    if !isConfigured {
      handOn(record, as: cause, code: code, at: now)
    } else if !isAnnounced {
      handOn(record, as: .stale, code: 0, at: now)
    } else {
      handOn(record, at: now)
    }
  }

  /// Passes a record to the outbox. Many may come at once, so a gap leaves as soon as it is complete.
  @inlinable
  mutating func handOn(_ record: TickRecord, at now: MonotonicTime) {
    guard let gap = record.gap else { return outbox.deliver(record, at: now) }
    outbox.skip(gap, at: now)
    outbox.resolve(at: now)
  }

  /// Releases a rejected sample as a gap; gaps stay as they are.
  @inlinable
  mutating func handOn(
    _ record: TickRecord, as cause: GapCause, code: Int32, at now: MonotonicTime
  ) {
    let gap = record.gap ?? Gap(firstTick: record.tick, count: 1, cause: cause, code: code)
    handOn(TickRecord(gap), at: now)
  }
}
