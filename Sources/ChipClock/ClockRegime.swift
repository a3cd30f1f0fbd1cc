// SPDX-License-Identifier: Apache-2.0

/// Readings that no clock within the assumptions can have made.
struct ClockContradiction: Error, Equatable {
  /// The slot near which they contradict each other.
  var slot: Int64
}

/// The chip's clock in a regime whose readings agree: an interval for the instant of each slot.
///
///     offset ▲        ┌ latest
///            │ ▒▒▒▒▒▒▒▒▒▒▒▒            The curve of the clock passes each knot within an interval, and
///            │ ●───────●────▒▒▒▒●      leaves the chord between two by no more than its drift allows.
///            │ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
///            └─knot────knot─────knot─► slot
///
/// Nothing is averaged: a late reading is only a weak one, so load and late wake-ups cannot bias the result.
///
/// Readings are added in order, and slots asked for in order. An instant needs the readings of the 43 s after it, and what
/// lies before the last slot is forgotten: the memory does not depend on the length.
///
///     var regime = ClockRegime(grid, assumptions)
///     while regime.instant(of: slot) == nil, let reading = … { try regime.add(reading) }
///     try regime.finish()
struct ClockRegime {
  /// A slot at which the clock's state is known.
  struct Knot {
    var slot: Int64
    var polygon: OffsetPolygon
    /// The extremes of the offset there, in microseconds.
    var offsets: ClosedRange<Double>
    /// The likely state, of a steadier clock.
    var steady: OffsetPolygon.Corner
    /// Its offset, clamped to ``offsets``.
    var likely: Double
    /// Whether the edges and stamps near it contradict the readings, and were left out.
    var leavesAsidesOut: Bool
  }

  let assumptions: ClockAssumptions
  private(set) var grid: SlotGrid
  /// Nanoseconds a slot, if the readings do not show it.
  private let knownPeriod: Double
  /// The readings so far, until they make a line.
  private var early: [FillReading] = []
  private var hasEarly = true
  private(set) var line: ClockLine?
  /// For the assumptions' drift first, then for steadier clocks, the steadiest last.
  private var hulls: [BoundHull] = []
  private var firstSlot: Int64 = 0
  private var lastSlot: Int64 = 0
  private var hasUpper = false
  private var hasLower = false
  private(set) var isFinished = false
  /// The bounds by edges and stamps that the next knots depend on.
  private var asides: [ClockBound] = []
  private var asideHull: BoundHull?
  /// The readings that knots which are not settled depend on.
  private(set) var recent: [FillReading] = []
  private(set) var knots: [Knot] = []
  /// How many knots there were for which edges and stamps were left out.
  private(set) var leftOutCount = 0
  /// The last knot, or place for one without bounds near it.
  private var lastPlace: Int64?
  /// Readings since then.
  private var readingsSincePlace = 0
  private(set) var ends: (first: Knot, last: Knot)?

  /// Most seconds on each side of a knot whose bounds matter.
  static let longestReach = 20.0

  /// Most readings that wait for the next knot. At 200 a second, the first line needs those of 20 s.
  private static let readingLimit = 5000

  /// Drifts that are tried for the likely instant, in parts per million a second.
  private static let steadyDrifts = [10.0, 2.0]

  /// The least part of a polygon's width that a steadier clock leaves of it.
  private static let leastWidth = 0.5

  /// The seconds at both ends in which the likely offset passes to the mean of the states. There the readings are on one
  /// side only, and a sharp corner of the polygon has states far from the others. In the midst the extremes' middle is
  /// better, as the drift that no reading excludes weighs on both sides.
  private static let endSeconds = 2.0

  /// A regime without readings.
  ///
  /// - Parameter period: Nanoseconds a slot, if the readings do not show it; `nil` for the nominal period.
  init(_ grid: SlotGrid, known period: Double? = nil, _ assumptions: ClockAssumptions) {
    (self.grid, knownPeriod, self.assumptions) = (grid, period ?? grid.period, assumptions)
  }

  /// The clock of all these readings, which are of one epoch and in order; `nil` when they bound no slot from both sides.
  init?(
    _ readings: some Sequence<FillReading>, _ grid: SlotGrid, known period: Double? = nil,
    _ assumptions: ClockAssumptions
  ) throws(ClockContradiction) {
    self.init(grid, known: period, assumptions)
    for reading in readings { try add(reading) }
    try finish()
    guard !knots.isEmpty else { return nil }
  }

  /// From this slot on, which no reading has reached yet, slots are those of another epoch.
  mutating func renumber(at slot: Int64) { grid.renumber(at: slot) }

  /// Adds a reading. Takes some 40,000 multiplications each half second.
  mutating func add(_ reading: FillReading) throws(ClockContradiction) {
    guard hasEarly else {
      addBounds(of: reading)
      return try makeKnots()
    }
    readingsSincePlace += early.addOrReplaceLast(reading)
    guard reading.after != nil, let first = early.first,
      grid.seconds(from: first.count, to: reading.count) >= ClockRegime.longestReach,
      let line = ClockLine(early, known: knownPeriod)
    else { return }
    begin(line)
    try makeKnots()
  }

  /// Adds a bound by an edge of the watermark or a stamp, whose slot no reading has passed yet by more than a drain.
  mutating func add(aside bound: ClockBound) {
    // No recorder is so far ahead of its readings.
    if let last = latestReadings.last,
      bound.slot - last.count > grid.slots(ClockRegime.longestReach)
    {
      return
    }
    guard asides.count < ClockRegime.readingLimit else { return }
    asides.append(bound)
    asideHull?.add(bound, grid)
  }

  /// Leaves out the bounds of slots after `slot`, which are of another clock.
  mutating func dropAsides(after slot: Int64) {
    asides.removeAll { $0.slot > slot }
    if let line { makeAsideHull(line) }
  }

  private mutating func makeAsideHull(_ line: ClockLine) {
    asideHull = BoundHull(asides, line, grid, drift: assumptions.nominalDrift)
  }

  /// Ends the regime: no reading follows.
  mutating func finish() throws(ClockContradiction) {
    isFinished = true
    if hasEarly {
      guard let line = ClockLine(early, known: knownPeriod) else { return }
      begin(line)
    }
    try makeKnots()
  }

  private mutating func begin(_ line: ClockLine) {
    self.line = line
    let drift = assumptions.nominalDrift
    hulls = ([drift] + ClockRegime.steadyDrifts.filter { $0 < drift })
      .map { BoundHull(line, drift: $0) }
    hasEarly = false
    firstSlot = ClockBound.bounds(of: early).map(\.slot).min() ?? 0
    lastSlot = firstSlot
    for reading in early { addBounds(of: reading) }
    makeAsideHull(line)
    (early, readingsSincePlace) = ([], 0)
  }

  private mutating func addBounds(of reading: FillReading) {
    readingsSincePlace += recent.addOrReplaceLast(reading)
    let (upper, lower) = (ClockBound.upper(of: reading), ClockBound.lower(of: reading))
    if upper != nil { hasUpper = true }
    hasLower = true
    lastSlot = max(lastSlot, lower.slot)
    for index in hulls.indices {
      if let upper { hulls[index].add(upper, grid) }
      hulls[index].add(lower, grid)
    }
  }

  /// Makes the knots whose bounds are all there.
  private mutating func makeKnots() throws(ClockContradiction) {
    guard let line, hasUpper, hasLower else { return }
    while true {
      let slot = lastPlace.map(grid.knot) ?? firstSlot
      if slot >= lastSlot {
        // The last knot is at the last bound.
        if isFinished, lastPlace != lastSlot { try makeKnot(at: lastSlot, line) }
        return
      }
      guard
        isFinished || grid.seconds(from: slot, to: lastSlot) > ClockRegime.longestReach + 1
      else { return }
      try makeKnot(at: slot, line)
      forgetReadings()
    }
  }

  /// Whether there are far more readings than any recording has in its time: the counts do not rise as they should.
  var isFull: Bool {
    readingsSincePlace >= ClockRegime.readingLimit
      || recent.count >= 4 * ClockRegime.readingLimit
  }

  /// Forgets the readings and bounds that no knot after the settled ones depends on.
  private mutating func forgetReadings() {
    guard let settledSlot else { return }
    let oldest = settledSlot - grid.slots(ClockRegime.longestReach)
    for index in hulls.indices { hulls[index].drop(before: oldest) }
    asideHull?.drop(before: oldest)
    asides.removeAll { $0.slot < oldest }
    let kept = recent.firstIndex { $0.count >= oldest - 1 } ?? recent.endIndex
    if kept * 2 > recent.count { recent.removeFirst(kept) }
    grid.forget(before: oldest)
  }

  /// The slot up to which later readings cannot change an instant; `nil` without one. Knots up to the reach of a
  /// contradiction are made again without the other clock's readings; a second more is for what lies between two knots.
  var settledSlot: Int64? {
    guard let last = knots.last else { return nil }
    return isFinished ? last.slot : last.slot - grid.slots(ClockRegime.longestReach + 1)
  }

  /// Replaces ``recent`` readings after a contradiction, without a wrong one or those of another clock.
  mutating func replaceRecent(_ readings: [FillReading]) throws(ClockContradiction) {
    // Knots that were made at the end are not settled either.
    isFinished = false
    // Without a line nothing contradicts.
    guard let line else { return }
    let settled = settledSlot ?? .min
    let kept = knots.firstIndex { $0.slot > settled } ?? knots.endIndex
    leftOutCount -= knots[kept...].count { $0.leavesAsidesOut }
    knots.removeSubrange(kept...)
    lastPlace = knots.last?.slot
    if let last = knots.last, let first = ends?.first { ends = (first, last) }
    if knots.isEmpty { (ends, hasUpper, hasLower) = (nil, false, false) }
    hulls = hulls.map { BoundHull(line, drift: $0.drift) }
    (recent, readingsSincePlace) = ([], 0)
    lastSlot = firstSlot
    for reading in readings { addBounds(of: reading) }
    try makeKnots()
  }

  private mutating func makeKnot(at slot: Int64, _ line: ClockLine) throws(ClockContradiction) {
    func states(_ hull: BoundHull, and other: BoundHull?) -> OffsetPolygon {
      let reach = ClockRegime.reach(grid, hull.drift)
      return hull.polygon(at: slot, grid, reach: reach, jitter: assumptions.jitter, and: other)
    }
    var polygon = states(hulls[0], and: asideHull)
    // An edge may be noise on the line, and a stamp of another instant than its slot's end. Which of those near the knot are
    // right is not known, so none is used: those that contradict nothing alone may be wrong, too.
    let leavesAsidesOut = polygon.isEmpty && !asides.isEmpty
    if leavesAsidesOut { polygon = states(hulls[0], and: nil) }
    guard let offsets = polygon.offsets(at: 0) else { throw ClockContradiction(slot: slot) }
    (lastPlace, readingsSincePlace) = (slot, 0)
    // In a hole the neighbours know more.
    guard polygon.isBounded || slot == firstSlot || slot == lastSlot else { return }
    var steady = polygon
    // A clock that is less steady is contradicted in the end, and pressed to one side before.
    for hull in hulls.dropFirst() {
      // Edges alone are on one side, to which they would press the likely instant.
      let reach = ClockRegime.reach(grid, hull.drift)
      let hasStamps = asideHull?.hasLower(near: slot, grid, reach: reach) ?? false
      let other = states(hull, and: hasStamps && !leavesAsidesOut ? asideHull : nil)
      guard other.width > ClockRegime.leastWidth * steady.width else { break }
      steady = other
    }
    guard let mean = steady.mean, let extremes = steady.offsets(at: 0) else { return }
    let middle = (extremes.lowerBound + extremes.upperBound) / 2
    let distance = min(
      grid.seconds(from: firstSlot, to: slot), grid.seconds(from: slot, to: lastSlot))
    let part = min(1, distance / ClockRegime.endSeconds)
    let center = part * middle + (1 - part) * mean.a
    let state = OffsetPolygon.Corner(a: center + assumptions.lean, b: mean.b)
    let knot = Knot(
      slot: slot, polygon: polygon, offsets: offsets, steady: state,
      likely: min(max(state.a, offsets.lowerBound), offsets.upperBound),
      leavesAsidesOut: leavesAsidesOut)
    knots.append(knot)
    if leavesAsidesOut { leftOutCount += 1 }
    ends = (ends?.first ?? knot, knot)
  }

  /// Finds what makes the recent readings contradict each other.
  func search(_ contradiction: ClockContradiction) -> ContradictionSearch.Result {
    guard let line else { return .between(last: 0, first: 1) }
    return ContradictionSearch(recent, line, grid, assumptions).result(
      near: contradiction.slot, reach: ClockRegime.reach(grid, assumptions.nominalDrift))
  }

  /// The seconds from a knot within which bounds matter: the drift makes farther ones weaker than a period.
  static func reach(_ grid: SlotGrid, _ drift: Double) -> Double {
    min(longestReach, (2 * max(400, grid.period / 1000) / drift).squareRoot())
  }

  /// Forgets the knots that only slots before `slot` need.
  mutating func forget(before slot: Int64) {
    let next = knots.firstIndex { $0.slot > slot } ?? knots.endIndex
    if next > 64 { knots.removeFirst(next - 1) }
  }
}

extension [FillReading] {
  /// Adds a reading; returns how many readings more there are. Of several with one count the first has the least instant
  /// after it, and the last the greatest before it; those between say nothing more.
  fileprivate mutating func addOrReplaceLast(_ reading: FillReading) -> Int {
    if count > 1, reading.after != nil, self[count - 1].count == reading.count,
      self[count - 2].count == reading.count, self[count - 2].after != nil
    {
      self[count - 1] = reading
      return 0
    }
    append(reading)
    return 1
  }
}

extension ClockRegime {
  /// Nanoseconds a slot, from the first knot to the last so far: the least and the greatest that the readings allow, and the
  /// likely one; `nil` for a regime of one instant.
  var period: (least: Double, likely: Double, greatest: Double)? {
    guard let line, let (first, last) = ends, last.slot > first.slot else { return nil }
    func period(_ start: Double, _ end: Double) -> Double {
      line.period + (end - start) * 1000 / Double(last.slot - first.slot)
    }
    return (
      period(first.offsets.upperBound, last.offsets.lowerBound), period(first.likely, last.likely),
      period(first.offsets.lowerBound, last.offsets.upperBound)
    )
  }

  /// Slots from the first knot to the last so far.
  var periodCount: Int64 { ends.map { $0.last.slot - $0.first.slot } ?? 0 }

  /// The extremes of the period at the first and the last knot, in nanoseconds.
  var firstPeriods: ClosedRange<Double>? { ends.flatMap { periods(at: $0.first) } }
  var lastPeriods: ClosedRange<Double>? { ends.flatMap { periods(at: $0.last) } }

  /// A rate is an offset by the seconds of the grid.
  private func periods(at knot: Knot) -> ClosedRange<Double>? {
    guard let line, let rates = knot.polygon.rates else { return nil }
    let least = line.period + grid.period * rates.lowerBound * 1e-6
    let greatest = line.period + grid.period * rates.upperBound * 1e-6
    return least...greatest
  }

  /// The readings that the next instants depend on.
  var latestReadings: [FillReading] { hasEarly ? early : recent }

  /// How many slots may have been whole at an instant after the last knot of a finished regime.
  func phase(at time: Int64) -> ClosedRange<Int64>? {
    guard let line, let last = knots.last, let periods = lastPeriods else { return nil }
    let knot = line.instant(
      last.offsets.lowerBound, last.likely, last.offsets.upperBound, at: last.slot)
    func slots(since start: Int64, _ period: Double, _ sign: Double) -> Int64 {
      let elapsed = Double(time - start) / 1000
      let seconds = elapsed * 1e-6
      let bend = assumptions.drift * seconds * seconds / 2 + assumptions.jitter
      let slots = ((elapsed + sign * bend) * 1000 / period).rounded(.down)
      return last.slot + Int64(min(max(slots, -0x1p60), 0x1p60))
    }
    let least = slots(since: knot.latest, periods.upperBound, -1)
    let greatest = slots(since: knot.earliest, periods.lowerBound, 1)
    return least <= greatest ? least...greatest : nil
  }
}
