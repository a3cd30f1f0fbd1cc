// SPDX-License-Identifier: Apache-2.0

/// The bounds that can decide something, for clocks with a given drift.
///
///     offset ▲    × upper bounds             Only the corners ● can touch a curve of bounded drift
///            │ ●   ×      ×   ●              that stays below all of them; each other one is above
///            │   ─  ●   ─  ─                 a parabola through two corners.
///            │
///            └────────────────► slot
///
/// Seen from a knot at distance h, a bound's limit is its offset and drift · h² ÷ 2. From another knot this changes by a
/// function that is linear in the slot, so all knots have the same convex hull of the limits. Each second of the grid has a
/// hull of its own: one over a whole regime would let bounds after a break replace near ones.
struct BoundHull {
  /// A bound by its offset from the line.
  struct Corner: Equatable, BitwiseCopyable {
    var slot: Int64
    /// Of the next slot.
    var part: Double
    /// In microseconds.
    var offset: Double
    var isUpper: Bool
  }

  let line: ClockLine
  /// In parts per million a second of the grid.
  let drift: Double
  private var upper = Side()
  private var lower = Side()

  init(_ line: ClockLine, drift: Double) { (self.line, self.drift) = (line, drift) }

  /// The corners of `bounds`, each kind in order of slots.
  init(_ bounds: some Sequence<ClockBound>, _ line: ClockLine, _ grid: SlotGrid, drift: Double) {
    self.init(line, drift: drift)
    for bound in bounds { add(bound, grid) }
  }

  /// How many corners were not dropped.
  var cornerCount: Int {
    upper.done.count + upper.points.count + lower.done.count + lower.points.count
  }

  /// Adds a bound. One whose slot is below that of the last one of its kind may get lost.
  mutating func add(_ bound: ClockBound, _ grid: SlotGrid) {
    let second = grid.second(of: bound.slot)
    let h = grid.seconds(from: second, to: bound.slot, bound.part)
    let corner = Corner(
      slot: bound.slot, part: bound.part,
      offset: line.offset(of: bound.time, at: bound.slot, bound.part), isUpper: bound.isUpper)
    if bound.isUpper {
      upper.add(corner, second, h, corner.offset + drift * h * h / 2)
    } else {
      lower.add(corner, second, h, -corner.offset + drift * h * h / 2)
    }
  }

  mutating func drop(before slot: Int64) {
    upper.drop(before: slot)
    lower.drop(before: slot)
  }

  /// Whether there are lower bounds not farther from `slot` than `reach` seconds.
  func hasLower(near slot: Int64, _ grid: SlotGrid, reach: Double) -> Bool {
    func isNear(_ corner: Corner) -> Bool {
      abs(grid.seconds(from: slot, to: corner.slot, corner.part)) <= reach
    }
    return lower.done.contains(where: isNear) || lower.points.contains { isNear($0.corner) }
  }

  /// The possible states of the clock at `slot`, by the bounds up to `reach` seconds from it, and by those of `other`, a
  /// hull of the same line.
  func polygon(
    at slot: Int64, _ grid: SlotGrid, reach: Double, jitter: Double, and other: BoundHull? = nil
  ) -> OffsetPolygon {
    var cuts: [OffsetPolygon.Cut] = []
    var nearest = (distance: Double.infinity, offset: 0.0)
    cuts.reserveCapacity(cornerCount + (other?.cornerCount ?? 0))
    func add(_ corner: Corner, _ sign: Double) {
      let h = grid.seconds(from: slot, to: corner.slot, corner.part)
      guard abs(h) <= reach else { return }
      if abs(h) < nearest.distance { nearest = (abs(h), corner.offset) }
      cuts.append(
        OffsetPolygon.Cut(
          h: h, sign: sign, limit: sign * corner.offset + drift * h * h / 2 + jitter))
    }
    func add(_ hull: BoundHull) {
      for corner in hull.upper.done { add(corner, 1) }
      for point in hull.upper.points { add(point.corner, 1) }
      for corner in hull.lower.done { add(corner, -1) }
      for point in hull.lower.points { add(point.corner, -1) }
    }
    add(self)
    if let other { add(other) }
    return OffsetPolygon(cuts, around: nearest.offset)
  }

  /// The lower convex hull of the limits of one kind of bound, built from the left.
  private struct Side {
    /// The corners of the seconds that are over.
    var done: [Corner] = []
    /// The hull of the present second so far; `h` is counted from the second's beginning.
    var points: [(corner: Corner, h: Double, limit: Double)] = []
    private var second: Int64 = 0

    mutating func add(_ corner: Corner, _ second: Int64, _ h: Double, _ limit: Double) {
      if second != self.second {
        done += points.map(\.corner)
        points.removeAll(keepingCapacity: true)
        self.second = second
      }
      while let top = points.last {
        if top.h == h {
          guard limit < top.limit else { return }
        } else {
          guard points.count > 1 else { break }
          let below = points[points.count - 2]
          // A point stays if it is below the line from its neighbour to the new one.
          guard
            (top.limit - below.limit) * (h - below.h) >= (limit - below.limit) * (top.h - below.h)
          else { break }
        }
        points.removeLast()
      }
      points.append((corner, h, limit))
    }

    /// Not only the first ones: a bound of a slot that is never reached may stand before later ones.
    mutating func drop(before slot: Int64) { done.removeAll { $0.slot < slot } }
  }
}
