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

  mutating func add(_ block: borrowing SampleBlock) {
    if sampleCount == 0 { firstTime = block.times.first ?? 0 }
    for index in 0..<block.count {
      let (tick, time, sample) = block[index]
      meter.add(tick, time, sample)
      if isAtEnd(sample.ax) || isAtEnd(sample.ay) || isAtEnd(sample.az) {
        clippedAccelerations += 1
      }
      if isAtEnd(sample.gx) || isAtEnd(sample.gy) || isAtEnd(sample.gz) { clippedRates += 1 }
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

  /// Mean magnitude of the acceleration where the sensor was still, in g: 1 for a good sensor; `nil` when it was never
  /// still or has no accelerometer.
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

/// Where a sensor was still and where it moved.
public struct Stillness: Equatable, Sendable {
  /// A part of one kind.
  public struct Part: Equatable, Sendable {
    /// Whether the sensor was still in it.
    public let isStill: Bool
    /// Nanoseconds from tick 0's deadline.
    public let start: Int64
    /// Nanoseconds from tick 0's deadline.
    public internal(set) var end: Int64
  }

  /// Parts that are kept; further ones only enter the sums.
  public static let partLimit = 100

  /// The first ``partLimit`` parts, in order; neighbours differ or have a gap between them.
  public internal(set) var parts: [Part] = []
  /// Nanoseconds in which it was still.
  public internal(set) var stillTime: Int64 = 0
  /// Nanoseconds in which it moved.
  public internal(set) var movingTime: Int64 = 0

  /// No parts yet.
  public init() {}
}

/// Finds where a sensor was still, from the spread of counts in half-second windows.
///
/// A window is still when the accelerometer's three axes together spread less than 15 mg around their means and the
/// gyroscope's less than 1 °/s, at a mean below 25 °/s: about five times the noise, and a little more than the largest
/// offset of the supported chips (MPU-6050: 3 mg, 0.05 °/s, 20 °/s). The LSM9DS1 has 30 °/s on each axis (data sheet,
/// table 3), so its mean is below 60 °/s. A window has at least eight samples, without a gap between them.
struct StillnessMeter: Equatable, Sendable {
  private static let accelerationSpread = 0.015
  private static let rateSpread = 1.0

  private let length: Int
  private let period: Int64
  private let hasAcceleration: Bool
  private let hasRate: Bool
  private let gPerCount: Double
  private let dpsPerCount: Double
  /// In degrees a second.
  private let rateOffset: Double
  private var window = Window()
  private(set) var stillness = Stillness()
  private var restSum = 0.0
  private var restCount = 0

  init(_ description: RecordingDescription) {
    length = max(8, Int(clamping: description.rate.tick(atNanoseconds: 500_000_000)))
    period = description.rate.periodNanoseconds
    hasAcceleration = !description.channels.isDisjoint(with: .accelerometer)
    hasRate = !description.channels.isDisjoint(with: .gyroscope)
    gPerCount = description.sensor.accelerometerScale.value
    dpsPerCount = description.sensor.gyroscopeScale.value
    rateOffset = description.sensor.model == "LSM9DS1" ? 60 : 25
  }

  /// Mean magnitude of the acceleration in still windows, in g.
  var accelerationAtRest: Double? {
    hasAcceleration && restCount > 0 ? restSum / Double(restCount) : nil
  }

  mutating func add(_ tick: UInt64, _ time: Int64, _ sample: RawSample) {
    if window.count > 0, tick != window.nextTick { window = Window() }
    window.add(tick, time, sample)
    if window.count == length {
      close()
      window = Window()
    }
  }

  /// Closes the last window, if it is long enough to judge.
  mutating func finish() {
    if window.count >= 8 { close() }
    window = Window()
  }

  private mutating func close() {
    guard hasAcceleration || hasRate else { return }
    let acceleration = window.axes(from: 0, scale: gPerCount)
    let rate = window.axes(from: 3, scale: dpsPerCount)
    let isStill =
      acceleration.spread < StillnessMeter.accelerationSpread
      && rate.spread < StillnessMeter.rateSpread && rate.mean < rateOffset
    if isStill {
      restSum += acceleration.mean
      restCount += 1
    }
    let (end, isTooLate) = window.lastTime.addingReportingOverflow(period)
    add(isStill, from: window.firstTime, to: isTooLate ? .max : end)
  }

  private mutating func add(_ isStill: Bool, from start: Int64, to end: Int64) {
    let time = max(0, end.subtractingReportingOverflow(start).partialValue)
    let whole = isStill ? stillness.stillTime : stillness.movingTime
    let sum = whole.addingReportingOverflow(time)
    if isStill {
      stillness.stillTime = sum.overflow ? .max : sum.partialValue
    } else {
      stillness.movingTime = sum.overflow ? .max : sum.partialValue
    }
    // A window begins a period and some lateness after the one before, unless a gap lies between.
    if let last = stillness.parts.last, last.isStill == isStill,
      start < last.end || start - last.end < period
    {
      stillness.parts[stillness.parts.count - 1].end = end
    } else if stillness.parts.count < Stillness.partLimit {
      stillness.parts.append(Stillness.Part(isStill: isStill, start: start, end: end))
    }
  }
}

/// Sums of a window's counts, as integers, so that nothing is lost to rounding.
private struct Window: Equatable, Sendable {
  private(set) var count = 0
  private(set) var nextTick: UInt64 = 0
  private(set) var firstTime: Int64 = 0
  private(set) var lastTime: Int64 = 0
  private var sums: [Int64] = Array(repeating: 0, count: 6)
  private var squares: [Int64] = Array(repeating: 0, count: 6)

  mutating func add(_ tick: UInt64, _ time: Int64, _ sample: RawSample) {
    if count == 0 { firstTime = time }
    count += 1
    nextTick = tick &+ 1
    lastTime = time
    for axis in 0..<6 {
      let value = Int64(sample[axis])
      sums[axis] &+= value
      // At most 2^30 a sample: 2^33 samples would be needed to overflow.
      squares[axis] &+= value * value
    }
  }

  /// Length of the mean vector of three axes, and the root of the sum of their variances.
  func axes(from first: Int, scale: Double) -> (mean: Double, spread: Double) {
    var mean = 0.0
    var variance = 0.0
    let n = Double(count)
    for axis in first..<first + 3 {
      let average = Double(sums[axis]) / n
      mean += average * average
      variance += max(0, Double(squares[axis]) / n - average * average)
    }
    return (mean.squareRoot() * abs(scale), variance.squareRoot() * abs(scale))
  }
}
