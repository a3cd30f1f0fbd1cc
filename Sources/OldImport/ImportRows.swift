// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The rows of a recording: those of a table, or of two tables joined by the nearest times.
///
///     rates           0.00    0.01    0.02    0.03        each is a row
///     accelerations     0.002         0.022               each row takes the nearest one, if it is within an interval
///
/// Joined rows have the times of the faster table, which is made the first. A row whose nearest neighbour is further than
/// the longer of both tables' usual intervals is left out: nothing is invented. Rows of the slower table that are nearest to
/// none are counted. Rows that share a time, as packets have, are joined one by one in their order.
struct ImportRows<Source: ImportSource & ~Copyable>: ~Copyable {
  private final class Second {
    var table: ImportTable<Source>

    init(_ table: consuming ImportTable<Source>) { self.table = table }
  }

  private var first: ImportTable<Source>
  private let second: Second?
  /// The rows of the second table that share the time nearest to that of the first one's row, how many of them were taken,
  /// and the row after them. Each initializer sets them: Swift 6.0 crashes at a default, as one of them throws.
  private var held: (time: Int64, samples: [RawSample], taken: Int)
  private var ahead: (time: Int64, sample: RawSample)?
  private var hasBegun = false
  private var limit = 0.0
  /// The largest distance of joined times, rows that were left out, and rows of the second table that were taken.
  private(set) var join: (distance: Double, leftOut: UInt64, taken: UInt64) = (0, 0, 0)
  /// The rows of the second table.
  private var others: UInt64 = 0
  let name: String

  /// Where the row is that was read last.
  var place: ImportPlace { first.place }

  init(_ first: consuming ImportTable<Source>) {
    name = first.name
    self.first = first
    second = nil
    held = (0, [], 0)
  }

  /// - Throws: That both tables have one sensor, or that one has dates and the other has not.
  init(_ first: consuming ImportTable<Source>, with other: consuming ImportTable<Source>)
    throws(ImportError)
  {
    guard first.layout.channels.isDisjoint(with: other.layout.channels) else {
      throw .notJoined(first: first.name, second: other.name, why: "both have the same sensor")
    }
    guard first.layout.isDated == other.layout.isDated else {
      throw .notJoined(
        first: first.name, second: other.name,
        why: "the times of one count from 1970, and those of the other do not")
    }
    guard first.layout.hasTime, other.layout.hasTime else {
      throw .notJoined(
        first: first.name, second: other.name, why: "one has no column of times that is known")
    }
    name = first.name == other.name ? first.name : "\(first.name) and \(other.name)"
    self.first = first
    second = Second(other)
    held = (0, [], 0)
  }

  var channels: ChannelSet {
    first.layout.channels.union(second?.table.layout.channels ?? [])
  }

  /// The date of time 0, if the file has it.
  var started: Int64? { first.origin ?? first.layout.facts.started }

  /// Whether the rows have times of their own.
  var hasTime: Bool { first.layout.hasTime }

  /// The remark that the unit of times is a guess, if it is one.
  var timeGuess: String? { first.layout.timeGuess ?? second?.table.layout.timeGuess }

  /// The note in the file.
  var note: String? { first.layout.facts.note ?? second?.table.layout.facts.note }
  /// The error of a note in the file that a log has no room for.
  var noteProblem: ImportError? {
    first.noteProblem ?? second?.table.noteProblem
  }
  /// The marks and labels in the file.
  var notes: ImportNotes { first.layout.facts.notes }

  /// The rate that the file states.
  var statedRate: SampleRate? { first.layout.facts.rate }
  /// All gaps, if the file states them and each of its rows is a sample.
  var statedGaps: StatedGaps? {
    second == nil && first.missing.rows == 0 ? first.statedGaps : nil
  }

  /// The first pass: checks every row and finds the scales.
  ///
  /// - Returns: The times of the rows.
  mutating func examine(_ options: ImportOptions) throws(ImportError) -> ImportSurvey {
    var survey = ImportSurvey()
    while let row = try first.next() { survey.add(row.time) }
    if survey.count == 0, first.missing.rows > 0 {
      throw .noWholeRow(name: first.name, rows: first.missing.rows, line: first.missing.line)
    }
    try first.settle(options)
    guard let second else { return survey }
    second.table.alignOrigin(with: first.origin)
    var other = ImportSurvey()
    while let row = try second.table.next() { other.add(row.time) }
    guard survey.count > 0, other.count > 0 else { throw .noSamples(name: name) }
    try second.table.settle(options)
    limit = max(survey.usualStep, other.usualStep)
    others = other.count
    // The slower one would leave out rows of the faster one.
    if other.usualInterval < 0.98 * survey.usualInterval {
      swap(&first, &second.table)
      others = survey.count
    }
    try rewind()
    var joined = ImportSurvey()
    while let row = try next() { joined.add(row.time) }
    guard joined.count > 0 else {
      throw .notJoined(
        first: first.name, second: second.table.name, why: "their times have nothing in common")
    }
    return joined
  }

  /// Goes back to the first row.
  mutating func rewind() throws(ImportError) {
    try first.rewind()
    try second?.table.rewind()
    (held, ahead, hasBegun, join) = ((0, [], 0), nil, false, (0, 0, 0))
  }

  /// The time of the next row; `nil` after the last one.
  mutating func nextTime() throws(ImportError) -> Int64? {
    second == nil ? try first.nextTime() : try next()?.time
  }

  /// Whether values are off their counts, so that a pass over all of them must tell how far.
  var areInexact: Bool { first.values.areInexact || second?.table.values.areInexact ?? false }

  /// The next row; `nil` after the last one.
  mutating func next() throws(ImportError) -> (time: Int64, sample: RawSample)? {
    guard let second else { return try first.next() }
    if !hasBegun {
      hasBegun = true
      ahead = try second.table.next()
      try holdAhead()
    }
    while let row = try first.next() {
      while let ahead,
        abs(ahead.time.nanoseconds(since: row.time)) <= abs(held.time.nanoseconds(since: row.time)),
        ahead.time != held.time || held.taken == held.samples.count
      {
        try holdAhead()
      }
      guard !held.samples.isEmpty else { return nil }
      let distance = abs(held.time.nanoseconds(since: row.time))
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
      var sample = row.sample
      for channel in second.table.layout.channels.indices { sample[channel] = other[channel] }
      return (row.time, sample)
    }
    return nil
  }

  /// Holds the row ahead and those that share its time, at most 1024: each row of the first table has the next of them.
  private mutating func holdAhead() throws(ImportError) {
    (held.time, held.taken) = (ahead?.time ?? 0, 0)
    held.samples.removeAll(keepingCapacity: true)
    while let row = ahead, row.time == held.time, held.samples.count < 1024 {
      held.samples.append(row.sample)
      ahead = try second?.table.next()
    }
  }

  /// The sensor of the recording.
  func sensor(_ options: ImportOptions) -> SensorDescription {
    var sensor = first.values.sensor(first.layout, options)
    guard let second else { return sensor }
    let other = second.table.values.sensor(second.table.layout, options)
    for group in second.table.layout.groups {
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

  /// What was assumed about the tables, and what was left out.
  var remarks: [String] {
    var remarks = first.remarks
    guard let second else { return remarks }
    remarks += second.table.remarks
    let gaps = second.table.layout.facts.notes.gapCount
    if gaps > 0 {
      remarks.append(
        "\(Plain.count(gaps, "gap")) of \(second.table.name) \(gaps == 1 ? "is" : "are") left out: those of the table with "
          + "which it is joined count")
    }
    let distance = ImportValues.shown(join.distance / 1e6)
    let (rows, values) = (first.groupNames, second.table.groupNames)
    remarks.append(
      "two tables are joined: each row of the \(rows) has the \(values) that are nearest in time, at most "
        + "\(distance) ms away")
    if join.leftOut > 0 {
      remarks.append(
        "\(Plain.count(join.leftOut, "row")) of the \(rows) \(join.leftOut == 1 ? "has" : "have") no "
          + "\(values) within an interval, and \(join.leftOut == 1 ? "is" : "are") left out")
    }
    if others > join.taken {
      let unused = others - join.taken
      remarks.append(
        "\(Plain.count(unused, "row")) of the \(values) \(unused == 1 ? "is" : "are") nearest to no row "
          + "of the \(rows), and \(unused == 1 ? "is" : "are") left out")
    }
    return remarks
  }
}

extension ImportTable where Source: ~Copyable {
  /// What it has, for sentences.
  var groupNames: String { layout.groups.map(\.name).joined(separator: " and ") }

  /// What was assumed about the table, and what was left out: sentences that begin with its name.
  var remarks: [String] {
    let found = layout.remarks + layout.facts.faults
    var remarks = (found + values.remarks).map { "\(name): \($0)" }
    if missing.rows > 0 {
      remarks.append(
        (missing.rows == 1
          ? "1 row of \(name) has a column without a value, and is left out; "
          : "\(missing.rows) rows of \(name) have a column without a value, and are left out; ")
          + "the first is in \(missing.line)")
    }
    if gapRows > 0 {
      remarks.append(
        "\(gapRows) \(gapRows == 1 ? "row of \(name) is" : "rows of \(name) are") of ticks without a sample, and left out"
      )
    }
    if areTimesRounded {
      remarks.append("times in \(name) have digits below a nanosecond, and are rounded to one")
    }
    if let cutLine {
      remarks.append(
        "the last line of \(name), \(cutLine), has no line feed: if the file was cut there, its last value may be cut too"
      )
    }
    return remarks + values.scaleRemarks(name)
  }
}
