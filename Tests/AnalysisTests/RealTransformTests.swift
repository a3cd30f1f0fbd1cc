// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import Analysis

@Suite("The Fourier transform of real values")
struct RealTransformTests {
  /// |X[k]|² by the definition of the transform.
  static func power(_ values: [Double], _ k: Int) -> Double {
    var (re, im) = (0.0, 0.0)
    for (n, value) in values.enumerated() {
      let angle = -2 * Double.pi * Double(k * n % values.count) / Double(values.count)
      re += value * cos(angle)
      im += value * sin(angle)
    }
    return re * re + im * im
  }

  @Test("is the definition's, for lengths and windows", arguments: [8, 16, 32, 64, 512, 1024])
  func definition(count: Int) {
    var noise = Noise()
    let windows = (0..<2).map { _ in (0..<count).map { _ in noise.normal() * 1000 } }
    let transform = RealTransform(count: count)
    for k in 0..<(count / 2) {
      transform.even[k] = SIMD2(windows[0][2 * k], windows[1][2 * k])
      transform.odd[k] = SIMD2(windows[0][2 * k + 1], windows[1][2 * k + 1])
    }
    transform.transform()
    var sums = [Double](repeating: 0, count: count / 2 + 1)
    sums.withUnsafeMutableBufferPointer { transform.addPowers(to: $0.baseAddress!) }
    let total = sums.reduce(0, +)
    for k in 0...(count / 2) {
      let expected = Self.power(windows[0], k) + Self.power(windows[1], k)
      #expect(abs(sums[k] - expected) < 1e-12 * total, "\(k) of \(count), seed \(noise.seed)")
    }
  }

  @Test("of an impulse is flat, and of a constant is at 0 alone")
  func closedForms() {
    let transform = RealTransform(count: 256)
    for k in 0..<128 {
      transform.even[k] = SIMD2(k == 17 ? -3 : 0, 5)
      transform.odd[k] = SIMD2(0, 5)
    }
    transform.transform()
    var sums = [Double](repeating: 0, count: 129)
    sums.withUnsafeMutableBufferPointer { transform.addPowers(to: $0.baseAddress!) }
    #expect(abs(sums[0] - 9 - 1280.0 * 1280) < 1e-6)
    for k in 1...128 { #expect(abs(sums[k] - 9) < 1e-9, "\(k)") }
  }
}
