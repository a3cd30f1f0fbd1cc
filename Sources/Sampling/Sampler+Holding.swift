// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel

/// Samples between their read and their proof.
extension Sampler where Sensor: ~Copyable, Sink: ~Copyable {
  /// Notes the evidence of a read with a new sample, about the chip and the samples before it.
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

  /// Looks at the chip until all records held are proved, at most for 0.9 s. The rest count as bus errors, because the
  /// bus prevented their proof.
  @inlinable
  mutating func resolveHeld() {
    let limit = clock.now() + Sampler.settlement
    if case .sampling = supervisor.phase, !proofs.held.isEmpty {
      // As soon as the chip has another sample.
      clock.sleep(until: min(consumed + samplePeriod, limit))
      probe(at: clock.now())
    }
    while case .sampling = supervisor.phase, !proofs.held.isEmpty {
      let now = clock.now()
      guard now < limit else { break }
      switch supervisor.duty(
        at: now, before: limit + Sampler.settlement, checkCost: 0, isHolding: true)
      {
      case .none(let until): clock.sleep(until: min(until, limit))
      case .check: notice(.check)
      default: probe(at: now)
      }
    }
    if case .sampling = supervisor.phase, proofs.held.configured < proofs.held.count {
      notice(.check)
    }
    proofs.condemnUnproved(.busError, code: holdUp, at: clock.now())
  }

  /// The longest wait for proof at the end of the loop, in nanoseconds.
  @inlinable static var settlement: Int64 { 900_000_000 }
}
