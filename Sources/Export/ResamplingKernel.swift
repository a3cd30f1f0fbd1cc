// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel
import Text

/// The weights that make values at another rate of the samples around an instant, at their true times.
///
///     a higher rate   a cubic through two samples before the instant and two after it; a line through the nearest two
///                     where these four are uneven, or fewer
///     the same rate   a cubic through the four nearest samples, or all of a shorter run, whose times need not be even
///     a lower rate    sin(0.9 π u) / u · cos²(π d / 2 L), scaled to the sum 1
///
/// d is the distance of a sample from the instant, u the same in periods of the new rate, and L the reach: 16 periods, and
/// less next to a gap, from which nothing is taken; below 2 periods it is a line. The filter has half the amplitude at
/// 0.45 of the new rate, all of it within 1 % up to 0.4, and less than 1 % from 0.5 on, which would come back as slower
/// motion. The cubic keeps the amplitude within 1 % up to 0.13 of the rate, a line to 0.045 only.
struct ResamplingKernel {
  struct Point {
    var time: Int64
    var counts: SIMD8<Double>
  }

  /// The name of the cubic in JSON.
  static let cubic = "cubic"

  /// Periods of the new rate on each side that the filter takes in.
  private static let periods = 16.0
  /// Its cutoff in halves of the new rate.
  private static let cutoff = 0.9

  /// Nanoseconds between samples, and between values.
  private let oldPeriod: Double
  private let newPeriod: Double
  let isFilter: Bool
  private let sinc: [Double]
  private let window: [Double]

  /// Entries of a table for 1, of the argument and of the window: a line between them is right to 1e-6.
  private static let fineness = 1024.0

  private let isGrid: Bool

  /// The kernel of values at even times, at the samples' own rate.
  init() {
    (oldPeriod, newPeriod, isFilter, isGrid, sinc, window) = (0, 0, false, true, [], [])
  }

  init(from old: Double, to new: Double) {
    isGrid = false
    (oldPeriod, newPeriod) = (1e9 / old, 1e9 / new)
    isFilter = ResamplingKernel.isFilter(from: old, to: new)
    guard isFilter else {
      (sinc, window) = ([], [])
      return
    }
    sinc = (0...Int(ResamplingKernel.periods * ResamplingKernel.fineness) + 1).map {
      let angle = ResamplingKernel.cutoff * .pi * Double($0) / ResamplingKernel.fineness
      return angle == 0 ? 1 : sin(angle) / angle
    }
    window = (0...Int(ResamplingKernel.fineness) + 1).map {
      let half = cos(.pi / 2 * Double($0) / ResamplingKernel.fineness)
      return half * half
    }
  }

  /// Whether the rate goes down by more than 0.1 %, which is less than the pace of chips.
  private static func isFilter(from old: Double, to new: Double) -> Bool { old > new * 1.001 }

  /// How values at another rate are made, in words.
  static func method(from old: Double, to new: Double) -> String {
    isFilter(from: old, to: new)
      ? "a low-pass filter of \(Plain.hertz(new * cutoff / 2)) Hz"
      : "a cubic through the samples around, a line where these are uneven"
  }

  /// Nanoseconds on each side of an instant from which samples are taken; 0 for a higher rate.
  var reach: Int64 { isFilter ? Int64(ResamplingKernel.periods * newPeriod) : 0 }

  /// Points of a run from which on values between them can be made.
  var leastPoints: Int { isGrid ? 4 : 3 }

  /// The value at an instant.
  ///
  /// - Parameters:
  ///   - left: The last point that is not after the instant; another one follows unless it is at the instant.
  ///   - points: A run without gaps.
  ///   - begin: When the run began, before the points perhaps.
  func value(
    at time: Int64, after left: Int, of points: ArraySlice<Point>, since begin: Int64
  ) -> SIMD8<Double> {
    let next = left + 1
    guard next < points.endIndex else { return points[left].counts }
    guard isFilter else {
      guard points[left].time < time else { return points[left].counts }
      if isGrid {
        let start = max(points.startIndex, min(left - 1, points.endIndex - 4))
        return ResamplingKernel.polynomial(
          points[start..<min(start + 4, points.endIndex)], at: time)
      }
      let four = left - 1..<left + 3
      let isEven =
        points.indices.contains(four.lowerBound) && points.indices.contains(four.upperBound - 1)
        && (four.lowerBound..<left + 2).allSatisfy {
          let step = Double(points[$0 + 1].time - points[$0].time)
          return step > 0.5 * oldPeriod && step < 1.5 * oldPeriod
        }
      return ResamplingKernel.polynomial(points[isEven ? four : left..<left + 2], at: time)
    }
    let end = points[points.endIndex - 1].time
    let length = Double(min(reach, time - begin, end - time))
    guard length >= 2 * newPeriod else {
      return ResamplingKernel.polynomial(points[left..<left + 2], at: time)
    }
    var (sum, weights) = (SIMD8<Double>(), 0.0)
    func add(_ index: Int) -> Bool {
      let distance = Double((points[index].time - time).magnitude)
      guard distance < length else { return false }
      let weight =
        ResamplingKernel.entry(sinc, distance / newPeriod)
        * ResamplingKernel.entry(window, distance / length)
      sum += points[index].counts * weight
      weights += weight
      return true
    }
    var index = left
    while index >= points.startIndex, add(index) { index -= 1 }
    index = next
    while index < points.endIndex, add(index) { index += 1 }
    return sum / weights
  }

  /// Through all points, by Lagrange's weights.
  static func polynomial(_ points: ArraySlice<Point>, at time: Int64) -> SIMD8<Double> {
    var counts = SIMD8<Double>()
    for index in points.indices {
      var weight = 1.0
      for other in points.indices where other != index {
        weight *=
          Double(time - points[other].time) / Double(points[index].time - points[other].time)
      }
      counts += points[index].counts * weight
    }
    return counts
  }

  private static func entry(_ table: [Double], _ place: Double) -> Double {
    let scaled = place * fineness
    let index = Int(scaled)
    return table[index] + (table[index + 1] - table[index]) * (scaled - Double(index))
  }
}
