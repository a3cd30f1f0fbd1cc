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
  }

  /// In no order. Two corners, or one, are a polygon of no area.
  private(set) var corners: [Corner] = []

  /// A second of offset and 20 % of the rate to each side: more than any chip within the reach of a knot.
  private static let widest = (offset: 1e6, rate: 2e5)

  /// In microseconds: what limits may contradict each other by, for the rounding.
  private static let tolerance = 1e-6

  /// Whether no clock fits.
  var isEmpty: Bool { corners.isEmpty }

  /// The states that all `cuts` allow.
  ///
  /// For each rate, the upper bounds leave offsets up to the least of their lines, and the lower ones offsets from the
  /// greatest of theirs on. Both are chains of straight pieces, and the polygon is what lies between them.
  ///
  /// - Parameter offset: An offset near those at the knot: over hours a clock gets seconds away from the line.
  /// - Complexity: that of sorting the cuts by their distance, whatever they are.
  init(_ cuts: some Collection<Cut>, around offset: Double = 0) {
    // a ≤ c + m·b, and −a ≤ c + m·b.
    var above = [Line(m: 0, c: offset + OffsetPolygon.widest.offset)]
    var below = [Line(m: 0, c: OffsetPolygon.widest.offset - offset)]
    for cut in cuts {
      if cut.sign > 0 {
        above.append(Line(m: -cut.h, c: cut.limit))
      } else {
        below.append(Line(m: cut.h, c: cut.limit))
      }
    }
    var (upper, lower) = (Chain(above), Chain(below))
    let limit = OffsetPolygon.widest.rate
    var rates = ([-limit] + upper.breaks + lower.breaks + [limit]).filter { abs($0) <= limit }
    rates.sort()
    var best: (room: Double, state: (upper: Double, lower: Double, b: Double)) = (
      -.infinity, (0, 0, 0)
    )
    var previous: (room: Double, b: Double)?
    for b in rates {
      let state = (upper: upper.least(at: b), lower: -lower.least(at: b), b: b)
      let room = state.upper - state.lower
      // The room is a concave function of the rate: it is positive in one interval.
      if let previous, (previous.room < 0) != (room < 0) {
        let crossing =
          previous.b + (b - previous.b) * previous.room / (previous.room - room)
        corners.append(Corner(a: upper.least(before: b, at: crossing), b: crossing))
      }
      if room >= 0 {
        corners.append(Corner(a: state.upper, b: b))
        corners.append(Corner(a: state.lower, b: b))
      }
      if room > best.room { best = (room, state) }
      previous = (room, b)
    }
    if corners.isEmpty, best.room >= -OffsetPolygon.tolerance {
      corners = [Corner(a: (best.state.upper + best.state.lower) / 2, b: best.state.b)]
    }
  }

  /// A limit of the offset by the rate: c + m·b.
  private struct Line {
    var m: Double
    var c: Double

    func value(at b: Double) -> Double { c + m * b }

    /// The rate at which another, less steep line begins to be less.
    func crossing(_ other: Line) -> Double { (other.c - c) / (m - other.m) }
  }

  /// The least of several lines, by rising rate: steep lines first.
  private struct Chain {
    private var lines: [Line] = []
    /// Where each line but the first begins to be the least.
    private(set) var breaks: [Double] = []
    private var place = 0

    init(_ all: [Line]) {
      for line in all.sorted(by: { ($1.m, $0.c) < ($0.m, $1.c) }) {
        if let last = lines.last, last.m == line.m { continue }
        while let start = breaks.last, let last = lines.last, last.crossing(line) <= start {
          lines.removeLast()
          breaks.removeLast()
        }
        if let last = lines.last { breaks.append(last.crossing(line)) }
        lines.append(line)
      }
    }

    /// The least value at a rate that is not below the last one asked for.
    mutating func least(at b: Double) -> Double {
      while place < breaks.count, breaks[place] <= b { place += 1 }
      return lines[place].value(at: b)
    }

    /// The least value at a rate between the last one asked for and the one before it.
    func least(before last: Double, at b: Double) -> Double {
      let index = place > 0 && breaks[place - 1] >= last ? place - 1 : place
      return lines[index].value(at: b)
    }
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
