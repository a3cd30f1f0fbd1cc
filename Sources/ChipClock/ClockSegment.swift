// SPDX-License-Identifier: Apache-2.0

/// When a sample was made: an interval that must hold its instant, and the likely one in it.
public struct SampleInstant: Equatable, Sendable, BitwiseCopyable {
  /// The earliest instant, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
  public var earliest: Int64
  /// The likely instant.
  public var likely: Int64
  /// The latest instant.
  public var latest: Int64
}

/// The chip's clock between two knots.
struct ClockSegment {
  /// The slots that it holds for.
  var slots: Range<Int64>
  fileprivate let line: ClockLine
  fileprivate let start: Int64
  fileprivate let length: Double
  /// Earliest, likely and latest offsets at both knots, in microseconds.
  fileprivate let left: (Double, Double, Double)
  fileprivate let right: (Double, Double, Double)
  /// What a curve may leave its chord by, in microseconds: drift · length² ÷ 2, times part · (1 − part).
  fileprivate let bend: Double
  fileprivate let jitter: Double

  func instant(of slot: Int64) -> SampleInstant {
    let part = Double(slot - start) / length
    let rest = 1 - part
    let slack = bend * part * rest + jitter
    return line.instant(
      rest * left.0 + part * right.0 - slack, rest * left.1 + part * right.1,
      rest * left.2 + part * right.2 + slack, at: slot)
  }
}

extension ClockRegime {
  /// When a slot was whole; `nil` while readings after it are missing. Outside of a finished regime's readings the interval
  /// is wider. Takes a bisection of the knots.
  func instant(of slot: Int64) -> SampleInstant? {
    if let segment = segment(of: slot) { return segment.instant(of: slot) }
    guard let line, let first = knots.first, let last = knots.last, let settledSlot,
      isFinished || slot < settledSlot
    else { return nil }
    return instant(of: slot, beyond: slot < first.slot ? first : last, line)
  }

  /// The clock between the knots around a slot; `nil` outside of them, and while readings after it are missing.
  func segment(of slot: Int64) -> ClockSegment? {
    guard let line, let first = knots.first, let last = knots.last, let settledSlot,
      slot >= first.slot, slot < last.slot, slot < settledSlot
    else { return nil }
    var (low, high) = (0, knots.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if knots[middle].slot <= slot { low = middle } else { high = middle }
    }
    let (left, right) = (knots[low], knots[high])
    let s = grid.seconds(from: left.slot, to: right.slot)
    return ClockSegment(
      slots: left.slot..<min(right.slot, settledSlot), line: line, start: left.slot,
      length: Double(right.slot - left.slot),
      left: (left.offsets.lowerBound, left.likely, left.offsets.upperBound),
      right: (right.offsets.lowerBound, right.likely, right.offsets.upperBound),
      bend: assumptions.nominalDrift * s * s / 2, jitter: assumptions.jitter)
  }

  private func instant(of slot: Int64, beyond knot: Knot, _ line: ClockLine) -> SampleInstant {
    let h = grid.seconds(from: knot.slot, to: slot)
    let slack = assumptions.nominalDrift * h * h / 2 + assumptions.jitter
    let offsets = knot.polygon.offsets(at: h) ?? knot.offsets
    let steady = knot.steady.offset(at: h)
    return line.instant(
      offsets.lowerBound - slack,
      h == 0 ? knot.likely : min(max(steady, offsets.lowerBound), offsets.upperBound),
      offsets.upperBound + slack, at: slot)
  }
}
