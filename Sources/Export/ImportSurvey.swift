import Glibc
import IMUModel

/// The result of a first pass over the times of a table.
struct ImportSurvey {
  private(set) var count: UInt64 = 0
  private(set) var first: Int64 = 0
  private(set) var last: Int64 = 0
  /// The largest of 1 ms, 1 µs and 1 ns of which every time is a multiple.
  private(set) var unit: Int64 = 1_000_000

  /// Times from a sample to the next, to the 16th and to the 256th after it.
  private var single = ImportIntervals()
  private var short = ImportIntervals()
  private var long = ImportIntervals()
  private var recent = [Int64](repeating: 0, count: 256)
  /// The first times, by which the clock of samples that jitter is found.
  private(set) var beginning: [Int64] = []
  private static let beginningLimit = 2048

  mutating func add(_ time: Int64) {
    if count == 0 { first = time }
    if count >= 1 { single.add(distance(1, to: time)) }
    if count >= 16 { short.add(distance(16, to: time)) }
    if count >= 256 { long.add(distance(256, to: time)) }
    recent[Int(count % 256)] = time
    if beginning.count < ImportSurvey.beginningLimit { beginning.append(time) }
    last = time
    count += 1
    while time % unit != 0 { unit /= 1000 }
  }

  private func distance(_ samples: UInt64, to time: Int64) -> UInt64 {
    // Times never decrease, so the difference is right modulo 2⁶⁴.
    UInt64(bitPattern: time &- recent[Int((count - samples) % 256)])
  }

  /// Guesses at the period of an exact grid on which the samples may lie, the likeliest first.
  ///
  /// There are none where no interval is so long that a tick may be lost in it, or so short that two samples may lie on one
  /// tick: any grid fits these. Nor are there where times are too coarse to say more than their own unit, or where samples come
  /// many at a time, a small part of a period apart: that is no period.
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

  /// The grids on which the samples may lie if it is not an exact one, the likeliest first.
  ///
  ///     intervals near the median or its multiples    the mean of those near the median
  ///     jitter of up to half a period, rounded times  the median of 16 intervals together
  ///     held up and delivered together by a host      the median of 256 intervals together; holes must be long
  ///
  /// The rate is that of the median interval, but more precise than one interval says it: of 300 Hz in whole
  /// milliseconds the median is 3 ms, and the mean of all that are near it is 3.33 ms. A hole is in none of them.
  ///
  /// - Parameter rate: The rate, if it is known.
  func grids(_ rate: SampleRate?) -> [ImportGrid] {
    guard count > 1 else { return [ImportGrid(period: 1, .close)] }
    let mean = (Double(last) - Double(first)) / Double(count - 1)
    let given = rate?.period
    if let given, first == last { return [ImportGrid(period: given, .blind)] }
    var grids: [ImportGrid] = []
    let median = single.median
    let isRegular = single.areRegular && (given != nil || !areRounded)
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

  /// What makes it doubtful that samples come with this period, in words; `nil` where nothing does.
  func doubt(of period: Double) -> String? {
    if count < 32, !single.areRegular { return "has few samples, unevenly apart" }
    // Of jitter by less than half a period a tenth of the intervals are so short.
    return single.count(below: 0.5 * period) > single.count / 4
      ? "has samples that come several at a time" : nil
  }

  /// Whether the times are those of a rate of which they are too coarse a measure.
  ///
  /// 700 Hz in whole milliseconds and 1 kHz with many holes are both one or two milliseconds apart. But rounded
  /// times are nowhere more than a unit off, so that 16 intervals together always last about the same.
  private var areRounded: Bool {
    let unit = Double(unit)
    return single.median < 2 * unit && single.count >= 16 && single.areOftenLong
      && short.areWithin(1.25 * unit)
  }

  /// The period near the median interval over which the first times lie together best, whatever is missing among them.
  ///
  ///     Σ exp(2πi f t), for each frequency f in small steps: each time's vector is turned on from step to step
  private func coherentPeriod(of samples: Int) -> Double? {
    let median = single.median
    let times = beginning.prefix(samples).map { Double($0) - Double(first) }
      .prefix { $0 < Double(2 * samples) * median }
    guard times.count > 8, let span = times.last, span > 0 else { return nil }
    // Above half a period a unit, whole units of time look the same as below: milliseconds at 588 Hz as at 412 Hz.
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

  /// The mean of the intervals that are not far from the median one: a hole is in few of them.
  private func period(_ intervals: ImportIntervals, of samples: Double) -> Double? {
    let median = intervals.median
    return intervals.mean(in: 0.75 * median...1.25 * median).map { $0 / samples }
  }
}

/// The lengths of a table's intervals, counted by size in fixed memory: 64 classes for each doubling.
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

  /// The middle one of all lengths (the lower of two), as the mean of its class; 0 when there are none.
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

  /// Whether nine in ten are near the median or one of its next multiples, as samples on a grid are of which
  /// some are missing. Of few intervals fewer need not be, and among few a long one is a hole.
  var areRegular: Bool {
    let median = median
    guard median > 0 else { return false }
    var strangers: UInt64 = 0
    for place in counts.indices where counts[place] > 0 {
      let periods = sums[place] / Double(counts[place]) / median
      let isNear =
        periods < 1.5
        ? periods > 0.5
        : periods < 16.5 ? abs(periods - periods.rounded()) <= 0.25 : count < 8
      if !isNear { strangers += counts[place] }
    }
    return strangers <= max(count / 10, count >= 8 ? 2 : count >= 3 ? 1 : 0)
  }

  /// How far they are from whole multiples of the median, in medians, on average: up to a quarter.
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

  /// How many are in classes whose own mean is below `length`.
  func count(below length: Double) -> UInt64 {
    counts.indices.reduce(0) {
      $0 + (counts[$1] > 0 && sums[$1] / Double(counts[$1]) < length ? counts[$1] : 0)
    }
  }

  /// Whether nine in ten are at most so far from the median.
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

  /// Lengths below 64 have classes of their own, others share them by their six bits after the first.
  private static func place(_ length: UInt64) -> Int {
    guard length >= 64 else { return Int(length) }
    let exponent = 63 - length.leadingZeroBitCount
    let bits = Int(truncatingIfNeeded: length >> UInt64(exponent - 6)) - 64
    return (exponent - 5) * 64 + bits
  }
}
