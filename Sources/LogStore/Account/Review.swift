public import IMUModel

/// What a person wants to know of a take before using it: was everything recorded, on time, inside the ranges?
public struct Review: Equatable, Sendable {
  /// Gaps of one cause.
  public struct Losses: Equatable, Sendable {
    /// Why there are no samples.
    public let cause: GapCause
    /// Runs of ticks without samples.
    public var runs: UInt64
    /// Ticks without samples.
    public var ticks: UInt64

    /// Gaps of a cause.
    public init(cause: GapCause, runs: UInt64, ticks: UInt64) {
      self.cause = cause
      self.runs = runs
      self.ticks = ticks
    }
  }

  /// The log's header.
  public let description: RecordingDescription
  /// Whether a program is still writing it.
  public let isLive: Bool
  /// Samples in the log.
  public internal(set) var sampleCount: UInt64 = 0
  /// Scheduled ticks, those that cannot be read included.
  public internal(set) var tickCount: UInt64 = 0
  /// The gaps by cause, in the order of the log format; causes without gaps are left out.
  public internal(set) var losses: [Losses] = []
  /// Ticks of the longest gap; 0 without one.
  public internal(set) var longestGap: UInt64 = 0
  /// Parts of the log that cannot be read.
  public internal(set) var damageCount: UInt64 = 0
  /// How it ended; `nil` when its end is missing.
  public internal(set) var end: RecordingEnd?
  /// The pair of clocks on which the date rests best.
  public internal(set) var clock: ClockPair?
  /// How often the wall clock was stepped or became synchronised while it was recorded.
  public internal(set) var clockChanges: UInt64 = 0
  /// Samples a second, from the first sample to the last; `nil` for fewer than two.
  public internal(set) var achievedHertz: Double?
  /// Samples of which an axis of the accelerometer is at an end of what 16 bits hold.
  public internal(set) var clippedAccelerations: UInt64 = 0
  /// Samples of which an axis of the gyroscope is at an end of what 16 bits hold.
  public internal(set) var clippedRates: UInt64 = 0
  /// Where the sensor was still and where it moved.
  public internal(set) var stillness = Stillness()
  /// Mean length of the acceleration where it was still, in g: 1 for a sensor that is right; `nil` when it never
  /// was, or there is no accelerometer.
  public internal(set) var accelerationAtRest: Double?
  /// Lowest and highest temperature in °C; `nil` without the channel.
  public internal(set) var temperature: ClosedRange<Double>?

  init(_ description: RecordingDescription, isLive: Bool) {
    self.description = description
    self.isLive = isLive
  }

  /// Scheduled ticks without a sample that can be read.
  public var missingCount: UInt64 { tickCount > sampleCount ? tickCount - sampleCount : 0 }
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
