// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The power spectral density of counts by Welch's method: the mean over windows that overlap by half.
///
///     segment   ├──────────────────────────────┤ gap ├─────────────┤
///     windows   ├────────┤────────┤────────┤          ├────────┤
///                    ├────────┤────────┤                  ├────────┤
///
/// Each window loses its mean, is multiplied by a periodic Hann window, and is transformed. No window reaches across a
/// gap. (P. D. Welch 1967; as `scipy.signal.welch` with its defaults.)
final class Welch {
  let length: Int
  private(set) var windows = 0
  private let transform: RealTransform
  private let window: [Double]
  private var sums: [Double]

  /// Windows of `length` samples, a power of two from 8 on.
  init(length: Int) {
    self.length = length
    transform = RealTransform(count: length)
    window = (0..<length).map { 0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(length)) }
    sums = Array(repeating: 0, count: length / 2 + 1)
  }

  func removeAll() {
    windows = 0
    for index in sums.indices { sums[index] = 0 }
  }

  /// Adds the windows of a run of evenly spaced counts; none when it is shorter than one.
  func add(_ counts: UnsafeBufferPointer<Int16>) {
    guard counts.count >= length, let start = counts.baseAddress else { return }
    let hop = length / 2
    let number = (counts.count - length) / hop + 1
    var index = 0
    while index < number {
      // Safe: window `index` ends at index · hop + length, which is at most the count.
      let first = start + index * hop
      let isPair = index + 1 < number
      load(first, isPair ? first + hop : nil)
      transform.transform()
      sums.withUnsafeMutableBufferPointer { sums in
        if let sums = sums.baseAddress { transform.addPowers(to: sums) }
      }
      index += 2
    }
    windows += number
  }

  /// Loads one window, or two, into the lanes of the transform.
  private func load(_ first: UnsafePointer<Int16>, _ second: UnsafePointer<Int16>?) {
    let (even, odd, half) = (transform.even, transform.odd, length / 2)
    let other = second ?? first
    let mean = SIMD2(Welch.mean(first, length), Welch.mean(other, length))
    let lanes = SIMD2(1, second == nil ? 0.0 : 1)
    window.withUnsafeBufferPointer { window in
      func value(_ place: Int) -> SIMD2<Double> {
        (SIMD2(Double(first[place]), Double(other[place])) - mean) * (lanes * window[place])
      }
      for k in 0..<half { (even[k], odd[k]) = (value(2 * k), value(2 * k + 1)) }
    }
  }

  private static func mean(_ counts: UnsafePointer<Int16>, _ count: Int) -> Double {
    var sum = 0
    for index in 0..<count { sum &+= Int(counts[index]) }
    return Double(sum) / Double(count)
  }

  /// The mean density, in counts² a hertz: one-sided, so that its sum times the resolution is the variance.
  ///
  /// - Returns: A value for each multiple of `rate` / ``length`` up to `rate` / 2; zeros without a window.
  func density(rate: Double) -> [Double] {
    guard windows > 0 else { return sums }
    let power = window.reduce(0) { $0 + $1 * $1 }
    let scale = 2 / (rate * power * Double(windows))
    return sums.indices.map {
      $0 == 0 || $0 == length / 2 ? sums[$0] * scale / 2 : sums[$0] * scale
    }
  }
}
