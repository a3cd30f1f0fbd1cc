import IMUModel

/// Finds where a sensor was still, from the spread of counts in half-second windows.
///
/// Still is a window in which the accelerometer's three axes together spread less than 15 mg around their means
/// and the gyroscope's less than 1 °/s, at a mean of less than 25 °/s: some five times the noise and a little
/// more than the largest offset of the chips at hand (MPU-6050: 3 mg, 0.05 °/s, 20 °/s). A window has at least
/// eight samples, without a gap between them.
struct StillnessMeter: Equatable, Sendable {
  private static let accelerationSpread = 0.015
  private static let rateSpread = 1.0
  private static let rateOffset = 25.0

  private let length: Int
  private let period: Int64
  private let hasAcceleration: Bool
  private let hasRate: Bool
  private let gPerCount: Double
  private let dpsPerCount: Double
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
  }

  /// Mean length of the acceleration in windows that were still, in g.
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
      && rate.spread < StillnessMeter.rateSpread && rate.mean < StillnessMeter.rateOffset
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

/// Sums of a window's counts; whole numbers, so that nothing is lost to rounding.
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
