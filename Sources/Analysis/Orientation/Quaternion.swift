// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel

/// A turn: the unit quaternion w + x·i + y·j + z·k, with the product of Hamilton.
///
///     turned v = q · v · q*        first b, then a: a · b
///
/// A quaternion and its negative are the same turn.
package struct Quaternion: Equatable, Sendable, BitwiseCopyable {
  /// The cosine of half the angle.
  package var w: Double
  /// The axis times the sine of half the angle.
  package var axis: SIMD3<Double>

  /// No turn.
  package static let identity = Quaternion(w: 1, axis: .zero)
}

extension Quaternion {
  /// The turn that a constant rate makes in a time; none below a rate whose square vanishes.
  ///
  /// - Parameters:
  ///   - rate: Radians a second around each axis of the body.
  ///   - seconds: How long.
  init(rate: SIMD3<Double>, seconds: Double) {
    let speed = rate.length
    guard speed > .ulpOfOne else {
      self = .identity
      return
    }
    let half = speed * seconds / 2
    self.init(w: cos(half), axis: rate * (sin(half) / speed))
  }

  /// The opposite turn.
  var conjugate: Quaternion { Quaternion(w: w, axis: -axis) }

  /// The same direction with length 1; zero stays zero.
  var normalized: Quaternion {
    let length = (w * w + axis.dot(axis)).squareRoot()
    return length == 0 ? self : Quaternion(w: w / length, axis: axis / length)
  }

  /// The turn `b` followed by `a`.
  package static func * (a: Quaternion, b: Quaternion) -> Quaternion {
    Quaternion(
      w: a.w * b.w - a.axis.dot(b.axis), axis: b.axis * a.w + a.axis * b.w + a.axis.cross(b.axis))
  }

  /// A vector after the turn.
  package func turn(_ vector: SIMD3<Double>) -> SIMD3<Double> {
    let twice = axis.cross(vector) * 2
    return vector + twice * w + axis.cross(twice)
  }

  /// The turn as the rows of a matrix.
  var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) {
    let (x, y, z) = (axis.x, axis.y, axis.z)
    return (
      SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
      SIMD3(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
      SIMD3(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
    )
  }
}
