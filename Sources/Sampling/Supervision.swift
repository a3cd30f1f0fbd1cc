// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel

/// The result of comparing the chip's configuration.
@usableFromInline
enum ConfigurationComparison: BitwiseCopyable {
  case intact
  case lost(SensorEvent.Fault)
  case failed(errno: Int32)
}

extension ChipSetUp where Self: ~Copyable {
  /// Compares the chip's configuration and notes the result; `failure` becomes the errno of a transfer that failed, or took
  /// too long.
  @inlinable
  mutating func compare(
    _ supervisor: inout Supervisor, _ clock: some MonotonicClock, failure: inout Int32
  ) -> ConfigurationComparison {
    let before = clock.now()
    do throws(BusError) {
      let check = try checkConfiguration()
      let now = clock.now()
      supervisor.checkCost = now - before
      if supervisor.checkCost >= Supervisor.transferLimit { failure = Supervisor.timedOut }
      if case .lost(let fault) = supervisor.notice(check, at: now) { return .lost(fault) }
      return .intact
    } catch {
      failure = error.errno
      let verdict = supervisor.noticeFailedCheck(at: clock.now())
      if case .lost(let fault) = verdict { return .lost(fault) }
      return .failed(errno: error.errno)
    }
  }
}

/// A chip that is given up and set up again, whichever way it is read.
extension ProofQueue where Sink: ~Copyable {
  /// Gives the chip up, to be set up again from the next duty on. `code` is the errno of the last transfer that failed.
  @inlinable
  mutating func lose<Sensor: ChipSetUp & ~Copyable>(
    _ sensor: inout Sensor, _ fault: SensorEvent.Fault, _ supervisor: inout Supervisor,
    tick: UInt64, code: Int32, at now: MonotonicTime
  ) {
    let cause = fault.gapCause
    if cause == .frozen {
      condemnRun(at: now)
    } else {
      condemnUnproved(cause, code: cause == .busError ? code : 0, at: now)
    }
    supervisor.begin(fault, at: now)
    sensor.restart()
    outbox.announce(SensorEvent(tick: tick, kind: .lost, fault: fault))
  }

  /// Takes one step of setting the chip up again; returns the instant when it is done.
  @inlinable
  mutating func bringUp<Sensor: ChipSetUp & ~Copyable>(
    _ sensor: inout Sensor, _ supervisor: inout Supervisor, _ clock: some MonotonicClock,
    tick: UInt64
  ) -> MonotonicTime? {
    do throws(SensorError) {
      let step = try sensor.bringUp()
      let now = clock.now()
      if !supervisor.isReinitialisationAnnounced {
        supervisor.isReinitialisationAnnounced = true
        outbox.announce(SensorEvent(tick: tick, kind: .reinitialised, fault: supervisor.fault))
      }
      guard case .wait(let nanoseconds) = step else { return now }
      supervisor.stepped(wait: nanoseconds, at: now)
    } catch {
      supervisor.refused(errno: error.busErrno, at: clock.now())
      sensor.restart()
    }
    return nil
  }

  /// Looks at the magnetometer when that is due and will end before `deadline`: a look that comes late loses less than a late
  /// sample.
  ///
  /// - Parameters:
  ///   - idle: The earliest instant of other work.
  ///   - failure: Becomes the errno of a look that took too long.
  /// - Returns: `nil` after a look, else the earliest instant of the next work.
  @inlinable
  mutating func followField<Sensor: ChipSetUp & ~Copyable>(
    _ sensor: inout Sensor, _ clock: some MonotonicClock, origin: MonotonicTime, tick: UInt64,
    before deadline: MonotonicTime, until idle: MonotonicTime, failure: inout Int32,
    at now: MonotonicTime
  ) -> MonotonicTime? {
    switch sensor.followField(before: deadline, origin: origin, { clock.now() }) {
    case .idle(let until): return min(idle, until)
    case .looked(let value):
      let end = clock.now()
      if end - now >= Supervisor.transferLimit { failure = Supervisor.timedOut }
      if let value {
        append(TickRecord(value, before: tick), at: end)
        release(at: end)
      }
      return nil
    }
  }

  /// The chip is set up again.
  @inlinable
  mutating func noteReady(_ supervisor: inout Supervisor, tick: UInt64, at now: MonotonicTime) {
    supervisor.ready(at: now)
    outbox.announce(SensorEvent(tick: tick, kind: .back, fault: supervisor.fault))
  }
}

extension SensorEvent.Fault {
  /// The cause of the gap of the samples that can no longer be proved.
  @inlinable var gapCause: GapCause {
    switch self {
    case .frozen, .zeros: .frozen
    case .bus: .busError
    case .noData: .stale
    default: .reinitialising
    }
  }
}

extension SensorError {
  /// The errno of the transfer that failed; `nil` when the error was not the bus's.
  @usableFromInline var busErrno: Int32? {
    guard case .bus(_, _, let error) = self else { return nil }
    return error.errno
  }
}
