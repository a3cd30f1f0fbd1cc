/// Finds the place where readings contradict each other: a wrong one, or the break between two clocks.
///
///     a ────────── b   i ────────── k ── z      a…i do not agree: i cannot follow what was before
///     └── clock A ─┘   └── clock B ──┘          b…k do not agree: b cannot precede what comes after
///
/// More readings only make it harder to agree, so each search is a bisection.
struct ContradictionSearch {
  /// What was found, by positions in the readings.
  enum Result: Equatable {
    /// All others agree without this one, which is off by more than two samples.
    case wrong(Int)
    /// Between these two readings.
    case between(last: Int, first: Int)
  }

  private let readings: [ClockReading]
  private let line: ClockLine
  private let assumptions: ClockAssumptions

  /// The seconds of the chip's time from one knot to the next.
  private static let spacing = 0.25
  /// The nanoseconds after a break in which the clock after it is looked for.
  private static let after: Int64 = 2_000_000_000

  init(_ readings: [ClockReading], _ line: ClockLine, _ assumptions: ClockAssumptions) {
    (self.readings, self.line, self.assumptions) = (readings, line, assumptions)
  }

  /// The place of the contradiction near `slot`, whose knot looks as far as `reach` seconds.
  func result(near slot: Int64, reach: Double) -> Result {
    func distance(_ index: Int) -> Double {
      line.distance(from: Double(slot), to: Double(readings[index].count))
    }
    let a = readings.indices.first { distance($0) >= -reach } ?? 0
    let z = readings.indices.last { distance($0) <= reach } ?? readings.count - 1
    guard a < z else { return .between(last: max(0, z - 1), first: max(1, z)) }
    // The first that does not follow from those before it.
    guard let i = first(in: a + 1...z, where: { !agree(Array(readings[a...$0])) }) else {
      let near = readings.indices.first { readings[$0].count >= slot } ?? z
      let first = min(max(near, a + 1), z)
      return .between(last: first - 1, first: first)
    }
    let end = readings[i].before + ContradictionSearch.after
    let limit = readings.indices.last { $0 <= z && readings[$0].before <= end } ?? i
    let beyond = first(
      in: i + 1...max(i + 1, limit), where: { $0 > limit || !agree(Array(readings[i...$0])) })
    let k = (beyond ?? limit + 1) - 1
    let follower = first(in: a...i, where: { agree(Array(readings[$0...k])) }) ?? i
    let b = max(a, follower - 1)
    for candidate in Set([i, b]).sorted(by: >) where isWrong(candidate, in: a...z) {
      return .wrong(candidate)
    }
    return .between(last: min(b, i - 1), first: i)
  }

  /// The first position for which `isTrue`, which is false up to some position and true from there on.
  private func first(in range: ClosedRange<Int>, where isTrue: (Int) -> Bool) -> Int? {
    var (low, high) = (range.lowerBound, range.upperBound + 1)
    while low < high {
      let middle = (low + high) / 2
      if isTrue(middle) { high = middle } else { low = middle + 1 }
    }
    return low <= range.upperBound ? low : nil
  }

  /// Whether one clock can have made all of them.
  private func agree(_ readings: [ClockReading]) -> Bool {
    ContradictionSearch.agree(readings, line, assumptions)
  }

  /// Whether one clock can have made all of them.
  static func agree(
    _ readings: [ClockReading], _ line: ClockLine, _ assumptions: ClockAssumptions
  ) -> Bool {
    let bounds = ClockBound.bounds(of: readings, assumptions)
    guard let start = bounds.map(\.slot).min(), let end = bounds.map(\.slot).max() else {
      return true
    }
    let hull = BoundHull(bounds, line, drift: assumptions.drift)
    let reach = ClockStretch.reach(line, assumptions.drift)
    let step = ContradictionSearch.spacing * 1e9 / line.period
    var slot = Double(start)
    while true {
      if hull.polygon(at: slot, reach: reach, jitter: assumptions.jitter).isEmpty { return false }
      if slot >= Double(end) { return true }
      slot = min(slot + step, Double(end))
    }
  }

  /// Whether the others agree without a reading and show it off by more than two samples: one or two is what a lost or
  /// doubled sample looks like.
  private func isWrong(_ candidate: Int, in range: ClosedRange<Int>) -> Bool {
    let others = range.filter { $0 != candidate }.map { readings[$0] }
    let reading = readings[candidate]
    let clock: ClockStretch?
    do throws(ClockContradiction) {
      clock = try ClockStretch(others, nominalPeriod: line.period, assumptions)
    } catch {
      // They contradict each other without this one too.
      return false
    }
    guard agree(others), let after = reading.after,
      let counted = clock?.instant(of: reading.count),
      let next = clock?.instant(of: reading.count + 1)
    else { return false }
    let early = Double(counted.earliest - after) / line.period
    let late = Double(reading.before - next.latest) / line.period
    return max(early, late) > 2
  }
}
