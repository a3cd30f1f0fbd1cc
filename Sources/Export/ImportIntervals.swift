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
