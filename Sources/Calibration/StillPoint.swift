// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The means of a window in which the sensor was still.
struct StillPoint: Equatable, Sendable {
  /// In g.
  var acceleration: Vector3
  /// In °/s.
  var rate: Vector3
  /// In °C; `nil` without the channel.
  var temperature: Double?
  /// What tremor and noise may put into the rate, in °/s.
  var rateNoise: Double
  /// When it began, in nanoseconds from tick 0's deadline.
  var start: Int64 = 0

  /// The means of a window.
  init(
    acceleration: Vector3, rate: Vector3 = Vector3(), temperature: Double? = nil,
    rateNoise: Double = 0
  ) {
    self.acceleration = acceleration
    self.rate = rate
    self.temperature = temperature
    self.rateNoise = rateNoise
  }
}
