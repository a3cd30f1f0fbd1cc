// SPDX-License-Identifier: Apache-2.0

import IMUModel
import LogFormat

/// What the samples of a log show: achieved rate, clipping, temperature, and where the sensor was still.
public struct MotionAccount: Equatable, Sendable {
  /// Samples with an axis of the accelerometer at an end of the 16-bit range.
  public private(set) var clippedAccelerations: UInt64 = 0
  /// Samples with an axis of the gyroscope at an end of the 16-bit range.
  public private(set) var clippedRates: UInt64 = 0
  private var meter: StillnessMeter
  private let channels: ChannelSet
  private let sensor: SensorDescription
  private var sampleCount: UInt64 = 0
  private var firstTime: Int64 = 0
  private var lastTime: Int64 = 0
  private var coldest: Int16 = .max
  private var hottest: Int16 = .min

  init(_ description: RecordingDescription) {
    meter = StillnessMeter(description)
    channels = description.channels
    sensor = description.sensor
  }

  /// - Parameter clipped: The samples of a corrected block that the chip had at an end of its range, which corrected values
  ///   hide; `nil` for a block as recorded.
  mutating func add(_ block: borrowing SampleBlock, clipped: [ClippedSample]?) {
    for sample in clipped ?? [] {
      if sample.sensors.isSuperset(of: .accelerometer) { clippedAccelerations += 1 }
      if sample.sensors.isSuperset(of: .gyroscope) { clippedRates += 1 }
    }
    if sampleCount == 0 { firstTime = block.times.first ?? 0 }
    for index in 0..<block.count {
      let (tick, time, sample) = block[index]
      meter.add(tick, time, sample)
      if clipped == nil {
        if isAtEnd(sample.ax) || isAtEnd(sample.ay) || isAtEnd(sample.az) {
          clippedAccelerations += 1
        }
        if isAtEnd(sample.gx) || isAtEnd(sample.gy) || isAtEnd(sample.gz) { clippedRates += 1 }
      }
      coldest = min(coldest, sample.temperature)
      hottest = max(hottest, sample.temperature)
      lastTime = time
    }
    sampleCount += UInt64(block.count)
  }

  mutating func finish() { meter.finish() }

  private func isAtEnd(_ count: Int16) -> Bool { count == .min || count == .max }

  /// Samples a second, from the first sample to the last; `nil` for fewer than two.
  public var achievedHertz: Double? {
    guard sampleCount > 1, lastTime > firstTime else { return nil }
    return Double(sampleCount - 1) / (Double(lastTime) - Double(firstTime)) * 1e9
  }

  /// Where the sensor was still and where it moved.
  public var stillness: Stillness { meter.stillness }

  /// Mean magnitude of the acceleration at rest in g, 1 for a good sensor; `nil` when the sensor was never still, or lacks
  /// an axis of the accelerometer.
  public var accelerationAtRest: Double? { meter.accelerationAtRest }

  /// Lowest and highest temperature in °C; `nil` without the channel.
  public var temperature: ClosedRange<Double>? {
    guard channels.contains(.temperature), sampleCount > 0 else { return nil }
    let ends = [coldest, hottest].map {
      Double($0) * sensor.temperatureScale.value + sensor.temperatureOffset.value
    }
    return min(ends[0], ends[1])...max(ends[0], ends[1])
  }
}
