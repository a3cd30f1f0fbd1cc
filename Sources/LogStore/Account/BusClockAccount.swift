// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The bus's clock in a recording, by the readings in its log: an estimate.
public struct BusClockAccount: Equatable, Sendable {
  /// Readings in the log.
  public private(set) var count: UInt64 = 0
  private var sum: UInt64 = 0
  /// Of the slowest second, in hertz; 0 without a reading.
  public private(set) var least: UInt32 = 0
  /// Of the fastest second, in hertz; 0 without a reading.
  public private(set) var most: UInt32 = 0

  init() {}

  mutating func add(_ reading: BusClockReading) {
    (count, sum) = (count + 1, sum.addingSaturated(UInt64(reading.hertz)))
    least = count == 1 ? reading.least : min(least, reading.least)
    most = max(most, reading.most)
  }

  /// The mean of the readings, in hertz; `nil` without one.
  public var hertz: UInt64? { count > 0 ? sum / count : nil }
}
