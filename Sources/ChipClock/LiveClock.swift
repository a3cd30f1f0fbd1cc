// SPDX-License-Identifier: Apache-2.0

/// The chip's clock while a recording runs, from past readings alone: for views and the recorder's state, not for exports.
///
/// Each half second of samples it makes a knot at the newest reading. Where readings contradict each other, because a sample
/// was lost, the rate changed or a count was wrong, it begins again with the newest one.
public struct LiveClock {
  private let assumptions: ClockAssumptions
  private let grid: SlotGrid
  /// For the assumptions' drift, and for the steadier clock that gives the likely instant.
  private var hulls: [BoundHull] = []
  private var knot: (slot: Int64, polygon: OffsetPolygon, steady: OffsetPolygon)?

  /// The drift of the steadier clock, in parts per million a second.
  private static let steadyDrift = 5.0

  /// The widest range of rates that is a rate, in parts per million.
  private static let widestRates = 50_000.0

  /// A clock without readings.
  ///
  /// - Parameter nominalPeriod: Nanoseconds a slot.
  public init(nominalPeriod: Double, _ assumptions: ClockAssumptions) {
    (grid, self.assumptions) = (SlotGrid(period: nominalPeriod), assumptions)
  }

  /// Adds a reading of the present epoch. Takes some 20,000 multiplications each half second, and tens otherwise.
  public mutating func add(_ reading: FillReading) {
    // Either count is wrong, and the greater one would keep out all that follow.
    if let knot, reading.count < knot.slot { forget() }
    if hulls.isEmpty {
      guard let line = ClockLine(CollectionOfOne(reading), known: grid.period) else { return }
      hulls = [assumptions.nominalDrift, min(LiveClock.steadyDrift, assumptions.nominalDrift)].map {
        BoundHull(line, drift: $0)
      }
    }
    for bound in ClockBound.bounds(of: CollectionOfOne(reading)) {
      for index in hulls.indices { hulls[index].add(bound, grid) }
    }
    guard reading.after != nil, knot.map({ reading.count >= $0.slot + grid.step }) ?? true else {
      return
    }
    let polygons = hulls.map { hull in
      hull.polygon(
        at: reading.count, grid, reach: ClockRegime.reach(grid, hull.drift),
        jitter: assumptions.jitter)
    }
    if polygons[0].isEmpty {
      forget()
      // A reading does not contradict itself.
      return add(reading)
    }
    knot = (reading.count, polygons[0], polygons[1].isEmpty ? polygons[0] : polygons[1])
    let oldest = reading.count - grid.slots(ClockRegime.longestReach)
    for index in hulls.indices { hulls[index].drop(before: oldest) }
  }

  private mutating func forget() { (hulls, knot) = ([], nil) }

  /// When a slot near the last reading was, or will be, whole; `nil` while the readings show no clock.
  public func instant(of slot: Int64) -> SampleInstant? {
    guard let line = hulls.first?.line, let knot else { return nil }
    let h = grid.seconds(from: knot.slot, to: slot)
    guard let offsets = knot.polygon.offsets(at: h), let likely = knot.steady.mean else {
      return nil
    }
    let slack = assumptions.nominalDrift * h * h / 2 + assumptions.jitter
    return line.instant(
      offsets.lowerBound - slack,
      min(max(likely.offset(at: h) + assumptions.lean, offsets.lowerBound), offsets.upperBound),
      offsets.upperBound + slack, at: slot)
  }

  /// Samples a second at present; `nil` while the readings show no clock.
  public var hertz: Double? {
    guard let line = hulls.first?.line, let knot, let rates = knot.steady.rates,
      rates.upperBound - rates.lowerBound < LiveClock.widestRates
    else { return nil }
    return 1e9 / (line.period + grid.period * (rates.lowerBound + rates.upperBound) / 2 * 1e-6)
  }
}
