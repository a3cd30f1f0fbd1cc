// SPDX-License-Identifier: Apache-2.0

public import IMUDrivers
public import IMUModel

extension Sampler where Sensor: ~Copyable, Sink: ~Copyable {
  /// Reads the chip for the present tick and records the result.
  ///
  /// A sample is dated by the beginning of its read. If the read was held up, the sample is rejected, and the chip is read
  /// again while the tick lasts.
  ///
  ///     deadline n                                   n+1
  ///        │                                          │
  ///        ├─read───────held up───────╳├─read         ├─read
  ///
  /// A tick soon after the last sample was read waits for the chip to make the next one; if that does not come within the
  /// tick, the computer is the cause. A later tick finds a new sample, announced or not: later samples prove that the chip
  /// keeps making them.
  ///
  /// - Returns: When the chip is to be read again; `nil` once the tick has its record.
  @inlinable
  mutating func readTick(at now: MonotonicTime) -> MonotonicTime? {
    var sample = RawSample()
    var begin = now
    do throws(BusError) {
      while attempts < Sampler.mostAttempts, begin < schedule.deadline(of: tick + 1) {
        let isAgain = attempts > 0
        attempts += 1
        let reading = try sensor.read(into: &sample)
        let end = clock.now()
        let isHeldUp = end - begin > sensor.readLimit
        switch reading {
        case .fresh:
          consume(readFrom: begin, to: end)
          if !isHeldUp {
            accept(sample, at: begin)
            return nil
          }
          supervisor.noticeHeldUp(at: end)
          proofs.held.proveAnnouncement()
          noteConfiguration(at: end)
          begin = end
        case .stale, .unannounced:
          let next = consumed + samplePeriod
          if reading == .unannounced, begin >= next, !isHeldUp {
            consume(readFrom: begin, to: end)
            acceptUnannounced(sample, at: begin)
            return nil
          }
          guard isAgain || isHeldUp || begin < next else {
            noteStale(at: readSince)
            return nil
          }
          noteConfiguration(at: end)
          guard next < schedule.deadline(of: tick + 1) else {
            skipHeldUp(since: readSince)
            return nil
          }
          if next > end { return next }
          begin = clock.now()
        case .doubtful:
          switch compareConfiguration() {
          case .intact: begin = clock.now()
          case .failed(let errno):
            skipTick(.busError, code: errno, at: begin)
            return nil
          case .lost(let fault):
            lose(fault)
            skipTick(.reinitialising, at: begin)
            return nil
          }
        }
      }
      skipHeldUp(since: readSince)
    } catch {
      skipTick(.busError, code: error.errno, at: begin)
      holdUp = error.errno
      notice(supervisor.noticeFailure(at: begin))
    }
    return nil
  }

  /// Notes the latest instant at which the sample just read can have been made.
  @inlinable
  mutating func consume(readFrom begin: MonotonicTime, to end: MonotonicTime) {
    if end - begin > sensor.readLimit {
      consumed = end
    } else {
      consumed = sensor.evidence.isLate ? begin + (end - begin) * 3 / 5 : begin
    }
  }

  /// Skips the present tick, for which no read was quick enough: the processor was late, or, when it took longer than a
  /// transfer may, the bus.
  @inlinable
  mutating func skipHeldUp(since begin: MonotonicTime) {
    let now = clock.now()
    if now - begin < Supervisor.transferLimit { return skipTick(.missed, at: now) }
    holdUp = Supervisor.timedOut
    skipTick(.busError, code: Supervisor.timedOut, at: now)
  }

  /// Skips the ticks that went by while a transfer failed: they are lost to the bus, not missed.
  @inlinable
  mutating func skipHeldUpTicks() {
    guard holdUp != 0 else { return }
    let now = clock.now()
    let reachable = schedule.firstReachable(from: tick, at: now)
    let end = min(reachable, schedule.plannedTicks ?? .max)
    if end > tick {
      proofs.skip(
        Gap(firstTick: tick, count: end - tick, cause: .busError, code: holdUp), at: now)
      tick = end
    }
    holdUp = 0
  }

  /// Reads for one tick at most: occasional delays do not hit eight in a row.
  @inlinable static var mostAttempts: Int { 8 }

  @inlinable
  mutating func accept(_ sample: RawSample, at now: MonotonicTime) {
    switch look(at: now, isZero: sample == RawSample()) {
    case .trust:
      holdAnnounced(sample, at: now)
    case .check:
      switch compareConfiguration() {
      case .intact:
        holdAnnounced(sample, at: now)
        proofs.held.proveConfiguration()
      case .failed(let errno): skipTick(.busError, code: errno, at: now)
      case .lost(let fault):
        lose(fault)
        skipTick(.reinitialising, at: now)
      }
    case .lost(let fault):
      skipTick(.frozen, at: now)
      lose(fault)
    }
  }

  @inlinable
  mutating func acceptUnannounced(_ sample: RawSample, at now: MonotonicTime) {
    noteConfiguration(at: now)
    let verdict = supervisor.noticeStale(at: now)
    if case .lost = verdict { skipTick(.stale, at: now) } else { hold(sample, at: now) }
    notice(verdict)
  }

  @inlinable
  mutating func noteStale(at now: MonotonicTime) {
    noteConfiguration(at: now)
    skipTick(.stale, at: now)
    notice(supervisor.noticeStale(at: now))
  }

  @inlinable
  mutating func skipTick(_ cause: GapCause, code: Int32 = 0, at now: MonotonicTime) {
    proofs.skip(Gap(firstTick: tick, count: 1, cause: cause, code: code), at: now)
  }
}
