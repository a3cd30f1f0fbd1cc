// SPDX-License-Identifier: Apache-2.0

import Text

/// What the first pass counts: rows, steps, lengths, extremes, sessions, order. Nothing of it becomes a statement.
struct Census: Equatable, Sendable {
  /// How a channel's values are written.
  private struct Spelling: OptionSet {
    var rawValue: UInt8
    /// Whole below 1000; 1.000 to 999.999, which German writes for thousands; any other way; with a fraction.
    static let (small, grouped, other, fraction) = (
      Spelling(rawValue: 1), Spelling(rawValue: 2), Spelling(rawValue: 4), Spelling(rawValue: 8)
    )
  }

  /// Rows with all their values.
  private(set) var rows: UInt64 = 0
  /// Rows of a session with the time of the row before them, or an earlier one; the first of them.
  private(set) var sharing: UInt64 = 0
  private(set) var back: UInt64 = 0
  /// Of rows that are sorted, those with which times begin again.
  private(set) var restarts: UInt64 = 0
  private(set) var disorder: Place?
  /// Steps between the rows of a session, above 0 or 0.
  var intervals = Intervals()
  /// The sum of the lengths of accelerations.
  private var lengths = 0.0
  /// By channel: the largest magnitude as it is written, and all ways of writing.
  private var largest = [Double](repeating: 0, count: 7)
  private var spellings = [Spelling](repeating: [], count: 7)
  /// The first, the smallest and the largest time.
  private(set) var first: Int64?
  private(set) var span: ClosedRange<Int64>?
  private(set) var sessions: [Understanding.Session] = []
  /// Rows that begin beyond the most sessions.
  private(set) var hasTooManySessions = false
  private var last = Int64.min
  /// Since times began, or began again: the first time, and the rows.
  private var (firstOfPart, rowsOfPart): (Int64, UInt64) = (0, 0)

  static var mostSessions: Int { 1000 }

  /// The mean length of accelerations as they are written; `nil` without three axes.
  var meanLength: Double? { lengths > 0 ? lengths / Double(max(1, rows)) : nil }

  /// Adds a row.
  mutating func add(
    _ row: Row, at place: Place, _ mark: RowMark, isSorted: Bool = false, hasTime: Bool = true
  ) {
    rows += 1
    let time = row.time
    first = first ?? time
    span = min(span?.lowerBound ?? time, time)...max(span?.upperBound ?? time, time)
    var begin = sessions.isEmpty ? Understanding.Session.Begin.file : row.begin
    if begin == nil, hasTime, startsAnew(time) {
      if isSorted {
        (restarts, firstOfPart, rowsOfPart) = (restarts + 1, time, 0)
      } else {
        begin = .time
      }
    }
    rowsOfPart += 1
    if let begin {
      (firstOfPart, rowsOfPart) = (time, 1)
      guard sessions.count < Census.mostSessions else { return hasTooManySessions = true }
      sessions.append(
        Understanding.Session(
          first: place, last: place, rows: 1, begin: begin, mark: mark, firstTime: time))
      last = time
      return
    }
    sessions[sessions.count - 1].last = place
    sessions[sessions.count - 1].rows += 1
    guard hasTime else { return }
    // Rows out of order tell steps, too.
    intervals.add(abs(time.nanoseconds(since: last)))
    if time == last { sharing += 1 } else if time < last { back += 1 }
    if time <= last, !isSorted { disorder = disorder ?? place }
    last = time
  }

  /// Whether a time is further back than half of what the rows since the last beginning lasted: a counter that starts anew.
  private func startsAnew(_ time: Int64) -> Bool {
    guard rowsOfPart >= 3, time < last else { return false }
    return last.nanoseconds(since: time) > last.nanoseconds(since: firstOfPart) / 2
  }

  mutating func add(_ numbers: [Decimal], _ channels: [Int]) {
    for channel in channels {
      let (number, value) = (numbers[channel], numbers[channel].value)
      if value.magnitude > largest[channel] { largest[channel] = value.magnitude }
      let digits = number.digits.magnitude
      var spelling: Spelling = .other
      if number.exponent == 0 {
        if digits < 1000 { spelling = digits > 0 ? .small : [] }
      } else {
        let isGrouped = number.exponent == -3 && (1000..<1_000_000).contains(digits)
        if isGrouped, !number.isScientific { spelling = .grouped }
        if value.rounded() != value { spelling.insert(.fraction) }
      }
      if !spellings[channel].isSuperset(of: spelling) { spellings[channel].formUnion(spelling) }
    }
    guard channels.count > 2, channels[0] == 0, channels[2] == 2 else { return }
    let (x, y, z) = (numbers[0].value, numbers[1].value, numbers[2].value)
    lengths += (x * x + y * y + z * z).squareRoot()
  }

  /// The largest magnitude of a group's values.
  func largest(_ group: Group) -> Double { group.channels.indices.map { largest[$0] }.max() ?? 0 }

  /// Whether all values of a group are whole numbers.
  func areWhole(_ group: Group) -> Bool {
    group.channels.indices.allSatisfy { !spellings[$0].contains(.fraction) }
  }

  /// Whether marks in a group's values may be between thousands, as in 1.000 beside 998, of whichever axes.
  func mayHaveThousands(_ group: Group) -> Bool {
    let all = group.channels.indices.reduce(into: Spelling()) { $0.formUnion(spellings[$1]) }
    return all.subtracting(.fraction) == [.small, .grouped]
  }
}

/// Steps between times, in 4,096 buckets, each a 64th of a power of two wide: of each the number and the sum.
struct Intervals: Equatable, Sendable {
  private var counts = [UInt64](repeating: 0, count: 4096)
  private var sums = [Double](repeating: 0, count: 4096)
  /// All of them.
  private(set) var count: UInt64 = 0
  /// What a step is multiplied with, once the unit of times is stated.
  var scale = 1.0
  /// What divides all steps.
  private var unit: UInt64 = 0

  /// Adds a step of 0 or more.
  mutating func add(_ step: Double) {
    // The exponent's six bits and the first six of the significand; 0 for steps below 1.
    let bits = step < 1 ? 0 : Int((step.bitPattern >> 46) &- (1023 << 6)) + 1
    let bucket = min(max(0, bits), 4095)
    counts[bucket] += 1
    sums[bucket] += step
    count += 1
    let whole = UInt64(min(step, 0x1p62))
    if unit == 0 || whole % unit != 0 { unit = unit.commonDivisor(whole) }
  }

  /// The middle one; 0 without steps.
  var median: Double { step(at: count > 0 ? (count - 1) / 2 : 0) }

  /// The one that all but `few` do not exceed.
  func isExceeded(byAllBut few: UInt64) -> Double { step(at: count > few ? count - 1 - few : 0) }

  /// The mean of a bucket's steps, which is exact where all are the same.
  private func step(at place: UInt64) -> Double {
    var passed: UInt64 = 0
    for (number, sum) in zip(counts, sums) where number > 0 {
      passed += number
      if passed > place { return scale * sum / Double(number) }
    }
    return 0
  }

  /// The mean; 0 without steps.
  var mean: Double { mean(0...(.infinity)) }
  /// What times are rounded to.
  var resolution: Double { scale * Double(unit) }

  /// The mean of the steps within a range; 0 without such steps.
  func mean(_ range: ClosedRange<Double>) -> Double {
    let all = zip(counts, sums).filter { $0 > 0 && range.contains(scale * $1 / Double($0)) }
    return all.isEmpty
      ? 0 : scale * all.reduce(0) { $0 + $1.1 } / all.reduce(0) { $0 + Double($1.0) }
  }

  /// Whether a step is so long, to within `margin`.
  func has(_ length: Double, within margin: Double) -> Bool {
    zip(counts, sums).contains { count, sum in
      guard count > 0 else { return false }
      let mean: Double = scale * sum / Double(count)
      return abs(mean - length) <= margin
    }
  }
}

extension Int64 {
  /// The difference of two times, which may be further apart than an `Int64` counts.
  func nanoseconds(since other: Int64) -> Double {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? Double(self) - Double(other) : Double(difference)
  }
}
