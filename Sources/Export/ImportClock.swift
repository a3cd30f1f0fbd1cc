/// The clock by which samples were taken, as far as their times show it: it says where a sample lies among its ticks.
///
///     time          0.0   1.1   2.0   2.8   4.4    of samples, in periods
///     off                 0.1   0.0  -0.2   0.3    each is so far off the nearest tick that was expected
///     phase, period       ↑     ·     ↓     ↑      and moves those that are expected next by a little of that
///
/// Jitter goes to both sides and moves nothing far; a rate that changes slowly takes the ticks with it, and what is lost among
/// the samples does no harm. This is a phase-locked loop. Without a gain it is a clock of exactly one period.
struct ImportClock {
  /// From the slowest, which jitter disturbs least, to the fastest, which follows the greatest drift.
  static let gains = [0.02, 0.05, 0.12]

  /// Nanoseconds, above 0, at the sample that was placed last.
  private(set) var period: Double
  /// How much of what a sample is off the phase follows; 0 of an exact clock.
  private let gain: Double
  /// The sample placed last, its nearest tick, and how many periods it is off that, of which the phase has followed a part.
  private var time: Int64
  private var tick = 0.0
  private var off = 0.0

  /// A clock one of whose ticks is at the time of the first sample.
  init(period: Double, from first: Int64, gain: Double = 0) {
    (self.period, time, self.gain) = (period, first, gain)
  }

  /// A clock that follows the rate, as it was at the first of the times, which are the beginning of a table.
  init(following times: [Int64], period: Double, gain: Double) {
    self.init(period: period, from: times.first ?? 0, gain: gain)
    // There and back: phase and period are guesses until the clock has run for a while.
    for time in times + times.reversed() { _ = place(time) }
    tick = 0
  }

  var isExact: Bool { gain == 0 }

  /// Where the next sample is, in periods of the clock from about the first one.
  mutating func place(_ next: Int64) -> Double {
    let periods = off + next.nanoseconds(since: time) / period
    let ticks = periods.rounded()
    (time, tick, off) = (next, tick + ticks, periods - ticks)
    let place = tick + off
    // Half the square of the phase's gain: as fast as the period can follow without swinging.
    period *= 1 + gain * gain / 2 * off * max(-1, min(ticks, 1))
    off -= gain * off
    return place
  }
}

extension Int64 {
  /// From an earlier time or to a later one; of more than 292 years not to the nanosecond.
  func nanoseconds(since other: Int64) -> Double {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? Double(self) - Double(other) : Double(difference)
  }
}
