// SPDX-License-Identifier: Apache-2.0

/// The sums of a weighted linear least-squares problem, row by row, and its solution.
///
///     minimise  Σ wᵢ (rowᵢ · x − valueᵢ)²        (Σ w row rowᵀ) x = Σ w row value
///
/// Solved by Cholesky's decomposition after the unknowns are scaled to a diagonal of ones.
package struct NormalEquations {
  /// The number of unknowns.
  package let count: Int
  /// The lower triangle of the symmetric matrix, row by row.
  private var matrix: [Double]
  private var right: [Double]

  /// A diagonal element of the decomposition below this is 0 within rounding: an unknown that the rows do not determine.
  private static let smallestPivot = 1e-12

  package init(unknowns count: Int) {
    self.count = count
    matrix = Array(repeating: 0, count: count * (count + 1) / 2)
    right = Array(repeating: 0, count: count)
  }

  fileprivate static func place(_ row: Int, _ column: Int) -> Int { row * (row + 1) / 2 + column }

  /// Adds one observation; `row` has ``count`` coefficients.
  package mutating func add(_ row: [Double], value: Double, weight: Double = 1) {
    for i in 0..<count {
      let factor = weight * row[i]
      for j in 0...i { matrix[NormalEquations.place(i, j)] += factor * row[j] }
      right[i] += factor * value
    }
  }

  /// Makes the solution shorter: enlarges each diagonal element by `factor` of itself (Levenberg and Marquardt).
  package mutating func damp(_ factor: Double) {
    for i in 0..<count { matrix[NormalEquations.place(i, i)] *= 1 + factor }
  }

  /// The decomposition in n³ steps, which answers each question in n²; `nil` when the rows do not determine every unknown.
  package func factored() -> Factors? {
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
    return Factors(scale: scale, lower: lower, right: right)
  }

  /// The matrix as S L Lᵀ S with a diagonal S.
  package struct Factors {
    fileprivate let scale: [Double]
    fileprivate let lower: [Double]
    fileprivate let right: [Double]

    /// The unknowns.
    package var unknowns: [Double] { unknowns(of: right) }

    /// What the unknowns explain of Σ w value².
    package var explained: Double { zip(unknowns, right).reduce(0) { $0 + $1.0 * $1.1 } }

    /// The variance of each unknown for observations of variance 1: the diagonal of the inverse matrix, in n³ steps.
    package var variances: [Double] {
      scale.indices.map { i in unknowns(of: scale.indices.map { $0 == i ? 1 : 0 })[i] }
    }

    /// The variance of `row` · x for observations of variance 1; for a row that was added, its leverage.
    package func variance(of row: [Double]) -> Double {
      zip(row, unknowns(of: row)).reduce(0) { $0 + $1.0 * $1.1 }
    }

    /// The unknowns of the same rows with other values, whose Σ w row value is `value`.
    package func unknowns(of value: [Double]) -> [Double] {
      let count = scale.count
      var x = zip(value, scale).map { $0 / $1 }
      for i in scale.indices {
        for k in 0..<i { x[i] -= lower[NormalEquations.place(i, k)] * x[k] }
        x[i] /= lower[NormalEquations.place(i, i)]
      }
      for i in scale.indices.reversed() {
        for k in (i + 1)..<max(i + 1, count) { x[i] -= lower[NormalEquations.place(k, i)] * x[k] }
        x[i] /= lower[NormalEquations.place(i, i)]
      }
      return zip(x, scale).map { $0 / $1 }
    }
  }
}
