// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// From physical truth to counts: the part that the chips share.
struct SignalPath: Sendable, BitwiseCopyable {
  /// The chip's motion.
  let source: MotionSource
  /// The instant of the motion's time 0 in nanoseconds.
  let origin: Int64
  let noise: NoiseSource
  let hasNoise: Bool
  let noiseFactor: Double
  let fault: SimulatedChip.AxisFault?
  /// Whether the chip's X of both sensors points against that of the right-handed frame of Y and Z.
  let isLeftHanded: Bool
  /// 0.5 for an accelerometer of twice the range.
  let accelerometerGain: Double
  let selfTest: SimulatedSelfTest
  /// Zero-g level in g.
  let accelerometerOffset: SIMD3<Double>
  /// Zero-rate level in °/s.
  let gyroscopeOffset: SIMD3<Double>
  /// Whether the chip is off by its tolerances.
  private let hasZeroOffsets: Bool

  /// With tolerances, the largest zero-g level in g by axis and zero-rate level in °/s.
  init(
    chip: SimulatedChip, source: MotionSource, origin: Int64,
    accelerometerTolerance: SIMD3<Double> = SIMD3(), gyroscopeTolerance: Double = 0
  ) {
    self.source = source
    self.origin = origin
    noise = NoiseSource(seed: chip.seed &+ UInt64(chip.model.rawValue) << 56)
    (hasNoise, noiseFactor, fault) = (chip.hasNoise, chip.noiseFactor, chip.axisFault)
    accelerometerGain = chip.hasDoubleRange ? 0.5 : 1
    isLeftHanded = chip.model == .lsm9ds1
    (selfTest, hasZeroOffsets) = (chip.selfTest, chip.hasZeroOffsets)
    let noise = noise
    func offsets(from axis: Int) -> SIMD3<Double> {
      guard chip.hasZeroOffsets else { return SIMD3(repeating: 0) }
      return SIMD3(from: axis) { noise.even(sample: -1, axis: $0) }
    }
    accelerometerOffset = offsets(from: 0) * accelerometerTolerance
    gyroscopeOffset = offsets(from: 3) * gyroscopeTolerance
  }

  /// Acceleration or angular rate in counts, of the axes from `first`, 0 or 3, on: with `sensitivity` counts a g or °/s, a
  /// noise of `deviation` and a self-test's `force` in g or °/s.
  func axes(
    from first: Int, at instant: Int64, tick: Int64, sensitivity: Double, deviation: Double,
    force: SIMD3<Double>
  ) -> SIMD3<Int16> {
    if let counts = source.counts(at: instant - origin) {
      return faulted(
        SIMD3(counts[first], counts[first + 1], counts[first + 2]), from: first, at: instant)
    }
    guard let truth = source.truth(at: instant - origin) else { return SIMD3(repeating: 0) }
    var value =
      first == 0
      ? truth.acceleration / Motion.standardGravity : truth.angularRate * (180 / Double.pi)
    // A rate is about the arrow of its own axis by the right-hand rule, so it turns round with the arrow.
    if isLeftHanded { value.x = -value.x }
    value += first == 0 ? accelerometerOffset : gyroscopeOffset
    value += force
    if hasNoise { value += noise.gaussians(sample: tick, axis: first) * deviation * noiseFactor }
    value *= sensitivity * (first == 0 ? accelerometerGain : 1)
    let counts = SIMD3(Self.count(value.x), Self.count(value.y), Self.count(value.z))
    return faulted(counts, from: first, at: instant)
  }

  /// Temperature in counts, `sensitivity` a °C from `zero` °C on. It has no noise: no data sheet gives a figure.
  func temperature(at instant: Int64, sensitivity: Double, zero: Double) -> Int16 {
    if case .recording(hasTemperature: true) = source.shape {
      return source.counts(at: instant - origin)?.temperature ?? 0
    }
    let celsius = source.truth(at: instant - origin)?.temperature ?? 25
    return Self.count((celsius - zero) * sensitivity)
  }

  /// The magnetic field in µT, with a noise of `deviation`, of a magnetometer's sample with this number.
  ///
  /// Iron that moves with the chip adds a field of its own and bends the outer one.
  func field(_ number: Int64, at instant: Int64, deviation: Double) -> SIMD3<Double> {
    // A recording has no field; its chip lies flat.
    let outer = source.truth(at: instant - origin)?.field ?? Motion.earthField
    var value = outer
    if hasZeroOffsets {
      func some(_ most: Double, _ axis: Int) -> SIMD3<Double> {
        SIMD3(from: axis) { noise.even(sample: -1, axis: $0) } * most
      }
      // A symmetric matrix less 1: its diagonal, and its elements yz, xz and xy.
      let (diagonal, beside) = (some(0.08, 9), some(0.04, 12))
      value += some(30, 6) + diagonal * outer
      value += SIMD3(
        beside.z * outer.y + beside.y * outer.z, beside.z * outer.x + beside.x * outer.z,
        beside.y * outer.x + beside.x * outer.y)
    }
    if hasNoise { value += noise.gaussians(sample: number, axis: 6) * deviation * noiseFactor }
    return value
  }

  /// A sensor's output before it has settled: anything within half of full scale.
  func garbage(tick: Int64, axis: Int) -> SIMD3<Int16> {
    let word = noise.bits(sample: tick, axis: axis, draw: 3)
    return SIMD3(
      Int16(truncatingIfNeeded: word) / 2, Int16(truncatingIfNeeded: word >> 16) / 2,
      Int16(truncatingIfNeeded: word >> 32) / 2)
  }

  /// A sensor's counts with the chip's fault; `first` is the sensor's first axis among the six.
  private func faulted(
    _ counts: SIMD3<Int16>, from first: Int, at instant: Int64
  ) -> SIMD3<Int16> {
    guard let fault else { return counts }
    let axes = first..<first + 3
    var faulted = counts
    switch fault {
    case .held(let axis, let count, let begin):
      if axes.contains(axis), instant - origin >= begin { faulted[axis - first] = count }
    case .swapped(let one, let other):
      if axes.contains(one), axes.contains(other) {
        (faulted[one - first], faulted[other - first]) = (
          counts[other - first], counts[one - first]
        )
      }
    case .copied(let axis, let source):
      if axes.contains(axis), axes.contains(source) {
        faulted[axis - first] = counts[source - first]
      }
    }
    return faulted
  }

  /// The nearest count; saturates.
  private static func count(_ value: Double) -> Int16 {
    if value >= 32767 { return 32767 }
    if value <= -32768 { return -32768 }
    return Int16(value.rounded())
  }
}

/// Random numbers by position: the same seed, sample and axis give the same number, in any order. So a sample can be made
/// without the samples before it, and again by a test.
struct NoiseSource: Sendable, BitwiseCopyable {
  /// Different for each chip.
  let seed: UInt64

  /// 64 uniform bits: SplitMix64's finaliser (Steele, Lea, Flood 2014) over a counter that interleaves the arguments.
  func bits(sample: Int64, axis: Int, draw: Int) -> UInt64 {
    var z = seed &+ UInt64(bitPattern: sample) &* 0x9E37_79B9_7F4A_7C15
    z = Self.mixed(z) &+ UInt64(truncatingIfNeeded: axis * 4 + draw) &* 0xD1B5_4A32_D192_ED03
    return Self.mixed(z)
  }

  private static func mixed(_ word: UInt64) -> UInt64 {
    var z = word
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number of the standard normal distribution, cut off at ±6: the sum of twelve uniform numbers of variance 1/12, the
  /// same on each machine.
  func gaussian(sample: Int64, axis: Int) -> Double {
    var sum = 0
    for draw in 0..<3 {
      let word = bits(sample: sample, axis: axis, draw: draw)
      sum += Int(word & 0xFFFF) + Int(word >> 16 & 0xFFFF)
      sum += Int(word >> 32 & 0xFFFF) + Int(word >> 48)
    }
    return (Double(sum) + 6) / 65536 - 6
  }

  /// Three numbers of the standard normal distribution, for three axes from `axis` on.
  func gaussians(sample: Int64, axis: Int) -> SIMD3<Double> {
    SIMD3(from: axis) { gaussian(sample: sample, axis: $0) }
  }

  /// Uniform between −1 and 1.
  func even(sample: Int64, axis: Int) -> Double {
    Double(bits(sample: sample, axis: axis, draw: 3) >> 11) / Double(1 << 52) - 1
  }
}

extension SIMD3<Double> {
  /// A value for each of three axes.
  init(from first: Int, _ value: (_ axis: Int) -> Double) {
    self.init(value(first), value(first + 1), value(first + 2))
  }
}
