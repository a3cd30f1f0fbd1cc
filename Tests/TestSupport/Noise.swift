// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A signal to analyse, from a seed that is printed with every failure.
public struct Noise {
  /// What makes the same signal again.
  public let seed: UInt64
  private var generator: SeededGenerator

  /// A signal from this seed.
  public init(seed: UInt64 = .random(in: 1 ... .max)) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
  }

  /// A value of the standard normal distribution. (Box and Muller 1958)
  public mutating func normal() -> Double {
    let (a, b) = (
      Double.random(in: 1e-300..<1, using: &generator), Double.random(in: 0..<1, using: &generator)
    )
    return (-2 * log(a)).squareRoot() * cos(2 * Double.pi * b)
  }

  /// White noise of a standard deviation in counts.
  public mutating func white(_ count: Int, deviation: Double) -> [Int16] {
    (0..<count).map { _ in Noise.counts(normal() * deviation) }
  }

  /// The sum of steps of a standard deviation in counts.
  public mutating func walk(_ count: Int, step: Double) -> [Int16] {
    var value = 0.0
    return (0..<count).map { _ in
      value += normal() * step
      return Noise.counts(value)
    }
  }

  /// Noise of the density B² / πf, whose Allan variance is B² · 2 ln 2/π at all averaging times: a sum of processes of Gauß
  /// and Markov, whose time constants rise by a factor of three.
  public mutating func flicker(_ count: Int, instability: Double) -> [Double] {
    let factor = 3.0
    let deviation = instability * (log(factor) / Double.pi).squareRoot()
    var values = [Double](repeating: 0, count: count)
    var constant = 0.5
    while constant < 20 * Double(count) {
      let decay = exp(-1 / constant)
      let step = deviation * (1 - decay * decay).squareRoot()
      var value = normal() * deviation
      for place in values.indices {
        value = value * decay + normal() * step
        values[place] += value
      }
      constant *= factor
    }
    return values
  }

  /// The nearest count that a chip may send.
  public static func counts(_ value: Double) -> Int16 { Int16(clamping: Int(value.rounded())) }

  /// A sine of an amplitude in counts, a frequency as a part of the rate, and a phase in radians.
  public static func sine(_ count: Int, amplitude: Double, frequency: Double, phase: Double = 0.3)
    -> [Int16]
  {
    (0..<count).map { counts(amplitude * sin(2 * Double.pi * frequency * Double($0) + phase)) }
  }
}
