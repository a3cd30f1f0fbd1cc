// SPDX-License-Identifier: Apache-2.0

public import IMUModel
public import LogFormat

/// What a recording shows about its sensor's errors: where it was still, and how far it turned in between.
///
///     motion     ▁▁▁▁▁▂█▃▁▁▁▁▁▁▁▁▂██▃▁▁▁▁▁▁▁▁
///     poses      ├───┤     ├──────┤    ├──────┤      still for 2 s or more, in one direction
///     turns           ├───┤        ├──┤              what the gyroscope integrates from one to the next
///     windows    ├── 10 s ──┤├── 10 s ──┤            those in which no axis spreads
///
/// In one pass, in memory that does not grow with the recording beyond the limits below.
public struct CalibrationStudy {
  /// A stretch in which the sensor was still and pointed in one direction.
  public struct Pose: Sendable {
    /// Its means.
    public internal(set) var point: StillPoint
    /// Of its first sample, in nanoseconds from tick 0's deadline.
    public internal(set) var start: Int64
    /// Windows of half a second in it.
    var windowCount = 1
  }

  /// What the gyroscope integrated between two poses.
  public struct Turn: Sendable {
    /// In degrees, its bias included.
    public var degrees = Vector3()
    /// How long it took.
    public var seconds = 0.0
    /// Whether no sample is missing or at the end of its range.
    public var isWhole = true
    /// Whether the sensor points where it did before, within ``CalibrationStudy/sameDirection``.
    public var isBack = false
  }

  /// The poses, in order.
  public private(set) var poses: [Pose] = []
  /// The turns, each between a pose and the next one.
  public private(set) var turns: [Turn] = []
  /// Still windows of ``longWindow``.
  public private(set) var windows: [StillPoint] = []
  /// Samples so far.
  public private(set) var sampleCount: UInt64 = 0
  let sensor: SensorDescription
  let channels: ChannelSet

  /// Poses and windows that are kept: a week of rest.
  public static let limit = 100_000
  /// The least length of a pose, in nanoseconds.
  public static let leastPose: Int64 = 2_000_000_000
  /// The length of a window, in nanoseconds (van Hees and others 2014).
  public static let longWindow: Int64 = 10_000_000_000
  /// The least cosine of the angle between two directions that count as the same: 3°.
  static let sameDirection = 0.99863
  /// The largest standard deviation of an axis at rest, in g (van Hees and others 2014).
  static let accelerationSpread = 0.015
  /// The largest standard deviation of a rate at rest, in °/s.
  static let rateSpread = 1.0
  /// The largest mean rate at rest, in °/s: more than the largest offset of the supported chips (LSM9DS1: 30 °/s on each
  /// axis, data sheet table 3).
  static let largestRate = 60.0

  private var short = WindowSums()
  private var long = WindowSums()
  private let shortCount: Int
  /// The length of so many samples, in nanoseconds.
  let shortLength: Int64
  private let longCount: Int
  private var open: Pose?
  private var turn = Turn()
  private var lastTick: UInt64?
  private var lastTime: Int64 = 0

  /// A study of a recording with this description.
  public init(_ description: RecordingDescription) {
    self.init(description.sensor, channels: description.channels, rate: description.rate)
  }

  /// A study of samples of a sensor as they come.
  public init(_ sensor: SensorDescription, channels: ChannelSet, rate: SampleRate) {
    (self.sensor, self.channels) = (sensor, channels)
    shortCount = max(8, Int(clamping: rate.tick(atNanoseconds: 500_000_000)))
    shortLength = rate.nanoseconds(atTick: UInt64(shortCount))
    longCount = max(20, Int(clamping: rate.tick(atNanoseconds: CalibrationStudy.longWindow)))
  }

  var hasRate: Bool { channels.isSuperset(of: .gyroscope) }

  /// The stretch that has been still up to now, of any length; `nil` while the sensor moves.
  var openPose: Pose? { open }
  /// How long a pose has been still, in nanoseconds.
  func length(of pose: Pose) -> Int64 {
    let (length, overflow) = Int64(pose.windowCount).multipliedReportingOverflow(by: shortLength)
    return overflow ? .max : length
  }

  /// Takes the samples of a block, in order of ticks.
  public mutating func add(_ block: borrowing SampleBlock) {
    for index in 0..<block.count {
      let (tick, time, sample) = block[index]
      add(tick, time, sample)
    }
    sampleCount += UInt64(block.count)
  }

  /// Takes a sample, in order of ticks: from tick 0's deadline in nanoseconds.
  mutating func add(_ tick: UInt64, _ time: Int64, _ sample: RawSample) {
    if let lastTick, lastTick &+ 1 != tick {
      (short, long) = (WindowSums(), WindowSums())
      closePose()
      turn.isWhole = false
    }
    integrate(tick, time, sample)
    short.add(time, sample)
    long.add(time, sample)
    if short.count == shortCount {
      closeShort()
      short = WindowSums()
    }
    if long.count == longCount {
      closeLong()
      long = WindowSums()
    }
  }

  /// To be called after the last sample.
  public mutating func finish() {
    closePose()
    short = WindowSums()
    long = WindowSums()
  }

  private mutating func integrate(_ tick: UInt64, _ time: Int64, _ sample: RawSample) {
    defer { (lastTick, lastTime) = (tick, time) }
    guard let lastTick, lastTick &+ 1 == tick else { return }
    let seconds = Double(time &- lastTime) / 1e9
    let scale = sensor.gyroscopeScale.value * seconds
    turn.degrees += Vector3(Double(sample.gx), Double(sample.gy), Double(sample.gz)) * scale
    turn.seconds += seconds
    for channel in 3..<6 where sample[channel] == .min || sample[channel] == .max {
      turn.isWhole = false
    }
  }

  private func point(_ sums: WindowSums) -> (point: StillPoint, isStill: Bool) {
    let acceleration = sums.axes(from: 0, scale: sensor.accelerometerScale.value)
    let rate = sums.axes(from: 3, scale: sensor.gyroscopeScale.value)
    let temperature =
      channels.contains(.temperature)
      ? sums.temperatureCount * sensor.temperatureScale.value + sensor.temperatureOffset.value : nil
    let isStill =
      !sums.isClipped && acceleration.deviation.max() < CalibrationStudy.accelerationSpread
      && (!hasRate
        || rate.deviation.max() < CalibrationStudy.rateSpread
          && rate.mean.length < CalibrationStudy.largestRate)
    return (
      StillPoint(acceleration: acceleration.mean, rate: rate.mean, temperature: temperature),
      isStill
    )
  }

  private mutating func closeLong() {
    let (point, isStill) = point(long)
    if isStill, windows.count < CalibrationStudy.limit { windows.append(point) }
  }

  private mutating func closeShort() {
    let (point, isStill) = point(short)
    guard isStill else { return closePose() }
    if var pose = open {
      guard CalibrationStudy.isSame(pose.point.acceleration, point.acceleration) else {
        closePose()
        open = Pose(point: point, start: short.firstTime)
        return
      }
      pose.take(point)
      open = pose
    } else {
      open = Pose(point: point, start: short.firstTime)
    }
    if let pose = open, length(of: pose) >= CalibrationStudy.leastPose { begin(pose) }
  }

  /// A pose is long enough: the turn before it is over.
  private mutating func begin(_ pose: Pose) {
    guard !isPoseKept else { return turn = Turn() }
    isPoseKept = true
    if let before = poses.last, turns.count < CalibrationStudy.limit {
      turn.isBack = CalibrationStudy.isSame(before.point.acceleration, pose.point.acceleration)
      turns.append(turn)
    }
    turn = Turn()
  }

  /// Whether the open pose was long enough already.
  private var isPoseKept = false

  private mutating func closePose() {
    if isPoseKept, let pose = open, poses.count < CalibrationStudy.limit { poses.append(pose) }
    isPoseKept = false
    open = nil
  }

  private static func isSame(_ one: Vector3, _ other: Vector3) -> Bool {
    (one * other).sum() > sameDirection * one.length * other.length
  }
}

extension CalibrationStudy.Pose {
  /// Adds a window of the same length as those before.
  fileprivate mutating func take(_ next: StillPoint) {
    windowCount += 1
    let share = 1 / Double(windowCount)
    point.acceleration += (next.acceleration - point.acceleration) * share
    point.rate += (next.rate - point.rate) * share
    if let temperature = point.temperature, let other = next.temperature {
      point.temperature = temperature + (other - temperature) * share
    }
  }
}
