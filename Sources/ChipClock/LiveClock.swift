/// The chip's clock while a recording runs, from past readings alone: for views and the state of the recorder, not for
/// exports.
public struct LiveClock {
  private let assumptions: ClockAssumptions
  private let nominalPeriod: Double
  /// For the assumptions' drift, and for the steadier clock that gives the likely instant.
  private var hulls: [BoundHull] = []
  private var knotAt = -Double.infinity
  private var slot = 0.0
  private var polygons: [OffsetPolygon] = []

  /// The seconds of the chip's time from one knot to the next.
  private static let spacing = 0.5
  /// The drift of the steadier clock, in parts per million a second.
  private static let steadyDrift = 5.0

  /// A clock without readings.
  ///
  /// - Parameters:
  ///   - nominalPeriod: Nanoseconds a slot.
  ///   - assumptions: See ``ClockAssumptions``.
  public init(nominalPeriod: Double, _ assumptions: ClockAssumptions) {
    (self.nominalPeriod, self.assumptions) = (nominalPeriod, assumptions)
  }

  /// Adds a reading of the present epoch.
  ///
  /// - Complexity: each half second, some 20,000 multiplications; else tens.
  public mutating func add(_ reading: ClockReading) {
    if hulls.isEmpty {
      guard let line = ClockLine(CollectionOfOne(reading), nominalPeriod: nominalPeriod) else {
        return
      }
      hulls = [assumptions.drift, min(LiveClock.steadyDrift, assumptions.drift)].map {
        BoundHull(line, drift: $0)
      }
    }
    for bound in ClockBound.bounds(of: CollectionOfOne(reading), assumptions) {
      for index in hulls.indices { hulls[index].add(bound) }
    }
    let line = hulls[0].line
    let seconds = line.distance(from: Double(line.slot), to: Double(reading.count))
    guard seconds >= knotAt + LiveClock.spacing, reading.after != nil else { return }
    (knotAt, slot) = (seconds, Double(reading.count))
    polygons = hulls.map { hull in
      hull.polygon(
        at: slot, reach: ClockStretch.reach(line, hull.drift), jitter: assumptions.jitter)
    }
    for index in hulls.indices { hulls[index].drop(before: slot - 20e9 / line.period) }
  }

  /// When a slot near the last reading was, or will be, whole; `nil` while the readings show no clock.
  public func instant(of slot: Int64) -> SampleInstant? {
    guard let line = hulls.first?.line, let polygon = polygons.first else { return nil }
    let h = line.distance(from: self.slot, to: Double(slot))
    guard let offsets = polygon.offsets(at: h) else { return nil }
    let slack = assumptions.drift * h * h / 2 + assumptions.jitter
    let steady = polygons.last?.offsets(at: h) ?? offsets
    let middle = (steady.lowerBound + steady.upperBound) / 2
    return SampleInstant(
      earliest: line.instant(offsets.lowerBound - slack, at: slot, .down),
      likely: line.instant(
        min(max(middle, offsets.lowerBound), offsets.upperBound), at: slot,
        .toNearestOrAwayFromZero),
      latest: line.instant(offsets.upperBound + slack, at: slot, .up))
  }

  /// Samples a second at present; `nil` while the readings show no clock.
  public var hertz: Double? {
    guard let line = hulls.first?.line, let rates = polygons.last?.rates else { return nil }
    return 1e9 / (line.period * (1 + (rates.lowerBound + rates.upperBound) / 2 * 1e-6))
  }
}
