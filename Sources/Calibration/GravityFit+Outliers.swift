// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension GravityFit {
  /// The error at rest from which on a point that moved is sought, in g.
  static let suspicious = 0.001
  /// The same for the error of one point by the others, in g.
  private static let suspiciousAlone = 0.002
  /// Among more points one that moved is lost.
  private static let searchLimit = 1000
  /// At most one in so many is left out.
  private static let share = 10
  /// The worst points that are tried: one that moved makes others fit badly too.
  private static let tries = 8
  /// A point that moved multiplies the error of the others by so much.
  private static let gain = 3.0
  /// The least square of a point's error, in variances of the others: chance has that once in a thousand.
  private static let significant = 40.0
  /// The least redundancy of a checked point: the others know its magnitude to three times its own error, and a third of its
  /// error shows.
  private static let leastRedundancy = 0.1
  /// The redundancy below which a residual shows what the model leaves out, such as cross terms, not a move.
  private static let noRedundancy = 0.005

  /// A fit, and what it shows about its points, by their places.
  struct Sorted {
    var fit: GravityFit
    /// Points that moved, and are not in the fit.
    var leftOut: [Int] = []
    /// Points in the fit, one of which moved: the fit cannot tell which, or needs it.
    var rivals: [Int] = []
    /// The most that it moved by, in g.
    var move = 0.0
    /// Points that no other one checks; all without a spare point.
    var unchecked: [Int] = []
    /// Bounds of the worst axis's offset and scale, whichever of the rivals moved.
    var known: (offset: Double, scale: Double)
  }

  private struct Suspect {
    let place: Int
    /// The fit of the others, well determined or not.
    let others: GravityFit
    /// Whether the others suffice for a result.
    let isSpare: Bool
  }

  /// The fit of `points` without those that moved.
  ///
  /// A point is left out if the error of the others falls to less than a third without it, beyond chance, and not as much
  /// without another one, as with two poses on one face that contradict each other. At most one in ten is left out, and one
  /// of fewer than ten.
  ///
  /// - Complexity: a fit, and eight for each point that is left out.
  static func withoutSpoilers(_ points: [StillPoint]) throws(Failure) -> Sorted {
    var places = Array(points.indices)
    var fit = try GravityFit(points)
    var leftOut: [Int] = []
    var rivals: [Suspect] = []
    let most = points.count > searchLimit ? 0 : max(1, points.count / share)
    let order = TemperatureDrift.order(of: points)
    let canSpare = order == 0 || points.count >= 2 * Terms(hasCross: true, order: order).unknowns
    while leftOut.count < most {
      let left = places.map { points[$0] }
      let found = suspects(fit, left)
      guard let best = found.first else { break }
      // Any of these may be the one that moved.
      let most = gain * max(best.others.residualAfter, leastNoise)
      rivals = found.filter { $0.others.residualAfter < most }
      guard rivals.count == 1, best.isSpare, canSpare else { break }
      rivals = []
      fit = best.others
      leftOut.append(places.remove(at: best.place))
    }
    var known = (offset: fit.known.offset.max(), scale: fit.known.scale.max())
    var move = 0.0
    for rival in rivals {
      let other = rival.others
      move = max(move, abs(other.model.residual(points[places[rival.place]])))
      let offset = other.offset - fit.offset
      let scale = (0..<3).map { abs(other.matrix.rows[$0][$0] - fit.matrix.rows[$0][$0]) }
      known.offset = max(
        known.offset, max(offset.max(), -offset.min()) + other.known.offset.max())
      known.scale = max(known.scale, (scale.max() ?? 0) + other.known.scale.max())
    }
    let unchecked = places.indices.filter { fit.redundancies[$0] < leastRedundancy }
    return Sorted(
      fit: fit, leftOut: leftOut.sorted(),
      rivals: Set(rivals.map { places[$0.place] }).sorted(), move: move,
      unchecked: unchecked.map { places[$0] }, known: known)
  }

  /// The points whose removal reduces the error of the others to less than a third, the best first.
  private static func suspects(
    _ fit: GravityFit, _ points: [StillPoint]
  ) -> [Suspect] {
    // The error of each point by the others, in the measure of their errors.
    let errors = zip(points, fit.redundancies).map { point, redundancy in
      redundancy < noRedundancy ? 0 : abs(fit.model.residual(point)) / redundancy.squareRoot()
    }
    let spare = points.count - fit.terms.unknowns
    // Without the last spare point no error is left, whichever it is.
    guard spare > 1,
      fit.residualAfter > suspicious || errors.contains(where: { $0 > suspiciousAlone })
    else { return [] }
    let worst = errors.indices.filter { errors[$0] > 0 }.sorted { errors[$0] > errors[$1] }
    var found: [Suspect] = []
    for place in worst.prefix(tries) {
      guard let suspect = suspect(place, fit, points),
        let whole = whole(fit, points, suspect.others.terms)
      else { continue }
      let left = suspect.others.residualAfter
      let usual = ErrorBound.usualSquares(usualNoise)
      let count = Double(points.count)
      let squares = (whole * whole * count, left * left * (count - 1))
      let freedom = max(0, points.count - 1 - suspect.others.terms.unknowns) + usual.count
      let variance = (squares.1 + usual.squares) / Double(freedom)
      guard left < whole / gain, squares.0 - squares.1 > significant * variance else {
        continue
      }
      found.append(suspect)
    }
    return found.sorted { $0.others.residualAfter < $1.others.residualAfter }
  }

  /// The residual of all points with the terms of a fit of some: a further term must not pass for a move. `nil` with at most
  /// one spare point.
  private static func whole(
    _ fit: GravityFit, _ points: [StillPoint], _ terms: Terms
  ) -> Double? {
    guard terms != fit.terms else { return fit.residualAfter }
    return points.count > terms.unknowns + 1 ? fitted(points, trying: terms)?.residualAfter : nil
  }

  /// The fit without the point at a place, if there is one.
  private static func suspect(
    _ place: Int, _ fit: GravityFit, _ points: [StillPoint]
  ) -> Suspect? {
    var rest = points
    rest.remove(at: place)
    if let others = fitted(rest), others.terms.covers(fit.terms) {
      return Suspect(place: place, others: others, isSpare: true)
    }
    // Others that determine nothing well may still contradict it.
    return fitted(rest, trying: fit.terms).map {
      Suspect(place: place, others: $0, isSpare: false)
    }
  }

  /// A fit, with terms as a trial; `nil` without one.
  private static func fitted(_ points: [StillPoint], trying terms: Terms? = nil) -> GravityFit? {
    do throws(Failure) {
      guard let terms else { return try GravityFit(points) }
      return try GravityFit(points, terms, isTrial: true)
    } catch {
      return nil
    }
  }
}
