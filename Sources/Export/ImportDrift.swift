import IMUModel

/// Follows how far the samples of a table are off the ticks of a rate, from the first sample to the last.
///
///     interval      1.0   1.1   1.8   0.5   0.8     periods
///     lateness      0.0   0.1   0.9   0.4   0.2     against the ticks that begin with the first sample
///     delay         0.0   0.0   0.8   0.3   0.1     what a host held up: it and the next samples catch up
///     level         0.0   0.1   0.1   0.1   0.1     the rest, which is jitter and the clock's
///
/// The level may leave the ticks slowly. Where it does so by more than a twentieth of the ticks that go by, wherever in the
/// table that begins, samples come at another rate.
struct ImportDrift {
  private let rate: SampleRate
  /// Periods by which the level may be off without a reason: one of jitter, half of it to both sides, one more, and
  /// those by which times are rounded or late.
  private let allowance: Double
  /// The greatest level beyond the allowance, early or late, and where it is; `nil` when there is none.
  private(set) var departure: (periods: Double, line: Int)?
  private var before: (time: Int64, tick: UInt64)?
  private var delay = 0.0
  private var level = 0.0
  /// Whether no sample was in time yet: the first ones of all may have been late from the beginning.
  private var isBeginning = true
  /// The samples from which a part that is too slow, or too fast, would begin.
  private var slow = Sample(level: 0, tick: 0, line: 0)
  private var fast = Sample(level: 0, tick: 0, line: 0)

  private struct Sample {
    let level: Double
    let tick: UInt64
    let line: Int

    /// The level against that of samples that come a twentieth too slowly, and too fast.
    var overSlow: Double { level - Double(tick) / 20 }
    var overFast: Double { level + Double(tick) / 20 }
  }

  /// - Parameter slack: That of the grid on which the samples were placed.
  init(against rate: SampleRate, slack: Double) {
    self.rate = rate
    allowance = 2 + slack
  }

  /// Takes the next sample, with the tick that it has on its grid.
  ///
  /// - Returns: The part of the table that ends with this sample, by its first line, and the rate at which its samples come,
  ///   where that is off by more than a twentieth.
  mutating func add(_ time: Int64, tick: UInt64, line: Int) -> (since: Int, hertz: Double)? {
    if let before {
      let periods = time.nanoseconds(since: before.time) / rate.period
      follow(periods - Double(tick - before.tick))
    }
    let here = Sample(level: level, tick: tick, line: line)
    if before == nil { (slow, fast) = (here, here) }
    before = (time, tick)
    if abs(level) > departure?.periods ?? allowance { departure = (abs(level), line) }
    if here.overSlow < slow.overSlow { slow = here }
    if here.overFast > fast.overFast { fast = here }
    if here.overSlow - slow.overSlow > allowance { return part(from: slow, to: here) }
    if fast.overFast - here.overFast > allowance { return part(from: fast, to: here) }
    return nil
  }

  /// Shares the change of a sample's lateness, in periods, between delay and level.
  private mutating func follow(_ change: Double) {
    if change > -0.5 { isBeginning = false }
    let isDelay = change > 0.5 || isBeginning
    let delayed = isDelay ? change : max(-delay, min(change, 0))
    delay = max(0, delay + delayed)
    level += change - delayed
  }

  private func part(from first: Sample, to last: Sample) -> (since: Int, hertz: Double) {
    let ticks = Double(last.tick - first.tick)
    // Of samples at one time it is 0, but for rounding, which must not make it less.
    let periods = max(0, ticks + last.level - first.level)
    return (first.line, rate.hertz * ticks / periods)
  }
}
