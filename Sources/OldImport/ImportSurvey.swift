// SPDX-License-Identifier: Apache-2.0

import Glibc
import IMUModel

/// The result of a first pass over the times of a table.
struct ImportSurvey {
  private(set) var count: UInt64 = 0
  private(set) var first: Int64 = 0
  private(set) var last: Int64 = 0
  /// The largest of 1 ms, 1 µs and 1 ns of which every time is a multiple.
  private(set) var unit: Int64 = 1_000_000

  /// Intervals from each sample to the next, the 16th and the 256th after it.
  private var single = ImportIntervals()
  private var short = ImportIntervals()
  private var long = ImportIntervals()
  /// Intervals between times that differ, and the samples that have the last time.
  private var steps = ImportIntervals()
  private var samplesAtLast: UInt64 = 0
  private var recent = [Int64](repeating: 0, count: 256)
  /// The first times, from which the clock of jittering samples is found.
  private(set) var beginning: [Int64] = []
  private static let beginningLimit = 2048

  mutating func add(_ time: Int64) {
    if count == 0 { first = time }
    if count >= 1 {
      let interval = distance(1, to: time)
      single.add(interval)
      if interval > 0 {
        steps.add(interval)
        samplesAtLast = 0
      }
    }
    samplesAtLast += 1
    if count >= 16 { short.add(distance(16, to: time)) }
    if count >= 256 { long.add(distance(256, to: time)) }
    recent[Int(count % 256)] = time
    if beginning.count < ImportSurvey.beginningLimit { beginning.append(time) }
    last = time
    count += 1
    while time % unit != 0 { unit /= 1000 }
  }

  private func distance(_ samples: UInt64, to time: Int64) -> UInt64 {
    // Times never decrease, so the difference is correct modulo 2⁶⁴.
    UInt64(bitPattern: time &- recent[Int((count - samples) % 256)])
  }

  /// The median interval in nanoseconds, of packets their mean; 0 for fewer than two samples.
  var usualInterval: Double { packets?.period ?? single.median }

  /// The median interval between times that differ; 0 where all are the same.
  var usualStep: Double { steps.median }

  /// The samples in a packet, all of one time, and their period in nanoseconds; `nil` for samples that come one by one.
  ///
  ///     time     0  0  0  0  0  50  50  50  50  50  100  ⋯     5 in 50 ms
  ///
  /// The period is that from packet to packet: the first time of all and the last one begin a packet each. Times that are
  /// rounded to a period or two repeat, too, but are a unit apart.
  var packets: (samples: Double, period: Double)? {
    let median = steps.median
    guard steps.count > 0, 5 * (single.count - steps.count) >= 2 * single.count,
      median >= 2 * Double(unit), steps.areRegular
    else { return nil }
    let samples = Double(count - samplesAtLast) / Double(steps.count)
    // Packets that are lost are no part of the period.
    let near =
      steps.areWithin(median / 4) ? steps.mean(in: 0.75 * median...1.25 * median) : nil
    let step = near ?? (Double(last) - Double(first)) / Double(steps.count)
    return (samples, step / samples)
  }

  /// Guesses at the period of an exact grid for the samples, the most likely first.
  ///
  /// There are none if no interval is long enough for a lost tick or short enough for two samples on one tick, because any
  /// grid fits those; nor if the times are too coarse, or if samples arrive in bursts, whose intervals are no period.
  var exactPeriods: [() -> Double?] {
    let (median, unevenness) = (single.median, single.unevenness)
    guard median >= 2 * Double(unit), !single.areAll(in: 0.75 * median...1.5 * median),
      single.areRegular || unevenness > 0.085
    else { return [] }
    let coherent = { coherentPeriod(of: 512) }
    return unevenness < 0.2
      ? [{ single.mean(in: 0.7 * median...1.3 * median) }, coherent]
      : [coherent, { coherentPeriod(of: ImportSurvey.beginningLimit) }]
  }

  /// Possible grids for the samples if there is no exact one, the most likely first.
  ///
  ///     intervals near the median or its multiples    the mean of those near the median
  ///     jitter of up to half a period, rounded times  the median of 16 intervals together
  ///     held up and delivered together by a host      the median of 256 intervals together; holes must be long
  ///
  /// The rate is that of the median interval, but more precise than one interval: at 300 Hz in whole milliseconds the
  /// median is 3 ms, and the mean of all intervals near it, which contain no hole, is 3.33 ms.
  ///
  /// - Parameter rate: The rate, if it is known.
  func grids(_ rate: SampleRate?) -> [ImportGrid] {
    guard count > 1 else { return [ImportGrid(period: 1, .close)] }
    let mean = (Double(last) - Double(first)) / Double(count - 1)
    let given = rate?.period
    if let given, first == last { return [ImportGrid(period: given, .blind)] }
    var grids: [ImportGrid] = []
    // A given rate must be that of the packets, whose period few of them tell roughly.
    if let packets,
      given.map({ abs($0 / packets.period - 1) < 0.1 + 0.5 / Double(steps.count) }) ?? true
    {
      grids.append(ImportGrid(period: given ?? packets.period, .packets(of: packets.samples)))
    }
    let median = single.median
    let areRuns = single.areRuns && given.map { abs($0 / median - 1) < 0.5 } ?? true
    let isRegular = (single.areRegular || areRuns) && (given != nil || !areRounded)
    if isRegular, let period = given ?? single.mean(in: 0.7 * median...1.3 * median) {
      grids += [ImportGrid(period: period, .close), ImportGrid(period: period, .long)]
      guard median < 2 * Double(unit) else { return grids }
    }
    if case let period = given ?? period(short, of: 16) ?? mean, period > 0 {
      let rounding = Double(unit) / period
      grids.append(ImportGrid(period: period, rounding > 0.5 ? .coarse(rounding) : .close))
      if !isRegular { grids.append(ImportGrid(period: period, .long)) }
    }
    if !isRegular, count >= 1024, let period = given ?? period(long, of: 256), period > 0 {
      grids.append(ImportGrid(period: period, .wide))
    }
    return grids
  }

  /// Why it is doubtful that this is the samples' period, as a clause; `nil` without a doubt.
  func doubt(of period: Double) -> String? {
    if !single.areRegular {
      if single.areRuns { return "has short runs of samples with long pauses between them" }
      if count < 32 { return "has few samples, unevenly apart" }
    }
    // Several packets have the rate of their samples.
    if packets != nil, steps.count >= 8 { return nil }
    // Of jitter by less than half a period a tenth of the intervals are so short.
    return single.count(below: 0.5 * period) > single.count / 4
      ? "has samples that come several at a time" : nil
  }

  /// Whether the times are too coarse for the rate of the samples.
  ///
  /// 700 Hz in whole milliseconds and 1 kHz with many holes are both one or two milliseconds apart. But rounded
  /// times are nowhere more than a unit off, so that 16 intervals together always last about the same.
  private var areRounded: Bool {
    let unit = Double(unit)
    return single.median < 2 * unit && single.count >= 16 && single.areOftenLong
      && short.areWithin(1.25 * unit)
  }

  /// The period near the median interval for which the phases of the first times agree best; missing samples do not matter.
  ///
  ///     Σ exp(2πi f t), for each frequency f in small steps: each step turns each time's vector
  private func coherentPeriod(of samples: Int) -> Double? {
    let median = single.median
    let times = beginning.prefix(samples).map { Double($0) - Double(first) }
      .prefix { $0 < Double(2 * samples) * median }
    guard times.count > 8, let span = times.last, span > 0 else { return nil }
    // Frequencies above half a period a unit are aliases of those below: in whole milliseconds 588 Hz looks like 412 Hz.
    let highest = min(1.35 / median, 0.5 / Double(unit))
    let (lowest, step) = (0.8 / median, 0.5 / span)
    var vectors = times.map { Vector(turns: lowest * $0) }
    let turns = times.map { Vector(turns: step * $0) }
    var best = (frequency: lowest, square: 0.0)
    for index in 0..<Int((highest - lowest) / step) {
      var sum = Vector(x: 0, y: 0)
      for place in vectors.indices {
        sum = Vector(x: sum.x + vectors[place].x, y: sum.y + vectors[place].y)
        vectors[place] = vectors[place].turned(by: turns[place])
      }
      let square = sum.x * sum.x + sum.y * sum.y
      if square > best.square { best = (lowest + Double(index) * step, square) }
    }
    return 1 / best.frequency
  }

  private struct Vector {
    var x: Double
    var y: Double

    init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

    init(turns: Double) {
      let angle = 2 * Double.pi * (turns - turns.rounded(.down))
      self.init(x: cos(angle), y: sin(angle))
    }

    func turned(by other: Vector) -> Vector {
      Vector(x: x * other.x - y * other.y, y: x * other.y + y * other.x)
    }
  }

  /// The mean of the intervals near the median; few of them contain a hole.
  private func period(_ intervals: ImportIntervals, of samples: Double) -> Double? {
    let median = intervals.median
    return intervals.mean(in: 0.75 * median...1.25 * median).map { $0 / samples }
  }
}

/// A histogram of a table's intervals in constant memory, with 64 classes for each doubling.
struct ImportIntervals {
  private static let classes = 64 * 60
  private var counts = [UInt64](repeating: 0, count: classes)
  private var sums = [Double](repeating: 0, count: classes)
  private(set) var count: UInt64 = 0

  mutating func add(_ length: UInt64) {
    let place = ImportIntervals.place(length)
    counts[place] += 1
    sums[place] += Double(length)
    count += 1
  }

  /// The median length (the lower of two), as the mean of its class; 0 when there are none.
  var median: Double {
    var rest = count == 0 ? 0 : (count - 1) / 2
    for place in counts.indices where counts[place] > 0 {
      if rest < counts[place] { return sums[place] / Double(counts[place]) }
      rest -= counts[place]
    }
    return 0
  }

  /// The mean of all lengths in the classes whose own mean is in `range`; `nil` when there are none.
  func mean(in range: ClosedRange<Double>) -> Double? {
    var (total, sum): (UInt64, Double) = (0, 0)
    for place in counts.indices where counts[place] > 0 {
      guard range.contains(sums[place] / Double(counts[place])) else { continue }
      total += counts[place]
      sum += sums[place]
    }
    return total == 0 ? nil : sum / Double(total)
  }

  /// Whether nine in ten are near the median or one of its multiples, like those of samples on a grid with some missing.
  /// With few intervals there is more tolerance, and a long one is a hole.
  var areRegular: Bool { areNearMultiples(orFrom: count < 8 ? 16.5 : .infinity) }

  /// Whether samples come in runs with pauses between them: three in four intervals are alike, and the others are longer.
  ///
  ///     2  2  2  2  2  2  2  46  2  2  2  ⋯      eight samples, and 46 s
  ///
  /// Intervals of a few milliseconds are those in which a bus or a link passes what it kept: no period.
  var areRuns: Bool {
    let median = median
    return median >= 5_000_000 && 4 * count(in: 0.75 * median...1.25 * median) >= 3 * count
      && areNearMultiples(orFrom: 2.5)
  }

  /// - Parameter long: The medians from which on an interval may be of any length.
  private func areNearMultiples(orFrom long: Double) -> Bool {
    let median = median
    guard median > 0 else { return false }
    var strangers: UInt64 = 0
    for place in counts.indices where counts[place] > 0 {
      let periods = sums[place] / Double(counts[place]) / median
      let isNear =
        periods < 1.5
        ? periods > 0.5
        : periods >= long || periods < 16.5 && abs(periods - periods.rounded()) <= 0.25
      if !isNear { strangers += counts[place] }
    }
    return strangers <= max(count / 10, count >= 8 ? 2 : count >= 3 ? 1 : 0)
  }

  /// The mean distance from whole multiples of the median, in medians: up to a quarter.
  var unevenness: Double {
    let median = median
    guard median > 0 else { return 0 }
    var sum = 0.0
    for place in counts.indices where counts[place] > 0 {
      let periods = sums[place] / Double(counts[place]) / median
      sum += Double(counts[place]) * abs(periods - periods.rounded())
    }
    return sum / Double(count)
  }

  /// Whether all lengths are in classes whose own mean is in `range`.
  func areAll(in range: ClosedRange<Double>) -> Bool {
    counts.indices.allSatisfy {
      counts[$0] == 0 || range.contains(sums[$0] / Double(counts[$0]))
    }
  }

  /// The number in classes whose own mean is below `length`.
  func count(below length: Double) -> UInt64 {
    counts.indices.reduce(0) {
      $0 + (counts[$1] > 0 && sums[$1] / Double(counts[$1]) < length ? counts[$1] : 0)
    }
  }

  /// The number in classes whose own mean is in `range`.
  func count(in range: ClosedRange<Double>) -> UInt64 {
    counts.indices.reduce(0) {
      $0 + (counts[$1] > 0 && range.contains(sums[$1] / Double(counts[$1])) ? counts[$1] : 0)
    }
  }

  /// Whether nine in ten are within `distance` of the median.
  func areWithin(_ distance: Double) -> Bool {
    let median = median
    var strangers: UInt64 = 0
    for place in counts.indices where counts[place] > 0 {
      let mean = sums[place] / Double(counts[place])
      if abs(mean - median) > distance { strangers += counts[place] }
    }
    return strangers <= count / 10
  }

  /// Whether more than one in ten is longer than a median and a half.
  var areOftenLong: Bool {
    let median = median
    var long: UInt64 = 0
    for place in counts.indices where counts[place] > 0 {
      if sums[place] / Double(counts[place]) > 1.5 * median { long += counts[place] }
    }
    return long > count / 10
  }

  /// Each length below 64 has a class of its own; longer ones share a class by the six bits after their first.
  private static func place(_ length: UInt64) -> Int {
    guard length >= 64 else { return Int(length) }
    let exponent = 63 - length.leadingZeroBitCount
    let bits = Int(truncatingIfNeeded: length >> UInt64(exponent - 6)) - 64
    return (exponent - 5) * 64 + bits
  }
}
