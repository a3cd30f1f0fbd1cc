public import IMUModel

/// What the service's configuration file says.
public struct RecorderConfiguration: Equatable, Sendable {
  /// The board's name; `nil` when it is to be detected.
  public var board: String?
  /// N of /dev/i2c-N; `nil` for the board's.
  public var bus: Int?
  /// The sensor's model; `nil` when it is to be detected.
  public var sensor: String?
  /// Ticks a second.
  public var rate: SampleRate
  /// The length of a take in nanoseconds, above 0; `nil` when it runs until it is stopped.
  public var length: Int64?
  /// What is recorded.
  public var channels: ChannelSet
  /// Full scale in g.
  public var accelerometerRange: Int
  /// Full scale in °/s.
  public var gyroscopeRange: Int
  /// Nanoseconds between two syncs, 0 for only at the end; `nil` when the length and the rate decide.
  public var syncInterval: Int64?
  /// How deep the processors may sleep during a take.
  public var cpuLatency: LatencyChoice
  /// Words kept with each recording, at most 1000 bytes.
  public var note: String
  /// The directory of recordings, an absolute path; `nil` for the program's usual one.
  public var store: String?
  /// Nanoseconds before a press that belong to its take; at most ``longestPreTrigger(at:)``.
  public var preTrigger: Int64
  /// Whether the sensor is sampled while no take is running.
  public var samplesWhileIdle: Bool
  /// The button's line.
  public var button: LineChoice
  /// Whether the pressed button connects its line to ground.
  public var isButtonActiveLow: Bool
  /// The light's line.
  public var light: LineChoice
  /// Whether the light is lit by a low level.
  public var isLightActiveLow: Bool
  /// Bytes of free space that are left alone.
  public var reserve: UInt64
  /// Whether the oldest recordings go when a take would not fit.
  public var deletesOldest: Bool

  /// What holds when the file says nothing.
  public static let `default` = RecorderConfiguration()

  private init() {
    guard let rate = SampleRate(10) else { preconditionFailure("10 Hz is a rate") }
    self.rate = rate
    length = 60_000_000_000
    channels = .all
    accelerometerRange = 4
    gyroscopeRange = 500
    cpuLatency = .automatic
    note = ""
    preTrigger = 0
    samplesWhileIdle = true
    button = .automatic
    isButtonActiveLow = true
    light = .automatic
    isLightActiveLow = false
    reserve = 200_000_000
    deletesOldest = false
  }

  /// How many ticks the history can hold: the ring's 600 slots without room for what comes in while a take is
  /// begun, 0.2 s and at least 10 ticks.
  public static func historyCapacity(_ rate: SampleRate) -> UInt64 {
    600 - min(600, max(10, rate.tick(atNanoseconds: 199_999_999) + 1))
  }

  /// The longest pre-trigger that the history can hold at `rate`, in nanoseconds: 59 s at 10 Hz.
  public static func longestPreTrigger(at rate: SampleRate) -> Int64 {
    rate.nanoseconds(atTick: historyCapacity(rate))
  }
}
