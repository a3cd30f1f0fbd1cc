// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A Butterworth low-pass filter of second order for vectors. For its time constant it gives the mean of what it was given,
/// and begins from there, so that no single value decides.
///
///     b₀ = b₂, b₁, b₂, a₁, a₂        cut-off frequency √2 / (2π · time constant)
///     y   = b₀·x + first
///     first  = b₁·x − a₁·y + second
///     second = b₂·x − a₂·y
///
/// Where the time constant is below half a period, values pass unchanged.
struct LowPass<Value: SIMD>: BitwiseCopyable
where Value: BitwiseCopyable, Value.Scalar == Double {
  private let b: (Double, Double, Double)
  private let a: (Double, Double)
  /// How many values the mean at the beginning has.
  private let meanCount: Int
  private var count = 0
  /// While the mean is formed, the sum of the values and nothing.
  private var (first, second) = (Value.zero, Value.zero)

  init(timeConstant: Double, period: Double) {
    // As the authors' programs compare: the product is rounded.
    var count = max(1, Int((timeConstant / period).rounded(.down)))
    while Double(count) * period < timeConstant { count += 1 }
    while count > 1, Double(count - 1) * period >= timeConstant { count -= 1 }
    meanCount = count
    guard timeConstant >= period / 2 else {
      (b, a) = ((1, 0, 0), (0, 0))
      return
    }
    let tangent = tan(.pi * (2.0.squareRoot() / (2 * .pi) / timeConstant) * period)
    let square = tangent * tangent
    let root = 2.0.squareRoot() * tangent
    let gain = square / (square + root + 1)
    b = (gain, 2 * gain, gain)
    a = (2 * (square - 1) / (square + root + 1), (1 - root + square) / (square + root + 1))
  }

  @inline(__always)
  mutating func step(_ value: Value) -> Value {
    guard count >= meanCount else { return settle(value) }
    let output = value * b.0 + first
    first = value * b.1 - output * a.0 + second
    second = value * b.2 - output * a.1
    return output
  }

  private mutating func settle(_ value: Value) -> Value {
    count += 1
    first += value
    let mean = first / Double(count)
    if count == meanCount { begin(at: mean) }
    return mean
  }

  /// Continues as if every value so far had been this one.
  mutating func begin(at value: Value) {
    count = meanCount
    first = value * (1 - b.0)
    second = value * (b.2 - a.1)
  }
}
