// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import IMUDrivers

/// The result of comparing the chip's configuration.
@usableFromInline
enum ConfigurationComparison: BitwiseCopyable {
  case intact
  case lost(SensorEvent.Fault)
  case failed(errno: Int32)
}

extension Sampler where Sensor: ~Copyable, Sink: ~Copyable {
  /// Does the supervisor's present duty, if there is one.
  ///
  /// - Returns: `nil` after a duty, else the instant before which there is none.
  @inlinable
  mutating func doDuty(at now: MonotonicTime) -> MonotonicTime? {
    let deadline = schedule.deadline(of: tick)
    switch supervisor.duty(
      at: now, before: deadline, checkCost: checkCost, isHolding: !proofs.held.isEmpty)
    {
    case .none(let until): return until
    case .check: if case .lost(let fault) = compareConfiguration() { lose(fault) }
    case .probe: probe(at: now)
    case .bringUp: bringUp()
    }
    skipHeldUpTicks()
    return nil
  }

  @inlinable
  mutating func compareConfiguration() -> ConfigurationComparison {
    let before = clock.now()
    do throws(BusError) {
      let check = try sensor.checkConfiguration()
      let now = clock.now()
      checkCost = now - before
      if checkCost >= Sampler.transferLimit { holdUp = Sampler.timedOut }
      if case .lost(let fault) = supervisor.notice(check, at: now) { return .lost(fault) }
      proofs.held.proveConfiguration()
      proofs.release(at: now)
      return .intact
    } catch {
      holdUp = error.errno
      let verdict = supervisor.noticeFailedCheck(at: clock.now())
      if case .lost(let fault) = verdict { return .lost(fault) }
      return .failed(errno: error.errno)
    }
  }

  /// Looks at the chip between ticks; the sample is not recorded, but proves those before it.
  @inlinable
  mutating func probe(at now: MonotonicTime) {
    var sample = RawSample()
    var verdict: Supervisor.Verdict
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
      if clock.now() - now >= Sampler.transferLimit { holdUp = Sampler.timedOut }
    } catch {
      holdUp = error.errno
      verdict = supervisor.noticeFailure(at: now)
    }
    if case .check = verdict, case .lost(let fault) = compareConfiguration() {
      verdict = .lost(fault)
    }
    if case .lost(let fault) = verdict { lose(fault) }
  }

  /// Gives the chip up, to be set up again from the next duty on.
  @inlinable
  mutating func lose(_ fault: SensorEvent.Fault) {
    let now = clock.now()
    switch fault {
    case .frozen, .zeros: proofs.condemnRun(at: now)
    case .bus: proofs.condemnUnproved(.busError, code: holdUp, at: now)
    case .noData: proofs.condemnUnproved(.stale, at: now)
    default: proofs.condemnUnproved(.reinitialising, at: now)
    }
    supervisor.begin(fault, at: now)
    sensor.restart()
    isReinitialisationAnnounced = false
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
      case .wait(let nanoseconds):
        supervisor.stepped(wait: nanoseconds, at: now)
      case .ready:
        guard !supervisor.isStuck || hasChanged(at: now) else { return }
        // The ticks that went by meanwhile were lost to the set-up, not to a late wake-up.
        skipUnreachable(at: now)
        supervisor.ready(at: now)
        announce(.back)
      }
    } catch {
      supervisor.refused(errno: error.busErrno, at: clock.now())
      sensor.restart()
    }
  }

  /// Whether a chip that was stuck has changed its outputs since it was set up again. After ten looks without a change
  /// it is set up once more.
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

  @inlinable
  mutating func announce(_ kind: SensorEvent.Kind) {
    proofs.outbox.announce(SensorEvent(tick: tick, kind: kind, fault: supervisor.fault))
  }
}

extension SensorError {
  /// The errno of the transfer that failed; `nil` when the error was not the bus's.
  @usableFromInline var busErrno: Int32? {
    guard case .bus(_, _, let error) = self else { return nil }
    return error.errno
  }
}
