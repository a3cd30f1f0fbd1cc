// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// All gaps of a file in the order of their ticks, and how many samples and ticks it counts.
struct StatedGaps {
  let gaps: [ImportCauses.StatedGap]
  private let samples: Int64?
  private let ticks: Int64?

  /// - Parameters:
  ///   - samples: `nil` where the file does not count them, or says that some are missing.
  ///   - ticks: The same.
  init(_ gaps: [ImportCauses.StatedGap], samples: Int64? = nil, ticks: Int64? = nil) {
    (self.gaps, self.samples, self.ticks) = (gaps, samples, ticks)
  }

  /// Whether the file counts as many samples as it has, and with the ticks of its gaps as many ticks.
  func hasCounted(samples count: UInt64) -> Bool {
    guard let samples, let ticks else { return false }
    let all = gaps.reduce(count) { $0.addingSaturated($1.gap.count) }
    return UInt64(exactly: samples) == count && UInt64(exactly: ticks) == all
  }
}

/// How the ticks that a file states agree with its times.
enum StatedAgreement {
  /// Gaps end beyond the samples.
  case none
  /// Times would be those of other ticks.
  case doubtful
  case plausible
  /// Every gap is where the sample before it and the rate place it.
  case exact
}

/// Checks that each gap between samples has the time that exports give it where times and not the rate place ticks.
///
///     sample  tick 6, t 60.3      gap  tick 7, t 70.3      gap  tick 9, t 90.3      sample  tick 12, t 118.9     at 100 Hz
struct StatedTimes {
  private var gaps: ArraySlice<ImportCauses.StatedGap>
  private let rate: SampleRate
  private var last: (time: Int64, tick: UInt64)?
  private var matches = 0
  private var hasMismatch = false

  /// - Parameter gaps: In the order of their ticks.
  init(_ gaps: [ImportCauses.StatedGap], _ rate: SampleRate) {
    (self.gaps, self.rate) = (gaps[...], rate)
  }

  /// Whether two times are the same but for rounding.
  static func areSame(_ time: Int64, _ other: Int64) -> Bool {
    abs(time.nanoseconds(since: other)) <= 2
  }

  /// Adds the next sample.
  mutating func add(_ time: Int64, tick: UInt64) {
    // Uneven samples may leave a gap less time than its ticks have, but not less than half.
    if let last, tick > last.tick + 1,
      time.nanoseconds(since: last.time) < Double(tick - last.tick) / 2 * rate.period
    {
      hasMismatch = true
    }
    while let item = gaps.first, item.gap.firstTick < tick {
      gaps.removeFirst()
      look(at: item)
    }
    last = (time, tick)
  }

  private mutating func look(at item: ImportCauses.StatedGap) {
    // What is before the first sample of a part may be after a sample that is no longer there.
    guard let last else { return }
    let offset =
      rate.nanoseconds(atTick: item.gap.firstTick) &- rate.nanoseconds(atTick: last.tick)
    if StatedTimes.areSame(item.time, last.time &+ offset) {
      matches += 1
    } else {
      hasMismatch = true
    }
  }

  /// Whether it is so of all gaps, after the last sample.
  var areExact: Bool {
    var rest = self
    for item in gaps { rest.look(at: item) }
    return rest.matches > 0 && !rest.hasMismatch
  }
}

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
