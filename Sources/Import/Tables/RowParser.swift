// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Parses the lines and the objects of a table after its head.
///
/// Nearly all cells are plain numbers, which are read where they stand. Quotes, blanks, powers of ten, missing values and
/// errors take the longer way.
struct RowParser {
  private struct Field {
    enum Kind { case other, time, date, count, value, tick, gap, gapTicks, mark, watched, number }
    var kind = Kind.other
    var channel = 0
    var isReversed = false
  }

  private let syntax: Syntax
  private let names: [String]
  /// By the column's place.
  private let fields: [Field]
  /// Places and JSON keys of all columns, and of times alone.
  private let keys, timeKeys: (places: [Int], names: [[UInt8]])
  private var clock: TimeParser?
  /// Of ten, from the unit of times to nanoseconds; `nil` for other times.
  private let power: Int?
  /// A bit for each channel that a whole row has.
  private let wanted: UInt8

  /// The values of the row that was parsed last, by the channel's position.
  private(set) var numbers = [Decimal](repeating: Decimal(digits: 0, exponent: 0), count: 7)
  /// What the row states beside its values.
  private(set) var tick: UInt64?
  private(set) var gap: Gap?
  private(set) var mark: String?

  /// What was found of the row so far; the cells are valid while it is parsed.
  private var (time, taken): (Int64?, UInt8) = (nil, 0)
  private var timeCell, dateCell, cause, ticks: UnsafeRawBufferPointer?
  /// Columns that are not read; a field's channel is its place among them.
  private var watched: [WatchedColumn] = []

  /// What nothing states is read as it is written: times in one of the forms that they may have, values in any unit.
  init(_ table: Understanding) {
    syntax = table.syntax
    let columns = table.columns
    names = columns.map(\.name)
    let times: TimeForm? =
      table.timeColumn == nil
      ? nil
      : table.times?.value ?? table.dateForms.first { $0.order == .dmy }
        ?? .number(power: table.syntax.timeDecimals)
    clock = times.map { TimeParser($0, mark: table.syntax.decimalMark) }
    if case .number(let power, factor: 1) = times { self.power = power } else { power = nil }
    var (fields, wanted) = ([Field](repeating: Field(), count: table.syntax.fieldCount), UInt8(0))
    for column in columns where column.index < fields.count {
      switch column.role {
      case .time where times != nil: fields[column.index].kind = .time
      case .date: fields[column.index].kind = .date
      case .channel(let channel, let isReversed):
        let isCount = table.units[Group(channel: channel)]?.value == .count
        fields[column.index] = Field(
          kind: isCount ? .count : .value, channel: channel, isReversed: isReversed)
        wanted |= 1 << UInt8(channel)
      case .tick: fields[column.index].kind = .tick
      case .gap: fields[column.index].kind = .gap
      case .gapTicks: fields[column.index].kind = .gapTicks
      case .mark: fields[column.index].kind = .mark
      case .watched(let rule):
        fields[column.index].kind = rule == .text ? .number : .watched
        fields[column.index].channel = watched.count
        watched.append(WatchedColumn(rule))
      case .time, .leftOut, .skipped, .open: break
      }
    }
    (self.fields, self.wanted) = (fields, wanted)
    func keys(_ isRead: (Field.Kind) -> Bool) -> (places: [Int], names: [[UInt8]]) {
      let read = columns.filter { $0.index < fields.count && isRead(fields[$0.index].kind) }
      return (read.map(\.index), read.map { Array($0.name.utf8) })
    }
    self.keys = keys { _ in true }
    timeKeys = keys { $0 == .time || $0 == .date }
  }

  /// The time of a line, whose values are then in ``numbers`` unless there is a ``gap``; `nil` if one is missing.
  /// - Complexity: one pass over the line, without allocation unless something is wrong.
  mutating func parse(_ line: UnsafeRawBufferPointer, isTimeEnough: Bool = false)
    throws(FieldError) -> Int64?
  {
    begin()
    var (place, index) = (0, 0)
    // Blanks in a row are one separator.
    let areBlanks = syntax.separator == UInt8(ascii: " ")
    while true {
      while areBlanks, place < line.count, line[place] == syntax.separator { place += 1 }
      let field = index < fields.count ? fields[index] : Field()
      let isRead = isTimeEnough ? field.kind == .time || field.kind == .date : field.kind != .other
      if isRead, let (number, end) = number(line, place), take(number, field) {
        if isTimeEnough { return time }
        place = end
      } else {
        let end = self.end(of: line, from: place)
        if isRead { try take(UnsafeRawBufferPointer(rebasing: line[place..<end]), index) }
        place = end
      }
      index += 1
      if place == line.count { break }
      place += 1
      // Separators at the end make no columns.
      if areBlanks || index == fields.count, line[place...].allSatisfy(isNothing) { break }
    }
    guard index == fields.count else {
      throw FieldError(
        problem: "\(Plain.count(index, "value")) where the header names \(fields.count) columns",
        remedy: "complete the line or take it out")
    }
    return try finish(isTimeEnough)
  }

  /// The same of an object of JSON.
  mutating func parse(object: UnsafeRawBufferPointer, isTimeEnough: Bool = false)
    throws(FieldError) -> Int64?
  {
    begin()
    let keys = isTimeEnough ? timeKeys : keys
    let cells = try Members.cells(of: object, keys.names, untilFound: isTimeEnough)
    for (place, cell) in zip(keys.places, cells)
    where !cell.isEmpty || fields[place].kind == .watched || fields[place].kind == .number {
      try take(cell, place)
    }
    return try finish(isTimeEnough)
  }

  /// Lets counts begin anew, after the rows of another recording or at the first row again.
  mutating func restart(isFirst: Bool) {
    for place in watched.indices { watched[place].restart(isFirst: isFirst) }
  }

  private func inColumn(_ place: Int, _ error: FieldError) -> FieldError {
    FieldError(
      column: syntax.column(place, names[place]), problem: error.problem, remedy: error.remedy)
  }

  private mutating func begin() {
    (time, taken, tick, gap, mark) = (clock == nil ? 0 : nil, 0, nil, nil, nil)
    (timeCell, dateCell, cause, ticks) = (nil, nil, nil, nil)
  }

  private mutating func finish(_ isTimeEnough: Bool) throws(FieldError) -> Int64? {
    if let cause {
      gap = try gap(cause)
      guard taken == 0 else {
        throw FieldError(
          problem: "the row of a gap has values", remedy: "give the sample a row of its own")
      }
    }
    if let timeCell, clock != nil {
      let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
      do throws(FieldError) {
        time = try clock?.parse(timeCell, date: dateCell ?? nothing)
      } catch {
        let place = fields.firstIndex { $0.kind == .time } ?? 0
        throw otherMark(timeCell, place)
          ?? FieldError(
            column: syntax.column(place, names[place]), problem: error.problem, remedy: error.remedy
          )
      }
    }
    return isTimeEnough || taken == wanted || gap != nil ? time : nil
  }

  private func isNothing(_ byte: UInt8) -> Bool {
    byte == syntax.separator || FieldText.isBlank(byte) || byte == UInt8(ascii: "\"")
  }

  /// The place of the separator after a field, or the line's end.
  private func end(of line: UnsafeRawBufferPointer, from begin: Int) -> Int {
    var (end, isQuoted) = (begin, false)
    while end < line.count, isQuoted || line[end] != syntax.separator {
      if line[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
      end += 1
    }
    return end
  }

  /// A number that fills a field with up to 18 digits and a mark among them, and the place after it; `nil` for others.
  @inline(__always)
  private func number(_ line: UnsafeRawBufferPointer, _ begin: Int) -> (Decimal, end: Int)? {
    var (place, digits, count, decimals) = (begin, Int64(0), 0, -1)
    let isNegative = place < line.count && line[place] == UInt8(ascii: "-")
    if isNegative { place += 1 }
    while place < line.count {
      let byte = line[place]
      let digit = byte &- UInt8(ascii: "0")
      if digit < 10 {
        digits = digits &* 10 &+ Int64(digit)
        count += 1
        if decimals >= 0 { decimals += 1 }
      } else if byte == syntax.decimalMark, byte != syntax.separator, decimals < 0 {
        decimals = 0
      } else {
        break
      }
      place += 1
    }
    guard count > 0, count <= 18, place == line.count || line[place] == syntax.separator else {
      return nil
    }
    let number = Decimal(digits: isNegative ? -digits : digits, exponent: -max(0, decimals))
    return (number, place)
  }

  /// Takes a number, if it is one that the field can have.
  @inline(__always)
  private mutating func take(_ found: Decimal, _ field: Field) -> Bool {
    var number = found
    switch field.kind {
    case .time:
      guard let power, case let shift = power + number.exponent, (0...18).contains(shift) else {
        return false
      }
      let (time, overflow) = number.digits.multipliedReportingOverflow(
        by: Decimal.wholePowers[shift])
      if !overflow { self.time = time }
      return !overflow
    case .count:
      if number.exponent != 0 {
        guard number.exponent != -3 || number.isScientific, let whole = number.whole(tenTo: 0),
          !whole.isRounded
        else { return false }
        number = Decimal(digits: whole.value, exponent: 0)
      }
      if field.isReversed { number.digits = 0 &- number.digits }
      guard Int16(exactly: number.digits) != nil else { return false }
    case .value:
      if field.isReversed { number.digits = 0 &- number.digits }
      let isSmall = number.exponent <= 0 && number.digits.magnitude < 1_000_000_000
      guard isSmall || number.value.magnitude < 1e9 else { return false }
    case .number:
      // After text, the longer way refuses it.
      return watched[field.channel].takesNumber()
    case .other, .date, .tick, .gap, .gapTicks, .mark, .watched: return false
    }
    numbers[field.channel] = number
    taken |= 1 << UInt8(field.channel)
    return true
  }

  /// Takes a cell that is not a plain number.
  private mutating func take(_ bytes: UnsafeRawBufferPointer, _ place: Int) throws(FieldError) {
    let (field, cell) = (fields[place], FieldText.unquoted(FieldText.trimmed(bytes)))
    switch field.kind {
    case .time: timeCell = cell
    case .date: dateCell = cell
    case .count, .value:
      switch DecimalField(cell, mark: syntax.decimalMark) {
      case .missing: break
      case .number(let number) where take(number, field): break
      case .number(let number)
      where field.kind == .count && number.exponent == -3 && !number.isScientific:
        throw wrong(
          place, cell, "may be a count with three decimals, or thousands",
          "write counts without marks")
      case .number(let number)
      where field.kind == .count && number.whole(tenTo: 0)?.isRounded == true:
        throw wrong(
          place, cell, "is not a whole number",
          "samples are the sensor's counts (--units raw)")
      case .number, .tooLarge:
        throw field.kind == .value
          ? wrong(place, cell, "is beyond any sensor", "correct it or take the row out")
          : wrong(
            place, cell, "is not within -32768 to 32767",
            "counts have 16 bits; if values are in units, name them with --units")
      case .none:
        throw otherMark(cell, place)
          ?? wrong(place, cell, "is not a number", "correct it or take the row out")
      }
    case .watched, .number:
      do throws(FieldError) {
        try watched[field.channel].take(cell)
      } catch {
        throw inColumn(place, error)
      }
    case _ where cell.isEmpty: break
    case .gap: cause = cell
    case .gapTicks: ticks = cell
    case .mark: mark = String(decoding: cell, as: UTF8.self)
    case .tick:
      guard let number = whole(cell) else {
        throw wrong(
          place, cell, "is not a tick, a whole number", "correct it or take the row out")
      }
      tick = number
    case .other: break
    }
  }

  private func gap(_ cause: UnsafeRawBufferPointer) throws(FieldError) -> Gap {
    let name = String(decoding: cause, as: UTF8.self)
    guard let known = GapCause(name: name), let count = ticks.flatMap(whole), count > 0 else {
      throw FieldError(
        problem:
          "\"\(FieldText.shown(cause)) \(ticks.map { FieldText.shown($0) } ?? "")\" is not a gap",
        remedy:
          "its cause must be one of \(GapCause.allCases.map(\.name).joined(separator: ", ")), and its ticks a whole number above 0"
      )
    }
    return Gap(firstTick: tick ?? 0, count: count, cause: known)
  }

  private func whole(_ cell: UnsafeRawBufferPointer) -> UInt64? {
    guard case .number(let number) = DecimalField(cell), let whole = number.whole(tenTo: 0),
      !whole.isRounded
    else { return nil }
    return UInt64(exactly: whole.value)
  }

  private func wrong(
    _ place: Int, _ cell: UnsafeRawBufferPointer, _ problem: String, _ remedy: String
  ) -> FieldError {
    FieldError(
      column: syntax.column(place, names[place]),
      problem: "\"\(FieldText.shown(cell))\" \(problem)",
      remedy: remedy)
  }

  /// The error of a number with the decimal mark that the table does not have.
  private func otherMark(_ cell: UnsafeRawBufferPointer, _ place: Int) -> FieldError? {
    let isComma = syntax.decimalMark == UInt8(ascii: ".")
    let mark = UInt8(ascii: isComma ? "," : ".")
    let (found, usual) = isComma ? ("comma", "points") : ("point", "commas")
    guard syntax.shape == .lines, cell.contains(mark), case .number = DecimalField(cell, mark: mark)
    else { return nil }
    return wrong(
      place,
      cell, "has a \(found) in a table of decimal \(usual)",
      "write all numbers with one mark")
  }
}

extension Syntax {
  /// A column in an error: a key has no number.
  func column(_ place: Int, _ name: String) -> String {
    guard shape == .lines else { return "\"\(name)\"" }
    return "column \(place + 1)" + (name.isEmpty ? "" : " (\(name))")
  }
}
