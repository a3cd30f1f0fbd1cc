// SPDX-License-Identifier: Apache-2.0

/// Every bound of a certificate that is not a chip's own figure. What comes from data sheets is in
/// `SensorExpectation`, which the drivers fill in.
enum CertificateBounds {
  /// How long the sensor must be still to be measured, in nanoseconds: at 100 Hz a deviation from 300 samples is within
  /// ±4 %.
  static let stillTime: Int64 = 3_000_000_000
  /// Samples that a measurement needs at least: a deviation is within ±9 % then, so that half or twice is five deviations off.
  static let leastSamples = 60
  /// A data sheet's noise is typical. Twice as much is in the place as easily as in the chip: warn.
  static let noiseAbove = 2.0
  /// A chip is not quieter than half its figure: its filter is another one, or it is another chip. Warn.
  static let noiseBelow = 0.5
  /// No vibration makes a chip quieter: fail.
  static let noiseFarBelow = 0.25
  /// Noise in counts below which rounding hides it: no density can be measured, and an axis may stand still.
  static let leastDeviation = 0.5
  /// The move of the other axes in three seconds, in counts, that proves a constant axis dead: 2 % of cross-axis
  /// sensitivity, as the data sheets have it, would show five.
  static let motion = 256
  /// What two axes of the gyroscope must deviate in every direction between them, in counts, to prove the third dead: about an
  /// axis that a chip is mounted askew to they move in proportion.
  static let turnDeviation = 16.0
  /// A deviation of sixty samples may be this part of the true one: ±9 %, twice.
  static let leastMeasured = 0.8
  /// Zero levels are typical, before soldering and at 25 °C: twice as much is accepted.
  static let zeroLevels = 2.0
  /// Sensitivity is within 3 % (PS-MPU-6000A 6.1 and 6.2).
  static let sensitivity = 0.03
  /// A scale that is wrong is so by a factor of two: |a| off by this, in g, is no zero level.
  static let gravity = 0.3
  /// How near |a| is to a half or the double of 1 g, as a part of that, to be named as a scale that is off by two: zero levels
  /// and the sensitivity together stay within it.
  static let halfOrTwice = 0.2
  /// °C in which all chips here work.
  static let temperatures = -40.0...85.0
  /// How long readings of a FIFO are taken to measure the chip's rate, in nanoseconds.
  static let rateTime: Int64 = 5_000_000_000
  /// When a certificate is written at the latest, in nanoseconds from a recording's beginning.
  static let latest: Int64 = 10_000_000_000
}
