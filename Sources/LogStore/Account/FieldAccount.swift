// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// The magnetometer's values in a log.
public struct FieldAccount: Equatable, Sendable {
  /// Values in the log.
  public private(set) var count: UInt64 = 0
  /// Those of a field beyond what the chip can measure.
  public private(set) var saturatedCount: UInt64 = 0
  /// Those before which at least one was not read.
  public private(set) var skippedCount: UInt64 = 0
  /// Squares of the magnitude in counts.
  private var squares: ClosedRange<Int64>?

  init() {}

  mutating func add(_ reading: FieldReading) {
    count += 1
    if reading.flags.contains(.skipped) { skippedCount += 1 }
    guard !reading.flags.contains(.saturated) else {
      saturatedCount += 1
      return
    }
    let (x, y, z) = (Int64(reading.x), Int64(reading.y), Int64(reading.z))
    let square = x * x + y * y + z * z
    let known = squares ?? square...square
    squares = min(known.lowerBound, square)...max(known.upperBound, square)
  }

  /// The least and the greatest magnitude in µT of values within the chip's range; `nil` without one.
  public func magnitudes(_ sensor: FieldDescription) -> ClosedRange<Double>? {
    squares.map {
      let (least, most) = (Double($0.lowerBound), Double($0.upperBound))
      return least.squareRoot() * sensor.scale.value...most.squareRoot() * sensor.scale.value
    }
  }
}
