// SPDX-License-Identifier: Apache-2.0

import IMUModel

extension GravityFit {
  /// The error at rest from which on a stretch is looked for that moved, in g.
  static let suspicious = 0.001
  /// The error of one stretch by the others from which on it is looked for too, in g, as the others' errors are.
  private static let suspiciousAlone = 0.002
  /// Beyond so many stretches one that moved is lost in the others.
  private static let searchLimit = 1000
  /// At most one in so many is left out.
  private static let share = 10
  /// So many of the stretches that fit worst are tried: one that moved drags others along, which fit badly too.
  private static let tries = 8
  /// One that spoils a fit makes the error of all so many times as large as that of the others.
  private static let gain = 3.0
  /// How many squares of what the others leave a stretch must be off by: of so few residuals, and with what is known of rests
  /// anyway, chance has that once in a thousand.
  private static let significant = 40.0
  /// The least redundancy of a point that the others check: they know its magnitude to three times its own error then, and a
  /// third of what it is off by shows.
  private static let leastRedundancy = 0.1
  /// Below that what shows is of what the model leaves out, such as cross terms, and no sign that the point moved.
  private static let noRedundancy = 0.005

  /// A fit, and what was found of its points.
  struct Sorted {
    var fit: GravityFit
    /// The places of points that spoil it, and are not in it.
    var leftOut: [Int] = []
    /// Points of which one spoils it, and which one cannot be told, or it cannot be spared: all are in it.
    var rivals: [Int] = []
    /// By how much the one of them that moved did so at most, in g.
    var move = 0.0
    /// Points whose errors no other one shows. All, when there are no more points than unknowns.
    var unchecked: [Int] = []
    /// What the worst axis's offset and scale are known to: whichever of the rivals spoiled it.
    var known: (offset: Double, scale: Double)
  }

  /// A point that may have moved.
  private struct Suspect {
    let place: Int
    /// The fit of the others, determined well or not.
    let others: GravityFit
    /// Whether they are enough for a result.
    let isSpare: Bool
  }

  /// The fit of `points` without those that spoil it.
  ///
  /// One is left out when the error of the others falls to less than a third without it, beyond chance, and not as much
  /// without another one: of two poses on one face that contradict each other either may be the one that moved, and so
  /// may be one without which the others determine nothing. At most one in ten is left out, and one of fewer than ten.
  ///
  /// - Complexity: a fit, and eight for each point that is left out. Each of them leaves a third of the error at most, so
  ///   that these are few.
  static func withoutSpoilers(_ points: [StillPoint]) throws(Failure) -> Sorted {
    var places = Array(points.indices)
    var fit = try GravityFit(points)
    var leftOut: [Int] = []
    var rivals: [Suspect] = []
    let most = points.count > searchLimit ? 0 : max(1, points.count / share)
    let order = TemperatureDrift.order(of: points)
    let canSpare = order == 0 || points.count >= 2 * Terms.drift(order).union(.cross).unknowns
    while leftOut.count < most {
      let left = places.map { points[$0] }
      let found = suspects(fit, left)
      guard let best = found.first else { break }
      // Any without which the others fit about as well may be the one that moved.
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
      move = max(move, abs(other.residual(of: points[places[rival.place]])))
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
    // What each point is off by from what the others say, in the measure of their errors.
    let errors = zip(points, fit.redundancies).map { point, redundancy in
      redundancy < noRedundancy ? 0 : abs(fit.residual(of: point)) / redundancy.squareRoot()
    }
    let spare = points.count - fit.terms.unknowns
    // The last spare stretch would leave no error at all, whichever it is.
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

  /// The residual of all points with the terms of some of them: a term more must not pass for a point that moved. `nil` where
  /// there is no more than one point to judge it by.
  private static func whole(
    _ fit: GravityFit, _ points: [StillPoint], _ terms: Terms
  ) -> Double? {
    guard terms != fit.terms else { return fit.residualAfter }
    guard points.count > terms.unknowns + 1 else { return nil }
    do throws(Failure) {
      return try GravityFit(points, terms, isTrial: true).residualAfter
    } catch {
      return nil
    }
  }

  /// What the others say without the point at a place; `nil` when they say nothing.
  private static func suspect(
    _ place: Int, _ fit: GravityFit, _ points: [StillPoint]
  ) -> Suspect? {
    var rest = points
    rest.remove(at: place)
    do throws(Failure) {
      let others = try GravityFit(rest)
      if others.terms.covers(fit.terms) {
        return Suspect(place: place, others: others, isSpare: true)
      }
    } catch {
      // They determine nothing well without it, and may still contradict it.
    }
    do throws(Failure) {
      let others = try GravityFit(rest, fit.terms, isTrial: true)
      return Suspect(place: place, others: others, isSpare: false)
    } catch {
      return nil
    }
  }
}
