// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The samples of a recording: those of a table, or of two tables joined by the nearest times.
///
///     rates           0.00    0.01    0.02    0.03        each is a row
///     accelerations     0.002         0.022               each row takes the nearest one, if it is within an interval
///
/// Joined rows have the times of the faster table, which is made the first. A row whose nearest neighbour is further than
/// the longer of both tables' usual intervals is left out: nothing is invented. Rows of the slower table that are nearest to
/// none are counted. Rows that share a time, as packets have, are joined one by one in their order.
struct JoinedRows<Reader: SampleRows & ~Copyable>: ~Copyable {
  private final class Second {
    var table: TableRows<Reader>

    init(_ table: consuming TableRows<Reader>) { self.table = table }
  }

  private(set) var first: TableRows<Reader>
  private let second: Second?
  /// The rows of the second table that share the time nearest to that of the first one's row, how many of them were taken,
  /// and the row after them. Each initializer sets them: Swift 6.0 crashes at a default, as one of them throws.
  private var held: (time: Int64, samples: [RawSample], taken: Int)
  private var ahead: Item?
  private var hasBegun = false
  private var limit = 0.0
  /// The largest distance of joined times, rows that were left out, and rows of the second table that were taken.
  private var join: (distance: Double, leftOut: UInt64, taken: UInt64) = (0, 0, 0)
  let name: String

  /// The rows of one table.
  init(_ first: consuming TableRows<Reader>) {
    name = first.name
    self.first = first
    second = nil
    held = (0, [], 0)
  }

  /// The rows of two.
  ///
  /// - Throws: That both tables have one sensor, or that one has no times.
  init(_ first: consuming TableRows<Reader>, with other: consuming TableRows<Reader>)
    throws(ImportError)
  {
    let (one, two) = (first.understanding, other.understanding)
    guard one.channels.isDisjoint(with: two.channels) else {
      throw .notJoined(first.name, other.name, "both have the same sensor")
    }
    guard one.timeColumn != nil, two.timeColumn != nil else {
      throw .notJoined(first.name, other.name, "one has no column of times that is known")
    }
    name = first.name == other.name ? first.name : "\(first.name) and \(other.name)"
    self.first = first
    second = Second(other)
    held = (0, [], 0)
  }

  /// Of each table.
  var understandings: [Understanding] {
    [first.understanding] + (second.map { [$0.table.understanding] } ?? [])
  }

  /// Whether two tables are joined, so that neither one's steps are those of the recording's rows.
  var isJoined: Bool { second != nil }

  /// The channels of the recording.
  var channels: ChannelSet {
    understandings.reduce(into: ChannelSet()) { $0.formUnion($1.channels) }
  }

  /// The steps of rows that are joined or sorted.
  mutating func steps() throws(ImportError) -> Intervals {
    var (steps, last): (Intervals, Int64?) = (Intervals(), nil)
    while let row = try nextTime() {
      if let last { steps.add(max(0, row.time.nanoseconds(since: last))) }
      last = row.time
    }
    try rewind()
    return steps
  }

  /// The first pass over each table.
  mutating func examine() throws(ImportError) {
    try first.examine()
    try second?.table.examine()
  }

  /// Ends the first pass.
  mutating func settle(_ readings: [Reading]) throws(ImportError) {
    try first.settle(readings[0])
    guard let second else { return }
    guard first.understanding.isDated == second.table.understanding.isDated else {
      throw .notJoined(
        first.name, second.table.name,
        "the times of one count from 1970, and those of the other do not")
    }
    try second.table.settle(readings[1], origin: first.origin)
    let (one, two) = (first.understanding.census, second.table.understanding.census)
    limit = 1.5 * max(one.intervals.median, two.intervals.median)
    // The slower one would leave out rows of the faster one.
    if two.intervals.mean(upTo: .infinity) < 0.98 * one.intervals.mean(upTo: .infinity) {
      swap(&first, &second.table)
    }
  }

  /// Goes to the first row.
  mutating func rewind() throws(ImportError) {
    try first.rewind()
    try second?.table.rewind()
    (held, ahead, hasBegun, join) = ((0, [], 0), nil, false, (0, 0, 0))
  }

  /// The next row without its values; `nil` after the last one.
  mutating func nextTime() throws(ImportError) -> Row? {
    second == nil ? try first.nextTime() : try next()?.row
  }

  /// The next row; `nil` after the last one.
  mutating func next() throws(ImportError) -> Item? {
    guard let second else { return try first.next() }
    if !hasBegun {
      hasBegun = true
      ahead = try Self.sample(&second.table)
      try holdAhead()
    }
    while var item = try Self.sample(&first) {
      let time = item.row.time
      while let ahead = ahead?.row.time,
        abs(ahead.nanoseconds(since: time)) <= abs(held.time.nanoseconds(since: time)),
        ahead != held.time || held.taken == held.samples.count
      {
        try holdAhead()
      }
      guard !held.samples.isEmpty else { return nil }
      let distance = abs(held.time.nanoseconds(since: time))
      guard distance <= limit else {
        join.leftOut += 1
        continue
      }
      join.distance = max(join.distance, distance)
      if held.taken < held.samples.count {
        held.taken += 1
        join.taken += 1
      }
      let other = held.samples[held.taken - 1]
      for channel in second.table.understanding.channels.indices {
        item.sample[channel] = other[channel]
      }
      return item
    }
    return nil
  }

  /// The next sample of a table: gaps of two tables have no common ticks.
  private static func sample(_ table: inout TableRows<Reader>) throws(ImportError) -> Item? {
    while var item = try table.next() {
      guard item.row.gap == nil else { continue }
      item.row.tick = nil
      return item
    }
    return nil
  }

  /// Holds the row ahead and those that share its time, at most 1024: each row of the first table has the next of them.
  private mutating func holdAhead() throws(ImportError) {
    (held.time, held.taken) = (ahead?.row.time ?? 0, 0)
    held.samples.removeAll(keepingCapacity: true)
    while let item = ahead, item.row.time == held.time, held.samples.count < 1024 {
      held.samples.append(item.sample)
      if let second { ahead = try Self.sample(&second.table) }
    }
  }

  /// The sensor of the recording.
  var sensor: SensorDescription {
    var sensor = first.values.sensor(first.facts)
    guard let second else { return sensor }
    let other = second.table.values.sensor(second.table.facts)
    for group in second.table.understanding.groups {
      switch group {
      case .accelerometer:
        (sensor.accelerometerScale, sensor.accelerometerRange) =
          (other.accelerometerScale, other.accelerometerRange)
      case .gyroscope:
        (sensor.gyroscopeScale, sensor.gyroscopeRange) =
          (other.gyroscopeScale, other.gyroscopeRange)
      case .temperature:
        (sensor.temperatureScale, sensor.temperatureOffset) =
          (other.temperatureScale, other.temperatureOffset)
      }
    }
    return sensor
  }

  /// What was left out and changed, after a whole pass: sentences.
  var remarks: [String] {
    var remarks = first.sentences
    guard let second else { return remarks }
    remarks += second.table.sentences
    let (rows, values) = (first.groupNames, second.table.groupNames)
    remarks.append(
      "two tables are joined: each row of the \(rows) has the \(values) that are nearest in time, at most "
        + "\(Values.shown(join.distance / 1e6)) ms away")
    if join.leftOut > 0 {
      remarks.append(
        "\(Plain.count(join.leftOut, "row")) of the \(rows) \(join.leftOut == 1 ? "has" : "have") no "
          + "\(values) within an interval, and \(join.leftOut == 1 ? "is" : "are") left out")
    }
    let others = second.table.understanding.census.rows
    if others > join.taken {
      let unused = others - join.taken
      remarks.append(
        "\(Plain.count(unused, "row")) of the \(values) \(unused == 1 ? "is" : "are") nearest to no row "
          + "of the \(rows), and \(unused == 1 ? "is" : "are") left out")
    }
    return remarks
  }
}

extension TableRows where Reader: ~Copyable {
  /// What it has, for sentences.
  fileprivate var groupNames: String {
    understanding.groups.map(\.name).joined(separator: " and ")
  }

  /// What the user should know about the table: sentences that begin with its name where a clause is given.
  fileprivate var sentences: [String] {
    var sentences = (understanding.remarks + facts.notes.leftOut).map { "\(name): \($0)" }
    if let first = incomplete.first {
      sentences.append(
        (incomplete.rows == 1
          ? "1 row of \(name) has a column without a value, and is left out; "
          : "\(incomplete.rows) rows of \(name) have a column without a value, and are left out; ")
          + "the first is \(first)")
    }
    return sentences + remarks + values.remarks
  }
}

extension ImportError {
  static func notJoined<Reader: SampleRows & ~Copyable>(
    _ rows: borrowing JoinedRows<Reader>, _ why: String
  ) -> ImportError {
    let names = rows.understandings.map { $0.names[0] }
    return .notJoined(names[0], names[names.count - 1], why)
  }

  static func notJoined(_ first: String, _ second: String, _ why: String) -> ImportError {
    ImportError(
      "\(first) and \(second)", "are not two tables of one recording, as \(why)",
      remedy: "import them separately")
  }
}
