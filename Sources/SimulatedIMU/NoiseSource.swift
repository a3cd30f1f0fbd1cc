/// Random numbers by position: the same seed, sample and axis give the same number, in any order.
///
/// So a sample can be made without the samples before it, and made again by a test.
struct NoiseSource: Sendable, BitwiseCopyable {
  /// Tells one chip from another.
  let seed: UInt64

  /// 64 even bits.
  ///
  /// SplitMix64's finaliser (Steele, Lea, Flood 2014), over a counter that interleaves the
  /// arguments.
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

  /// A number of the standard normal distribution, cut off at ±6.
  ///
  /// The sum of twelve even numbers of variance 1/12: plain arithmetic, hence the same on each
  /// machine.
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
    SIMD3(
      gaussian(sample: sample, axis: axis), gaussian(sample: sample, axis: axis + 1),
      gaussian(sample: sample, axis: axis + 2))
  }

  /// Evenly between −1 and 1.
  func even(sample: Int64, axis: Int) -> Double {
    Double(bits(sample: sample, axis: axis, draw: 3) >> 11) / Double(1 << 52) - 1
  }
}
