/// Finds out which ticks the samples of a table have, and which ticks have none.
///
///     time     0    10    20   ⋯   80   90      at 100 Hz
///     tick     0     1     2        8    9      3 to 7 are lost
///
/// Each sample has the tick after that of the sample before it, so that a clock that drifts against the grid
/// moves the grid along and leaves no hole. Only an interval of more than one and a half periods may hold one:
///
/// - Where no interval around it is much shorter than a period, it is itself the measure.
/// - Otherwise samples may have been held up and come in quick succession, or jitter. Then the earliest of
///   the samples after it count, against the earliest of those in front of it: what is held up catches up with
///   the grid, what is lost does not. A few samples prove that only if they are later than jitter could make them.
///
/// A sample may be late, but not early: when the earliest samples after a short interval are a period
/// before those in front of it, and stay there, two samples lie on one tick.
///
/// An exact grid is simpler: all samples lie within half a period of the ticks of an ``ImportClock``, which are a period apart
/// from first to last or follow a rate that changes, and every tick between two samples is lost. Where its ticks are, an
/// ``ImportSeam`` finds.
struct ImportGrid {
  /// How far samples are compared, and when they count as lost or as too many.
  struct Look {
    /// Samples after and in front of an interval.
    let window: Int
    /// Periods by which the earliest samples must be later after a hole than in front of it, above a half.
    let slack: Double
    /// Whether all samples must lie on the ticks of one grid.
    var isExact = false
    /// Periods by which they must be earlier where there is a sample too many.
    var surplus: Double { 0.75 + slack }
  }

  /// Nanoseconds, above 0.
  let period: Double
  let look: Look

  /// The sample before the one that is placed.
  private var time: Int64 = 0
  private(set) var tick: UInt64 = 0
  /// Times and ticks of the samples since the last hole, the latest ones.
  private var past: [(time: Int64, tick: UInt64)] = []
  private var oldest = 0
  /// The level after the last hole, against the sample at which it was found, which may have been late as the next ones.
  private var floor: (time: Int64, tick: UInt64, level: Double) = (0, 0, 0)
  private var sinceHole = 0
  /// Long intervals in which nothing was lost: the sample after them was late.
  private(set) var delays: UInt64 = 0
  /// The clock, and its tick to which the first sample belongs; of an exact grid.
  private(set) var clock: ImportClock
  private var origin = 0.0
  /// Periods from a tick of the clock to the next place between two, and whether a tick may be lost in little more than a
  /// period; of an exact grid.
  private let seam: (phase: Double, mayCrowd: Bool)

  /// A grid whose tick 0 is the sample that comes first.
  init(period: Double, _ look: Look) {
    self.period = period
    self.look = look
    seam = (0.5, false)
    clock = ImportClock(period: period, from: 0)
  }

  /// A grid on whose ticks all samples lie, from which ``ImportSeam`` has found how far they are.
  init(_ clock: ImportClock, seam: (phase: Double, mayCrowd: Bool)) {
    period = clock.period
    self.clock = clock
    self.seam = seam
    look = .exact
  }

  /// Places the sample at `times[0]`, and says how many ticks before it are lost; `nil` when it and the sample before
  /// it lie on one tick.
  ///
  /// - Parameter times: Those of the sample and of the next `look.window - 1` ones, as far as there are so many.
  /// - Complexity: constant, but for strange intervals, where all of the window is looked at.
  mutating func place(_ times: some Collection<Int64>) -> UInt64? {
    guard let next = times.first else { return 0 }
    guard sinceHole > 0 else {
      begin(at: next, tick: 0, level: level(of: times, from: next, tick: -1))
      if look.isExact { origin = clockTick(next) }
      return 0
    }
    if look.isExact { return placeExactly(next) }
    let periods = next.nanoseconds(since: time) / period
    var lost = 0.0
    if periods > 1.5 + look.slack {
      let isAmongRegular = isRegular(times) && isPastRegular
      lost = isAmongRegular ? periods.rounded() - 1 : proven(times, within: periods)
      if lost == 0 { delays += 1 }
    } else if periods < 0.75, past.count + times.count > 2 {
      var before = pastLevel(of: past.count)
      // What came first after the hole may have been late as well, but not if it came in its time.
      if sinceHole < look.window, past.count > 1 ? !isPastRegular : !isRegular(times) {
        before = min(before, lateness(floor.time, floor.tick) + floor.level)
      }
      if level(of: times, from: time, tick: 0) - before < -look.surplus { return nil }
    }
    // Beyond it sums of ticks are no ticks of a log.
    let count = UInt64(min(lost, 0x1p58))
    if count > 0 {
      let level = level(of: times, from: next, tick: -1)
      begin(at: next, tick: tick &+ 1 &+ count, level: level)
    } else {
      remember(next, tick: tick + 1)
    }
    return count
  }

  /// Places a sample on the tick between whose seams it lies; `nil` when no exact grid fits.
  private mutating func placeExactly(_ time: Int64) -> UInt64? {
    let next = clockTick(time) - origin
    // From 2⁵⁰ on the differences of such numbers are no ticks.
    guard next > Double(tick), next < 0x1p50 else { return nil }
    let lost = UInt64(next) - tick - 1
    // A period and a little holds no hole where times do not jitter: the clock drifts against the rate.
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

  /// How many ticks before the first of the times are lost, by the earliest of the samples around.
  private func proven(_ times: some Collection<Int64>, within periods: Double) -> Double {
    let after = level(of: times, from: time, tick: 0)
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

  /// The least lateness, in periods, of samples that come one a tick after a tick at a time.
  private func level(
    of times: some Collection<Int64>, from time: Int64, tick: Double
  ) -> Double {
    var least = Double.infinity
    var tick = tick
    for next in times {
      tick += 1
      least = min(least, next.nanoseconds(since: time) / period - tick)
    }
    return least
  }

  /// The least lateness, in periods, of so many samples before, against the last one of them.
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

  /// Whether all intervals after the sample are about a period long, or hold a hole.
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

  private mutating func begin(at time: Int64, tick: UInt64, level: Double) {
    past.removeAll(keepingCapacity: true)
    (oldest, sinceHole) = (0, 0)
    floor = (time, tick, level)
    remember(time, tick: tick)
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

extension ImportGrid.Look {
  /// For samples that lie within half a period of their ticks, nearly all of them.
  static let close = ImportGrid.Look(window: 24, slack: 0)
  /// For such samples among which a host delivered some late and together.
  static let long = ImportGrid.Look(window: 256, slack: 0)
  /// For samples that were all delivered so: only a hole longer than that stands out.
  static let wide = ImportGrid.Look(window: 128, slack: 15.5)

  /// For samples that all lie on the ticks of a rate that is known.
  static let exact = ImportGrid.Look(window: 1, slack: 0, isExact: true)

  /// For times that stand still and say nothing: all samples are one after the other.
  static let blind = ImportGrid.Look(window: 1, slack: .infinity)

  /// For times that are rounded to so many periods.
  static func coarse(_ periods: Double) -> ImportGrid.Look {
    ImportGrid.Look(window: 24, slack: periods)
  }
}
