// SPDX-License-Identifier: Apache-2.0

extension GravityFit {
  /// The error at rest from which on a stretch is looked for that moved, in g.
  static let suspicious = 0.001
  /// Beyond so many stretches one that moved is lost in the others.
  private static let searchLimit = 1000

  /// The fit of `points` without those that spoil it, whose places are in `leftOut`.
  ///
  /// One is left out when the error of the others falls to less than a third without it; at most one in ten, and one of
  /// fewer than ten: each of the eight that fit worst is tried.
  static func withoutSpoilers(
    _ points: [StillPoint]
  ) throws(Failure) -> (fit: GravityFit, leftOut: [Int]) {
    var places = Array(points.indices)
    var fit = try GravityFit(points)
    let most = points.count > searchLimit ? 0 : max(1, points.count / 10)
    while fit.residualAfter > suspicious, points.count - places.count < most {
      let worst = places.sorted {
        abs(fit.residual(of: points[$0])) > abs(fit.residual(of: points[$1]))
      }
      var best: (fit: GravityFit, place: Int)?
      for place in worst.prefix(8) {
        do throws(Failure) {
          let next = try GravityFit(places.filter { $0 != place }.map { points[$0] })
          // The last spare stretch would leave no error at all, whichever it is.
          guard places.count - 1 > next.terms.unknowns, next.terms == fit.terms else { continue }
          if next.residualAfter < (best?.fit ?? fit).residualAfter { best = (next, place) }
        } catch {
          // The others determine nothing without it.
          continue
        }
      }
      guard let best, best.fit.residualAfter < fit.residualAfter / 3 else { break }
      fit = best.fit
      places.removeAll { $0 == best.place }
    }
    guard places.count < points.count else { return (fit, []) }
    return (fit, points.indices.filter { !places.contains($0) })
  }
}
