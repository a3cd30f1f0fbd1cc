// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// What turns the counts of a chip into those of a sensor without its errors, and into the axes of a mounting.
///
///     counts · scale ──► calibration ──► / wider scale, rounded ──► axes of the mounting
///
/// Corrected values stay counts, so that every format has the same: with a scale a quarter wider than the chip's, so that
/// none leaves the range of a count. The rounding is half a count of that scale at most, less than the chip's own noise.
public struct SampleCorrection: Sendable {
  /// The sensor that the corrected counts are of.
  public let sensor: SensorDescription
  /// The samples that count when clipping is hidden: their channels, and their times in nanoseconds from tick
  /// 0's deadline.
  public var counted: (channels: ChannelSet, times: ClosedRange<Int64>) = (.all, .min ... .max)
  private let axes: AxisMap?
  private let calibration: SensorCalibration?
  private let original: SensorDescription

  /// How much wider the scale of corrected counts is: a sensor that is off by more is at an end of the range sooner.
  private static let room = (numerator: Int64(5), denominator: Int64(4))

  /// A correction of the samples of `sensor`; `nil` when a scale cannot be made wider, which no chip's is.
  public init?(axes: AxisMap?, calibration: SensorCalibration?, sensor: SensorDescription) {
    (self.axes, self.calibration, original) = (axes, calibration, sensor)
    var wider = sensor
    if calibration?.accelerometer != nil {
      guard let scale = SampleCorrection.widened(sensor.accelerometerScale) else { return nil }
      wider.accelerometerScale = scale
    }
    if calibration?.gyroscope != nil {
      guard let scale = SampleCorrection.widened(sensor.gyroscopeScale) else { return nil }
      wider.gyroscopeScale = scale
    }
    self.sensor = wider
  }

  private static func widened(_ scale: Fraction) -> Fraction? {
    let (above, isAboveLost) = scale.numerator.multipliedReportingOverflow(by: room.numerator)
    let (below, isBelowLost) = scale.denominator.multipliedReportingOverflow(by: room.denominator)
    guard !isAboveLost, !isBelowLost, above != 0 else { return nil }
    return Fraction(above, over: below)
  }

  /// The temperature in °C of a count, where the recording has it.
  private func temperature(_ count: Int16, _ channels: ChannelSet) -> Double? {
    guard channels.contains(.temperature) else { return nil }
    return Double(count) * original.temperatureScale.value + original.temperatureOffset.value
  }

  /// The sample without the sensor's errors, in the axes of the mounting.
  public func corrected(_ sample: RawSample, _ channels: ChannelSet) -> RawSample {
    var sample = sample
    if let part = calibration?.accelerometer {
      let scale = original.accelerometerScale.value
      let value = part.corrected(
        Vector3(Double(sample.ax), Double(sample.ay), Double(sample.az)) * scale,
        temperature: temperature(sample.temperature, channels))
      set(&sample, from: 0, value / sensor.accelerometerScale.value)
    }
    if let part = calibration?.gyroscope {
      let scale = original.gyroscopeScale.value
      let value = part.corrected(
        Vector3(Double(sample.gx), Double(sample.gy), Double(sample.gz)) * scale,
        temperature: temperature(sample.temperature, channels))
      set(&sample, from: 3, value / sensor.gyroscopeScale.value)
    }
    if let axes {
      let chip = sample
      for first in [0, 3] {
        for axis in 0..<3 {
          let value = chip[first + axes.sources[axis]]
          // The lowest count has no opposite, and stays at an end of the range.
          sample[first + axis] = !axes.isReversed[axis] ? value : value == .min ? .max : -value
        }
      }
    }
    return sample
  }

  /// A value beyond the wider range is at its end, as that of a chip is.
  private func set(_ sample: inout RawSample, from first: Int, _ counts: Vector3) {
    for axis in 0..<3 {
      let count = counts[axis].rounded(.toNearestOrEven)
      sample[first + axis] = Int16(min(max(count, -32768), 32767))
    }
  }

  /// Whether an axis that a calibration changes is at an end of the chip's range, or its corrected value at an end of the
  /// wider range: the true value was beyond it, and the corrected one does not show that.
  fileprivate func hidesClipping(
    of sample: RawSample, _ corrected: RawSample, at time: Int64
  ) -> Bool {
    func isClipped(_ axes: Range<Int>) -> Bool {
      !counted.channels.isDisjoint(with: axes.lowerBound == 0 ? .accelerometer : .gyroscope)
        && axes.contains {
          sample[$0] == .min || sample[$0] == .max || corrected[$0] == .min || corrected[$0] == .max
        }
    }
    guard counted.times.contains(time) else { return false }
    return calibration?.accelerometer != nil && isClipped(0..<3)
      || calibration?.gyroscope != nil && isClipped(3..<6)
  }
}

extension SampleBlock {
  /// Corrects all samples of the block, and returns in how many of them a value was at an end of a range that the corrected
  /// one does not show.
  package mutating func correct(_ correction: SampleCorrection, _ channels: ChannelSet) -> UInt64 {
    var clipped: UInt64 = 0
    for row in 0..<count {
      let (_, time, chip) = self[row]
      let sample = correction.corrected(chip, channels)
      if correction.hidesClipping(of: chip, sample, at: time) { clipped += 1 }
      for channel in 0..<6 { column(channel)[row] = sample[channel] }
    }
    return clipped
  }
}
