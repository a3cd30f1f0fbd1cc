// SPDX-License-Identifier: Apache-2.0

import Text

/// Columns that change what others mean and are not joined: refused or asked for, unless the user names the columns.
extension TableHead {
  private static let zones: Set = ["zone", "timezone", "tz", "utcoffset", "gmtoffset", "tzoffset"]
  private static let zonesOfTimes: Set = [
    "cet", "cest", "mez", "mesz", "bst", "eet", "msk", "est", "edt", "cst", "cdt", "pst", "pdt",
    "local",
  ]

  /// Whether a text says that dates are not in UTC, as which they are read; elsewhere than in times' names, `est` is a word.
  static func hasZone(_ text: String, isTime: Bool = false) -> Bool {
    let bare = text.lowercased().filter { !$0.isWhitespace }
    let pieces = ColumnName.pieces(text).map { $0.lowercased().filter(\.isLetter) }
    let words = Set(pieces + [bare.filter(\.isLetter)])
    let after = ["utc", "gmt"].compactMap { bare.parts(around: $0)?.after.first }
    return words.isDisjoint(with: ["utc", "gmt"])
      ? !words.isDisjoint(with: isTime ? zones.union(zonesOfTimes) : zones)
      : words.contains("offset") || after.contains { "+-−".contains($0) || $0.isNumber }
  }

  /// Whether a text ends with an offset from UTC, such as `+01:00` or `-0400` behind a number or alone, or with `Z` behind a
  /// number.
  static func hasOffset(_ text: String) -> Bool {
    let digits = text.reversed().prefix { $0.isNumber || $0 == ":" }
    let (rest, count) = (text.dropLast(digits.count), digits.count(where: \.isNumber))
    let before = rest.dropLast().last
    let isOffset = count == 4 && digits.count < 6 && "+-−".contains(rest.last ?? "x")
    return isOffset
      && (before == nil || before == " " || before?.isNumber == true && rest.contains(":"))
      || text.last == "Z" && text.dropLast().last?.isNumber == true
  }

  static let patterns: Set<String> = Set(
    ["", "ymd", "mdy", "dmy"].flatMap { day in ["", "hms", "hmsf", "hm"].map { day + $0 } })

  /// The letters of a pattern in a name of times or in their row of units: `ymdhmsf` of `yyyy-mm-dd hh:mm:ss.fff`.
  func pattern(_ index: Int) -> String {
    let words = (names[index].bracket ?? unitRow(index) ?? "").lowercased().split { !$0.isLetter }
    return words.filter { $0 != "iso" && !ColumnName.epochs.contains(String($0)) }.joined()
      .reduce(into: "") { if $0.last != $1 { $0.append($1) } }
  }

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
    // Cells with offsets of their own are in no other zone.
    if let index = time?.index, index < rows.columns.count,
      TableHead.hasOffset(rows.columns[index].first)
    {
      return
    }
    for index in names.indices where result.columns[index].role.isLeftOut {
      let cell = index < rows.columns.count ? rows.columns[index].first : ""
      if isNamedDate(index), !isDated, request.columns == nil {
        throw wrong(
          index, "\"\(cell)\" is not read as a date, so a break of days would not be seen",
          "write dates as 2026-11-21 beside times of day, or name the columns with --columns without it"
        )
      }
      let isZone = TableHead.hasZone(result.columns[index].name)
      if isZone || ["am", "pm"].contains(cell.lowercased()), time != nil, !areNumbers,
        isDated || request.columns == nil
      {
        throw wrong(
          index, "\"\(cell)\" is a part of the times beside it that is not read",
          "write it into the time's cell"
            + (isDated ? "" : ", or name the columns with --columns without it"))
      }
    }
  }

  /// Refuses a zone in the name of times or their row of units, except UTC, and of dates or times of day a unit or pattern
  /// that is not known.
  private func refuseZone(_ index: Int) throws(FieldError) {
    let note = names[index].bracket ?? unitRow(index) ?? ""
    let cell = index < rows.columns.count ? rows.columns[index].first : ""
    let isOffset = TableHead.hasOffset(cell) && cell.last != "Z"
    let words = result.columns[index].name + " " + note
    let hasSign = zip(words, words.dropFirst()).contains { "+-−".contains($0) && $1.isNumber }
    let isPattern =
      TableHead.patterns.contains(pattern(index))
      && !(heading.hasHeader && (hasSign || note.contains(where: \.isNumber)))
    let isKnown =
      areNumbers(index) || TimeForm(word: note) != nil || isPattern
      || isOffset && !pattern(index).contains("y")
    let isZone =
      TableHead.hasZone(words, isTime: true)
      || program == nil && names[index].isLikelyTime
        && shapes(index).contains(where: \.isDate)
    guard !isKnown || !isOffset && isZone else { return }
    throw wrong(
      index, "its name or unit has a zone or a pattern that is not read",
      "write dates as 2026-11-21 14:05:59 with the offset from UTC behind each, as +01:00, and take it out of the header"
    )
  }

  /// Notes a word where a unit stands, which --units overrides only with --anyway: `0.1 g` and `°F` are units, too.
  mutating func contradict(_ index: Int, _ word: String, _ source: String, _ what: String) {
    let (name, word) = (result.columns[index].name, FieldText.shown(word.utf8))
    result.contradictions.append(
      "\"\(FieldText.shown(name.utf8))\" is in \(word) by \(source), which is not known as \(what)")
  }

  /// Decides about the columns left out. Where the user names columns, names of sensors, units and codes that take turns must
  /// keep their value, and the others are watched, but for those that the user skips.
  ///
  ///     of another quantity, or computed             left out
  ///     a number that rises with each row's time     left out
  ///     no value in the first rows, or a unit        must keep it: it may be filled for another sensor
  ///     any other                                    asked about: nobody knows what it says of times and values
  ///
  /// A known program's text, and what changes in half of the first rows between few values, must keep its value.
  mutating func takeOthers() {
    // Beside times of day, another date is a break of days.
    if result.times?.value == .timeOfDay, !request.isAnyway {
      for index in names.indices where result.columns[index].role.isLeftOut {
        guard isNamedDate(index) || shapes(index).contains(where: \.isDay) else { continue }
        result.columns[index].role = .watched(.value)
      }
    }
    for (index, name) in names.enumerated() where result.columns[index].role.isLeftOut {
      let column = index < rows.columns.count ? rows.columns[index] : FirstRows.Column()
      let values = Set(column.turns).count
      let takesTurns =
        values < min(9, column.turns.count) && 2 * (column.turns.count - 1) >= rows.rows
      let isText =
        column.hasText || takesTurns || name.plain == "i" && program?.name == Dialect.arduPilot.name
      let isDoubtful = program == nil ? !isKnown(index, column) : isText
      let isUnit = ColumnName.isUnits(result.columns[index].name)
      if isUnit, !column.first.isEmpty { objectToUnit(column.first, index) }
      let isOfUser =
        takesTurns && (column.hasText || column.turns.count == rows.rows) || isUnit
        || tellsSensor(index, column)
      guard request.columns == nil ? isDoubtful : isOfUser else {
        watch(index, column)
        continue
      }
      let shown = FieldText.shown(result.columns[index].name.utf8)
      if request.isAnyway {
        result.notices.append("whether \"\(shown)\" names one sensor is not checked")
      } else if program != nil || request.columns != nil || column.turns.isEmpty
        || isUnit
      {
        result.columns[index].role = .watched(.value)
      } else if result.proposals.isEmpty || name.axis == nil && name.likely == nil {
        result.unknown.append(shown)
      }
    }
    guard !result.unknown.isEmpty, result.proposals.isEmpty, !result.channels.isEmpty
    else { return }
    proposeKnown()
  }

  /// Holds a column that the user does not name to one text, and what rises with rows without times to its steps.
  private mutating func watch(_ index: Int, _ column: FirstRows.Column) {
    guard request.columns != nil, !request.isAnyway, case .leftOut = result.columns[index].role
    else { return }
    let numbers = column.turns.map { Double($0) ?? .nan }
    let ones = zip(numbers, numbers.dropFirst()).count { $1 - $0 == 1 }
    let isCount =
      result.timeColumn == nil && rows.rows > 2 && (2 * ones >= rows.rows || rises(column))
    result.columns[index].role = .watched(isCount ? .count : .text)
  }

  /// Whether a column is of another quantity than times and axes, by each of its words, or counts rows that have times.
  private func isKnown(_ index: Int, _ column: FirstRows.Column) -> Bool {
    let name = names[index]
    let pieces = ColumnName.pieces(ColumnName.split(result.columns[index].name).name)
    let words = Set(pieces.map { $0.lowercased().filter(\.isLetter) }).subtracting([""])
    let isOther = name.bracket.map { TimeForm(word: $0) == nil } ?? !words.contains("absolute")
    if name.isDerived && name.likely != nil
      || isOther && !words.isDisjoint(with: TableHead.quantities)
        && words.isSubset(of: TableHead.quantities.union(TableHead.companions))
    {
      return true
    }
    return result.timeColumn != nil && words.isSubset(of: TableHead.counters) && rises(column)
  }

  /// Whether a column counts the first rows.
  private func rises(_ column: FirstRows.Column) -> Bool {
    let numbers = column.turns.map { Double($0) ?? .nan }
    return numbers.count == rows.rows && zip(numbers, numbers.dropFirst()).allSatisfy(<)
  }

  /// Whether the name says that a column tells one sensor from another, as `imu`, `Device No` and `id` that does not count.
  private func tellsSensor(_ index: Int, _ column: FirstRows.Column) -> Bool {
    let (name, words) = (names[index], names[index].device.split(separator: " ").map(String.init))
    // A text under `type` may be what a person does.
    let kinds: Set = column.hasText ? [] : ["type", "kind"]
    let isSensor = { (word: String) in
      TableHead.sensors.union(kinds).contains(word)
        || TableHead.numbers.contains {
          word.hasSuffix($0) && TableHead.sensors.contains(String(word.dropLast($0.count)))
        }
    }
    return name.role == .none && name.likely == nil && !rises(column)
      && words.contains(where: isSensor)
      && words.allSatisfy { isSensor($0) || TableHead.numbers.contains($0) }
  }

  private static let quantities: Set<String> = Set(
    """
    mag magn magnetometer magnetic magneticfield compass heading mx my mz q qw qx qy qz quat quaternion roll \
    pitch yaw euler angle pressure baro barometer altitude humidity light battery voltage adc latitude longitude temp \
    temperature gravity grav absolute
    """.split(separator: " ").map(String.init))
  private static let sensors: Set = [
    "sensor", "device", "dev", "imu", "node", "id", "mac", "serial", "address", "addr", "channel",
    "port", "side", "limb",
  ]
  /// Words behind those, also without a space.
  private static let numbers: Set = [
    "name", "no", "nr", "num", "number", "nummer", "index", "idx", "id", "type", "kind", "label",
    "uuid", "address", "addr",
  ]
  private static let companions: Set = ["x", "y", "z", "w", "field", "acceleration", "gyroscope"]
  private static let counters: Set = [
    "seq", "sequence", "index", "idx", "sample", "samples", "count", "counter", "n", "no", "nr",
    "number", "packet", "row", "frame", "line", "id", "i",
  ]

  /// Refuses rates that Betaflight's keys give another scale than 1 °/s, in radians a microsecond or as bits.
  func refuseScale() throws(FieldError) {
    let other = heading.keys.first { key, value in
      let name = key.lowercased().filter(\.isLetter)
      let ratio = (Double(value) ?? 0) / 1.7453292519943295e-8
      return name == "gyroscale" && value != "0x3f800000" && abs(ratio - 1) > 1e-3
        || name.hasSuffix("highresolution") && value != "0"
    }
    guard let other, program?.name == Dialect.betaflight.name else { return }
    throw FieldError(
      problem:
        "\"\(FieldText.shown(other.key.utf8))\" before the header states another scale of rates than °/s",
      remedy: "write rates in °/s and take that line out, or name the columns with --columns")
  }

  /// Objects to a column of units whose word no column of the table can have.
  private mutating func objectToUnit(_ word: String, _ index: Int) {
    let name = result.columns[index].name
    let isRead =
      ColumnName.isUnits(name, ofTimes: true)
      ? TimeForm(word: word) != nil
      : Unit(word: word).map { unit in result.groups.contains { unit.measures($0) } } ?? false
    guard !isRead else { return }
    result.contradictions.append(
      "\"\(FieldText.shown(name.utf8))\" has \"\(FieldText.shown(word.utf8))\", a unit that no column read here has"
    )
  }

  /// Objects to times whose decimals may be milliseconds, such as 7.5 beside 7.120.
  mutating func doubtZeros(_ index: Int) {
    guard index < rows.columns.count, rows.columns[index].mayLackZeros else { return }
    result.contradictions.append(
      "its times have one to three decimals: they may be milliseconds without zeros before them"
    )
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
}
