// SPDX-License-Identifier: Apache-2.0

import Text

/// Columns that change what others mean and are not joined: refused or asked for, unless the user names the columns.
extension TableHead {
  /// Names, without marks, of what belongs into the cells of a time.
  private static let partsOfCells: Set = [
    "ampm", "meridiem", "zone", "timezone", "tz", "utcoffset", "gmtoffset", "tzoffset",
    "timezoneoffset", "zoneoffset",
  ]

  /// Whether a column is named a date, by its words or by the program.
  func isNamedDate(_ index: Int) -> Bool {
    names[index].isDate || program?.dates.contains(names[index].plain) == true
  }

  /// The columns named for a time or a unit of time, if several; a date without a time does not count.
  ///
  /// None where a program's header states one. The user chooses one of the others: an hour and a minute, or seconds and
  /// their milliseconds, are not added.
  func severalTimes() -> [Int] {
    let isStated = names.contains { (program?.times[$0.plain] ?? nil) != nil }
    guard request.columns == nil, !isStated else { return [] }
    let times = names.indices.filter {
      names[$0].role.isTime || names[$0].isTimePart
        || names[$0].role == .date && shapes($0).contains(where: \.isDate)
    }
    return times.count > 1 ? times : []
  }

  /// Refuses a date, a zone or half of a day in a column of its own that is not read with the times.
  func refuseUnread() throws(FieldError) {
    guard request.columns == nil else { return }
    let time = result.timeColumn
    let areNumbers = time.map { self.areNumbers($0.index) } ?? false
    for column in result.columns where column.role == .time || column.role == .date {
      try refuseZone(column.index)
    }
    let isDated =
      result.epoch != nil || areNumbers && program != nil
      || result.columns.contains {
        $0.role == .date || $0.role == .time && shapes($0.index).contains(where: \.isDate)
      }
    if let zone = heading.keys.keys.first(where: {
      TableHead.partsOfCells.contains($0.lowercased().filter(\.isLetter))
    }), isDated {
      throw FieldError(
        problem: "\"\(FieldText.shown(zone.utf8))\" before the header is not read with its dates",
        remedy: "write the offset from UTC behind each date, as +01:00, and take that line out")
    }
    for index in names.indices where result.columns[index].role.isLeftOut {
      let cell = index < rows.columns.count ? rows.columns[index].first : ""
      if isNamedDate(index), !isDated {
        throw wrong(
          index, "\"\(cell)\" is not read as a date, so a break of days would not be seen",
          "write dates as 2026-11-21 beside times of day, or name the columns with --columns without it"
        )
      }
      if TableHead.partsOfCells.contains(names[index].plain.filter(\.isLetter)), time != nil,
        !areNumbers
      {
        throw wrong(
          index, "\"\(cell)\" is a part of the times beside it that is not read",
          "write it into the time's cell, or name the columns with --columns without it")
      }
    }
  }

  /// Refuses a zone in the name of times, except UTC, and of dates or times of day a unit that is not known.
  private func refuseZone(_ index: Int) throws(FieldError) {
    let name = result.columns[index].name.lowercased()
    let words = Set(name.split { !$0.isLetter }.map(String.init))
    let isShifted = !words.isDisjoint(with: ["utc", "gmt"]) && name.contains(where: \.isNumber)
    let bracket = names[index].bracket?.lowercased() ?? ""
    // `hh:mm:ss` and `dd.mm.yyyy` show how cells are written.
    let isKnown =
      areNumbers(index) || TimeForm(word: bracket) != nil
      || bracket.split { !$0.isLetter }.allSatisfy {
        $0 == "iso" || ColumnName.epochs.contains(String($0)) || $0.allSatisfy("ymdhsf".contains)
      }
    guard isShifted || !isKnown else { return }
    throw wrong(
      index, "its name has a zone or a unit that is not read",
      "write the offset from UTC behind each date, as +01:00, or name the columns with --columns"
    )
  }

  /// Finds the columns left out that must keep one value: text, whose meaning is not known, and what is named for a sensor,
  /// a person or a part. Refuses one of few numbers that change in half of the first rows: rows of several take turns.
  mutating func takeDevices() throws(FieldError) {
    let sensors: Set = [
      "instance", "imu", "sensor", "device", "node", "addr", "address", "mac", "type", "stream",
      "source", "topic", "channel", "serial", "host", "session", "run", "trial", "user", "subject",
      "player", "person", "participant", "foot", "hand", "side", "unit", "units", "range",
    ]
    let others: Set = ["id", "name", "number", "no", "nr", "index", "type"]
    // Columns that may be axes have few cells at rest.
    let hasAxes = names.contains { $0.likely != nil || $0.axis != nil }
    for (index, name) in names.enumerated() where result.columns[index].role.isLeftOut {
      let pieces = ColumnName.pieces(name.bracket == nil ? result.columns[index].name : name.plain)
      let words = Set(pieces.map { $0.lowercased().filter(\.isLetter) }).subtracting([""])
      let isInstance = name.plain == "i" && program?.name == Dialect.arduPilot.name
      let isNamed = !words.isDisjoint(with: sensors) && words.isSubset(of: sensors.union(others))
      let column = index < rows.columns.count ? rows.columns[index] : FirstRows.Column()
      let found = Set(column.turns).sorted()
      let isNumber = request.columns != nil && column.forms != []
      // An `id` that each row has for itself counts rows.
      let isID = program == nil && ["i", "id"].contains(name.plain) && found.count < rows.rows
      if isInstance || isNamed || column.forms == [] || isID && !isNumber {
        takeDevice(index)
      } else if program == nil, request.columns == nil, heading.hasHeader, hasAxes,
        name.likely == nil, name.axis == nil, (2...8).contains(found.count),
        column.turns.count > found.count, 2 * (column.turns.count - 1) >= rows.rows
      {
        throw .severalSensors(result.syntax.column(index, result.columns[index].name), found)
      }
    }
  }

  /// Whether times such as 1.000 and 12.500, of ms and finer units, may have marks between thousands.
  func mayHaveThousands(_ index: Int) -> Bool {
    guard case .number(let power, _)? = result.times?.value, power < 9,
      index < rows.columns.count, rows.columns[index].decimals == 3
    else { return false }
    return rows.columns[index].turns.allSatisfy {
      let parts = $0.split { ",.".contains($0) }
      return parts.count == 1
        || parts.count == 2 && parts[1].count == 3 && parts[0] != "0"
          && parts[0].count < 4
    }
  }

  /// Notes a column that must have one value; with --anyway it is reported, not checked.
  private mutating func takeDevice(_ index: Int) {
    guard request.isAnyway else { return result.columns[index].role = .device }
    result.notices.append(
      "whether \"\(FieldText.shown(result.columns[index].name.utf8))\" names one sensor is not checked"
    )
  }
}

extension FieldError {
  /// A column that is not read has these values.
  static func severalSensors(_ column: String, _ values: [String]) -> FieldError {
    FieldError(
      column: column,
      problem:
        "its value changes, \(values.map { "\"\($0)\"" }.joined(separator: ", ")): the rows may be of several sensors, units or ranges",
      remedy:
        "import the rows of each value as a table of their own, or all as one recording with --anyway"
    )
  }
}
