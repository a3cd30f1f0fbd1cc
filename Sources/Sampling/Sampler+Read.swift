public import I2C
public import IMUDrivers
public import IMUModel

extension Sampler where Sensor: ~Copyable, Sink: ~Copyable {
  /// Reads the chip for the present tick and takes down what came of it.
  @inlinable
  mutating func readTick(at now: MonotonicTime) {
    var sample = RawSample()
    do throws(BusError) {
      switch try sensor.read(into: &sample) {
      case .fresh: take(sample, at: now)
      case .stale: takeStale(at: now)
      }
    } catch {
      skipTick(.busError, code: error.errno, at: now)
      if case .lost(let fault) = supervisor.noticeFailure(at: now) { lose(fault) }
    }
  }

  @inlinable
  mutating func take(_ sample: RawSample, at now: MonotonicTime) {
    switch supervisor.notice(sample, at: now) {
    case .trust:
      deliver(sample, at: now)
    case .check:
      switch compareConfiguration() {
      case .intact: deliver(sample, at: now)
      case .failed(let errno): skipTick(.busError, code: errno, at: now)
      case .lost(let fault):
        lose(fault)
        skipTick(.reinitialising, at: now)
      }
    case .lost(let fault):
      skipTick(.stale, at: now)
      lose(fault)
    }
  }

  @inlinable
  mutating func takeStale(at now: MonotonicTime) {
    skipTick(.stale, at: now)
    switch supervisor.noticeStale(at: now) {
    case .trust: break
    case .check: if case .lost(let fault) = compareConfiguration() { lose(fault) }
    case .lost(let fault): lose(fault)
    }
  }

  @inlinable
  mutating func deliver(_ sample: RawSample, at now: MonotonicTime) {
    let time = now - schedule.start
    outbox.deliver(TickRecord(tick: tick, time: time - time % timeUnit, sample: sample), at: now)
  }

  @inlinable
  mutating func skipTick(_ cause: GapCause, code: Int32 = 0, at now: MonotonicTime) {
    outbox.skip(Gap(firstTick: tick, count: 1, cause: cause, code: code), at: now)
  }
}
