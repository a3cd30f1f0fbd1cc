/// When a sample was made: an interval that must hold its instant, and the likely one in it.
public struct SampleInstant: Equatable, Sendable, BitwiseCopyable {
  /// The earliest instant, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
  public var earliest: Int64
  /// The likely instant.
  public var likely: Int64
  /// The latest instant.
  public var latest: Int64

  /// An instant.
  public init(earliest: Int64, likely: Int64, latest: Int64) {
    (self.earliest, self.likely, self.latest) = (earliest, likely, latest)
  }
}

/// Readings that no clock within the assumptions can have made.
public struct ClockContradiction: Error, Equatable, Sendable {
  /// The slot near which they contradict each other.
  public var slot: Int64
}

/// The chip's clock in a stretch whose readings agree: an interval for the instant of each slot.
///
///     offset ▲        ┌ latest
///            │ ▒▒▒▒▒▒▒▒▒▒▒▒            The curve of the clock passes each knot within an interval, and
///            │ ●───────●────▒▒▒▒●      leaves the chord between two by no more than its drift allows.
///            │ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
///            └─knot────knot─────knot─► slot
///
/// Nothing is averaged: a late reading is only a weak one, so load and late wake-ups cannot bias the result.
///
/// Readings are added in order, and slots asked for in order. An instant needs the readings of the 40 s after it, and what
/// lies before the last slot is forgotten: the memory does not depend on the length.
///
///     var stretch = ClockStretch(nominalPeriod: 1_000_000, assumptions)
///     while stretch.instant(of: slot) == nil, let reading = … { try stretch.add(reading) }
///     try stretch.finish()
public struct ClockStretch {
  /// A slot, or a point between two, at which the clock's state is known.
  struct Knot {
    var slot: Double
    /// The states within the assumptions.
    var polygon: OffsetPolygon
    /// The extremes of the offset there, in microseconds.
    var offsets: ClosedRange<Double>
    /// The states of a steadier clock, which gives the likely instant.
    var steady: OffsetPolygon
    /// Its middle, within ``offsets``.
    var likely: Double
  }

  private let assumptions: ClockAssumptions
  private let nominalPeriod: Double
  /// The readings so far, until they make a line.
  private var early: [ClockReading] = []
  private var hasEarly = true
  private var line: ClockLine?
  /// For the assumptions' drift first, then for steadier clocks, the steadiest last.
  private var hulls: [BoundHull] = []
  private var firstSlot = 0.0
  private var lastSlot = 0.0
  private var hasUpper = false
  private var hasLower = false
  private var isFinished = false
  /// The readings that knots which are not settled depend on.
  private(set) var recent: [ClockReading] = []
  /// Knots so far, the dropped ones included.
  private var knotCount = 0
  private(set) var knots: [Knot] = []
  private var ends: (first: Knot, last: Knot)?

  /// The seconds of the chip's time from one knot to the next.
  private static let spacing = 0.5

  /// The seconds on each side of a knot whose bounds are looked at, at most.
  private static let longestReach = 20.0

  /// Drifts that are tried for the likely instant, in parts per million a second.
  private static let steadyDrifts = [10.0, 2.0]

  /// A stretch without readings.
  ///
  /// - Parameters:
  ///   - nominalPeriod: Nanoseconds a slot, if the readings do not show it.
  ///   - assumptions: See ``ClockAssumptions/refuted(by:)``.
  public init(nominalPeriod: Double, _ assumptions: ClockAssumptions) {
    (self.nominalPeriod, self.assumptions) = (nominalPeriod, assumptions)
  }

  /// The clock of all these readings, which are of one epoch and in order.
  ///
  /// - Returns: `nil` when they bound no slot from both sides.
  /// - Throws: ``ClockContradiction`` when no clock within the assumptions fits.
  public init?(
    _ readings: some Sequence<ClockReading>, nominalPeriod: Double, _ assumptions: ClockAssumptions
  ) throws(ClockContradiction) {
    self.init(nominalPeriod: nominalPeriod, assumptions)
    for reading in readings { try add(reading) }
    try finish()
    guard !knots.isEmpty else { return nil }
  }

  /// Adds a reading.
  ///
  /// - Throws: ``ClockContradiction`` when no clock within the assumptions fits.
  /// - Complexity: for each half second, some 40,000 multiplications.
  public mutating func add(_ reading: ClockReading) throws(ClockContradiction) {
    guard hasEarly else {
      addBounds(of: reading)
      return try makeKnots()
    }
    early.append(reading)
    guard let line = ClockLine(early, nominalPeriod: nominalPeriod),
      line.distance(from: Double(line.slot), to: Double(reading.count))
        >= ClockStretch.longestReach
    else { return }
    begin(line)
    try makeKnots()
  }

  /// Ends the stretch: no reading follows.
  ///
  /// - Throws: ``ClockContradiction`` when no clock within the assumptions fits.
  public mutating func finish() throws(ClockContradiction) {
    if hasEarly {
      guard let line = ClockLine(early, nominalPeriod: nominalPeriod) else { return }
      begin(line)
    }
    isFinished = true
    try makeKnots()
  }

  private mutating func begin(_ line: ClockLine) {
    self.line = line
    let steady = ClockStretch.steadyDrifts.filter { $0 < assumptions.drift }
    hulls = ([assumptions.drift] + steady).map { BoundHull(line, drift: $0) }
    hasEarly = false
    var slots = ClockBound.bounds(of: early, assumptions).map(\.slot)
    slots.sort()
    (firstSlot, lastSlot) = (Double(slots.first ?? 0), Double(slots.first ?? 0))
    for reading in early { addBounds(of: reading) }
    early = []
  }

  private mutating func addBounds(of reading: ClockReading) {
    recent.append(reading)
    for bound in ClockBound.bounds(of: CollectionOfOne(reading), assumptions) {
      if bound.isUpper { hasUpper = true } else { hasLower = true }
      lastSlot = max(lastSlot, Double(bound.slot))
      for index in hulls.indices { hulls[index].add(bound) }
    }
  }

  /// Makes the knots whose bounds are all there.
  private mutating func makeKnots() throws(ClockContradiction) {
    guard let line, hasUpper, hasLower else { return }
    let step = ClockStretch.spacing * 1e9 / line.period
    while true {
      let slot = firstSlot + Double(knotCount) * step
      if slot >= lastSlot {
        // The last knot is at the last bound.
        if isFinished { try makeKnot(at: lastSlot, line) }
        return
      }
      guard
        isFinished
          || line.distance(from: slot, to: lastSlot) > ClockStretch.longestReach + 1
      else { return }
      try makeKnot(at: slot, line)
      forgetReadings()
    }
  }

  /// Forgets the readings and bounds that no knot after the settled ones depends on.
  private mutating func forgetReadings() {
    guard let line, let settledSlot else { return }
    let oldest = settledSlot - ClockStretch.longestReach * 1e9 / line.period
    for index in hulls.indices { hulls[index].drop(before: oldest) }
    let kept = recent.firstIndex { Double($0.count) >= oldest - 1 } ?? recent.endIndex
    if kept * 2 > recent.count { recent.removeFirst(kept) }
  }

  /// The slot up to which no later reading changes an instant; `nil` while there is none. Knots up to the reach of a
  /// contradiction are made again without the readings that belong to another clock.
  private var settledSlot: Double? {
    guard let line, let last = knots.last else { return nil }
    return isFinished ? last.slot : last.slot - ClockStretch.longestReach * 1e9 / line.period
  }

  /// Replaces ``recent`` readings, after a contradiction: a wrong one is left out, or those of another clock.
  ///
  /// - Throws: ``ClockContradiction`` when these contradict each other too.
  mutating func replaceRecent(_ readings: [ClockReading]) throws(ClockContradiction) {
    // Knots that were made at the end are not settled either.
    isFinished = false
    if hasEarly {
      early = readings
    } else if let line {
      let settled = settledSlot ?? -.infinity
      let kept = knots.firstIndex { $0.slot > settled } ?? knots.endIndex
      knotCount -= knots.count - kept
      knots.removeSubrange(kept...)
      if let last = knots.last, let first = ends?.first { ends = (first, last) }
      if knots.isEmpty { ends = nil }
      hulls = hulls.map { BoundHull(line, drift: $0.drift) }
      recent = []
      lastSlot = firstSlot
      for reading in readings { addBounds(of: reading) }
      try makeKnots()
    }
  }

  private mutating func makeKnot(at slot: Double, _ line: ClockLine) throws(ClockContradiction) {
    var polygons: [OffsetPolygon] = []
    for hull in hulls {
      polygons.append(
        hull.polygon(
          at: slot, reach: ClockStretch.reach(line, hull.drift), jitter: assumptions.jitter))
    }
    guard let offsets = polygons[0].offsets(at: 0) else {
      throw ClockContradiction(slot: Int64(slot.rounded()))
    }
    let steady = polygons.last { !$0.isEmpty } ?? polygons[0]
    let middle = steady.offsets(at: 0).map { ($0.lowerBound + $0.upperBound) / 2 } ?? 0
    let knot = Knot(
      slot: slot, polygon: polygons[0], offsets: offsets, steady: steady,
      likely: min(max(middle, offsets.lowerBound), offsets.upperBound))
    knots.append(knot)
    knotCount += 1
    ends = (ends?.first ?? knot, knot)
  }

  /// Finds what makes the recent readings contradict each other.
  func search(_ contradiction: ClockContradiction) -> ContradictionSearch.Result {
    guard let line else { return .between(last: 0, first: 1) }
    return ContradictionSearch(recent, line, assumptions).result(
      near: contradiction.slot, reach: ClockStretch.reach(line, assumptions.drift))
  }

  /// How far from a knot bounds are looked at, in seconds: farther ones are weaker than a period, because of the drift.
  static func reach(_ line: ClockLine, _ drift: Double) -> Double {
    min(longestReach, (2 * max(400, line.period / 1000) / drift).squareRoot())
  }
}

// MARK: - Instants

extension ClockStretch {
  /// When a slot was whole; `nil` while readings after it are missing. A slot outside of the readings of a finished
  /// stretch has an instant too, with a wider interval.
  ///
  /// - Complexity: logarithmic in the number of knots.
  public func instant(of slot: Int64) -> SampleInstant? {
    let slot = Double(slot)
    guard let line, let first = knots.first, let last = knots.last else { return nil }
    guard isFinished || slot < settledSlot ?? -.infinity else { return nil }
    if slot < first.slot { return instant(at: slot, beyond: first, line) }
    if slot >= last.slot { return instant(at: slot, beyond: last, line) }
    var (low, high) = (0, knots.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if knots[middle].slot <= slot { low = middle } else { high = middle }
    }
    let (left, right) = (knots[low], knots[high])
    let part = (slot - left.slot) / (right.slot - left.slot)
    let s = line.distance(from: left.slot, to: right.slot)
    // A curve leaves its chord by at most drift · s² · part · (1 − part) ÷ 2.
    let slack = assumptions.drift * s * s * part * (1 - part) / 2 + assumptions.jitter
    func chord(_ start: Double, _ end: Double) -> Double { (1 - part) * start + part * end }
    return line.instant(
      chord(left.offsets.lowerBound, right.offsets.lowerBound) - slack,
      chord(left.likely, right.likely),
      chord(left.offsets.upperBound, right.offsets.upperBound) + slack, at: Int64(slot))
  }

  private func instant(at slot: Double, beyond knot: Knot, _ line: ClockLine) -> SampleInstant {
    let h = line.distance(from: knot.slot, to: slot)
    let slack = assumptions.drift * h * h / 2 + assumptions.jitter
    let offsets = knot.polygon.offsets(at: h) ?? knot.offsets
    let steady = knot.steady.offsets(at: h).map { ($0.lowerBound + $0.upperBound) / 2 } ?? 0
    return line.instant(
      offsets.lowerBound - slack,
      h == 0 ? knot.likely : min(max(steady, offsets.lowerBound), offsets.upperBound),
      offsets.upperBound + slack, at: Int64(slot))
  }

  /// Forgets the knots that slots before `slot` need.
  public mutating func forget(before slot: Int64) {
    let next = knots.firstIndex { $0.slot > Double(slot) } ?? knots.endIndex
    if next > 64 { knots.removeFirst(next - 1) }
  }

  /// Nanoseconds a slot, from the first knot to the last one so far: the least and the greatest that the readings allow,
  /// and the likely one; `nil` for a stretch of one instant.
  public var period: (least: Double, likely: Double, greatest: Double)? {
    guard let line, let (first, last) = ends, last.slot > first.slot else { return nil }
    func period(_ start: Double, _ end: Double) -> Double {
      line.period + (end - start) * 1000 / (last.slot - first.slot)
    }
    return (
      period(first.offsets.upperBound, last.offsets.lowerBound), period(first.likely, last.likely),
      period(first.offsets.lowerBound, last.offsets.upperBound)
    )
  }
}

extension ClockStretch {
  /// Nanoseconds a slot on the line; `nil` before there is one.
  var linePeriod: Double? { line?.period }

  /// The extremes of the period at the first knot, in nanoseconds.
  var firstPeriods: ClosedRange<Double>? { ends.flatMap { periods(at: $0.first) } }

  /// The extremes of the period at the last knot, in nanoseconds.
  var lastPeriods: ClosedRange<Double>? { ends.flatMap { periods(at: $0.last) } }

  private func periods(at knot: Knot) -> ClosedRange<Double>? {
    guard let line, let rates = knot.polygon.rates else { return nil }
    return line.period * (1 + rates.lowerBound * 1e-6)...line.period * (1 + rates.upperBound * 1e-6)
  }
}

extension ClockStretch {
  /// The readings that the next instants depend on.
  var latestReadings: [ClockReading] { hasEarly ? early : recent }

  /// How many slots may have been whole at an instant after the last knot of a finished stretch.
  func phase(at time: Int64) -> ClosedRange<Int64>? {
    guard let line, let last = knots.last, let rates = last.polygon.rates else { return nil }
    func slots(_ offset: Double, _ rate: Double, _ sign: Double) -> Int64 {
      let elapsed = Double(time - line.instant(offset, at: Int64(last.slot), .down)) / 1000
      let seconds = elapsed * 1e-6
      let bend = assumptions.drift * seconds * seconds / 2 + assumptions.jitter
      let period = line.period * (1 + rate * 1e-6) / 1000
      let slots = (last.slot + (elapsed + sign * bend) / period).rounded(.down)
      return Int64(min(max(slots, -0x1p61), 0x1p61))
    }
    let least = slots(last.offsets.upperBound, rates.upperBound, -1)
    let greatest = slots(last.offsets.lowerBound, rates.lowerBound, 1)
    return least <= greatest ? least...greatest : nil
  }
}

extension ClockLine {
  /// The instants of three offsets in microseconds, the outer ones rounded outward.
  fileprivate func instant(
    _ earliest: Double, _ likely: Double, _ latest: Double, at slot: Int64
  ) -> SampleInstant {
    SampleInstant(
      earliest: instant(earliest, at: slot, .down),
      likely: instant(likely, at: slot, .toNearestOrAwayFromZero),
      latest: instant(latest, at: slot, .up))
  }
}
