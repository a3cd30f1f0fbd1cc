import Glibc

/// Finds where the ticks of a rate lie among the times of a table: half a period from the place where no sample is.
///
///     time in a period    0 ····▁▃▆▇▆▃▁················ 1     all samples of the table, one period over the other
///     seam                                  ↑
///
/// Samples that were taken at one rate have such a place when they jitter by less than half a period, rounding
/// included, whatever is missing among them. Of a clock that drifts by a period against the rate they have none, unless an
/// ``ImportClock`` follows it.
struct ImportSeam {
  private static let bins = 4096

  private let period: Double
  private var clock: ImportClock
  private var isTaken = [Bool](repeating: false, count: bins)
  private var last = 0.0
  private var count: UInt64 = 0
  private var shortest = Double.infinity
  /// Intervals since the last look at them, and whether the middle one of so many always was about a number of periods.
  private var intervals: [Double] = []
  private var areSteady = true
  /// Sums of the samples' phases, as vectors, and of how alike those of neighbours are: 1 where they are the same.
  private var sum = (x: 0.0, y: 0.0)
  private var likeness = 0.0

  /// - Parameter clock: As it was at the first sample.
  init(_ clock: ImportClock) { (self.clock, period) = (clock, clock.period) }

  mutating func add(_ time: Int64) {
    let place = clock.place(time)
    if count > 0 { add(interval: place - last) }
    let angle = 2 * Double.pi * (place - place.rounded(.down))
    sum = (sum.x + cos(angle), sum.y + sin(angle))
    let bin = Int((place - place.rounded(.down)) * Double(ImportSeam.bins))
    isTaken[min(bin, ImportSeam.bins - 1)] = true
    last = place
    count += 1
  }

  private mutating func add(interval: Double) {
    shortest = min(shortest, interval)
    likeness += cos(2 * Double.pi * (interval - interval.rounded()))
    intervals.append(interval)
    guard intervals.count == 64 else { return }
    endStretch()
  }

  /// Whether samples are about as much alike in phase all together as each is like its neighbour.
  ///
  /// Where they are not, some have another phase, as after a new start, and a seam between two phases says nothing of ticks.
  private var haveOnePhase: Bool {
    let count = Double(count)
    let alike = (sum.x * sum.x + sum.y * sum.y) / (count * count)
    return likeness / (count - 1) - alike < 0.1 + 0.5 / count.squareRoot()
  }

  private mutating func endStretch() {
    let middle = intervals.sorted()[intervals.count / 2]
    if abs(middle - middle.rounded()) > 0.3 { areSteady = false }
    intervals.removeAll(keepingCapacity: true)
  }

  /// Periods from a tick of the clock to the middle of the widest place without one, and whether a tick may be lost where the
  /// samples around it are little more than a period apart. `nil` when samples are everywhere.
  ///
  /// Of N phases without a grid the widest place is about ln N / N, and times of which the period is a multiple of their
  /// unit leave one of the unit. In such a place that is wider, ticks may be lost between crowded samples if other
  /// intervals show that the samples jitter.
  ///
  /// - Parameter unit: That of the times where the period is a guess, which must make such a wider place, and be that
  ///   of the samples everywhere: of 14 ms on a grid of 10 ms many would be lost.
  mutating func seam(unit: Int64?) -> (phase: Double, mayCrowd: Bool)? {
    if intervals.count >= 16 { endStretch() }
    var (widest, end, run) = (0, 0, 0)
    // Twice around, because the widest place may lie across the beginning.
    for step in 0..<2 * ImportSeam.bins {
      run = isTaken[step % ImportSeam.bins] ? 0 : min(run + 1, ImportSeam.bins)
      if run > widest { (widest, end) = (run, step + 1) }
    }
    guard widest > 0 else { return nil }
    let bins = Double(ImportSeam.bins)
    let middle = (Double(end) - Double(widest) / 2) / bins
    let width = Double(widest) / bins
    let byChance = (unit == nil ? 3 : 4) * log(Double(count)) / Double(count)
    let isWide = width > max(1.0 / 64, byChance)
    let phases = Double(isTaken.count { $0 })
    if let unit {
      // One phase alone is a grid, whatever the unit.
      let byUnit = phases > 1 ? min(Double(unit) / period, 1 / phases) : 0
      // Whole units of time fit a period below two of them as well as one above.
      guard period >= 2 * Double(unit), areSteady, haveOnePhase, isWide, width > 1.2 * byUnit
      else { return nil }
    }
    return (middle - middle.rounded(.down), isWide && shortest < 0.7)
  }
}

/// Finds the period of samples, of which it is known but for a few percent, by the phase that they have in it.
///
///     window        0         1         2
///     phase        ▁▆▁       ▁▁▆▁      ▁▁▁▆▁         later by so much a window: the period is longer by that
///
/// What is missing among the samples, and what jitters, takes nothing from that.
struct ImportPhase {
  private let period: Double
  /// Periods in a window.
  private let window: Double
  private var first: Int64?
  /// Sums of the samples' phases, as vectors, in the latest window with a sample and in all windows against the one before.
  private var index = 0.0
  private var sum = (x: 0.0, y: 0.0)
  private var before: (x: Double, y: Double)?
  private var advance = (x: 0.0, y: 0.0)

  /// - Parameters:
  ///   - period: Nanoseconds, above 0; known to half a period in a window.
  init(period: Double, window: Double) {
    (self.period, self.window) = (period, window)
  }

  mutating func add(_ time: Int64) {
    let first = self.first ?? time
    self.first = first
    let periods = (Double(time) - Double(first)) / period
    let index = (periods / window).rounded(.down)
    if index != self.index {
      compare()
      before = index == self.index + 1 ? sum : nil
      (self.index, sum) = (index, (0, 0))
    }
    let angle = 2 * Double.pi * (periods - periods.rounded(.down))
    sum = (sum.x + cos(angle), sum.y + sin(angle))
  }

  private mutating func compare() {
    guard let before else { return }
    advance.x += sum.x * before.x + sum.y * before.y
    advance.y += sum.y * before.x - sum.x * before.y
  }

  /// Ends with the last sample; the period in nanoseconds.
  mutating func end() -> Double {
    compare()
    let turns = atan2(advance.y, advance.x) / (2 * .pi)
    return period / (1 - turns / window)
  }
}

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
