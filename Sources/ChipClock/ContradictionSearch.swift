// SPDX-License-Identifier: Apache-2.0

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

  private let readings: [FillReading]
  private let line: ClockLine
  private let grid: SlotGrid
  private let assumptions: ClockAssumptions

  /// Most readings that are looked at.
  private static let most = 4096
  /// Nanoseconds after a break in which the clock after it is sought.
  private static let after: Int64 = 4_000_000_000

  init(
    _ readings: [FillReading], _ line: ClockLine, _ grid: SlotGrid, _ assumptions: ClockAssumptions
  ) {
    (self.readings, self.line, self.grid, self.assumptions) = (readings, line, grid, assumptions)
  }

  /// The place of the contradiction near `slot`, whose knot looks as far as `reach` seconds.
  func result(near slot: Int64, reach: Double) -> Result {
    func distance(_ index: Int) -> Double {
      grid.seconds(from: slot, to: readings[index].count)
    }
    var a = readings.indices.first { distance($0) >= -reach } ?? 0
    var z = readings.indices.last { distance($0) <= reach } ?? readings.count - 1
    if z - a > ContradictionSearch.most {
      // No recording has so many: where counts do not rise as they should.
      let near = readings[a...z].firstIndex { $0.count >= slot } ?? z
      a = max(a, near - ContradictionSearch.most / 2)
      z = min(z, a + ContradictionSearch.most)
    }
    guard a < z else { return .between(last: max(0, z - 1), first: max(1, z)) }
    // The first that does not follow from those before it.
    guard let i = first(in: a + 1...z, where: { !agree(Array(readings[a...$0])) }) else {
      let near = readings.indices.first { readings[$0].count >= slot } ?? z
      let first = min(max(near, a + 1), z)
      return .between(last: first - 1, first: first)
    }
    // Readings after the one that does not follow may be beyond the reach, if its count is too low.
    let end = min(readings.count - 1, max(z, i + ContradictionSearch.most))
    if isWrong(i, in: a...followers(of: i + 1, end)) { return .wrong(i) }
    let k = followers(of: i, end)
    let follower = first(in: a...i, where: { agree(Array(readings[$0...k])) }) ?? i
    let b = max(a, follower - 1)
    if b < i, isWrong(b, in: a...k) { return .wrong(b) }
    return .between(last: min(b, i - 1), first: i)
  }

  /// The last reading that is certainly of the same clock as `first`, which is after a break. Another break may be just
  /// before the last reading that agrees with `first`, so only the first half of those is used.
  private func followers(of first: Int, _ z: Int) -> Int {
    guard first < z else { return z }
    let end = readings[first].before + ContradictionSearch.after
    let limit = readings.indices.last { $0 <= z && readings[$0].before <= end } ?? first
    guard first < limit else { return first }
    let other = self.first(in: first + 1...limit, where: { !agree(Array(readings[first...$0])) })
    let last = (other ?? limit + 1) - 1
    let half = readings[first].before + (readings[last].before - readings[first].before) / 2
    return readings.indices.last { $0 <= last && readings[$0].before <= half } ?? first
  }

  /// The first position for which `isTrue`, a test that holds from some position on.
  private func first(in range: ClosedRange<Int>, where isTrue: (Int) -> Bool) -> Int? {
    var (low, high) = (range.lowerBound, range.upperBound + 1)
    while low < high {
      let middle = (low + high) / 2
      if isTrue(middle) { high = middle } else { low = middle + 1 }
    }
    return low <= range.upperBound ? low : nil
  }

  private func agree(_ readings: [FillReading]) -> Bool {
    ContradictionSearch.agree(
      readings, line, grid, drift: assumptions.nominalDrift, assumptions)
  }

  /// Whether one clock with this drift in a second of the grid can have made all of them.
  static func agree(
    _ readings: [FillReading], _ line: ClockLine, _ grid: SlotGrid, drift: Double,
    _ assumptions: ClockAssumptions
  ) -> Bool {
    let bounds = ClockBound.bounds(of: readings)
    guard let start = bounds.map(\.slot).min(), let end = bounds.map(\.slot).max() else {
      return true
    }
    let hull = BoundHull(bounds, line, grid, drift: drift)
    let reach = ClockRegime.reach(grid, hull.drift)
    let step = max(1, grid.step / 2)
    var slot = start
    while true {
      let polygon = hull.polygon(at: slot, grid, reach: reach, jitter: assumptions.jitter)
      if polygon.isEmpty { return false }
      if slot >= end { return true }
      slot = min(slot + step, end)
    }
  }

  /// Whether the others near it agree without a reading and show it off by more than two samples: one or two look like a
  /// lost or doubled sample.
  private func isWrong(_ candidate: Int, in range: ClosedRange<Int>) -> Bool {
    // With nothing after it, it may be the first one after a break.
    guard candidate < range.upperBound else { return false }
    let others = range.filter { $0 != candidate }.map { readings[$0] }
    let reading = readings[candidate]
    let clock: ClockRegime?
    do throws(ClockContradiction) {
      clock = try ClockRegime(others, grid, known: line.period, assumptions)
    } catch {
      // They contradict each other without this one, too.
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
