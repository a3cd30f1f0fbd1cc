// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// The ticks of samples in a file that states all ticks without one: every other tick has a sample.
///
///     gaps      tick 2, 3 ticks       tick 6, 1 tick
///     samples   tick 0   tick 1       tick 5   tick 7   tick 8
struct StatedTicks: Equatable {
  private var gaps: ArraySlice<Gap>
  private var next: UInt64
  /// The tick of the first sample, as the file counts ticks.
  private(set) var origin: UInt64

  /// - Parameters:
  ///   - gaps: In the order of their ticks.
  ///   - first: The first tick of the file, which may be a part of a recording.
  /// - Returns: `nil` when gaps overlap, or begin before that tick.
  init?(_ gaps: [Gap], first: UInt64) {
    var end = first
    for gap in gaps {
      guard gap.firstTick >= end else { return nil }
      end = gap.firstTick.addingSaturated(gap.count)
    }
    (self.gaps, next, origin) = (gaps[...], first, first)
    var ahead = self
    origin = ahead.take().tick
  }

  /// The tick of the next sample, and the ticks of the gaps before it.
  mutating func take() -> (tick: UInt64, lost: UInt64) {
    var lost: UInt64 = 0
    while let gap = gaps.first, gap.firstTick == next {
      next = next.addingSaturated(gap.count)
      lost = lost.addingSaturated(gap.count)
      gaps.removeFirst()
    }
    defer { next = next.addingSaturated(1) }
    return (next, lost)
  }

  /// Whether the gaps after the last sample follow it.
  var isComplete: Bool {
    var end = next
    for gap in gaps {
      guard gap.firstTick == end else { return false }
      end = end.addingSaturated(gap.count)
    }
    return true
  }
}

/// Checks that times agree with the ticks that a file states.
///
///     off     0.1  0.3  0.2 │ 7.0  0.2  0.1       one late sample: the earliest ones agree
///     off     0.1  0.3  0.2 │ 7.0  7.2  7.1       seven more ticks have no sample
///
/// Around each unusual interval the earliest samples before it are compared with the earliest ones after it, as in
/// ``ImportGrid``. A chip's clock may be a twentieth off the rate.
struct ImportStatedCheck {
  private static let window = 24

  private struct Place {
    let floor: Double
    let past: Int
    let tolerance: Double
    var least = Double.infinity
    var seen = 0

    var isPlausible: Bool {
      let rise = least - floor
      // One late sample is no proof.
      return (past < 3 || rise >= -tolerance) && (seen < 3 || rise <= tolerance)
    }
  }

  private let period: Double
  private let rounding: Double
  private var first: Int64?
  private var last = 0.0
  private var recent: [Double] = []
  private var places: [Place] = []

  /// - Parameters:
  ///   - period: Nanoseconds, above 0.
  ///   - unit: That of the times.
  init(period: Double, unit: Int64) {
    (self.period, rounding) = (period, Double(unit) / period)
  }

  /// Adds the next sample, with its tick from the first sample on; whether all is plausible so far.
  mutating func add(_ time: Int64, tick: UInt64, lost: UInt64) -> Bool {
    let first = self.first ?? time
    let periods = time.nanoseconds(since: first) / period
    let off = periods - Double(tick)
    if self.first != nil, lost > 0 || !(0.5...1.5).contains(periods - last) {
      places.append(
        Place(
          floor: recent.min() ?? off, past: recent.count,
          tolerance: 0.75 + rounding + Double(lost) / 20))
    }
    (self.first, last) = (first, periods)
    for index in places.indices {
      places[index].least = min(places[index].least, off)
      places[index].seen += 1
    }
    if let place = places.first, place.seen == Self.window {
      guard place.isPlausible else { return false }
      places.removeFirst()
    }
    recent.append(off)
    if recent.count > Self.window { recent.removeFirst() }
    return true
  }

  /// Whether all was plausible, after the last sample.
  var isPlausible: Bool { places.allSatisfy(\.isPlausible) }
}
