// SPDX-License-Identifier: Apache-2.0

/// Bounds of a certificate; those from data sheets are in `SensorExpectation`.
enum CertificateBounds {
  /// Nanoseconds of stillness: at 100 Hz a deviation of 300 samples is within ±4 %.
  static let stillTime: Int64 = 3_000_000_000
  /// The least samples: a deviation is then within ±9 %, so half or twice is five deviations off.
  static let leastSamples = 60
  /// More noise than the typical figure may come from the place: warn.
  static let noiseAbove = 2.0
  /// Less noise shows another filter or another chip: warn.
  static let noiseBelow = 0.5
  /// No vibration makes a chip quieter: fail.
  static let noiseFarBelow = 0.25
  /// Noise in counts below which rounding hides it: no density can be measured, and an axis may stand still.
  static let leastDeviation = 0.5
  /// Counts by which the other axes move in three seconds to prove a constant axis dead: 2 % of cross-axis sensitivity, as in
  /// data sheets, would show five.
  static let motion = 256
  /// The least deviation of two axes of the gyroscope in every direction between them, in counts, to prove the third dead:
  /// turns about one axis, mounted askew, move them in proportion.
  static let turnDeviation = 16.0
  /// A deviation of sixty samples is at least this part of the true one: ±9 %, twice.
  static let leastMeasured = 0.8
  /// Zero levels are typical, before soldering and at 25 °C: accept twice as much.
  static let zeroLevels = 2.0
  /// Sensitivity is within 3 % (PS-MPU-6000A 6.1 and 6.2).
  static let sensitivity = 0.03
  /// |a| further from 1 g is not a zero level: a wrong scale is off by a factor of two.
  static let gravity = 0.3
  /// |a| so near to half or twice 1 g, as a part of it, names a wrong scale; zero levels and sensitivity stay within.
  static let halfOrTwice = 0.2
  /// °C in which all chips here work.
  static let temperatures = -40.0...85.0
  /// Nanoseconds of a FIFO's readings that measure the chip's rate.
  static let rateTime: Int64 = 5_000_000_000
  /// Nanoseconds from a recording's beginning to its certificate, at most.
  static let latest: Int64 = 10_000_000_000
}
