public import IMUModel
public import Sampling

/// Where a take lies in the ticks of a sampler that runs through many takes.
///
///     sampler's tick   0 … base     base+1 …
///     take's tick          0        1
///
/// A take's times count from its own tick 0.
public struct RecordingFrame: Equatable, Sendable {
  /// The sampler's grid.
  public let schedule: Schedule
  /// The sampler's tick that is the take's tick 0.
  public let base: UInt64
  /// Sample times are multiples of it, in nanoseconds.
  public let timeUnit: Int64

  /// A take that begins with the sampler's tick `base`.
  public init(schedule: Schedule, base: UInt64, timeUnit: Int64) {
    self.schedule = schedule
    self.base = base
    self.timeUnit = timeUnit
  }

  /// When the take's tick 0 was due.
  public var start: MonotonicTime { schedule.deadline(of: base) }

  /// The record with the take's numbers and times. Its tick must not lie before ``base``.
  ///
  /// The grid's instants are no multiples of the time unit at every rate; a time is rounded down to one,
  /// and is never before the take's start.
  public func rebased(_ record: TickRecord) -> TickRecord {
    var record = record
    record.tick -= base
    if record.kind == .sample {
      let time = max(0, record.time - schedule.rate.nanoseconds(atTick: base))
      record.time = time - time % timeUnit
    }
    return record
  }

  /// The first tick of the sampler that is due at `instant` or later.
  public static func firstTick(from instant: MonotonicTime, _ schedule: Schedule) -> UInt64 {
    guard instant > schedule.start else { return 0 }
    let tick = schedule.tick(at: instant)
    return schedule.deadline(of: tick) == instant ? tick : tick + 1
  }
}
