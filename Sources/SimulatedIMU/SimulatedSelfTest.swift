// SPDX-License-Identifier: Apache-2.0

/// How a specimen answers its built-in self-test.
public struct SimulatedSelfTest: Equatable, Sendable, BitwiseCopyable {
  /// Of each axis of the accelerometer, as a share of the factory's: 0 for no answer.
  public var acceleration = SIMD3<Double>(repeating: 1)
  /// Of each axis of the gyroscope.
  public var angularRate = SIMD3<Double>(repeating: 1)
  /// Whether the factory wrote trim codes. Copies have none.
  public var hasTrim = true
}

/// The push that a self-test gives the masses of one sensor.
struct SelfTestForce: Sendable, BitwiseCopyable {
  /// From the switching until the outputs show it, in nanoseconds. No data sheet gives it; drivers wait 50 to 200 ms.
  static let delay: Int64 = 40_000_000

  private var before = SIMD3<Double>(repeating: 0)
  private var after = SIMD3<Double>(repeating: 0)
  private var lastTickBefore: Int64 = 0

  /// What a trim code of InvenSense's stands for: the value at code 1, and for each code more `step` times that.
  static func ladder(_ first: Double, by step: Double, to code: Int) -> Double {
    (1..<code).reduce(first) { value, _ in value * step }
  }

  /// In g or °/s, in the sample of `tick`.
  func value(atTick tick: Int64) -> SIMD3<Double> { tick > lastTickBefore ? after : before }

  /// Switches it to `value`, which the outputs show after `tick`.
  mutating func change(to value: SIMD3<Double>, shownAfter tick: Int64) {
    guard value != after else { return }
    (before, after, lastTickBefore) = (after, value, tick)
  }
}

extension OutputStages {
  /// The accelerometer's test is switched at `instant`: `sign` is 1 or −1 for a push, 0 for none, `usual` its answer in g.
  mutating func pushAccelerometer(_ sign: Double, usual: SIMD3<Double>, at instant: Int64) {
    accelerometer.force.change(
      to: sign * usual * path.selfTest.acceleration,
      shownAfter: oscillator.tick(at: instant + SelfTestForce.delay))
  }

  /// The same of the gyroscope, in °/s.
  mutating func pushGyroscope(_ sign: Double, usual: SIMD3<Double>, at instant: Int64) {
    gyroscope.force.change(
      to: sign * usual * path.selfTest.angularRate,
      shownAfter: oscillator.tick(at: instant + SelfTestForce.delay))
  }

  /// ST_XL and ST_G of LSM6DS and LSM6DSV, in one register: [3:2] 1 positive, 3 negative; [1:0] 1 positive, 2 negative.
  ///
  /// Answers amid the limits: 50 or 90 to 1700 mg; 150 to 700 °/s in the range of 2000 °/s, 20 to 80 in that of 250.
  mutating func switchSelfTest(_ bits: UInt8, isFineRange: Bool, at instant: Int64) {
    pushAccelerometer(
      [0, 1, -1, 0][Int(bits & 3)], usual: SIMD3(0.52, -0.38, 0.71), at: instant)
    let usual = SIMD3<Double>(310, 405, -280)
    pushGyroscope(
      [0, 1, 0, -1][Int(bits >> 2 & 3)], usual: isFineRange ? usual / 8 : usual, at: instant)
  }
}

/// The factory's trim of an MPU-6050 and its relatives.
extension SimulatedMPU6050 {
  /// The codes of this specimen: acceleration, then angular rate.
  private var codes: (SIMD3<Int>, SIMD3<Int>) {
    identity == 0x68
      ? (SIMD3(14, 17, 22), SIMD3(12, 9, 21)) : (SIMD3(103, 117, 131), SIMD3(95, 110, 88))
  }

  /// Writes the codes where the factory has them.
  mutating func loadTrim() {
    guard path.selfTest.hasTrim else { return }
    let (acceleration, rate) = codes
    for axis in 0..<3 {
      let (a, g) = (UInt8(acceleration[axis]), UInt8(rate[axis]))
      if identity == 0x68 {
        // SELF_TEST_X…Z: three high bits of acceleration, five of angular rate; SELF_TEST_A: two low ones of each.
        registers[0x0D + UInt8(axis)] = (a >> 2) << 5 | g
        registers[0x10] |= (a & 3) << UInt8(4 - 2 * axis)
      } else {
        registers[0x0D + UInt8(axis)] = a
        registers[UInt8(axis)] = g
      }
    }
  }

  /// GYRO_CONFIG or ACCEL_CONFIG was written: their bits [7:5] push X, Y and Z.
  mutating func switchSelfTest(_ register: UInt8, at instant: Int64) {
    let shown = oscillator.tick(at: instant + SelfTestForce.delay)
    let bits = registers[register]
    let mask = SIMD3<Double>(
      bits & 0x80 != 0 ? 1 : 0, bits & 0x40 != 0 ? 1 : 0, bits & 0x20 != 0 ? 1 : 0)
    let (acceleration, rate) = codes
    let isFirst = identity == 0x68
    if register == Self.accelConfig {
      // 0.34 g at code 1 to 0.92 g at code 31; 2620 of 16384 counts in a range of 2 g.
      let (first, step): (Double, Double) = isFirst ? (0.34, 1.033_737_6) : (2620.0 / 16384, 1.01)
      let answer = SIMD3(from: 0) { SelfTestForce.ladder(first, by: step, to: acceleration[$0]) }
      accelerometerForce.change(to: mask * answer * path.selfTest.acceleration, shownAfter: shown)
    } else {
      // 25 °/s at code 1, each code 4.6 % more, against the axis in Y; 2620 counts of 1/131 °/s.
      let (first, step): (Double, Double) = isFirst ? (25, 1.046) : (20, 1.01)
      let answer = SIMD3(from: 0) { axis in
        SelfTestForce.ladder(isFirst && axis == 1 ? -first : first, by: step, to: rate[axis])
      }
      gyroscopeForce.change(to: mask * answer * path.selfTest.angularRate, shownAfter: shown)
    }
  }
}
