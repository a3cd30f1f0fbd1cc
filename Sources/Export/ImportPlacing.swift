import IMUModel

/// The rows of a table with the ticks that they have on a grid, read a window ahead.
struct ImportPlacing<Source: ImportSource & ~Copyable>: ~Copyable {
  /// What was placed.
  struct Account: Equatable {
    var samples: UInt64 = 0
    /// Ticks without a sample, and runs of them.
    var lost: UInt64 = 0
    var holes: UInt64 = 0
    /// Samples that were late by more than half a period, and the line of the first one.
    var delays: UInt64 = 0
    var firstDelay = 0
  }

  private(set) var account = Account()
  private var table: ImportTable<Source>
  private var grid = ImportGrid(period: 1, .close)
  /// The rows that were read and not placed, from `head` on, with their times apart.
  private var rows: [(sample: RawSample, line: Int)] = []
  private var times: [Int64] = []
  private var head = 0
  private var isAtEnd = false

  var name: String { table.name }
  /// The tick of the row given last.
  var tick: UInt64 { grid.tick }

  init(_ table: consuming ImportTable<Source>) {
    self.table = table
  }

  /// Begins at the first row, on another grid.
  mutating func restart(on grid: ImportGrid) throws(ImportError) {
    try table.rewind()
    self.grid = grid
    rows.removeAll(keepingCapacity: true)
    times.removeAll(keepingCapacity: true)
    (head, isAtEnd, account) = (0, false, Account())
  }

  /// The grid of a clock, as it was at the first sample, on whose ticks all samples lie; `nil` when there is none.
  ///
  /// - Parameter unit: That of the times where the rate is a guess, so that chance must not make such a grid.
  mutating func exactGrid(_ clock: ImportClock, unit: Int64?) throws(ImportError) -> ImportGrid? {
    try table.rewind()
    var seam = ImportSeam(clock)
    while let row = try table.next() { seam.add(row.time) }
    guard let found = seam.seam(unit: unit) else { return nil }
    return ImportGrid(clock, seam: found)
  }

  /// The period of samples of which so many ticks were found, more precisely.
  mutating func refined(_ period: Double, ticks: UInt64) throws(ImportError) -> Double {
    var (period, window) = (period, 4.0)
    while window <= max(4, Double(ticks) / 4) {
      try table.rewind()
      var phase = ImportPhase(period: period, window: window)
      while let row = try table.next() { phase.add(row.time) }
      period = phase.end()
      window *= 8
    }
    return period
  }

  /// The next row, and how many ticks before it have none; `nil` after the last one.
  ///
  /// - Throws: ``ImportError/line(name:line:problem:)`` with ``ImportLineProblem/sharesTick(hertz:)`` where the grid
  ///   does not fit.
  mutating func next() throws(ImportError) -> (time: Int64, sample: RawSample, lost: UInt64)? {
    try readAhead()
    guard head < times.count else { return nil }
    let (time, (sample, line)) = (times[head], rows[head])
    guard let lost = grid.place(times[head...].prefix(grid.look.window)) else {
      let hertz = Plain.hertz(1e9 / grid.period)
      throw .line(name: name, line: line, problem: .sharesTick(hertz: hertz))
    }
    guard grid.tick < ImportPlacing.tickLimit else {
      throw .line(name: name, line: line, problem: .holeTooLong)
    }
    head += 1
    account.samples += 1
    account.lost += lost
    if lost > 0 { account.holes += 1 }
    if grid.delays > account.delays {
      if account.delays == 0 { account.firstDelay = line }
      account.delays = grid.delays
    }
    return (time, sample, lost)
  }

  /// Places all that is left, which must be so many samples.
  ///
  /// - Throws: what ``next()`` throws, or ``ImportLineProblem/late(hertz:)`` where a quarter of all samples are late.
  mutating func placeAll(_ count: UInt64) throws(ImportError) {
    while try next() != nil {}
    guard account.samples == count else { throw ImportError.changed(name: name) }
    guard grid.look.slack < 1, account.samples > 8, account.delays > account.samples / 4
    else { return }
    let hertz = Plain.hertz(1e9 / grid.period)
    throw .line(name: name, line: account.firstDelay, problem: .late(hertz: hertz))
  }

  /// Refuses a table of which a part comes at another rate: see ``ImportDrift``.
  ///
  /// - Parameter areRounded: Whether the rate is a guess at which rounded times allow two.
  /// - Returns: Where the samples are farthest off the ticks of the rate; `nil` where that may be jitter and rounding.
  mutating func checkDrift(_ grid: ImportGrid, _ rate: SampleRate, areRounded: Bool)
    throws(ImportError) -> (periods: Double, line: Int)?
  {
    guard grid.look.slack.isFinite else { return nil }
    // Samples on an exact grid leave the rate's ticks as that does.
    if grid.look.isExact, grid.clock.isExact, abs(grid.period / rate.period - 1) * Double(tick) < 1
    {
      return nil
    }
    try restart(on: grid)
    var drift = ImportDrift(against: rate, slack: grid.look.slack)
    while let (time, _, _) = try next() {
      let line = rows[head - 1].line
      guard let part = drift.add(time, tick: tick, line: line) else { continue }
      let problem = ImportLineProblem.drifts(
        hertz: Plain.hertz(rate.hertz), since: part.since, found: Plain.hertz(part.hertz),
        areRounded: areRounded)
      throw .line(name: name, line: line, problem: problem)
    }
    return drift.departure
  }

  /// Counts of an end are below 2⁶⁰.
  private static var tickLimit: UInt64 { 1 << 58 }

  private mutating func readAhead() throws(ImportError) {
    if head >= 1024 {
      rows.removeFirst(head)
      times.removeFirst(head)
      head = 0
    }
    while !isAtEnd, times.count - head < grid.look.window {
      guard let row = try table.next() else {
        isAtEnd = true
        return
      }
      rows.append((row.sample, table.line))
      times.append(row.time)
    }
  }
}
