// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Text

/// The weights that make values at other instants of the samples around them: a sinc in a Kaiser window.
///
///     the same or a higher rate   sin(π d) / d, of 20 samples on each side
///     a lower rate                sin(0.9 π u) / u, of 22 periods of the new rate on each side
///
/// d is the distance from the instant in samples: where the instant lies between its neighbours' true times, and each
/// further sample one more, so that a chip's own pace changes nothing. u is the same in periods of the new rate. Weights
/// are scaled to the sum 1.
///
/// The first keeps the amplitude within 0.03 % to 0.42 of the samples' rate. The second is a low-pass filter: half the
/// amplitude at 0.45 of the new rate, all of it within 0.3 % up to 0.4, and less than 0.3 % from 0.5 on, which would come
/// back as slower motion. Next to a gap or an end fewer samples are on one side, and as many are taken on the other: of 12
/// the first still reaches 0.4 of the rate, of 8 it reaches 0.35, of 4 it reaches 0.2. Below 4, or 4.4 periods of the new
/// rate, and for the first also where the samples around have uneven times, it is a cubic through the four nearest, within
/// 2 % to 0.13 of the rate, which filters nothing; and a line through two where a step of these is not 0.5 to 1.5 periods.
/// The filter takes uneven samples at their own times. All of these are counted.
struct ResamplingKernel {
  struct Point {
    let time: Int64
    let counts: SIMD8<Double>
    /// How often up to here a step was not as long as the one before.
    let unevenCount: Int
    /// Nanoseconds from `time` within which the sample is proved to be made; `nil` where nothing proves it.
    let within: Int64?
  }

  /// The name in JSON.
  static let name = "sinc"

  /// Half waves of the sinc on each side.
  private static let reach = 20.0
  /// The cutoff of the filter in halves of the new rate.
  private static let cutoff = 0.9
  /// The part of the samples' rate to which values at the same or a higher rate have the whole amplitude.
  static let passBand = 0.4
  /// Rows of the table for one sample: a line between two is right to 2e-6.
  private static let fineness = 512
  /// Steps differ by more than this part of a period where times are uneven: 0.1 % of a period for a sample between others.
  private static let unevenness = 1.0 / 256

  /// Nanoseconds between samples.
  private let period: Double
  /// Samples for one half wave of the sinc.
  private let stretch: Double
  private let isFilter: Bool
  /// Samples taken on each side.
  let half: Int
  /// The weights of `half` samples on a side by the distance of the nearest, 0 to 1.
  private var table: [Double] = []
  /// Values without a pass band, as the times of samples around are uneven.
  private(set) var unevenCount: UInt64 = 0
  /// How these are made, in words.
  var unevenMethod: String {
    isFilter ? "by the filter at the samples' own times" : "by a cubic or a line"
  }
  /// Values that should be filtered and are not, next to a gap or an end.
  private(set) var unfilteredCount: UInt64 = 0

  init(from old: Double, to new: Double) {
    (period, isFilter) = (1e9 / old, ResamplingKernel.isFilter(from: old, to: new))
    stretch = isFilter ? old / new / ResamplingKernel.cutoff : 1
    let length = ResamplingKernel.reach * stretch
    half = Int(length.rounded(.up))
    table.reserveCapacity((ResamplingKernel.fineness + 1) * half)
    for row in 0...ResamplingKernel.fineness {
      for sample in 0..<half {
        let distance = Double(sample) + Double(row) / Double(ResamplingKernel.fineness)
        table.append(weight(at: distance, of: length))
      }
    }
  }

  /// Whether the rate goes down by more than 0.1 %, which is less than the pace of chips.
  private static func isFilter(from old: Double, to new: Double) -> Bool { old > new * 1.001 }

  /// How values at another rate are made, in words.
  static func method(from old: Double, to new: Double) -> String {
    isFilter(from: old, to: new)
      ? "a low-pass filter of \(Plain.hertz(new * cutoff / 2)) Hz"
      : "a sinc of \(Int(2 * reach)) samples, which keeps the amplitude to \(Plain.hertz(old * passBand)) Hz"
  }

  /// The point of a sample after others.
  func point(
    _ time: Int64, _ counts: SIMD8<Double>, within: Int64?, after points: [Point]
  ) -> Point {
    guard points.count > 1, let last = points.last else {
      return Point(time: time, counts: counts, unevenCount: 0, within: within)
    }
    let change = Double(time - last.time) - Double(last.time - points[points.count - 2].time)
    let isUneven = abs(change) > ResamplingKernel.unevenness * period
    let unevenCount = last.unevenCount + (isUneven ? 1 : 0)
    return Point(time: time, counts: counts, unevenCount: unevenCount, within: within)
  }

  /// The value at an instant.
  ///
  /// - Parameters:
  ///   - left: The last point that is not after the instant.
  ///   - points: A run without gaps, or its part from `half` points before `left` on.
  mutating func value(at time: Int64, after left: Int, of points: ArraySlice<Point>) -> SIMD8<
    Double
  > {
    let (origin, next) = (points[left], left + 1)
    guard next < points.endIndex else { return origin.counts }
    let sides = min(half, left - points.startIndex + 1, points.endIndex - next)
    // The second of these points counts the first step as well, whose one before is not between them.
    let isEven =
      points[left + sides].unevenCount == points[min(left - sides + 2, next)].unevenCount
    if !isEven { unevenCount += 1 }
    let isLong = Double(sides) >= 4 * stretch
    if isFilter, !isLong { unfilteredCount += 1 }
    guard isLong, isEven || isFilter else { return between(points, at: time, after: left) }
    let place = Double(time - origin.time) / Double(points[next].time - origin.time)
    let scaled = place * Double(ResamplingKernel.fineness)
    let row = min(Int(scaled), ResamplingKernel.fineness - 1)
    let part = scaled - Double(row)
    let (near, far) = (row * half, (ResamplingKernel.fineness - row) * half)
    // Differences, so that what does not change stays exactly as it is.
    var (sum, weights) = (SIMD8<Double>(), 0.0)
    for sample in 0..<sides {
      var before: Double
      var after: Double
      if !isEven {
        let times = (points[left - sample].time, points[next + sample].time)
        before = weight(at: Double(time - times.0) / period, of: Double(sides))
        after = weight(at: Double(times.1 - time) / period, of: Double(sides))
      } else if sides == half {
        before = table[near + sample]
        before += part * (table[near + half + sample] - before)
        after = table[far + sample]
        after += part * (table[far - half + sample] - after)
      } else {
        before = weight(at: place + Double(sample), of: Double(sides))
        after = weight(at: 1 - place + Double(sample), of: Double(sides))
      }
      sum += (points[left - sample].counts - origin.counts) * before
      sum += (points[next + sample].counts - origin.counts) * after
      weights += before + after
    }
    return origin.counts + sum / weights
  }

  /// The weight of a sample at a distance in samples, where the window ends at `length`.
  private func weight(at distance: Double, of length: Double) -> Double {
    guard distance < length else { return 0 }
    let (angle, place) = (.pi * distance / stretch, distance / length)
    let sinc = angle == 0 ? 1 : sin(angle) / angle
    return sinc * ResamplingKernel.bessel(7.5 * (1 - place * place).squareRoot())
  }

  /// The modified Bessel function of order 0, by its series.
  private static func bessel(_ value: Double) -> Double {
    let square = value * value / 4
    var (sum, term, index) = (1.0, 1.0, 1.0)
    while term > sum * 1e-10 {
      term *= square / (index * index)
      sum += term
      index += 1
    }
    return sum
  }

  /// A cubic through the four nearest points, or all of a shorter run, by Lagrange's weights; a line where a step of them is
  /// uneven.
  private func between(
    _ points: ArraySlice<Point>, at time: Int64, after left: Int
  ) -> SIMD8<Double> {
    let start = max(points.startIndex, min(left - 1, points.endIndex - 4))
    var chosen = start..<min(start + 4, points.endIndex)
    let isCubic = zip(points[chosen], points[chosen].dropFirst()).allSatisfy {
      let step = Double($1.time - $0.time)
      return step > 0.5 * period && step < 1.5 * period
    }
    if !isCubic { chosen = left..<left + 2 }
    var counts = SIMD8<Double>()
    for index in chosen {
      var weight = 1.0
      for other in chosen where other != index {
        weight *=
          Double(time - points[other].time) / Double(points[index].time - points[other].time)
      }
      counts += points[index].counts * weight
    }
    return counts
  }
}
