// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The fast Fourier transform of real values, two windows at a time in the lanes of a vector.
///
///     x₀ x₁ x₂ x₃ …        pairs are complex numbers: z₀ = x₀ + i x₁, z₁ = x₂ + i x₃, …
///     Z = FFT(z)           decimation in frequency, four parts a step; Z stays in bit-reversed order
///     X[k] = (Z[k] + Z*[M−k]) / 2 − i e^(−2πik/N) (Z[k] − Z*[M−k]) / 2,  M = N/2
///
/// (Cooley and Tukey 1965; the step for real values: Numerical Recipes, 3rd edition, section 12.3.2)
final class RealTransform {
  /// A value of each of the two windows.
  typealias Lanes = SIMD2<Double>

  /// Real values in a window: a power of two, at least 8.
  let count: Int
  /// Even values of the windows, to be filled before ``transform()``.
  let even: UnsafeMutablePointer<Lanes>
  /// Odd values of the windows.
  let odd: UnsafeMutablePointer<Lanes>
  private let half: Int
  /// cos and sin of −2πk/N for k up to N/2.
  private let turns: UnsafeMutablePointer<Lanes>
  /// Where the transform leaves Z[k].
  private let places: UnsafeMutablePointer<Int32>

  /// A transform of `count` values; traps unless it is a power of two from 8 on.
  init(count: Int) {
    precondition(count >= 8 && count & (count - 1) == 0, "a transform has a power of two of values")
    self.count = count
    half = count / 2
    even = .allocate(capacity: half)
    odd = .allocate(capacity: half)
    turns = .allocate(capacity: half + 1)
    places = .allocate(capacity: half)
    even.initialize(repeating: Lanes(), count: half)
    odd.initialize(repeating: Lanes(), count: half)
    places.initialize(repeating: 0, count: half)
    for k in 0...half {
      let angle = -2 * Double.pi * Double(k) / Double(count)
      (turns + k).initialize(to: Lanes(cos(angle), sin(angle)))
    }
    let bits = half.trailingZeroBitCount
    // The bits of k in reverse order.
    for k in 1..<half { places[k] = places[k / 2] / 2 | Int32(k & 1) << Int32(bits - 1) }
  }

  deinit {
    even.deallocate()
    odd.deallocate()
    turns.deallocate()
    places.deallocate()
  }

  /// Transforms the values in place: ``even`` and ``odd`` hold Z afterwards.
  func transform() {
    var length = half
    while length >= 4 {
      let quarter = length / 4
      // e^(−2πij/length) is the turn of 2j·half/length.
      let stride = 2 * (half / length)
      for base in Swift.stride(from: 0, to: half, by: length) {
        for j in 0..<quarter {
          step(base + j, quarter, turns[j * stride], turns[2 * j * stride], third(3 * j * stride))
        }
      }
      length = quarter
    }
    guard length == 2 else { return }
    for base in Swift.stride(from: 0, to: half, by: 2) {
      let (re, im) = (even[base] - even[base + 1], odd[base] - odd[base + 1])
      even[base] += even[base + 1]
      odd[base] += odd[base + 1]
      (even[base + 1], odd[base + 1]) = (re, im)
    }
  }

  /// A turn that may be more than half a circle.
  @inline(__always)
  private func third(_ index: Int) -> SIMD2<Double> {
    index <= half ? turns[index] : -turns[index - half]
  }

  /// Two halvings at once, of four values `quarter` apart.
  @inline(__always)
  private func step(_ place: Int, _ quarter: Int, _ w1: Lanes, _ w2: Lanes, _ w3: Lanes) {
    let (a, b, c, d) = (place, place + quarter, place + 2 * quarter, place + 3 * quarter)
    let (sumRe, sumIm) = (even[a] + even[c], odd[a] + odd[c])
    let (difRe, difIm) = (even[a] - even[c], odd[a] - odd[c])
    let (otherRe, otherIm) = (even[b] + even[d], odd[b] + odd[d])
    // −i (b − d)
    let (turnedRe, turnedIm) = (odd[b] - odd[d], even[d] - even[b])
    even[a] = sumRe + otherRe
    odd[a] = sumIm + otherIm
    put(b, sumRe - otherRe, sumIm - otherIm, w2)
    put(c, difRe + turnedRe, difIm + turnedIm, w1)
    put(d, difRe - turnedRe, difIm - turnedIm, w3)
  }

  @inline(__always)
  private func put(_ place: Int, _ re: Lanes, _ im: Lanes, _ turn: Lanes) {
    even[place] = re * turn.x - im * turn.y
    odd[place] = re * turn.y + im * turn.x
  }

  /// Adds |X[k]|² of both windows to `sums`, which has room for `count` / 2 + 1 values, after ``transform()``.
  func addPowers(to sums: UnsafeMutablePointer<Double>) {
    // X[0] and X[N/2] are the sum and the difference of Z[0]'s parts.
    let (low, high) = (even[0] + odd[0], even[0] - odd[0])
    sums[0] += (low * low).sum()
    sums[half] += (high * high).sum()
    for k in 1..<half {
      let (p, q) = (Int(places[k]), Int(places[half - k]))
      let (sumRe, sumIm) = (even[p] + even[q], odd[p] - odd[q])
      let (difRe, difIm) = (even[p] - even[q], odd[p] + odd[q])
      let turn = turns[k]
      // −i e^(…) (difRe + i difIm)
      let re = sumRe + difRe * turn.y + difIm * turn.x
      let im = sumIm - difRe * turn.x + difIm * turn.y
      sums[k] += 0.25 * (re * re + im * im).sum()
    }
  }
}
