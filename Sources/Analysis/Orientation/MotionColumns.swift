// SPDX-License-Identifier: Apache-2.0

package import IMUModel
package import LogFormat

/// The counts of a recording's accelerometer and gyroscope in memory, 12 bytes a sample, cut where too much is missing.
///
///     ticks      0 1 2 3 . 5 6 7 . . . . . . . . . . 18 19
///     stretches [0 1 2 3 3 5 6 7]                   [18 19]
///                        ▲ repeated: at most 0.1 s is missing
///
/// Nothing is known about the motion in a gap, so the orientation begins anew after a long one. In a short one the sample
/// before it is repeated for each missing tick.
package struct MotionColumns: Sendable {
  /// Samples, with those that are repeated, that an orientation is computed for: 360 MB of memory.
  package static let limit = 10_000_000
  /// Seconds of missing ticks that are bridged.
  package static let longestBridge = 0.1

  /// Stretches without long gaps.
  package var stretchCount: Int { stretches.count }
  /// Ticks without a sample for which the sample before them is repeated.
  package private(set) var repeatedCount = 0
  /// Samples whose time is more than half a period off the one before; the orientation takes them as evenly spaced.
  package var unevenCount: Int { stretches.reduce(0) { $0 + $1.unevenCount } }
  /// By how much of itself the period of a part of a stretch differs at most from the mean, which the orientation takes for all
  /// of it. 0 where no times of their own place the samples.
  package var periodDeviation: Double { stretches.reduce(0) { max($0, $1.periodDeviation) } }
  private(set) var stretches: [MotionStretch] = []
  /// The magnetometer's values by which north is found, and the calibrated field of one in the sensor's frame, µT.
  private(set) var readings: [FieldReading] = []
  private(set) var field: @Sendable (FieldReading) -> [Double] = { _ in [0, 0, 0] }
  /// The nominal seconds between them.
  private(set) var fieldPeriod = 0.0

  private let rate: SampleRate
  private let hasOwnTimes: Bool
  private let scales: MotionStretch.Scales
  private let limit: Int
  private var total = 0

  /// No samples yet.
  ///
  /// - Parameter limit: Above how many samples to refuse.
  package init(_ recording: RecordingDescription, limit: Int = MotionColumns.limit) {
    rate = recording.rate
    hasOwnTimes = recording.isFreeRunning
    scales = MotionStretch.Scales(
      acceleration: recording.sensor.accelerometerScale.value * OrientationConstants.gravity,
      rate: recording.sensor.gyroscopeScale.value * .pi / 180)
    self.limit = limit
  }

  /// Has north found by a magnetometer's values, in order of times.
  ///
  /// - Parameter field: The calibrated field of a value in the sensor's frame, µT.
  package mutating func findNorth(
    by readings: [FieldReading], rate: SampleRate,
    _ field: @escaping @Sendable (FieldReading) -> [Double]
  ) {
    self.readings = readings.filter { !$0.flags.contains(.saturated) }
    (self.field, fieldPeriod) = (field, 1 / rate.hertz)
  }

  /// Takes samples of a block, in order of ticks; `false` when they and the repeated ones are too many.
  package mutating func append(_ rows: Range<Int>, of block: borrowing SampleBlock) -> Bool {
    for row in rows {
      let (tick, time, sample) = block[row]
      let missing = stretches.last.flatMap { $0.lastTick < tick ? tick - $0.lastTick - 1 : nil }
      // A tenth of a second: 10 × missing / rate ≤ 1.
      if let missing, missing <= UInt64(rate.numerator) / (10 * UInt64(rate.denominator)) {
        total += Int(missing)
        stretches[stretches.count - 1].append(sample, tick, time, repeating: Int(missing))
        repeatedCount += Int(missing)
      } else {
        stretches.append(
          MotionStretch(sample, tick, time, scales, rate, hasOwnTimes: hasOwnTimes))
      }
      total += 1
      guard total <= limit else { return false }
    }
    return true
  }
}

/// The samples of ticks without a long gap between them.
struct MotionStretch: Sendable {
  /// Values of a count: m/s² and radians a second.
  struct Scales: Sendable {
    let acceleration, rate: Double
  }

  /// Samples of a block: the passes over a stretch keep their states where blocks begin.
  static let blockLength = 4096

  /// Six counts a sample: acceleration, rate.
  private(set) var blocks: [[Int16]] = []
  private(set) var lastTick: UInt64
  /// Runs of repeated samples: after how many samples that are not, and how many.
  private(set) var repeats: [(after: Int, count: Int)] = []
  private let scales: Scales
  private let rate: SampleRate
  private let hasOwnTimes: Bool
  private let first: (tick: UInt64, time: Int64)
  private var lastTime: Int64
  private var count = 0
  private var last: RawSample
  /// Samples that are not in their places.
  private(set) var unevenCount = 0
  /// Instants that are so many ticks apart or more: at most ``partLimit`` parts of the stretch.
  private var instants: [(tick: UInt64, time: Int64)] = []
  private var partLength: UInt64 = 256
  private static let partLimit = 16

  init(
    _ sample: RawSample, _ tick: UInt64, _ time: Int64, _ scales: Scales, _ rate: SampleRate,
    hasOwnTimes: Bool
  ) {
    (self.scales, self.rate, self.hasOwnTimes) = (scales, rate, hasOwnTimes)
    (first, lastTick, lastTime, last) = ((tick, time), tick, time, sample)
    put(sample)
    count = 1
    instants = [first]
  }

  mutating func append(_ sample: RawSample, _ tick: UInt64, _ time: Int64, repeating missing: Int) {
    for _ in 0..<missing { put(last) }
    if missing > 0 { repeats.append((count, missing)) }
    put(sample)
    count += 1
    if hasOwnTimes { noteTime(tick, time, repeating: missing) }
    (lastTick, lastTime, last) = (tick, time, sample)
  }

  private mutating func noteTime(_ tick: UInt64, _ time: Int64, repeating missing: Int) {
    let nominal = Double(rate.denominator) / Double(rate.numerator) * 1e9
    // The times of an import may be further apart than 64 bits hold.
    let length = Double(time) - Double(lastTime)
    if missing == 0, abs(length - nominal) > nominal / 2 { unevenCount += 1 }
    guard let last = instants.last, tick - last.tick >= partLength else { return }
    instants.append((tick, time))
    guard instants.count > MotionStretch.partLimit else { return }
    instants = instants.indices.filter { $0 % 2 == 0 }.map { instants[$0] }
    partLength *= 2
  }

  /// By how much of itself the period of a part differs at most from the mean.
  var periodDeviation: Double {
    zip(instants, instants.dropFirst()).reduce(0) { most, part in
      let ((firstTick, firstTime), (tick, time)) = part
      let own = (Double(time) - Double(firstTime)) / Double(tick - firstTick) / 1e9
      return max(most, abs(own / period - 1))
    }
  }

  private mutating func put(_ sample: RawSample) {
    let room = 6 * MotionStretch.blockLength
    if blocks.isEmpty { blocks.append([]) }
    if blocks[blocks.count - 1].count == room {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(room)
    }
    let block = blocks.count - 1
    for channel in 0..<6 { blocks[block].append(sample[channel]) }
  }

  /// Seconds from one sample to the next: of the grid, or the mean where times of their own place the ticks.
  var period: Double {
    let nominal = Double(rate.denominator) / Double(rate.numerator)
    guard hasOwnTimes, lastTick > first.tick, lastTime > first.time else { return nominal }
    // The times of an import may be further apart than 64 bits hold.
    let (length, overflow) = lastTime.subtractingReportingOverflow(first.time)
    let nanoseconds = overflow ? Double(lastTime) - Double(first.time) : Double(length)
    // In this order a table at 10 Hz has a period of 0.1 s and no neighbour of it.
    return nanoseconds / Double(lastTick - first.tick) / 1e9
  }

  /// The number of the sample at a time, from 0; below 0 before the first one.
  func place(at time: Int64) -> Int {
    Int(max(-1, min(1e15, ((Double(time) - Double(first.time)) / 1e9 / period).rounded())))
  }

  /// Samples of a block.
  func count(ofBlock block: Int) -> Int { blocks[block].count / 6 }

  /// A sample in m/s² and radians a second.
  @inline(__always)
  func sample(_ index: Int, ofBlock block: Int) -> (
    acceleration: SIMD3<Double>, rate: SIMD3<Double>
  ) {
    blocks[block].withUnsafeBufferPointer { counts in
      func vector(_ place: Int) -> SIMD3<Double> {
        SIMD3(Double(counts[place]), Double(counts[place + 1]), Double(counts[place + 2]))
      }
      return (vector(6 * index) * scales.acceleration, vector(6 * index + 3) * scales.rate)
    }
  }
}
