// SPDX-License-Identifier: Apache-2.0

extension GravityFit {
  /// The error at rest from which on a stretch is looked for that moved, in g.
  static let suspicious = 0.001
  /// Beyond so many stretches one that moved is lost in the others.
  private static let searchLimit = 1000

  /// A fit, and what was found of its points.
  struct Sorted {
    var fit: GravityFit
    /// The places of points that spoil it, and are not in it.
    var leftOut: [Int] = []
    /// Two points of which one spoils it, and which one cannot be told: both are in it.
    var rivals: (Int, Int)?
  }

  /// The fit of `points` without those that spoil it.
  ///
  /// One is left out when the error of the others falls to less than a third without it, and not as much without another
  /// one: of two poses on one face that contradict each other either may be the one that moved. At most one in ten is left
  /// out, and one of fewer than ten: each of the eight that fit worst is tried.
  static func withoutSpoilers(_ points: [StillPoint]) throws(Failure) -> Sorted {
    var places = Array(points.indices)
    var fit = try GravityFit(points)
    var rivals: (Int, Int)?
    let most = points.count > searchLimit ? 0 : max(1, points.count / 10)
    while fit.residualAfter > suspicious, points.count - places.count < most {
      let worst = places.sorted {
        abs(fit.residual(of: points[$0])) > abs(fit.residual(of: points[$1]))
      }
      var tried: [(fit: GravityFit, place: Int)] = []
      for place in worst.prefix(8) {
        do throws(Failure) {
          let next = try GravityFit(places.filter { $0 != place }.map { points[$0] })
          // The last spare stretch would leave no error at all, whichever it is.
          guard places.count - 1 > next.terms.unknowns, next.terms == fit.terms else { continue }
          if next.residualAfter < fit.residualAfter / 3 { tried.append((next, place)) }
        } catch {
          // The others determine nothing without it.
          continue
        }
      }
      tried.sort { $0.fit.residualAfter < $1.fit.residualAfter }
      guard let best = tried.first else { break }
      if tried.count > 1,
        tried[1].fit.residualAfter < 3 * max(best.fit.residualAfter, leastNoise)
      {
        rivals = (min(best.place, tried[1].place), max(best.place, tried[1].place))
        break
      }
      fit = best.fit
      places.removeAll { $0 == best.place }
    }
    let leftOut = places.count < points.count ? points.indices.filter { !places.contains($0) } : []
    return Sorted(fit: fit, leftOut: leftOut, rivals: rivals)
  }
}
