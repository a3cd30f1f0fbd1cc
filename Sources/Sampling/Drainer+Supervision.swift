// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel

extension Drainer where Bus: ~Copyable, Sink: ~Copyable {
  /// Does the supervisor's present duty, if there is one. Drains are looks enough.
  ///
  /// - Returns: `nil` after a duty, else the instant before which there is none.
  @inlinable
  mutating func doDuty(at now: MonotonicTime) -> MonotonicTime? {
    let deadline = pace.deadline
    switch supervisor.duty(at: now, before: deadline, checkCost: checkCost, isHolding: false) {
    case .none(let until): return until
    case .probe: return deadline
    case .check:
      if case .lost(let fault) = compareConfiguration() { lose(fault) }
    case .bringUp: bringUp()
    }
    return nil
  }

  @inlinable
  mutating func compareConfiguration() -> ConfigurationComparison {
    let before = clock.now()
    do throws(BusError) {
      let check = try sensor.checkConfiguration()
      let now = clock.now()
      checkCost = now - before
      if case .lost(let fault) = supervisor.notice(check, at: now) { return .lost(fault) }
      // It says nothing of where samples begin: there the next count has to prove both.
      if !sensor.losesAlignment { proofs.held.proveConfiguration() }
      return .intact
    } catch {
      failure = error.errno
      let verdict = supervisor.noticeFailedCheck(at: clock.now())
      if case .lost(let fault) = verdict { return .lost(fault) }
      return .failed(errno: error.errno)
    }
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

  /// Gives the chip up, to be set up again from the next duty on.
  @inlinable
  mutating func lose(_ fault: SensorEvent.Fault) {
    let now = clock.now()
    loss = EpochLoss(.chipReset, .reinitialising)
    switch fault {
    case .frozen, .zeros:
      loss.gap = .frozen
      proofs.condemnRun(at: now)
    case .bus:
      loss = EpochLoss(.chipReset, .busError, code: failure)
      proofs.condemnUnproved(.busError, code: failure, at: now)
    case .noData:
      loss.gap = .stale
      proofs.condemnUnproved(.stale, at: now)
    default: proofs.condemnUnproved(.reinitialising, at: now)
    }
    supervisor.begin(fault, at: now)
    sensor.restart()
    (isReinitialisationAnnounced, epoch.isRunning) = (false, false)
    proofs.outbox.announce(SensorEvent(tick: tick, kind: .lost, fault: fault))
  }

  /// Takes one step of setting the chip up again.
  @inlinable
  mutating func bringUp() {
    do throws(SensorError) {
      let step = try sensor.bringUp()
      let now = clock.now()
      if !isReinitialisationAnnounced {
        isReinitialisationAnnounced = true
        announce(.reinitialised)
      }
      switch step {
      case .wait(let nanoseconds): supervisor.stepped(wait: nanoseconds, at: now)
      case .ready:
        supervisor.ready(at: now)
        announce(.back)
      }
    } catch {
      supervisor.refused(errno: error.busErrno, at: clock.now())
      sensor.restart()
    }
  }

  @inlinable
  mutating func announce(_ kind: SensorEvent.Kind) {
    proofs.outbox.announce(SensorEvent(tick: tick, kind: kind, fault: supervisor.fault))
  }
}
