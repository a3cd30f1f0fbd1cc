/// The states of the chip's clock that bounds allow at one instant: a convex polygon of offset and rate.
///
///     b, ppm
///      ▲      ╱╲
///      │     ╱  ╲        each bound at distance h cuts off a half plane:
///      │    ╲    ╲       a + b·h ≤ limit   (an upper one)
///      │     ╲   ╱       a + b·h ≥ limit   (a lower one)
///      │      ╲ ╱
///      └──────────────► a, µs
///
/// `a` is the clock's offset from a reference line, in microseconds, `b` the error of its period, in parts per million,
/// and `h` a distance in seconds, so that b·h is in microseconds too.
struct OffsetPolygon: Equatable {
  /// A state of the clock.
  struct Corner: Equatable, BitwiseCopyable {
    var a: Double
    var b: Double

    /// The offset at distance `h`, if the rate stays.
    func offset(at h: Double) -> Double { a + b * h }
  }

  /// A half plane: `sign · (a + b·h) ≤ limit`.
  struct Cut: Equatable, BitwiseCopyable {
    var h: Double
    /// 1 for an upper bound, −1 for a lower one.
    var sign: Double
    /// In microseconds, with the sign applied.
    var limit: Double

    /// How far a corner violates it, in microseconds; 0 or less if it does not.
    func excess(_ corner: Corner) -> Double { sign * corner.offset(at: h) - limit }
  }

  /// In order around the polygon. Two corners, or one, are a polygon of no area.
  private(set) var corners: [Corner]

  /// A second of offset and 20 % of the rate: more than any chip.
  private static let widest = [
    Corner(a: -1e6, b: -2e5), Corner(a: 1e6, b: -2e5), Corner(a: 1e6, b: 2e5),
    Corner(a: -1e6, b: 2e5),
  ]

  /// In microseconds: what a corner may violate a bound by, for the rounding of the corners.
  private static let tolerance = 1e-6

  /// Whether no clock fits.
  var isEmpty: Bool { corners.isEmpty }

  /// The states that all `cuts` allow.
  ///
  /// The cut that is violated most is applied first: a few cuts decide, and the others are only looked at.
  ///
  /// - Complexity: for each cut that decides, one look at each cut and corner.
  init(_ cuts: some Collection<Cut>) {
    corners = OffsetPolygon.widest
    while let cut = worst(cuts) {
      apply(cut)
      if corners.isEmpty { return }
    }
  }

  /// The cut that is violated most; `nil` when all hold.
  private func worst(_ cuts: some Collection<Cut>) -> Cut? {
    var (worst, greatest) = (nil as Cut?, OffsetPolygon.tolerance)
    for cut in cuts {
      for corner in corners {
        let excess = cut.excess(corner)
        if excess > greatest { (worst, greatest) = (cut, excess) }
      }
    }
    return worst
  }

  /// Keeps the part in one half plane (Sutherland and Hodgman).
  private mutating func apply(_ cut: Cut) {
    var kept: [Corner] = []
    guard var previous = corners.last else { return }
    var before = cut.excess(previous)
    for corner in corners {
      let excess = cut.excess(corner)
      if (before <= 0) != (excess <= 0) {
        let part = before / (before - excess)
        kept.append(
          Corner(
            a: previous.a + (corner.a - previous.a) * part,
            b: previous.b + (corner.b - previous.b) * part))
      }
      if excess <= 0 { kept.append(corner) }
      (previous, before) = (corner, excess)
    }
    corners = kept
  }

  /// The least and the greatest offset at distance `h`; `nil` when no clock fits.
  func offsets(at h: Double) -> ClosedRange<Double>? {
    var (least, greatest) = (Double.infinity, -Double.infinity)
    for corner in corners {
      let offset = corner.offset(at: h)
      (least, greatest) = (min(least, offset), max(greatest, offset))
    }
    return least <= greatest ? least...greatest : nil
  }

  /// The least and the greatest error of the period, in parts per million; `nil` when no clock fits.
  var rates: ClosedRange<Double>? {
    guard let least = corners.map(\.b).min(), let greatest = corners.map(\.b).max() else {
      return nil
    }
    return least...greatest
  }
}
