import IMUModel
import LogFormat

/// What the samples of a log show: the achieved rate, clipping, temperature, and where the sensor was still.
public struct MotionAccount: Equatable, Sendable {
  /// Samples with an axis of the accelerometer at an end of what 16 bits hold.
  public private(set) var clippedAccelerations: UInt64 = 0
  /// Samples with an axis of the gyroscope at an end of what 16 bits hold.
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

  /// Mean length of the acceleration where the sensor was still, in g: 1 for a good sensor; `nil` when it never was
  /// still, or has no accelerometer.
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

  /// Parts that are kept; of more only the sums are known.
  public static let partLimit = 100

  /// The first ``partLimit`` parts, in order; neighbours differ or have a gap between them.
  public internal(set) var parts: [Part] = []
  /// Nanoseconds in which it was still.
  public internal(set) var stillTime: Int64 = 0
  /// Nanoseconds in which it moved.
  public internal(set) var movingTime: Int64 = 0

  /// Nothing is known yet.
  public init() {}
}
