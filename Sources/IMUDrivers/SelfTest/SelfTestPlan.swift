// SPDX-License-Identifier: Apache-2.0

/// How a chip's built-in self-test is run and judged: a table like ``ChipSettings``.
///
///     save, write set-up ─► begin ─► settle ─► samples ─► on ─► answer ─► samples ─► off ─► answer ─► samples ─► next pass
///                           └──────────────────────────── a pass ────────────────────────────────────────┘
///
/// A test pushes the chip's masses by electrodes; the difference between samples with and without it is the answer. The
/// samples after it only show whether the chip lay still.
struct SelfTestPlan: Sendable {
  /// The ranges in which it is run, whose scales make units of counts.
  let accelerometer: SensorRange
  let gyroscope: SensorRange
  let criterion: SelfTestCriterion
  /// Written before the first pass in this order. Each register is saved before it is written, so a register of a bank, or
  /// one that wakes the chip, comes first. In reverse order they are restored: data rates, which come early, late.
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

/// By what an answer is judged.
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
  /// Between which ratios of answer to trim a channel passes.
  let ratio: ClosedRange<Double>
  /// Whether the sign is a part of the answer. Otherwise magnitudes are compared.
  let isSigned: Bool
}

/// How still a chip must lie: bounds of the spread of samples, and of what is left of the answer when the test is off
/// again.
///
/// Above any such chip's noise with the filters of the tests (an MPU-6050's samples differ by 25 mg at most), and below
/// what would turn a judgement: 14 % of the smallest answer of an MPU-6050 are 48 mg.
enum SelfTestStillness {
  /// In mg and in °/s.
  static var accelerometer: Int64 { 45 }
  static var gyroscope: Int64 { 3 }

  static func bound(_ channel: Int) -> Int64 { channel < 3 ? accelerometer : gyroscope }
}
