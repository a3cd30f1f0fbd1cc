// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Places the rows of a table on the ticks of a grid; it reads a window ahead.
struct ImportPlacing<Source: ImportSource & ~Copyable>: ~Copyable {
  /// The rows that were placed.
  struct Account: Equatable {
    var samples: UInt64 = 0
    /// Ticks without a sample, and runs of them.
    var lost: UInt64 = 0
    var holes: UInt64 = 0
    /// Samples that were late by more than half a period, and the line of the first one.
    var delays: UInt64 = 0
    var firstDelay: ImportPlace = 0
  }

  private(set) var account = Account()
  var table: ImportRows<Source>
  private var grid = ImportGrid(period: 1, .close)
  /// The rows that were read but not placed, from `head` on, and their times.
  private var rows: [(sample: RawSample, place: ImportPlace)] = []
  private var times: [Int64] = []
  private var head = 0
  private var isAtEnd = false
  private var hasSamples = true

  var name: String { table.name }
  /// The tick of the row returned last.
  var tick: UInt64 { grid.tick }

  /// Whether the gaps that the file states after its last sample follow it.
  var areStatedTicksComplete: Bool { grid.stated?.isComplete ?? false }

  init(_ table: consuming ImportRows<Source>) {
    self.table = table
  }

  /// Restarts at the first row, on another grid.
  ///
  /// - Parameter hasSamples: Whether rows are needed with their values, not only for their times.
  mutating func restart(on grid: ImportGrid, hasSamples: Bool) throws(ImportError) {
    try table.rewind()
    self.hasSamples = hasSamples
    self.grid = grid
    rows.removeAll(keepingCapacity: true)
    times.removeAll(keepingCapacity: true)
    (head, isAtEnd, account) = (0, false, Account())
  }

  /// An exact grid for all samples, from a clock as it was at the first sample; `nil` when there is none.
  ///
  /// - Parameter unit: The unit of the times if the rate is a guess: the grid must not be a coincidence.
  mutating func exactGrid(_ clock: ImportClock, unit: Int64?) throws(ImportError) -> ImportGrid? {
    try table.rewind()
    var seam = ImportSeam(clock)
    while let time = try table.nextTime() { seam.add(time) }
    guard let found = seam.seam(unit: unit) else { return nil }
    return ImportGrid(clock, seam: found)
  }

  /// Refines the period of samples that span this many ticks.
  mutating func refined(_ period: Double, ticks: UInt64) throws(ImportError) -> Double {
    var (period, window) = (period, 4.0)
    while window <= max(4, Double(ticks) / 4) {
      try table.rewind()
      var phase = ImportPhase(period: period, window: window)
      while let time = try table.nextTime() { phase.add(time) }
      period = phase.end()
      window *= 8
    }
    return period
  }

  /// The next row, and the number of ticks without a row before it; `nil` after the last row.
  ///
  /// - Throws: ``ImportError/line(name:line:problem:)`` with ``ImportLineProblem/sharesTick(hertz:)`` if the grid does not fit.
  mutating func next() throws(ImportError) -> (time: Int64, sample: RawSample, lost: UInt64)? {
    try readAhead()
    guard head < times.count else { return nil }
    let (time, (sample, place)) = (times[head], rows[head])
    guard let lost = grid.place(times[head...].prefix(grid.look.window)) else {
      let hertz = Plain.hertz(1e9 / grid.period)
      throw .line(name: name, line: place, problem: .sharesTick(hertz: hertz))
    }
    guard grid.tick < ImportPlacing.tickLimit, RecordingTime.contains(time) else {
      throw .line(name: name, line: place, problem: .holeTooLong)
    }
    head += 1
    account.samples += 1
    account.lost += lost
    if lost > 0 { account.holes += 1 }
    if grid.delays > account.delays {
      if account.delays == 0 { account.firstDelay = place }
      account.delays = grid.delays
    }
    return (time, sample, lost)
  }

  /// Places all remaining rows and checks the number of samples.
  ///
  /// - Throws: What ``next()`` throws, or ``ImportLineProblem/late(hertz:)`` if a quarter of all samples are late.
  mutating func placeAll(_ count: UInt64) throws(ImportError) {
    while try next() != nil {}
    guard account.samples == count else { throw ImportError.changed(name: name) }
    guard grid.look.slack < 1, account.samples > 8, account.delays > account.samples / 4
    else { return }
    let hertz = Plain.hertz(1e9 / grid.period)
    throw .line(name: name, line: account.firstDelay, problem: .late(hertz: hertz))
  }

  /// Refuses a table with a part at another rate: see ``ImportDrift``.
  ///
  /// - Parameter areRounded: Whether the rate is a guess because the times are rounded to about a period.
  /// - Returns: The largest distance of the samples from the ticks of the rate; `nil` if it may be jitter and rounding.
  mutating func checkDrift(_ grid: ImportGrid, _ rate: SampleRate, areRounded: Bool)
    throws(ImportError) -> (periods: Double, line: ImportPlace)?
  {
    guard grid.look.slack.isFinite else { return nil }
    // Samples on an exact grid stay near the rate's ticks if the grid does.
    if grid.look.isExact, grid.clock.isExact, abs(grid.period / rate.period - 1) * Double(tick) < 1
    {
      return nil
    }
    try restart(on: grid, hasSamples: false)
    var drift = ImportDrift(against: rate, slack: grid.look.slack)
    while let (time, _, _) = try next() {
      let line = rows[head - 1].place
      guard let part = drift.add(time, tick: tick, line: line) else { continue }
      let problem = ImportLineProblem.drifts(
        hertz: Plain.hertz(rate.hertz), since: part.since, found: Plain.hertz(part.hertz),
        areRounded: areRounded)
      throw .line(name: name, line: line, problem: problem)
    }
    return drift.departure
  }

  /// The counts in a log's end are below 2⁶⁰.
  private static var tickLimit: UInt64 { 1 << 58 }

  private mutating func readAhead() throws(ImportError) {
    if head >= max(1024, grid.look.window) {
      rows.removeFirst(head)
      times.removeFirst(head)
      head = 0
    }
    while !isAtEnd, times.count - head < grid.look.window {
      let row =
        hasSamples
        ? try table.next() : try table.nextTime().map { (time: $0, sample: RawSample()) }
      guard let row else {
        isAtEnd = true
        return
      }
      rows.append((row.sample, table.place))
      times.append(row.time)
    }
  }
}

/// Tracks the distance of a table's samples from the ticks of a rate, from the first sample to the last.
///
///     interval      1.0   1.1   1.8   0.5   0.8     periods
///     lateness      0.0   0.1   0.9   0.4   0.2     against the ticks that begin with the first sample
///     delay         0.0   0.0   0.8   0.3   0.1     delayed by the host: it and the next samples catch up
///     level         0.0   0.1   0.1   0.1   0.1     the rest: jitter and the clock's drift
///
/// The level may drift slowly. If anywhere in the table it drifts by more than a twentieth of the ticks that pass, the
/// samples come at another rate.
struct ImportDrift {
  private let rate: SampleRate
  /// Periods by which the level may be off without a reason: one for jitter, half of it to each side, one more, and those
  /// by which times are rounded or late.
  private let allowance: Double
  /// The greatest level beyond the allowance, early or late, and where it is; `nil` when there is none.
  private(set) var departure: (periods: Double, line: ImportPlace)?
  private var before: (time: Int64, tick: UInt64)?
  private var delay = 0.0
  private var level = 0.0
  /// Whether no sample has been on time yet: the first samples may all be late.
  private var isBeginning = true
  /// The samples at which a part that is too slow, or too fast, would begin.
  private var slow = Sample(level: 0, tick: 0, line: 0)
  private var fast = Sample(level: 0, tick: 0, line: 0)

  private struct Sample {
    let level: Double
    let tick: UInt64
    let line: ImportPlace

    /// The level against that of samples that come a twentieth too slowly, and too fast.
    var overSlow: Double { level - Double(tick) / 20 }
    var overFast: Double { level + Double(tick) / 20 }
  }

  /// - Parameter slack: The slack of the grid on which the samples were placed.
  init(against rate: SampleRate, slack: Double) {
    self.rate = rate
    allowance = 2 + slack
  }

  /// Adds the next sample, with its tick on the grid.
  ///
  /// - Returns: The first line and the rate of the part of the table that ends with this sample, if its rate is off by more
  ///   than a twentieth.
  mutating func add(_ time: Int64, tick: UInt64, line: ImportPlace) -> (
    since: ImportPlace, hertz: Double
  )? {
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

  /// Divides the change of a sample's lateness, in periods, between delay and level.
  private mutating func follow(_ change: Double) {
    if change > -0.5 { isBeginning = false }
    let isDelay = change > 0.5 || isBeginning
    let delayed = isDelay ? change : max(-delay, min(change, 0))
    delay = max(0, delay + delayed)
    level += change - delayed
  }

  private func part(from first: Sample, to last: Sample) -> (
    since: ImportPlace, hertz: Double
  ) {
    let ticks = Double(last.tick - first.tick)
    // It is 0 for samples at one time, and rounding must not make it negative.
    let periods = max(0, ticks + last.level - first.level)
    return (first.line, rate.hertz * ticks / periods)
  }
}
