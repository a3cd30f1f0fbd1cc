// SPDX-License-Identifier: Apache-2.0

/// Assigns ticks to the samples of a table and finds the ticks without a sample.
///
///     time     0    10    20   ⋯   80   90      at 100 Hz
///     tick     0     1     2        8    9      3 to 7 are lost
///
/// Each sample has the tick after that of the previous sample, so a clock that drifts against the grid moves the grid
/// and leaves no hole. Only an interval of more than one and a half periods may contain a hole:
///
/// - If no interval near it is much shorter than a period, its length gives the number of lost ticks.
/// - Otherwise samples may jitter, or have been delayed and arrive in a burst. Then the earliest samples after it are
///   compared with the earliest before it: delayed samples catch up with the grid, lost ones do not. A few samples prove
///   a loss only if they are later than jitter could make them.
///
/// A sample may be late, but not early: if the earliest samples after a short interval are a period earlier than those
/// before it, and stay so, two samples lie on one tick.
///
/// An exact grid is simpler: all samples lie within half a period of the ticks of an ``ImportClock``, and every tick between
/// two samples is lost. ``ImportSeam`` finds the phase of the ticks.
struct ImportGrid {
  /// How many samples are compared, and when one counts as lost or as surplus.
  struct Look {
    /// Samples to compare after and before an interval.
    let window: Int
    /// Periods, above a half, by which the earliest samples after a hole must be later than those before it.
    let slack: Double
    /// Whether all samples must lie on the ticks of one grid.
    var isExact = false
    /// Periods by which they must be earlier if there is a surplus sample.
    var surplus: Double { 0.75 + slack }
  }

  /// Nanoseconds, above 0.
  let period: Double
  let look: Look

  /// The sample before the one that is placed.
  private var time: Int64 = 0
  private(set) var tick: UInt64 = 0
  /// Times and ticks of the latest samples since the last hole.
  private var past: [(time: Int64, tick: UInt64)] = []
  private var oldest = 0
  /// The level after the last hole, relative to the first sample after it, which may have been late itself.
  private var floor: (time: Int64, tick: UInt64, level: Double) = (0, 0, 0)
  private var sinceHole = 0
  /// The rows that were placed, and those whose times were seen.
  private var (row, seen) = (0, 0)
  /// The first row's time, and how many periods the last placed row is later than its number after that: its lateness.
  private var (base, lastLateness): (Int64, Double) = (0, 0)
  /// The least lateness of the rows that are seen and not placed, and of those placed since the last hole.
  private var (ahead, behind) = (LeastInWindow(), LeastInWindow())
  /// For how many rows these are still kept: only near unusual intervals, which most tables do not have.
  private var watched = 0
  /// Long intervals without a loss: the sample after each was late.
  private(set) var delays: UInt64 = 0
  /// Of an exact grid: the clock, and its tick for the first sample.
  private(set) var clock: ImportClock
  private var origin = 0.0
  /// Of an exact grid: periods from a tick of the clock to the next seam, and whether a tick may be lost in little more than
  /// a period.
  private let seam: (phase: Double, mayCrowd: Bool)
  /// The ticks of the next samples, if the file states them.
  private(set) var stated: StatedTicks?

  /// A grid whose tick 0 is the first sample.
  init(period: Double, _ look: Look) {
    self.period = period
    self.look = look
    seam = (0.5, false)
    clock = ImportClock(period: period, from: 0)
  }

  /// A grid on which samples have the ticks that the file states.
  init(period: Double, stated: StatedTicks) {
    self.init(period: period, .close)
    self.stated = stated
  }

  /// An exact grid with the seam that ``ImportSeam`` found.
  init(_ clock: ImportClock, seam: (phase: Double, mayCrowd: Bool)) {
    period = clock.period
    self.clock = clock
    self.seam = seam
    look = .exact
  }

  /// Places the sample at `times[0]` and returns the number of lost ticks before it; `nil` when it and the previous sample
  /// lie on one tick.
  ///
  /// - Parameter times: The times of the sample and of the next `look.window - 1` samples, or of all that follow.
  /// - Complexity: constant, on average over the samples of a packet, too; O(window) next to a hole or a burst.
  mutating func place(_ times: some RandomAccessCollection<Int64>) -> UInt64? {
    guard let next = times.first else { return 0 }
    if stated != nil { return placeAsStated(next) }
    if look.isExact, sinceHole > 0 { return placeExactly(next) }
    if row == 0 { base = next }
    let late = lateness(of: next, row)
    defer { (row, lastLateness) = (row + 1, late) }
    let periods = next.nanoseconds(since: time) / period
    let isUsual = sinceHole > 0 && periods >= 0.75 && periods <= 1.5 + look.slack
    watch(times, isUsual)
    guard sinceHole > 0 else {
      begin(at: next, tick: 0, late)
      if look.isExact { origin = clockTick(next) }
      return 0
    }
    var lost = 0.0
    if periods > 1.5 + look.slack {
      let isAmongRegular = isRegular(times) && isPastRegular
      lost = isAmongRegular ? periods.rounded() - 1 : proven(times, within: periods)
      if lost == 0 { delays += 1 }
    } else if periods < 0.75, past.count + times.count > 2 {
      var before = behind.least - lastLateness
      // The first sample after the hole may have been late too, unless it came on time.
      if sinceHole < look.window, past.count > 1 ? !isPastRegular : !isRegular(times) {
        before = min(before, lateness(floor.time, floor.tick) + floor.level)
      }
      if ahead.least - lastLateness - before < -look.surplus { return nil }
    }
    // Larger sums of ticks do not fit into a log.
    let count = UInt64(min(lost, 0x1p58))
    if count > 0 {
      begin(at: next, tick: tick &+ 1 &+ count, late)
    } else {
      remember(next, tick: tick + 1)
      if watched > 0 {
        behind.add(late, row)
        behind.drop(upTo: row - look.window)
      }
    }
    return count
  }

  /// Adds the rows that come into view to ``ahead``, if an interval of the window before is unusual.
  private mutating func watch(_ times: some RandomAccessCollection<Int64>, _ isUsual: Bool) {
    if isUsual {
      guard watched > 0 else { return }
      watched -= 1
    } else {
      if watched == 0 { lookBack() }
      watched = look.window
    }
    for time in times.dropFirst(seen - row) {
      ahead.add(lateness(of: time, seen), seen)
      seen += 1
    }
    ahead.drop(upTo: row - 1)
  }

  /// Begins to keep the least of the rows around the next one.
  private mutating func lookBack() {
    (ahead, behind, seen) = (LeastInWindow(), LeastInWindow(), row)
    for index in past.indices {
      let row = row - past.count + index
      behind.add(lateness(of: past[(oldest + index) % past.count].time, row), row)
    }
  }

  private func lateness(of time: Int64, _ row: Int) -> Double {
    time.nanoseconds(since: base) / period - Double(row)
  }

  private mutating func placeAsStated(_ time: Int64) -> UInt64? {
    guard let (place, lost) = stated?.take(), let origin = stated?.origin else { return nil }
    let isFirst = sinceHole == 0
    remember(time, tick: place - origin)
    return isFirst ? 0 : lost
  }

  /// Places a sample on the tick between whose seams it lies; `nil` when the exact grid does not fit.
  private mutating func placeExactly(_ time: Int64) -> UInt64? {
    let next = clockTick(time) - origin
    // From 2⁵⁰ on, such numbers are too coarse for ticks.
    guard next > Double(tick), next < 0x1p50 else { return nil }
    let lost = UInt64(next) - tick - 1
    // Without jitter, little more than a period contains no hole: the clock drifts against the rate.
    guard lost == 0 || seam.mayCrowd || time.nanoseconds(since: self.time) > 1.3 * period else {
      return nil
    }
    remember(time, tick: UInt64(next))
    return lost
  }

  /// The tick of the clock between whose seams a sample lies.
  private mutating func clockTick(_ time: Int64) -> Double {
    (clock.place(time) - seam.phase).rounded(.down) + 1
  }

  /// The number of lost ticks before the first of the times, by the earliest of the samples around it.
  private func proven(_ times: some Collection<Int64>, within periods: Double) -> Double {
    let after = ahead.least - lastLateness
    let rise = after - pastLevel(of: Look.close.window)
    guard rise > 0.5 + look.slack else { return 0 }
    if rise <= 1.5 + look.slack {
      var (tick, witnesses) = (0.0, 0)
      for next in times {
        tick += 1
        if next.nanoseconds(since: time) / period - tick < after + 0.5 { witnesses += 1 }
      }
      guard witnesses >= 6 else { return 0 }
    }
    return min(rise.rounded(), periods.rounded(.down))
  }

  /// The least lateness, in periods, of this many previous samples, relative to the last one.
  private func pastLevel(of samples: Int) -> Double {
    var least = Double.infinity
    for index in past.indices.suffix(samples) {
      let sample = past[(oldest + index) % past.count]
      least = min(least, lateness(sample.time, sample.tick))
    }
    return least
  }

  private func lateness(_ earlier: Int64, _ earlierTick: UInt64) -> Double {
    Double(tick - earlierTick) - time.nanoseconds(since: earlier) / period
  }

  /// Whether all intervals after the sample are about a period long, or contain a hole.
  private func isRegular(_ times: some Collection<Int64>) -> Bool {
    var before: Int64?
    for time in times {
      if let before, !isRegular(before, time) { return false }
      before = time
    }
    return true
  }

  /// Whether all intervals since the last hole are about a period long.
  private var isPastRegular: Bool {
    for index in past.indices.dropLast() {
      let earlier = past[(oldest + index) % past.count].time
      let later = past[(oldest + index + 1) % past.count].time
      if !isRegular(earlier, later) { return false }
    }
    return true
  }

  private func isRegular(_ earlier: Int64, _ later: Int64) -> Bool {
    let periods = later.nanoseconds(since: earlier) / period
    return periods >= 0.75 && (periods <= 1.25 || periods >= 1.75)
  }

  /// - Parameter late: The lateness of the row.
  private mutating func begin(at time: Int64, tick: UInt64, _ late: Double) {
    past.removeAll(keepingCapacity: true)
    (oldest, sinceHole) = (0, 0)
    floor = (time, tick, ahead.least - late)
    remember(time, tick: tick)
    behind = LeastInWindow()
    behind.add(late, row)
  }

  private mutating func remember(_ time: Int64, tick: UInt64) {
    (self.time, self.tick) = (time, tick)
    sinceHole += 1
    if past.count < look.window {
      past.append((time, tick))
    } else {
      past[oldest] = (time, tick)
      oldest = (oldest + 1) % past.count
    }
  }
}

/// The least of the values in a window that moves over rows: a value after which a smaller one comes is never the least.
///
///     values    3  1  4  2  5
///     kept         1     2  5      1 is the least until the window leaves it, then 2
private struct LeastInWindow {
  private var kept: [(row: Int, value: Double)] = []
  private var head = 0

  /// Infinite without a value.
  var least: Double { head < kept.count ? kept[head].value : .infinity }

  /// Adds the value of a row after all those before.
  mutating func add(_ value: Double, _ row: Int) {
    while kept.count > head, let last = kept.last, last.value >= value { kept.removeLast() }
    kept.append((row, value))
  }

  /// Drops the values of rows up to this one.
  mutating func drop(upTo row: Int) {
    while head < kept.count, kept[head].row <= row { head += 1 }
    guard head >= 64, 2 * head >= kept.count else { return }
    kept.removeFirst(head)
    head = 0
  }
}

extension ImportGrid.Look {
  /// For samples that lie, nearly all of them, within half a period of their ticks.
  static let close = ImportGrid.Look(window: 24, slack: 0)
  /// For such samples of which a host delivered some late, in bursts.
  static let long = ImportGrid.Look(window: 256, slack: 0)
  /// For samples that were all delivered in bursts: only a hole longer than a burst stands out.
  static let wide = ImportGrid.Look(window: 128, slack: 15.5)

  /// For samples that all lie on the ticks of one grid.
  static let exact = ImportGrid.Look(window: 1, slack: 0, isExact: true)

  /// For times that stand still: all samples are consecutive.
  static let blind = ImportGrid.Look(window: 1, slack: .infinity)

  /// For times that are rounded to this many periods.
  static func coarse(_ periods: Double) -> ImportGrid.Look {
    ImportGrid.Look(window: 24, slack: periods)
  }

  /// For samples that come in packets of so many, each with one time: a hole is a packet or more.
  static func packets(of samples: Double) -> ImportGrid.Look {
    let samples = max(2, min(samples, 1024)).rounded(.up)
    return ImportGrid.Look(window: max(24, 8 * Int(samples)), slack: samples - 1)
  }
}
