// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// The samples of a recording: a table's, or of two tables joined by the nearest times.
///
///     rates           0.00    0.01    0.02    0.03        each is a row
///     accelerations     0.002         0.022               each row takes the nearest one, if it is within an interval
///
/// Joined rows have the times of the faster table, which is made the first. A row whose nearest neighbour is further than
/// the longer of both tables' usual intervals is left out: nothing is invented. Rows that share a time, as packets have, are
/// joined one by one in their order.
final class JoinedRows {
  private(set) var tables: [TableRows]
  let name: String
  /// The rows of the second table that share the time nearest to that of the first one's row, how many of them were taken,
  /// and the row after them; `nil` before the first row.
  private var held: (time: Int64, samples: [RawSample], taken: Int)?
  private var ahead: Item?
  private var limit = 0.0
  /// The largest distance of joined times, rows that were left out, and rows of the second table that were taken.
  private var join: (distance: Double, leftOut: UInt64, taken: UInt64) = (0, 0, 0)

  /// - Throws: That both tables have one sensor, or that one has no times.
  init(_ tables: [TableRows]) throws(ImportError) {
    self.tables = tables
    name = Set(tables.map(\.name)).count == 1 ? tables[0].name : names(tables)
    guard isJoined else { return }
    guard tables[0].understanding.channels.isDisjoint(with: tables[1].understanding.channels) else {
      throw notJoined("both have the same sensor")
    }
    guard tables.allSatisfy({ $0.understanding.timeColumn != nil }) else {
      throw notJoined("one has no column of times that is known")
    }
    let axes = understandings.map {
      $0.columns.first { $0.role.channel != nil }.map { ColumnName($0.name) }
    }
    if let one = axes[0], let other = axes[1], one.isOther(than: other) {
      throw notJoined(
        "\"\(one.device)\" and \"\(other.device)\" in their headers may be two devices")
    }
  }

  var understandings: [Understanding] { tables.map(\.understanding) }

  /// Whether two tables are joined, so that the recording's steps are neither one's.
  var isJoined: Bool { tables.count == 2 }

  /// The refusal to join two tables.
  func notJoined(_ why: String) -> ImportError {
    ImportError(
      names(tables), "are not two tables of one recording, as \(why)",
      remedy: "import them separately")
  }

  /// Ends the first pass, or chooses another session of one table.
  func settle(session: Int?) throws(ImportError) {
    try tables[0].settle(session: session)
    guard isJoined else { return }
    guard
      tables[0].isAnyway || !understandings.contains(where: \.hasUnread)
    else {
      throw notJoined(
        "what stands before the rows of one is not read, and may name another device or start")
    }
    let kinds = understandings.map {
      [$0.isDated, $0.times?.value.isLocal, $0.times?.value == .timeOfDay]
    }
    guard kinds[0] == kinds[1] else {
      throw notJoined("only one has dates, dates with an offset from UTC, or times of day")
    }
    let starts = tables.map { "\($0.started ?? 0) \($0.understanding.stamps.sorted())" }
    guard tables[0].understanding.isDated || starts[0] == starts[1] else {
      throw notJoined("they do not state the same start")
    }
    try tables[1].settle(session: nil, origin: tables[0].origin)
    let steps = understandings.map(\.census.intervals)
    limit = 1.5 * max(steps[0].median, steps[1].median)
    guard limit <= 150 * min(steps[0].median, steps[1].median) else {
      throw notJoined("the steps of one are over a hundred times those of the other")
    }
    // The slower one would leave out rows of the faster one.
    if steps[1].mean < 0.98 * steps[0].mean { tables.reverse() }
  }

  func rewind() throws(ImportError) {
    for table in tables { try table.rewind() }
    (held, ahead, join) = (nil, nil, (0, 0, 0))
  }

  /// The steps of rows that are joined, sorted or a session's.
  func steps() throws(ImportError) -> Intervals {
    var (steps, last): (Intervals, Int64?) = (Intervals(), nil)
    while let row = try nextTime() {
      guard row.gap == nil else { continue }
      if let last { steps.add(max(0, row.time.nanoseconds(since: last))) }
      last = row.time
    }
    try rewind()
    return steps
  }

  /// The next row without its values; `nil` after the last one.
  func nextTime() throws(ImportError) -> Row? {
    isJoined ? try next()?.row : try tables[0].nextTime()
  }

  /// The next row; `nil` after the last one.
  func next() throws(ImportError) -> Item? {
    guard isJoined else { return try tables[0].next() }
    if held == nil {
      ahead = try sample(1)
      try holdAhead()
    }
    while var item = try sample(0) {
      let time = item.row.time
      while let ahead = ahead?.row.time, let held,
        abs(ahead.nanoseconds(since: time)) <= abs(held.time.nanoseconds(since: time)),
        ahead != held.time || held.taken == held.samples.count
      {
        try holdAhead()
      }
      guard var held, !held.samples.isEmpty else { return nil }
      let distance = abs(held.time.nanoseconds(since: time))
      guard distance <= limit else {
        join.leftOut += 1
        continue
      }
      join.distance = max(join.distance, distance)
      if held.taken < held.samples.count {
        held.taken += 1
        join.taken += 1
        self.held = held
      }
      for channel in tables[1].understanding.channels.indices {
        item.sample[channel] = held.samples[held.taken - 1][channel]
      }
      return item
    }
    return nil
  }

  /// The next sample of a table: gaps of two tables have no common ticks.
  private func sample(_ table: Int) throws(ImportError) -> Item? {
    while var item = try tables[table].next() {
      guard item.row.gap == nil else { continue }
      item.row.tick = nil
      return item
    }
    return nil
  }

  /// Holds the row ahead and those that share its time, at most 1024: each row of the first table has the next of them.
  private func holdAhead() throws(ImportError) {
    let time = ahead?.row.time ?? 0
    var samples: [RawSample] = []
    while let item = ahead, item.row.time == time, samples.count < 1024 {
      samples.append(item.sample)
      ahead = try sample(1)
    }
    held = (time, samples, 0)
  }

  var sensor: SensorDescription {
    func table(_ group: Group) -> TableRows {
      tables.first { $0.understanding.groups.contains(group) } ?? tables[0]
    }
    func scale(_ group: Group) -> Scale {
      let table = table(group)
      return table.values.scales[group] ?? table.facts.scales[group] ?? .usual(group)
    }
    return SensorDescription(
      model: SensorDescription.importedModel, identity: nil, address: nil,
      accelerometerRange: table(.accelerometer).facts.accelerometerRange ?? 0,
      gyroscopeRange: table(.gyroscope).facts.gyroscopeRange ?? 0,
      accelerometerScale: scale(.accelerometer).ratio, gyroscopeScale: scale(.gyroscope).ratio,
      temperatureScale: scale(.temperature).ratio, temperatureOffset: scale(.temperature).offset,
      outputDataRate: 0, filter: "")
  }

  /// What was left out and changed, after a whole pass: sentences.
  var remarks: [String] {
    let remarks = tables.flatMap(\.remarks)
    guard isJoined else { return remarks }
    let groups = understandings.map { $0.groups.map(\.name).joined(separator: " and ") }
    let unused = understandings[1].census.rows - join.taken
    return remarks + [
      "two tables are joined: each row of the \(groups[0]) has the \(groups[1]) that are nearest in time, at most "
        + "\(Plain.significant(join.distance / 1e6)) ms away; rows without a neighbour within an interval are left out: "
        + "\(join.leftOut) of the \(groups[0]), \(unused) of the \(groups[1])"
    ]
  }
}

/// Of both tables, for sentences.
private func names(_ tables: [TableRows]) -> String {
  tables.map(\.name).joined(separator: " and ")
}
