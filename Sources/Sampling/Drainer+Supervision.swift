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
    switch supervisor.duty(
      at: now, before: deadline, checkCost: supervisor.checkCost, isHolding: false)
    {
    case .none(let until): return until
    case .probe: return deadline
    case .check: notice(.check)
    case .bringUp:
      if let now = proofs.bringUp(&sensor, &supervisor, clock, tick: tick) {
        proofs.noteReady(&supervisor, tick: tick, at: now)
      }
    }
    return nil
  }

  @inlinable
  mutating func compareConfiguration() -> ConfigurationComparison {
    let result = sensor.compare(&supervisor, clock, failure: &failure)
    // It says nothing of where samples begin: there the next count has to prove both.
    if case .intact = result, !sensor.losesAlignment { proofs.held.proveConfiguration() }
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

  /// Gives the chip up, to be set up again from the next duty on.
  @inlinable
  mutating func lose(_ fault: SensorEvent.Fault) {
    let gap = fault.gapCause
    loss = EpochLoss(.chipReset, gap, code: gap == .busError ? failure : 0)
    epoch.isRunning = false
    proofs.lose(&sensor, fault, &supervisor, tick: tick, code: failure, at: clock.now())
  }
}
