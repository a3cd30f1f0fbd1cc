// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel

extension Sampler where Sensor: ~Copyable, Sink: ~Copyable {
  /// Does the supervisor's present duty; returns `nil` after one, else the instant before which there is none.
  @inlinable
  mutating func doDuty(at now: MonotonicTime) -> MonotonicTime? {
    let deadline = schedule.deadline(of: tick)
    switch supervisor.duty(
      at: now, before: deadline, isHolding: !proofs.held.isEmpty, horizon: horizon)
    {
    case .none(let until):
      let next = proofs.followField(
        &sensor, clock, origin: schedule.start, tick: tick, before: min(deadline, horizon),
        until: until,
        failure: &holdUp, at: now)
      if let next { return next }
    case .check: notice(.check)
    case .probe: probe(at: now)
    case .bringUp: bringUp()
    }
    skipHeldUpTicks()
    return nil
  }

  @inlinable
  mutating func compareConfiguration() -> ConfigurationComparison {
    let result = sensor.compare(&supervisor, clock, failure: &holdUp)
    if case .intact = result {
      proofs.held.proveConfiguration()
      proofs.release(at: clock.now())
    }
    return result
  }

  /// Acts on what a read means for the chip.
  @inlinable
  mutating func notice(_ verdict: Supervisor.Verdict) {
    switch verdict {
    case .trust: break
    case .check: if case .lost(let fault) = compareConfiguration() { lose(fault) }
    case .lost(let fault): lose(fault)
    }
  }

  /// Looks at the chip between ticks; the sample only proves those before it.
  @inlinable
  mutating func probe(at now: MonotonicTime) {
    var sample = RawSample()
    let verdict: Supervisor.Verdict
    do throws(BusError) {
      switch try sensor.read(into: &sample) {
      case .fresh:
        let end = clock.now()
        consume(readFrom: now, to: end)
        verdict = look(at: now, isZero: sample == RawSample())
      case .stale, .unannounced:
        noteConfiguration(at: now)
        verdict = supervisor.noticeStale(at: now)
      case .doubtful: verdict = .check
      }
      if clock.now() - now >= Supervisor.transferLimit { holdUp = Supervisor.timedOut }
    } catch {
      holdUp = error.errno
      verdict = supervisor.noticeFailure(at: now)
    }
    notice(verdict)
  }

  /// Gives the chip up, to be set up again from the next duty on.
  @inlinable
  mutating func lose(_ fault: SensorEvent.Fault) {
    proofs.lose(&sensor, fault, &supervisor, tick: tick, code: holdUp, at: clock.now())
  }

  /// Takes one step of setting the chip up again.
  @inlinable
  mutating func bringUp() {
    guard let now = proofs.bringUp(&sensor, &supervisor, clock, tick: tick),
      !supervisor.isStuck || hasChanged(at: now)
    else { return }
    // The ticks that went by meanwhile were lost to the set-up, not to a late wake-up.
    skipUnreachable(at: now)
    proofs.noteReady(&supervisor, tick: tick, at: now)
  }

  /// Whether a chip that was stuck has changed its outputs since it was set up again. Every ten looks without a change it
  /// is set up once more.
  @inlinable
  mutating func hasChanged(at now: MonotonicTime) -> Bool {
    var sample = RawSample()
    var isFresh = false
    do throws(BusError) {
      isFresh = try sensor.read(into: &sample) == .fresh
    } catch {
      holdUp = error.errno
    }
    if isFresh {
      consumed = now
      let outputs = sensor.evidence.outputs
      _ = supervisor.notice(outputs, isZero: sample == RawSample(), at: now)
      if !supervisor.isRepeating {
        lifeLooks = 0
        return true
      }
    }
    lifeLooks += 1
    if lifeLooks % 10 == 0 { sensor.restart() }
    supervisor.stepped(wait: supervisor.lookDelay, at: now)
    return false
  }
}

/// Samples between their read and their proof.
extension Sampler where Sensor: ~Copyable, Sink: ~Copyable {
  /// Notes the evidence of a read with a new sample.
  @inlinable
  mutating func look(at now: MonotonicTime, isZero: Bool) -> Supervisor.Verdict {
    let evidence = sensor.evidence
    let verdict = supervisor.notice(evidence.outputs, isZero: isZero, at: now)
    proofs.held.proveAnnouncement()
    if !supervisor.isRepeating { proofs.held.proveLife() }
    if evidence.isConfigured { proofs.held.proveConfiguration() }
    proofs.release(at: now)
    return verdict
  }

  /// Notes the evidence of the read about the configuration alone.
  @inlinable
  mutating func noteConfiguration(at now: MonotonicTime) {
    guard sensor.evidence.isConfigured else { return }
    proofs.held.proveConfiguration()
    proofs.release(at: now)
  }

  /// Holds the present tick's sample, which the chip announced, until it is proved.
  @inlinable
  mutating func holdAnnounced(_ sample: RawSample, at now: MonotonicTime) {
    hold(sample, at: now)
    proofs.held.proveAnnouncement()
  }

  /// Holds the present tick's sample until it is proved.
  @inlinable
  mutating func hold(_ sample: RawSample, at now: MonotonicTime) {
    let time = now - schedule.start
    proofs.append(
      TickRecord(
        tick: tick, time: time - time % timeUnit, lateness: wakeLateness, sample: sample),
      at: now)
  }

  /// Begins the end: looks at the chip until all records held are proved, at most for 0.9 s.
  @inlinable
  mutating func end() -> MonotonicTime? {
    let limit = clock.now() + 900_000_000
    endLimit = limit
    guard case .sampling = supervisor.phase, !proofs.held.isEmpty else {
      hasLooked = true
      return proveRest(until: limit)
    }
    // As soon as the chip has another sample.
    return min(consumed + samplePeriod, limit)
  }

  /// Looks at the chip once; returns when to look again. Records that are not proved in time count as bus errors, because
  /// the bus prevented their proof.
  @inlinable
  mutating func proveRest(until limit: MonotonicTime) -> MonotonicTime? {
    let now = clock.now()
    if !hasLooked {
      hasLooked = true
      probe(at: now)
    }
    while case .sampling = supervisor.phase, !proofs.held.isEmpty {
      let now = clock.now()
      guard now < limit else { break }
      let noTick = MonotonicTime(nanoseconds: .max)
      switch supervisor.duty(at: now, before: noTick, isHolding: true) {
      case .none(let until): return min(until, limit)
      case .check: notice(.check)
      default: probe(at: now)
      }
    }
    if case .sampling = supervisor.phase, proofs.held.configured < proofs.held.count {
      notice(.check)
    }
    proofs.condemnUnproved(.busError, code: holdUp, at: clock.now())
    proofs.outbox.flush()
    isOver = true
    return nil
  }
}
