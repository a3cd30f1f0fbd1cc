// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Finds the phase of a rate's ticks among the times of a table: half a period from the phase at which there are no samples.
///
///     time in a period    0 ····▁▃▆▇▆▃▁················ 1     all samples of the table, folded into one period
///     seam                                  ↑
///
/// Samples at one rate leave such a place free if they jitter by less than half a period, rounding included; missing
/// samples do not matter. If their clock drifts by a period against the rate they do not, unless an ``ImportClock``
/// follows it.
struct ImportSeam {
  private static let bins = 4096

  private let period: Double
  private var clock: ImportClock
  private var isTaken = [Bool](repeating: false, count: bins)
  private var last = 0.0
  private var count: UInt64 = 0
  private var shortest = Double.infinity
  /// Intervals of the current stretch, and whether the median of every stretch was about a whole number of periods.
  private var intervals: [Double] = []
  private var areSteady = true
  /// The sum of the samples' phases as vectors, and the sum of how alike the phases of neighbours are, 1 if equal.
  private var sum = (x: 0.0, y: 0.0)
  private var likeness = 0.0

  /// - Parameter clock: The clock as it was at the first sample.
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

  /// Whether the phases of all samples are about as alike as those of neighbours.
  ///
  /// If not, some samples have another phase, as after a restart, and a seam between two phases says nothing about ticks.
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

  /// Periods from a tick of the clock to the middle of the widest range of phases without samples, and whether a tick may
  /// be lost between samples that are little more than a period apart. `nil` when there are samples at all phases.
  ///
  /// Among N random phases the widest free range is about ln N / N; times whose unit divides the period leave one unit
  /// free. If the range is wider than that, ticks may be lost between crowded samples, provided that other intervals show
  /// jitter.
  ///
  /// - Parameter unit: The unit of the times if the period is a guess. Then the free range must be wider, and the period must
  ///   be that of the samples everywhere: samples every 14 ms would lose many ticks of a grid of 10 ms.
  mutating func seam(unit: Int64?) -> (phase: Double, mayCrowd: Bool)? {
    if intervals.count >= 16 { endStretch() }
    var (widest, end, run) = (0, 0, 0)
    // Twice around, because the widest range may cross the beginning.
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
      // A single phase is a grid, whatever the unit.
      let byUnit = phases > 1 ? min(Double(unit) / period, 1 / phases) : 0
      // A period of less than two units has an alias above.
      guard period >= 2 * Double(unit), areSteady, haveOnePhase, isWide, width > 1.2 * byUnit
      else { return nil }
    }
    return (middle - middle.rounded(.down), isWide && shortest < 0.7)
  }
}

/// Refines a period that is known to a few percent, by the phase of the samples in it.
///
///     window        0         1         2
///     phase        ▁▆▁       ▁▁▆▁      ▁▁▁▆▁         the phase advances each window: the period is longer
///
/// Missing samples and jitter do not affect it.
struct ImportPhase {
  private let period: Double
  /// Periods in a window.
  private let window: Double
  private var first: Int64?
  /// Sums of the samples' phases as vectors: of the latest window with a sample, and of all windows against the one before.
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

  /// Ends after the last sample and returns the period in nanoseconds.
  mutating func end() -> Double {
    compare()
    let turns = atan2(advance.y, advance.x) / (2 * .pi)
    return period / (1 - turns / window)
  }
}

/// The clock of the samples, reconstructed from their times: it gives the position of each sample among its ticks.
///
///     time          0.0   1.1   2.0   2.8   4.4    of samples, in periods
///     off                 0.1   0.0  -0.2   0.3    the distance from the nearest expected tick
///     phase, period       ↑     ·     ↓     ↑      moves the next expected ticks by a part of it
///
/// This is a phase-locked loop: jitter averages out, a slowly changing rate is followed, and lost samples do no harm.
/// Without a gain it is a clock of constant period.
struct ImportClock {
  /// From the slowest, which jitter disturbs least, to the fastest, which follows the greatest drift.
  static let gains = [0.02, 0.05, 0.12]

  /// Nanoseconds, above 0, at the sample that was placed last.
  private(set) var period: Double
  /// The part of a sample's distance by which the phase is corrected; 0 for an exact clock.
  private let gain: Double
  /// The sample placed last, its nearest tick, and its remaining distance from that in periods.
  private var time: Int64
  private var tick = 0.0
  private var off = 0.0

  /// A clock with a tick at the time of the first sample.
  init(period: Double, from first: Int64, gain: Double = 0) {
    (self.period, time, self.gain) = (period, first, gain)
  }

  /// A clock that follows the rate, as it was at the first of these times, the beginning of a table.
  init(following times: [Int64], period: Double, gain: Double) {
    self.init(period: period, from: times.first ?? 0, gain: gain)
    // Forwards and backwards: phase and period are guesses until the clock has run for a while.
    for time in times + times.reversed() { _ = place(time) }
    tick = 0
  }

  var isExact: Bool { gain == 0 }

  /// The position of the next sample, in periods of the clock from about the first sample.
  mutating func place(_ next: Int64) -> Double {
    let periods = off + next.nanoseconds(since: time) / period
    let ticks = periods.rounded()
    (time, tick, off) = (next, tick + ticks, periods - ticks)
    let place = tick + off
    // Half the square of the phase's gain: as fast as the period can follow without oscillation.
    period *= 1 + gain * gain / 2 * off * max(-1, min(ticks, 1))
    off -= gain * off
    return place
  }
}

extension Int64 {
  /// The difference from another time; exact to the nanosecond up to 292 years.
  func nanoseconds(since other: Int64) -> Double {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? Double(self) - Double(other) : Double(difference)
  }
}
