// SPDX-License-Identifier: Apache-2.0

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

  /// By rising rate.
  private(set) var corners: [Corner] = []

  /// Whether bounds of both kinds made it.
  private(set) var isBounded = false

  /// A second of offset and 20 % of the rate to each side: more than any chip within the reach of a knot.
  private static let widest = (offset: 1e6, rate: 2e5)

  /// In microseconds: each limit is let out by this, so that states on a line or at a point have an area, which rounding
  /// cannot take away.
  private static let tolerance = 1e-6

  /// Whether no clock fits.
  var isEmpty: Bool { corners.isEmpty }

  /// The states that all `cuts` allow. Takes the time of sorting the cuts by distance.
  ///
  /// For each rate, the upper bounds leave offsets up to the least of their lines, and the lower ones offsets from the
  /// greatest of theirs on. Both are chains of straight pieces, and the polygon lies between them.
  ///
  /// - Parameter offset: An offset near those at the knot: over hours a clock gets seconds away from the line.
  init(_ cuts: some Collection<Cut>, around offset: Double = 0) {
    // a ≤ c + m·b, and −a ≤ c + m·b.
    var (above, below): ([Line], [Line]) = ([], [])
    above.reserveCapacity(cuts.count + 1)
    below.reserveCapacity(cuts.count + 1)
    for cut in cuts {
      let limit = cut.limit + OffsetPolygon.tolerance
      if cut.sign > 0 {
        above.append(Line(m: -cut.h, c: limit))
      } else {
        below.append(Line(m: cut.h, c: limit))
      }
    }
    isBounded = !above.isEmpty && !below.isEmpty
    // Cuts mostly come by rising distance.
    below.reverse()
    OffsetPolygon.insert(Line(m: 0, c: offset + OffsetPolygon.widest.offset), in: &above)
    OffsetPolygon.insert(Line(m: 0, c: OffsetPolygon.widest.offset - offset), in: &below)
    var (upper, lower) = (Chain(above), Chain(below))
    var previous: (room: Double, b: Double)?
    for b in OffsetPolygon.merged(upper.breaks, lower.breaks) {
      let (greatest, least) = (upper.least(at: b), -lower.least(at: b))
      let room = greatest - least
      // The room is a concave function of the rate: it is positive in one interval.
      if let previous, (previous.room < 0) != (room < 0) {
        let crossing =
          previous.b + (b - previous.b) * previous.room / (previous.room - room)
        corners.append(Corner(a: upper.least(before: b, at: crossing), b: crossing))
      }
      if room >= 0 {
        corners.append(Corner(a: greatest, b: b))
        corners.append(Corner(a: least, b: b))
      }
      previous = (room, b)
    }
  }

  private static func insert(_ line: Line, in lines: inout [Line]) {
    lines.insert(line, at: lines.firstIndex { line.precedes($0) } ?? lines.endIndex)
  }

  /// The rates of both, which rise, within the widest range, and its ends.
  private static func merged(_ upper: [Double], _ lower: [Double]) -> [Double] {
    let inner = (upper + lower).filter { abs($0) <= widest.rate }.sorted()
    return [-widest.rate] + inner + [widest.rate]
  }

  private struct Line {
    var m: Double
    var c: Double

    func value(at b: Double) -> Double { c + m * b }

    func precedes(_ other: Line) -> Bool { m > other.m || (m == other.m && c < other.c) }

    /// The rate at which another, less steep line begins to be less.
    func crossing(_ other: Line) -> Double { (other.c - c) / (m - other.m) }
  }

  /// The least of several lines, by rising rate: steep lines first.
  private struct Chain {
    private var lines: [Line] = []
    /// Where each line but the first begins to be the least.
    private(set) var breaks: [Double] = []
    private var place = 0

    /// The chain of lines that are mostly in order.
    init(_ all: [Line]) {
      let isSorted = all.indices.dropFirst().allSatisfy { !all[$0].precedes(all[$0 - 1]) }
      lines.reserveCapacity(all.count)
      breaks.reserveCapacity(all.count)
      for line in isSorted ? all : all.sorted(by: { $0.precedes($1) }) {
        if let last = lines.last, last.m == line.m { continue }
        while let last = lines.last {
          let crossing = last.crossing(line)
          guard let start = breaks.last, crossing <= start else {
            breaks.append(crossing)
            break
          }
          lines.removeLast()
          breaks.removeLast()
        }
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

  /// From the least to the greatest offset, in microseconds; 0 when no clock fits.
  var width: Double { offsets(at: 0).map { $0.upperBound - $0.lowerBound } ?? 0 }

  /// The mean of all states; `nil` when no clock fits.
  var mean: Corner? {
    guard let origin = corners.first else { return nil }
    // The corners are a strip of triangles. All is from the first one, so that little is rounded.
    var (area, a, b) = (0.0, 0.0, 0.0)
    for index in corners.indices.dropFirst(2) {
      let (p, q, r) = (corners[index - 2], corners[index - 1], corners[index])
      let triangle = abs((q.a - p.a) * (r.b - p.b) - (r.a - p.a) * (q.b - p.b))
      area += triangle
      a += triangle * ((p.a - origin.a) + (q.a - origin.a) + (r.a - origin.a)) / 3
      b += triangle * ((p.b - origin.b) + (q.b - origin.b) + (r.b - origin.b)) / 3
    }
    guard area > 0 else {
      return corners.last.map { Corner(a: (origin.a + $0.a) / 2, b: (origin.b + $0.b) / 2) }
    }
    return Corner(a: origin.a + a / area, b: origin.b + b / area)
  }

  /// The least and the greatest error of the period, in parts per million; `nil` when no clock fits.
  var rates: ClosedRange<Double>? {
    guard let least = corners.map(\.b).min(), let greatest = corners.map(\.b).max() else {
      return nil
    }
    return least...greatest
  }
}
