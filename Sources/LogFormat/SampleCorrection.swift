// SPDX-License-Identifier: Apache-2.0

public import IMUModel

/// Converts a chip's counts to those of a sensor without its errors, in the axes of a mounting.
///
///     counts · scale ──► calibration ──► / wider scale, rounded ──► axes of the mounting
///
/// Corrected values stay counts, so that every format has the same, with a scale a quarter wider than the chip's, so that
/// none leaves the range. The rounding is half a count of that scale at most, less than the chip's noise.
public struct SampleCorrection: Sendable {
  /// The sensor that the corrected counts are of.
  public let sensor: SensorDescription
  /// The samples that are counted: their channels, and their times in nanoseconds from tick 0's deadline.
  public var counted: (channels: ChannelSet, times: ClosedRange<Int64>) = (.all, .min ... .max)
  private let axes: AxisMap?
  private let calibration: SensorCalibration?
  private let original: SensorDescription

  /// How much wider the scale of corrected counts is; a sensor that is off by more is clipped sooner.
  private static let room = (numerator: Int64(5), denominator: Int64(4))

  /// A correction for a sensor; `nil` when a scale cannot be made wider, which no chip's is.
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
    let warmth = temperature(sample.temperature, channels)
    if let part = calibration?.accelerometer {
      let measured = Vector3(Double(sample.ax), Double(sample.ay), Double(sample.az))
      let value = part.corrected(
        measured * original.accelerometerScale.value, temperature: warmth)
      set(&sample, from: 0, value / sensor.accelerometerScale.value)
    }
    if let part = calibration?.gyroscope {
      let measured = Vector3(Double(sample.gx), Double(sample.gy), Double(sample.gz))
      let value = part.corrected(measured * original.gyroscopeScale.value, temperature: warmth)
      set(&sample, from: 3, value / sensor.gyroscopeScale.value)
    }
    if let axes {
      let chip = sample
      for first in [0, 3] {
        for axis in 0..<3 {
          let value = chip[first + axes.sources[axis]]
          sample[first + axis] = axes.isReversed[axis] ? SampleCorrection.reversed(value) : value
        }
      }
    }
    return sample
  }

  /// The ends of the range change places, and nothing else gets there: the lowest count has no opposite, and that of the
  /// next one would look like the highest.
  private static func reversed(_ count: Int16) -> Int16 {
    switch count {
    case .min: .max
    case .max: .min
    default: min(-count, Int16.max - 1)
    }
  }

  /// Clamps values to the wider range, as a chip does.
  private func set(_ sample: inout RawSample, from first: Int, _ counts: Vector3) {
    for axis in 0..<3 {
      let count = counts[axis].rounded(.toNearestOrEven)
      sample[first + axis] = Int16(min(max(count, -32768), 32767))
    }
  }

  /// The sensors with an axis at an end of the chip's range, or a corrected value at an end of the wider range: the true
  /// value was beyond it.
  fileprivate func clipped(_ sample: RawSample, _ corrected: RawSample) -> ChannelSet {
    func isClipped(_ axes: Range<Int>, _ isCalibrated: Bool) -> Bool {
      axes.contains {
        sample[$0] == .min || sample[$0] == .max
          || isCalibrated && (corrected[$0] == .min || corrected[$0] == .max)
      }
    }
    var sensors: ChannelSet = []
    if isClipped(0..<3, calibration?.accelerometer != nil) { sensors.formUnion(.accelerometer) }
    if isClipped(3..<6, calibration?.gyroscope != nil) { sensors.formUnion(.gyroscope) }
    return sensors
  }

  /// Whether corrected values hide that these sensors were at an end of a range, among channels that count.
  package func hides(_ clipped: ChannelSet) -> Bool {
    let counted = clipped.intersection(counted.channels)
    return calibration?.accelerometer != nil && !counted.isDisjoint(with: .accelerometer)
      || calibration?.gyroscope != nil && !counted.isDisjoint(with: .gyroscope)
  }
}

/// A sample of a block with a value at an end of the chip's range.
package struct ClippedSample: Sendable {
  package let row: Int
  /// All channels of each sensor with such an axis.
  package let sensors: ChannelSet
}

extension SampleBlock {
  /// Corrects all samples of the block; returns those with a value at an end of a range, which corrected values hide.
  package mutating func correct(
    _ correction: SampleCorrection, _ channels: ChannelSet
  ) -> [ClippedSample] {
    var clipped: [ClippedSample] = []
    for row in 0..<count {
      let (_, _, chip) = self[row]
      let sample = correction.corrected(chip, channels)
      let sensors = correction.clipped(chip, sample)
      if !sensors.isEmpty { clipped.append(ClippedSample(row: row, sensors: sensors)) }
      for channel in 0..<6 { column(channel)[row] = sample[channel] }
    }
    return clipped
  }
}
