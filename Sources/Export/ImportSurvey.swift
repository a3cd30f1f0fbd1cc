import IMUModel

/// What a first look at the times of a table finds out.
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

  mutating func add(_ time: Int64) {
    if count == 0 { first = time }
    if count >= 1 { single.add(distance(1, to: time)) }
    if count >= 16 { short.add(distance(16, to: time)) }
    if count >= 256 { long.add(distance(256, to: time)) }
    recent[Int(count % 256)] = time
    last = time
    count += 1
    while time % unit != 0 { unit /= 1000 }
  }

  private func distance(_ samples: UInt64, to time: Int64) -> UInt64 {
    // Times never decrease, so the difference is right modulo 2⁶⁴.
    UInt64(bitPattern: time &- recent[Int((count - samples) % 256)])
  }

  /// The grids on which the samples may lie, the likeliest first.
  ///
  ///     the rate is known                             its own ticks, if each time is within half a period of one
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
    let given = rate.map { 1e9 * Double($0.denominator) / Double($0.numerator) }
    if let given, first == last { return [ImportGrid(period: given, .blind)] }
    var grids = given.map { [ImportGrid(period: $0, .exact)] } ?? []
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

  /// Whether the times are those of a rate of which they are too coarse a measure.
  ///
  /// 700 Hz in whole milliseconds and 1 kHz with many holes are both one or two milliseconds apart. But rounded
  /// times are nowhere more than a unit off, so that 16 intervals together always last about the same.
  private var areRounded: Bool {
    let unit = Double(unit)
    return single.median < 2 * unit && single.count >= 16 && single.areOftenLong
      && short.areWithin(1.25 * unit)
  }

  /// The mean of the intervals that are not far from the median one: a hole is in few of them.
  private func period(_ intervals: ImportIntervals, of samples: Double) -> Double? {
    let median = intervals.median
    return intervals.mean(in: 0.75 * median...1.25 * median).map { $0 / samples }
  }
}
