// SPDX-License-Identifier: Apache-2.0

struct Matrix3: BitwiseCopyable {
  var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

  init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
    rows = (first, second, third)
  }

  init(diagonal: SIMD3<Double>) {
    self.init(
      SIMD3(diagonal.x, 0, 0), SIMD3(0, diagonal.y, 0), SIMD3(0, 0, diagonal.z))
  }

  static let identity = Matrix3(diagonal: SIMD3(repeating: 1))

  static func + (a: Matrix3, b: Matrix3) -> Matrix3 {
    Matrix3(a.rows.0 + b.rows.0, a.rows.1 + b.rows.1, a.rows.2 + b.rows.2)
  }

  static func - (a: Matrix3, b: Matrix3) -> Matrix3 {
    Matrix3(a.rows.0 - b.rows.0, a.rows.1 - b.rows.1, a.rows.2 - b.rows.2)
  }

  static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
    func row(_ row: SIMD3<Double>) -> SIMD3<Double> {
      b.rows.0 * row.x + b.rows.1 * row.y + b.rows.2 * row.z
    }
    return Matrix3(row(a.rows.0), row(a.rows.1), row(a.rows.2))
  }

  static func * (a: Matrix3, v: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.rows.0.dot(v), a.rows.1.dot(v), a.rows.2.dot(v))
  }

  var transposed: Matrix3 {
    let (a, b, c) = rows
    return Matrix3(SIMD3(a.x, b.x, c.x), SIMD3(a.y, b.y, c.y), SIMD3(a.z, b.z, c.z))
  }

  /// The inverse of a matrix that has one, as sums of covariances have: the cross products of two rows are the columns.
  var inverse: Matrix3 {
    let (a, b, c) = rows
    let (first, second, third) = (b.cross(c), c.cross(a), a.cross(b))
    let scale = 1 / a.dot(first)
    return Matrix3(first * scale, second * scale, third * scale).transposed
  }
}
