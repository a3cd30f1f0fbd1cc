// SPDX-License-Identifier: Apache-2.0

/// How often each count of a channel occurs, and what follows from that alone: exact, whatever the number of samples.
package struct CountMoments: Equatable, Sendable {
  package private(set) var count = 0
  package private(set) var mean = 0.0
  /// The mean square of the counts less their mean.
  package private(set) var variance = 0.0
  /// The fourth central moment over the square of the variance: 3 for noise, 1.5 for a sine; `nil` without variance.
  package private(set) var kurtosis: Double?
  /// The greatest distance of a count from the mean.
  package private(set) var peak = 0.0
  /// Samples at an end of the range of counts.
  package private(set) var clipped = 0

  init(_ runs: some Sequence<UnsafeBufferPointer<Int16>>) {
    var numbers = [UInt32](repeating: 0, count: 1 << 16)
    numbers.withUnsafeMutableBufferPointer { numbers in
      for run in runs {
        for value in run { numbers[Int(UInt16(bitPattern: value))] &+= 1 }
        count += run.count
      }
    }
    guard count > 0 else { return }
    func number(_ value: Int) -> Int { Int(numbers[Int(UInt16(truncatingIfNeeded: value))]) }
    let values = (-32768...32767).filter { number($0) > 0 }
    mean = Double(values.reduce(0) { $0 + $1 * number($1) }) / Double(count)
    var (second, fourth) = (0.0, 0.0)
    for value in values {
      let distance = Double(value) - mean
      let square = distance * distance
      second += square * Double(number(value))
      fourth += square * square * Double(number(value))
      peak = max(peak, distance.magnitude)
    }
    variance = second / Double(count)
    if variance > 0 { kurtosis = fourth / Double(count) / (variance * variance) }
    clipped = number(-32768) + number(32767)
  }

  /// The standard deviation in counts: the root mean square without the mean.
  package var deviation: Double { variance.squareRoot() }

  /// The peak over the root mean square; `nil` without variance.
  package var crest: Double? { variance > 0 ? peak / deviation : nil }
}
