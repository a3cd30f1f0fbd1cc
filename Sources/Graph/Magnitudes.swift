// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The lengths of a sample's two vectors, in counts: √(x² + y² + z²), rounded to whole counts.
///
/// The greatest, of three counts of −32,768, is 56,756. An axis that was not recorded counts as 0.
public struct Magnitudes: Equatable, Sendable {
  /// Acceleration, rotation.
  fileprivate let lanes: SIMD2<UInt16>

  /// Of the acceleration.
  public var acceleration: UInt16 { lanes[0] }
  /// Of the rotation.
  public var rotation: UInt16 { lanes[1] }

  /// The lengths of a sample's vectors.
  ///
  /// - Complexity: two square roots.
  public init(_ sample: RawSample) {
    lanes = SIMD2(
      Magnitudes.length(sample.ax, sample.ay, sample.az),
      Magnitudes.length(sample.gx, sample.gy, sample.gz))
  }

  fileprivate init(_ lanes: SIMD2<UInt16>) { self.lanes = lanes }

  private static func length(_ x: Int16, _ y: Int16, _ z: Int16) -> UInt16 {
    let (x, y, z) = (Double(x), Double(y), Double(z))
    return UInt16((x * x + y * y + z * z).squareRoot().rounded())
  }
}

/// The lowest and the highest lengths of some samples' vectors.
public struct MagnitudeRange: Equatable, Sendable {
  /// The lowest of each.
  public private(set) var low: Magnitudes
  /// The highest of each.
  public private(set) var high: Magnitudes

  /// Of a single sample.
  public init(_ magnitudes: Magnitudes) {
    (low, high) = (magnitudes, magnitudes)
  }

  /// Includes those of other samples.
  public mutating func include(_ other: MagnitudeRange) {
    low = Magnitudes(pointwiseMin(low.lanes, other.low.lanes))
    high = Magnitudes(pointwiseMax(high.lanes, other.high.lanes))
  }
}
