// SPDX-License-Identifier: Apache-2.0

package import IMUModel

/// Where a sensor was still and where it moved.
public struct Stillness: Equatable, Sendable {
  /// A still or moving part.
  public struct Part: Equatable, Sendable {
    /// Whether the sensor was still in it.
    public let isStill: Bool
    /// Nanoseconds from tick 0's deadline.
    public let start: Int64
    /// Nanoseconds from tick 0's deadline.
    public internal(set) var end: Int64
  }

  /// Most parts that are kept; further ones only enter the sums.
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
/// A window of at least eight samples without a gap is still when each accelerometer axis spreads less than 15 mg around its
/// mean and each gyroscope axis less than 1 °/s, about five times the noise (MPU-6050 at 100 Hz: 3 mg, 0.05 °/s), or less
/// than three times the data sheet's noise through the chip's filter, if that is known and more. A turn about an axis that
/// is not vertical spreads gravity as much from 6 °/s on. A mean rate that leaves gravity at 1 g counts as the gyroscope's
/// offset, which a certificate judges: only an even turn about the vertical looks the same. Where gravity is not measured,
/// or is a tenth off, the mean rate must be below 60 °/s, or above twice the zero-rate level on all axes at once: 69 °/s of
/// the MPU-6050 (PS-MPU-6000A 6.1), so 80; 104 °/s of the LSM9DS1 (DocID025715, table 3), so 120.
package struct StillnessMeter: Equatable, Sendable {
  /// In g and °/s.
  private static let accelerationSpread = 0.015
  private static let rateSpread = 1.0
  /// A chip may have twice its noise, which a certificate warns of, and still count as still.
  private static let noises = 3.0
  /// How far the mean acceleration may be from 1 g to be gravity alone, in g.
  private static let gravity = 0.1
  /// The length of a window in nanoseconds, and its fewest samples: a spread of fewer says little.
  private static let windowLength: Int64 = 500_000_000
  private static let leastSamples = 8

  /// Samples of a window.
  package let length: Int
  private let period: Int64
  private let hasAcceleration: Bool
  private let hasRate: Bool
  /// Whether the accelerometer has all axes, which a magnitude needs.
  private let hasGravity: Bool
  private let gPerCount: Double
  private let dpsPerCount: Double
  /// The most that an axis may spread, in g and °/s.
  private let accelerationSpread: Double
  private let rateSpread: Double
  /// The bound of a rate that gravity does not prove to be an offset, in °/s.
  private let rateOffset: Double
  private var window = StillnessWindow()
  package private(set) var stillness = Stillness()
  private var restSum = 0.0
  private var restCount = 0

  /// - Parameter expectation: The source of the chip's noise; `nil` where it is unknown, as in a log.
  package init(_ description: RecordingDescription, _ expectation: SensorExpectation? = nil) {
    func spread(_ least: Double, _ noise: SensorExpectation.Noise?) -> Double {
      max(least, noise.map { StillnessMeter.noises * $0.density * $0.bandwidth.squareRoot() } ?? 0)
    }
    accelerationSpread = spread(StillnessMeter.accelerationSpread, expectation?.acceleration)
    rateSpread = spread(StillnessMeter.rateSpread, expectation?.angularRate)
    length = max(
      StillnessMeter.leastSamples,
      Int(clamping: description.rate.tick(atNanoseconds: StillnessMeter.windowLength)))
    period = description.rate.periodNanoseconds
    hasAcceleration = !description.channels.isDisjoint(with: .accelerometer)
    hasRate = !description.channels.isDisjoint(with: .gyroscope)
    hasGravity = description.channels.isSuperset(of: .accelerometer)
    gPerCount = description.sensor.accelerometerScale.value
    dpsPerCount = description.sensor.gyroscopeScale.value
    // Data sheets: see above. An import may be of any chip, and has the usual bound.
    rateOffset = ["MPU-6050": 80, "LSM9DS1": 120][description.sensor.model] ?? 60
  }

  /// Mean magnitude of the acceleration in still windows, in g; `nil` unless there are all three axes.
  package var accelerationAtRest: Double? {
    hasGravity && restCount > 0 ? restSum / Double(restCount) : nil
  }

  /// Adds a sample; returns the window that it completes.
  @discardableResult
  package mutating func add(_ tick: UInt64, _ time: Int64, _ sample: RawSample) -> StillnessWindow?
  {
    if window.count > 0, tick != window.nextTick { window = StillnessWindow() }
    window.add(tick, time, sample)
    guard window.count == length else { return nil }
    defer { window = StillnessWindow() }
    close()
    return window
  }

  /// Closes the last window, if it is long enough to judge.
  package mutating func finish() {
    if window.count >= StillnessMeter.leastSamples { close() }
    window = StillnessWindow()
  }

  private mutating func close() {
    guard hasAcceleration || hasRate else { return }
    let acceleration = window.axes(from: 0, scale: gPerCount)
    let rate = window.axes(from: 3, scale: dpsPerCount)
    let isOfGravity = hasGravity && abs(acceleration.mean - 1) < StillnessMeter.gravity
    let isStill =
      acceleration.spread < accelerationSpread && rate.spread < rateSpread
      && (isOfGravity || rate.mean < rateOffset)
    window.isStill = isStill
    // A merry-go-round of 40 °/s is not a rest to judge gravity by.
    if isStill, isOfGravity || rate.mean < rateOffset / 2 {
      restSum += acceleration.mean
      restCount += 1
    }
    let (end, isTooLate) = window.lastTime.addingReportingOverflow(period)
    add(isStill, from: window.firstTime, to: isTooLate ? .max : end)
  }

  private mutating func add(_ isStill: Bool, from start: Int64, to end: Int64) {
    let time = max(0, end.subtractingReportingOverflow(start).partialValue)
    let whole = isStill ? \Stillness.stillTime : \.movingTime
    let sum = stillness[keyPath: whole].addingReportingOverflow(time)
    stillness[keyPath: whole] = sum.overflow ? .max : sum.partialValue
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
package struct StillnessWindow: Equatable, Sendable {
  package private(set) var count = 0
  package private(set) var nextTick: UInt64 = 0
  package private(set) var firstTime: Int64 = 0
  package private(set) var lastTime: Int64 = 0
  /// Of each channel, in the order of ``ChannelSet``.
  package private(set) var sums = SIMD8<Int64>(repeating: 0)
  package private(set) var squares = SIMD8<Int64>(repeating: 0)
  /// Whether the sensor was still in it, once it is closed.
  package var isStill = false

  package mutating func add(_ tick: UInt64, _ time: Int64, _ sample: RawSample) {
    if count == 0 { firstTime = time }
    count += 1
    nextTick = tick &+ 1
    lastTime = time
    let counts = SIMD8<Int16>(
      sample.ax, sample.ay, sample.az, sample.gx, sample.gy, sample.gz, sample.temperature, 0)
    let values = SIMD8<Int64>(truncatingIfNeeded: counts)
    sums &+= values
    // At most 2^30 a sample: 2^33 samples would be needed to overflow.
    squares &+= values &* values
  }

  /// Length of the mean vector of three axes, and the largest of their standard deviations.
  package func axes(from first: Int, scale: Double) -> (mean: Double, spread: Double) {
    var mean = 0.0
    var variance = 0.0
    let n = Double(count)
    for axis in first..<first + 3 {
      let average = Double(sums[axis]) / n
      mean += average * average
      variance = max(variance, Double(squares[axis]) / n - average * average)
    }
    return (mean.squareRoot() * abs(scale), variance.squareRoot() * abs(scale))
  }
}
