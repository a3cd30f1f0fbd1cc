// SPDX-License-Identifier: Apache-2.0

/// How a chip's built-in self-test is run and judged: a table like ``ChipSettings``.
///
///     save, write set-up ─► begin ─► settle ─► samples ─► on ─► answer ─► samples ─► off ─► answer ─► samples ─► next pass
///                           └──────────────────────────── a pass ────────────────────────────────────────┘
///
/// A test pushes the chip's masses by electrodes; the difference between samples with and without it is the answer. Samples
/// after it show whether the chip lay still.
struct SelfTestPlan: Sendable {
  /// The ranges in which it is run, whose scales make units of counts.
  let accelerometer: SensorRange
  let gyroscope: SensorRange
  let criterion: SelfTestCriterion
  /// Written before the first pass in this order. Each register is saved before it is written, so one that selects a bank or
  /// wakes the chip comes first. They are restored in reverse order: data rates, which come early, late.
  var setUp = RegisterList()
  var passes: [SelfTestPass] = []

  /// The range of a channel's sensor, 0 to 2 acceleration, 3 to 5 angular rate.
  func range(_ channel: Int) -> SensorRange { channel < 3 ? accelerometer : gyroscope }
}

/// A part of a self-test: some channels with the test off, on, and off again.
struct SelfTestPass: Sendable {
  /// Where a sample is read: one burst that begins with the status.
  struct Place: Sendable {
    let register: UInt8
    let count: Int
    /// Bits of the first byte that announce a sample.
    let ready: UInt8
    /// Offsets of the first byte of three axes.
    let acceleration: Int
    let angularRate: Int
    let isBigEndian: Bool
  }

  let channels: Range<Int>
  let place: Place
  /// Nanoseconds between samples, nominal.
  let period: Int64
  /// Samples that are averaged, after one that is discarded.
  let count: Int
  /// From ``begin`` until the first sample, in nanoseconds.
  let settle: Int64
  /// From switching the test on or off until the first sample.
  let answer: Int64
  /// Registers of the set-up with other contents in this pass, in this order.
  var begin = RegisterList()
  /// Switch the test on and off: the same registers.
  var on = RegisterList()
  var off = RegisterList()
}

/// How an answer is judged.
enum SelfTestCriterion: Sendable {
  /// Its magnitude in mg and °/s: the data sheet's limits for all specimens.
  case magnitude(accelerometer: ClosedRange<Int64>, gyroscope: ClosedRange<Int64>)
  /// Its ratio to the answer that the factory measured on this specimen and wrote into it.
  case trim(FactoryTrim)
}

/// The answers that the factory measured, as codes in registers that no reset clears.
struct FactoryTrim: Sendable {
  /// Registers that hold the codes.
  let registers: [UInt8]
  /// The code of each channel from the contents of the registers; 0 where the factory wrote none.
  let codes: @Sendable ([UInt8]) -> [Int]
  /// The largest code.
  let largest: Int
  /// The answer in counts that a code of 1 or more stands for.
  let response: @Sendable (_ channel: Int, _ code: Int) -> Double
  /// The ratios of answer to trim that pass.
  let ratio: ClosedRange<Double>
  /// Whether the sign counts. Otherwise magnitudes are compared.
  let isSigned: Bool
}

/// Sums and extremes of the samples of one phase of a self-test, in counts.
struct SelfTestTally {
  private(set) var count: Int64 = 0
  /// By channel, 0 to 5.
  private(set) var sums = [Int64](repeating: 0, count: 6)
  private var lowest = [Int64](repeating: .max, count: 6)
  private var highest = [Int64](repeating: .min, count: 6)

  mutating func add(_ values: [Int64], of channels: Range<Int>) {
    for channel in channels {
      let value = values[channel]
      sums[channel] += value
      lowest[channel] = min(lowest[channel], value)
      highest[channel] = max(highest[channel], value)
    }
    count += 1
  }

  func spread(_ channel: Int) -> Int64 { highest[channel] - lowest[channel] }

  /// Whether a value of a channel was at an end of the range: the true one may be further from zero.
  func isClipped(_ channel: Int) -> Bool {
    lowest[channel] <= Int64(Int16.min) || highest[channel] >= Int64(Int16.max)
  }

  /// How much the sum of a channel is above that of as many other samples.
  func difference(_ other: SelfTestTally, _ channel: Int) -> Int64 {
    sums[channel] - other.sums[channel]
  }
}

/// A sum of counts of some samples, compared with limits in mg or °/s by whole numbers.
struct SelfTestSum {
  let sum: Int64
  /// Samples.
  let count: Int64
  let range: SensorRange
  let unit: SelfTestUnit

  init(_ sum: Int64, of count: Int64, _ channel: Int, _ plan: SelfTestPlan) {
    (self.sum, self.count, range) = (sum, count, plan.range(channel))
    unit = SelfTestUnit(channel)
  }

  /// The mean in counts.
  var counts: Double { Double(sum) / Double(count) }
  /// The mean in g or °/s.
  var value: Double { counts * range.scale.value }

  /// Whether the magnitude of the mean is within `limits`, inclusive.
  func isWithin(_ limits: ClosedRange<Int64>) -> Bool {
    // 65535 counts of 20 samples, a numerator of 140000 and 1000: no product is near 2^63.
    let scaled = abs(sum) * range.scale.numerator * unit.factor
    let whole = range.scale.denominator * count
    return scaled >= limits.lowerBound * whole && scaled <= limits.upperBound * whole
  }
}
