// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogFormat

/// What a recording shows about its sensor's errors: where it was still, and how far it turned between rests.
///
///     motion     ▁▁▁▁▁▂█▃▁▁▁▁▁▁▁▁▂██▃▁▁▁▁▁▁▁▁
///     poses      ├───┤     ├──────┤    ├──────┤      still for 2 s or more, in one direction, at one rate
///     turns         ├───────┤    ├───────┤           what the gyroscope integrates from one to the next
///     windows    ├── 10 s ──┤├── 10 s ──┤            those in which no axis spreads
///
/// In one pass, in bounded memory. A pose that turns evenly looks as still as any other: ``rests()`` finds it by its own
/// gravity, and by the rates of the others.
package struct CalibrationStudy {
  /// A stretch in which the sensor was still and pointed in one direction.
  struct Pose: Sendable {
    /// Its means; that of the rate leaves out the first and the last window, where a slow turn may begin.
    var point: StillPoint
    /// Its first sample, in nanoseconds from tick 0's deadline.
    let start: Int64
    /// Windows of half a second.
    var windowCount = 1
    /// The number of the stretch of still windows on end, without a missing sample.
    let stretch: Int
    /// Means over the windows.
    var spread: Spread
    /// Mean accelerations of its first and its last window, in g.
    let firstAcceleration: Vector3
    var lastAcceleration: Vector3
    /// The mean rate of its last window.
    var lastRate: Vector3
    /// The path up to the end of its first window, where a turn before it ends.
    let arrival: Path
    /// The path up to the beginning of its last window, where a turn after it begins.
    var departure: Path
  }

  /// The largest and the least standard deviation of an axis in a window, in g and °/s.
  struct Spread: Sendable {
    var acceleration: Double
    var rate: Double
    var leastAcceleration: Double
    var leastRate: Double
  }

  /// The integral of the gyroscope from the beginning of the recording on, with its bias.
  struct Path: Sendable {
    var degrees = Vector3()
    /// Without gaps.
    var seconds = 0.0
    /// Gaps, and samples at an end of the gyroscope's range.
    var flaws = 0
  }

  private(set) var poses: [Pose] = []
  /// Still windows of ``longWindow``.
  private(set) var windows: [StillPoint] = []
  /// The least standard deviation of an acceleration in them, in g.
  private(set) var leastWindowSpread = Double.infinity
  /// Windows by the side that was up.
  private(set) var attempts: [CalibrationGuide.Side: RestAttempt] = [:]
  /// All of these windows.
  private(set) var attempt = RestAttempt()
  private(set) var sampleCount = 0
  private(set) var changing: ChannelSet = []
  let sensor: SensorDescription
  /// Recorded channels; the others are zeros.
  let channels: ChannelSet
  let rate: SampleRate
  /// A study of the accelerometer alone, in case the gyroscope's counts are useless; empty without a gyroscope.
  private(set) var alone: [CalibrationStudy]

  /// Most poses and windows: 11 days of windows.
  static let limit = 100_000
  /// The least length of a pose, in nanoseconds.
  static let leastPose: Int64 = 2_000_000_000
  /// The same in windows of half a second.
  static let leastPoseWindows = 4
  /// The length of a window, in nanoseconds (van Hees and others 2014).
  static let longWindow: Int64 = 10_000_000_000
  /// The length of a window of a pose, in nanoseconds: short, to end a pose soon after it moved.
  private static let shortWindow: Int64 = 500_000_000
  /// The least samples of both windows, for a useful standard deviation.
  private static let leastSamples = (short: 8, long: 20)
  /// The least cosine between accelerations of one direction: 3°.
  static let sameDirection = 0.99863
  /// The largest standard deviation of an axis at rest, in g (van Hees and others 2014).
  static let accelerationSpread = 0.015
  /// The largest standard deviation of a rate at rest, in °/s.
  static let rateSpread = 1.0
  /// The largest mean rate at rest, in °/s: above any supported chip's offset (LSM9DS1: 30 °/s an axis, sheet table 3).
  static let largestRate = 60.0

  private var short = WindowSums()
  private var long = WindowSums()
  /// Samples of a window of a pose, and its length in nanoseconds.
  let shortCount: Int
  let shortLength: Int64
  private let longCount: Int
  /// The length of a long window, in nanoseconds.
  let longLength: Int64
  /// The pose that is still now, of any length; `nil` while the sensor moves.
  private(set) var openPose: Pose?
  /// Whether it is long enough.
  private var isPoseKept = false
  /// Poses so far, with the open one if it is long enough.
  private(set) var keptCount = 0
  private var stretch = 0
  private(set) var gapCount = 0
  /// The recording's mounting, which is not applied to its counts.
  private(set) var mounting: AxisMap?
  /// Judges the gyroscope's scale and axes by turns.
  private(set) var judge: AxisJudge
  /// The rate of the last pose that was long enough, in counts.
  private var bias: Vector3?
  private var path = Path()
  /// The path at the beginning of the open window of half a second.
  private var shortStart = Path()
  /// The magnetometer's values.
  var field = FieldTrack()
  private var firstSample: RawSample?
  private var lastTick: UInt64?
  private var lastTime: Int64 = 0

  package init(_ description: RecordingDescription) {
    self.init(description.sensor, channels: description.channels, rate: description.rate)
    mounting = description.axes
  }

  /// A study of a sensor's samples as they come.
  package init(_ sensor: SensorDescription, channels: ChannelSet, rate: SampleRate) {
    (self.sensor, self.channels, self.rate) = (sensor, channels, rate)
    judge = AxisJudge(sensor, rate: rate)
    let least = CalibrationStudy.leastSamples
    shortCount = max(
      least.short, Int(clamping: rate.tick(atNanoseconds: CalibrationStudy.shortWindow)))
    shortLength = rate.nanoseconds(atTick: UInt64(shortCount))
    longCount = max(
      least.long, Int(clamping: rate.tick(atNanoseconds: CalibrationStudy.longWindow)))
    longLength = rate.nanoseconds(atTick: UInt64(longCount))
    let others = channels.subtracting(.gyroscope)
    var still = sensor
    still.field = nil
    alone =
      channels.isSuperset(of: .all.subtracting(.temperature))
      ? [CalibrationStudy(still, channels: others, rate: rate)] : []
  }

  /// Whether all three axes of the gyroscope are recorded.
  var hasRate: Bool { channels.isSuperset(of: .gyroscope) }

  /// How long a pose has been still, in nanoseconds.
  func length(of pose: Pose) -> Int64 {
    let (length, overflow) = Int64(pose.windowCount).multipliedReportingOverflow(by: shortLength)
    return overflow ? .max : length
  }

  /// Adds the samples of a block, in order of ticks.
  package mutating func add(_ block: borrowing SampleBlock) {
    for index in 0..<block.count {
      let (tick, time, sample) = block[index]
      add(tick, time, sample)
    }
  }

  /// Adds a sample, in order of ticks.
  mutating func add(_ tick: UInt64, _ time: Int64, _ sample: RawSample) {
    for index in alone.indices { alone[index].add(tick, time, sample) }
    if let lastTick, lastTick &+ 1 != tick {
      (short, long) = (WindowSums(), WindowSums())
      closePose()
      stretch += 1
      gapCount += 1
      path.flaws += 1
      shortStart = path
    }
    integrate(tick, time, sample)
    noteChanges(sample)
    if sensor.field != nil, channels.isSuperset(of: .accelerometer) {
      field.add(
        time,
        Vector3(Double(sample.ax), Double(sample.ay), Double(sample.az))
          * sensor.accelerometerScale.value)
    }
    short.add(time, sample)
    long.add(time, sample)
    if short.count == shortCount {
      closeShort()
      (short, shortStart) = (WindowSums(), path)
    }
    if long.count == longCount {
      closeLong()
      long = WindowSums()
    }
  }

  /// Ends the study after the last sample.
  package mutating func finish() {
    for index in alone.indices { alone[index].finish() }
    closePose()
    short = WindowSums()
    long = WindowSums()
  }

  private mutating func integrate(_ tick: UInt64, _ time: Int64, _ sample: RawSample) {
    defer { (lastTick, lastTime) = (tick, time) }
    // A gyroscope that is not recorded has zeros.
    guard hasRate, let lastTick, lastTick &+ 1 == tick else { return }
    let seconds = Double(time &- lastTime) / 1e9
    let scale = sensor.gyroscopeScale.value * seconds
    let degrees = Vector3(Double(sample.gx), Double(sample.gy), Double(sample.gz)) * scale
    path.degrees += degrees
    path.seconds += seconds
    guard !(3..<6).contains(where: { sample[$0] == .min || sample[$0] == .max }) else {
      return path.flaws += 1
    }
    if channels.isSuperset(of: .accelerometer) { judge.add(tick, sample, bias: bias) }
  }

  private mutating func noteChanges(_ sample: RawSample) {
    sampleCount += 1
    guard let firstSample else { return self.firstSample = sample }
    guard changing != .all else { return }
    for channel in 0..<7 where sample[channel] != firstSample[channel] {
      changing.insert(ChannelSet(rawValue: 1 << UInt8(channel)))
    }
  }

  private func point(_ sums: WindowSums) -> (point: StillPoint, spread: Spread, unrest: Unrest?) {
    let acceleration = sums.axes(from: 0, scale: sensor.accelerometerScale.value)
    let rate = sums.axes(from: 3, scale: sensor.gyroscopeScale.value)
    let temperature =
      channels.contains(.temperature)
      ? sums.temperatureCount * sensor.temperatureScale.value + sensor.temperatureOffset.value : nil
    let spread = Spread(
      acceleration: acceleration.deviation.max(), rate: hasRate ? rate.deviation.max() : 0,
      leastAcceleration: acceleration.deviation.min(), leastRate: rate.deviation.min())
    let clipped = sums.clipped.intersection(channels)
    var unrest: Unrest?
    if spread.acceleration >= CalibrationStudy.accelerationSpread
      || spread.rate >= CalibrationStudy.rateSpread
    {
      unrest = .moving(acceleration: spread.acceleration, rate: spread.rate)
    } else if !clipped.isEmpty {
      unrest = .clipped(clipped)
    } else if hasRate, rate.mean.length >= CalibrationStudy.largestRate {
      unrest = .fast(rate.mean.length)
    }
    let point = StillPoint(
      acceleration: acceleration.mean, rate: rate.mean, temperature: temperature,
      rateNoise: RestRates.noise(spread.rate, sums.count), start: sums.firstTime)
    return (point, spread, unrest)
  }

  private mutating func closeLong() {
    let (point, spread, unrest) = point(long)
    guard unrest == nil, windows.count < CalibrationStudy.limit else { return }
    windows.append(point)
    leastWindowSpread = min(leastWindowSpread, spread.leastAcceleration)
  }

  private mutating func closeShort() {
    let (point, spread, unrest) = point(short)
    if let side = CalibrationGuide.side(point.acceleration) {
      attempts[side, default: RestAttempt()].add(unrest)
      attempt.add(unrest)
    }
    guard unrest == nil else {
      stretch += 1
      return closePose()
    }
    if let pose = openPose, !isContinued(pose, by: point, spread.rate) { closePose() }
    if openPose == nil {
      openPose = Pose(
        point: point, start: short.firstTime, stretch: stretch, spread: spread,
        firstAcceleration: point.acceleration, lastAcceleration: point.acceleration,
        lastRate: point.rate, arrival: path, departure: shortStart)
    } else {
      openPose?.take(point, spread, from: shortStart, samples: shortCount)
    }
    guard let pose = openPose, length(of: pose) >= CalibrationStudy.leastPose else { return }
    if !isPoseKept {
      isPoseKept = true
      keptCount += 1
    }
    bias = pose.point.rate / sensor.gyroscopeScale.value
  }

  /// Whether a window continues a pose, in its direction and at its rate.
  private func isContinued(_ pose: Pose, by point: StillPoint, _ spread: Double) -> Bool {
    guard CalibrationStudy.isSame(pose.point.acceleration, point.acceleration) else { return false }
    guard hasRate else { return true }
    let difference = pose.point.rate - point.rate
    let noise = RestRates.noise(min(spread, pose.spread.rate), shortCount)
    return max(difference.max(), -difference.min()) <= max(RestRates.largestChange, noise)
  }

  /// The poses so far, with the open one if it is long enough.
  var kept: [Pose] { openPose.map { isPoseKept ? poses + [$0] : poses } ?? poses }

  private mutating func closePose() {
    if isPoseKept, let pose = openPose, poses.count < CalibrationStudy.limit { poses.append(pose) }
    isPoseKept = false
    openPose = nil
  }

  /// Whether two accelerations point the same way.
  static func isSame(_ one: Vector3, _ other: Vector3) -> Bool {
    // Without an accelerometer both are zero.
    one == other || (one * other).sum() > sameDirection * one.length * other.length
  }
}

extension CalibrationStudy.Pose {
  /// Adds a window of the same length as those before.
  fileprivate mutating func take(
    _ next: StillPoint, _ new: CalibrationStudy.Spread,
    from path: CalibrationStudy.Path, samples: Int
  ) {
    let inner = windowCount - 1
    if inner == 0 {
      point.rate = (point.rate + next.rate) / 2
    } else {
      // The mean of the windows between the first and the last one; the first of them replaces the mean of the ends.
      point.rate += (lastRate - point.rate) / Double(inner)
    }
    (lastRate, lastAcceleration, departure) = (next.rate, next.acceleration, path)
    windowCount += 1
    let share = 1 / Double(windowCount)
    point.acceleration += (next.acceleration - point.acceleration) * share
    spread.acceleration += (new.acceleration - spread.acceleration) * share
    spread.rate += (new.rate - spread.rate) * share
    spread.leastAcceleration += (new.leastAcceleration - spread.leastAcceleration) * share
    spread.leastRate += (new.leastRate - spread.leastRate) * share
    point.rateNoise = RestRates.noise(spread.rate, max(1, windowCount - 2) * samples)
    if let temperature = point.temperature, let other = next.temperature {
      point.temperature = temperature + (other - temperature) * share
    }
  }
}
