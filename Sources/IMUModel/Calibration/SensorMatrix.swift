// SPDX-License-Identifier: Apache-2.0

/// Three numbers by axis, x first.
public typealias Vector3 = SIMD3<Double>

extension SIMD3<Double> {
  /// Its length.
  @inlinable
  public var length: Double { (self * self).sum().squareRoot() }

  /// The scalar product.
  @inlinable @inline(__always)
  package func dot(_ other: SIMD3<Double>) -> Double {
    x * other.x + y * other.y + z * other.z
  }

  /// The vector product.
  @inlinable @inline(__always)
  package func cross(_ other: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }

  /// The same direction with length 1; zero stays zero.
  @inlinable @inline(__always)
  package var direction: SIMD3<Double> {
    let length = length
    return length == 0 ? self : self / length
  }
}

/// A matrix of three rows by three columns.
public struct SensorMatrix: Equatable, Sendable {
  /// The rows, for x, y and z.
  public var rows: [Vector3]

  /// Ones on the diagonal, else 0.
  public static let identity = SensorMatrix(diagonal: Vector3(1, 1, 1))

  /// A matrix with `diagonal`, else 0.
  public init(diagonal: Vector3) {
    rows = (0..<3).map { axis in
      var row = Vector3()
      row[axis] = diagonal[axis]
      return row
    }
  }

  /// The product with a column.
  public static func * (left: SensorMatrix, right: Vector3) -> Vector3 {
    Vector3(
      (left.rows[0] * right).sum(), (left.rows[1] * right).sum(), (left.rows[2] * right).sum())
  }
}
