// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Watches the six axes for those that cannot be alive: the same count for too long, or two with the same counts.
///
///     ax   ▁▃▂▄▂▃▁▂▃▄▂▃▂      alive
///     ay   ▂▃▂▄▃▃▃▃▃▃▃▃▃      held from here on: stuck once that has lasted for the limit
///     az   ▁▃▂▄▂▃▁▂▃▄▂▃▂      the same as ax in each sample: one of them is not measured
///
/// Constant memory; a sample costs a few comparisons of integers and allocates nothing. What was found stays found.
struct AxisWatch {
  /// How long each axis of a sensor may have the same count, in samples; 0 for a sensor that is not judged.
  private let limits: (acceleration: UInt64, angularRate: UInt64)
  private var counts = [Int16](repeating: 0, count: 6)
  private var runs = [UInt64](repeating: 0, count: 6)
  /// The tick at which each run began.
  private var starts = [UInt64](repeating: 0, count: 6)
  /// The tick at which an axis got stuck, and whether it never had another count.
  private(set) var stuck: [Stuck?] = Array(repeating: nil, count: 6)
  /// Whether axis i was seen to differ from axis j, at 6 · i + j.
  private var differs: UInt64 = 0
  private var hasChanged = [Bool](repeating: false, count: 6)
  private(set) var sampleCount: UInt64 = 0

  struct Stuck: Equatable {
    let count: Int16
    /// The tick from which it has been so; `nil` when it never was otherwise.
    let tick: UInt64?
  }

  init(acceleration: UInt64, angularRate: UInt64) {
    limits = (acceleration, angularRate)
  }

  private func limit(_ axis: Int) -> UInt64 { axis < 3 ? limits.acceleration : limits.angularRate }

  /// The axes that are judged.
  var judged: [Int] { (0..<6).filter { limit($0) > 0 } }

  /// The most samples that any judged axis may have the same count.
  var longestLimit: UInt64 { max(limits.acceleration, limits.angularRate) }

  /// Whether there were enough samples to call every axis alive.
  var isConclusive: Bool { judged.allSatisfy { sampleCount >= limit($0) } }

  mutating func add(_ tick: UInt64, _ sample: RawSample) {
    for axis in 0..<6 {
      let count = sample[axis]
      if sampleCount == 0 || count != counts[axis] {
        if sampleCount > 0 { hasChanged[axis] = true }
        (counts[axis], runs[axis], starts[axis]) = (count, 0, tick)
      }
      runs[axis] += 1
      // At an end of the range the motion is too large, and says nothing of the axis.
      guard runs[axis] == limit(axis), stuck[axis] == nil, count != .max, count != .min else {
        continue
      }
      stuck[axis] = Stuck(count: count, tick: hasChanged[axis] ? starts[axis] : nil)
    }
    if differs != AxisWatch.allDiffer {
      for first in 0..<5 {
        for second in first + 1..<6 where counts[first] != counts[second] {
          differs |= 1 << UInt64(6 * first + second)
        }
      }
    }
    sampleCount += 1
  }

  private static let allDiffer: UInt64 = (0..<5).reduce(0) { bits, first in
    (first + 1..<6).reduce(bits) { $0 | 1 << UInt64(6 * first + $1) }
  }

  /// Pairs of axes that change and never differed.
  var equal: [(Int, Int)] {
    guard isConclusive else { return [] }
    var pairs: [(Int, Int)] = []
    for first in judged {
      for second in judged where second > first {
        let isEqual = differs & 1 << UInt64(6 * first + second) == 0
        if isEqual, hasChanged[first] { pairs.append((first, second)) }
      }
    }
    return pairs
  }
}

extension AxisWatch {
  /// After how many samples with the same count an axis is stuck, given the noise in counts: as many as chance gives once
  /// in 10^12 times, and those of three seconds at least. 0 where a count is coarser than the noise, which then may hide.
  ///
  /// Samples closer than half a period of the filter's bandwidth are not independent: only so many count as one.
  static func limit(
    deviation: Double, bandwidth: Double, rate: SampleRate
  ) -> UInt64 {
    guard deviation >= CertificateBounds.leastDeviation else { return 0 }
    // Of a Gaussian of this deviation, rounded to counts, that lies in the middle of one: 0.68 at half a count.
    let repetition = min(0.69, 0.4 / deviation)
    var (chance, looks) = (1.0, 1.0)
    while chance > 1e-12 { (chance, looks) = (chance * repetition, looks + 1) }
    let spacing = max(1, rate.hertz / (2 * bandwidth))
    let samples = UInt64(min(1e9, (looks * spacing).rounded(.up)))
    return max(samples, rate.tick(atNanoseconds: CertificateBounds.stillTime))
  }
}
