// SPDX-License-Identifier: Apache-2.0

/// The sums of a weighted linear least-squares problem, row by row, and its solution.
///
///     minimise  Σ wᵢ (rowᵢ · x − valueᵢ)²        (Σ w row rowᵀ) x = Σ w row value
///
/// Solved by Cholesky's decomposition after the unknowns are scaled to a diagonal of ones, so that unknowns of unlike
/// sizes do no harm.
struct NormalEquations {
  /// How many unknowns there are.
  let count: Int
  /// The lower triangle of the symmetric matrix, row by row.
  private var matrix: [Double]
  private var right: [Double]

  /// A diagonal element of the decomposition below this is 0 within rounding: an unknown that the rows do not determine.
  private static let smallestPivot = 1e-12

  init(unknowns count: Int) {
    self.count = count
    matrix = Array(repeating: 0, count: count * (count + 1) / 2)
    right = Array(repeating: 0, count: count)
  }

  fileprivate static func place(_ row: Int, _ column: Int) -> Int { row * (row + 1) / 2 + column }

  /// Adds one observation; `row` has ``count`` coefficients.
  mutating func add(_ row: [Double], value: Double, weight: Double = 1) {
    for i in 0..<count {
      let factor = weight * row[i]
      for j in 0...i { matrix[NormalEquations.place(i, j)] += factor * row[j] }
      right[i] += factor * value
    }
  }

  /// Makes the solution shorter: adds `factor` of its own size to each diagonal element (Levenberg and Marquardt).
  mutating func damp(_ factor: Double) {
    for i in 0..<count { matrix[NormalEquations.place(i, i)] *= 1 + factor }
  }

  /// The solution, and the diagonal of the inverse matrix: the variance of each unknown for observations of variance 1.
  /// `nil` when the rows do not determine every unknown.
  ///
  /// - Complexity: n³.
  func solve() -> (unknowns: [Double], variances: [Double])? {
    guard let factors = factors() else { return nil }
    let variances = (0..<count).map { i in
      factors.substitute((0..<count).map { $0 == i ? 1 : 0 })[i]
    }
    return (factors.substitute(right), variances)
  }

  /// The variance of `row` · x for observations of variance 1; `nil` when the rows do not determine every unknown.
  ///
  /// - Complexity: n³.
  func variance(of row: [Double]) -> Double? {
    factors().map { factors in zip(row, factors.substitute(row)).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  /// For each row what an error of 1 in its value adds to the unknowns; `nil` when the rows do not determine every unknown.
  ///
  /// - Complexity: n³, and n² for each row.
  func influences(of rows: [[Double]]) -> [[Double]]? {
    factors().map { factors in rows.map { factors.substitute($0) } }
  }

  private func factors() -> Factors? {
    let scale = (0..<count).map { matrix[NormalEquations.place($0, $0)].squareRoot() }
    guard scale.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    var lower = matrix
    for i in 0..<count {
      for j in 0...i {
        var sum = matrix[NormalEquations.place(i, j)] / (scale[i] * scale[j])
        for k in 0..<j {
          sum -= lower[NormalEquations.place(i, k)] * lower[NormalEquations.place(j, k)]
        }
        if i == j {
          guard sum > NormalEquations.smallestPivot else { return nil }
          lower[NormalEquations.place(i, i)] = sum.squareRoot()
        } else {
          lower[NormalEquations.place(i, j)] = sum / lower[NormalEquations.place(j, j)]
        }
      }
    }
    return Factors(scale: scale, lower: lower)
  }

  /// The matrix as S L Lᵀ S with a diagonal S.
  private struct Factors {
    let scale: [Double]
    let lower: [Double]

    /// The solution of S L Lᵀ S x = `value`.
    func substitute(_ value: [Double]) -> [Double] {
      let count = scale.count
      var x = zip(value, scale).map { $0 / $1 }
      for i in 0..<count {
        for k in 0..<i { x[i] -= lower[NormalEquations.place(i, k)] * x[k] }
        x[i] /= lower[NormalEquations.place(i, i)]
      }
      for i in (0..<count).reversed() {
        for k in (i + 1)..<max(i + 1, count) { x[i] -= lower[NormalEquations.place(k, i)] * x[k] }
        x[i] /= lower[NormalEquations.place(i, i)]
      }
      return zip(x, scale).map { $0 / $1 }
    }
  }
}
