// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel

/// The sum of noises that explains an Allan curve best, by weighted least squares without negative terms.
///
///     σ²(τ) = N²/τ − F/τ² + B² · 2 ln 2/π + K²τ/3 · (1 + 1/2m²) + R²τ²/2        m samples in τ
///
/// R is a steady drift, as of temperature. The part in 1/m² comes from seeing a walk at instants. (IEEE Std 952-2020,
/// annex C.) F is what a filter takes: means of white noise behind one have the variance N²/τ − a/τ², and neighbours the
/// covariance b/τ², for any filter whose response is over within τ, so that F is a + b. The shorter averaging times are left
/// out, at which the curve does not fall as noise does.
struct NoiseFit {
  /// A point of the curve as the fit takes it.
  private struct Row {
    let point: AllanCurve.Point
    /// What each unit of N², B², K², R² and F adds to the variance.
    let parts: SIMD8<Double>
    var weight = 0.0

    init(_ point: AllanCurve.Point) {
      self.point = point
      let (tau, m) = (point.tau, Double(point.factor))
      parts = SIMD8(
        1 / tau, 2 * log(2) / Double.pi, tau / 3 * (1 + 1 / (2 * m * m)), tau * tau / 2,
        -1 / (tau * tau), 0, 0, 0)
    }

    var variance: Double { point.deviation * point.deviation }

    /// The relative standard deviation of the variance: of chance, and 2 % for what the terms cannot follow.
    var error: Double { (2 / Double(point.independent) + 0.02 * 0.02).squareRoot() }
  }

  private let rows: [Row]
  /// N², B², K², R² and F.
  private let squares: SIMD8<Double>
  private let covariances: SIMD8<Double>
  private let sum: Double
  /// Square sum of the weighted distances over its expectation: 1 for a sum of these terms.
  let misfit: Double

  /// - Parameter points: At least three, by rising averaging time.
  init(_ points: ArraySlice<AllanCurve.Point>) {
    // Before it falls as noise does, a filter shapes the curve.
    let start = points.indices.dropLast().first {
      log2(points[$0 + 1].deviation / points[$0].deviation) < -0.45
    }
    var part = points[(start.map { min($0, points.endIndex - 3) } ?? points.startIndex)...]
    var fit = NoiseFit(of: part)
    while fit.misfit > 2, part.count > 6 {
      part = part.dropFirst()
      fit = NoiseFit(of: part)
    }
    self = fit
  }

  private init(of points: ArraySlice<AllanCurve.Point>) {
    var rows = points.map(Row.init)
    var best: (squares: SIMD8<Double>, covariances: SIMD8<Double>, sum: Double) = (
      SIMD8(), SIMD8(), .infinity
    )
    // The first weights are those of the measured variances, the following ones those of the fitted.
    for round in 0..<5 {
      for place in rows.indices {
        let row = rows[place]
        let model = round == 0 ? row.variance : (best.squares * row.parts).sum()
        rows[place].weight = 1 / (model * row.error)
      }
      best = NoiseFit.solve(rows[...], among: NoiseFit.all)
    }
    (squares, covariances, sum) = best
    let terms = (0..<NoiseFit.termCount).filter { best.squares[$0] > 0 }.count
    misfit = best.sum / Double(max(1, rows.count - terms))
    self.rows = rows
  }

  private static let termCount = 5
  private static let all = 1 << termCount - 1
  /// The bits of N² and F.
  private static let (white, filter) = (1, 1 << 4)

  /// The best of all choices of terms in the mask that has no negative one. A filter takes of N² alone.
  private static func solve(
    _ rows: ArraySlice<Row>, among mask: Int
  ) -> (squares: SIMD8<Double>, covariances: SIMD8<Double>, sum: Double) {
    var best = (squares: SIMD8<Double>(), covariances: SIMD8<Double>(), sum: Double.infinity)
    for choice in 1...all where choice & mask == choice {
      guard choice & filter == 0 || choice & white != 0 else { continue }
      let terms = (0..<termCount).filter { choice & 1 << $0 != 0 }
      guard let found = solve(rows, terms), terms.allSatisfy({ found.squares[$0] >= 0 }),
        rows.allSatisfy({ (found.squares * $0.parts).sum() > 0 })
      else { continue }
      var sum = 0.0
      for row in rows {
        let distance = (row.variance - (found.squares * row.parts).sum()) * row.weight
        sum += distance * distance
      }
      if sum < best.sum - 1e-9 { best = (found.squares, found.covariances, sum) }
    }
    return best
  }

  /// Some terms alone; `nil` where the curve does not tell them apart.
  private static func solve(
    _ rows: ArraySlice<Row>, _ terms: [Int]
  ) -> (squares: SIMD8<Double>, covariances: SIMD8<Double>)? {
    var equations = NormalEquations(unknowns: terms.count)
    for row in rows {
      equations.add(
        terms.map { row.parts[$0] }, value: row.variance, weight: row.weight * row.weight)
    }
    guard let factors = equations.factored() else { return nil }
    let (unknowns, variances) = (factors.unknowns, factors.variances)
    var (squares, covariances) = (SIMD8<Double>(), SIMD8<Double>())
    for (place, term) in terms.enumerated() {
      (squares[term], covariances[term]) = (unknowns[place], variances[place])
    }
    return (squares, covariances)
  }

  /// Term 0 to 3 of N, B, K and R; `nil` unless it explains more than half of the variance at so many points, and is three
  /// standard deviations from 0.
  func term(_ term: Int, leadingAt number: Int) -> NoiseTerms.Term? {
    let leads = rows.filter { row in
      squares[term] * row.parts[term] > (squares * row.parts).sum() / 2
    }
    guard leads.count >= number, let first = leads.first, let last = leads.last else { return nil }
    let without = NoiseFit.solve(rows[...], among: NoiseFit.all & ~(1 << term)).sum
    guard without - sum > 9 * max(1, misfit) else { return nil }
    // How much it depends on single points, and on those beside the filter's.
    var parts = [rows[min(2, rows.count - 1)...]]
    for place in rows.indices {
      var part = rows[...]
      part.remove(at: place)
      parts.append(part)
    }
    let spread = parts.reduce(0.0) { spread, part in
      let other = NoiseFit.solve(part, among: NoiseFit.all).squares[term]
      return max(spread, abs((other / squares[term]).squareRoot() - 1))
    }
    let error = (covariances[term] * max(1, misfit)).squareRoot() / squares[term] / 2
    return .found(
      squares[term].squareRoot(), relativeError: error + spread,
      at: first.point.tau...last.point.tau)
  }
}
