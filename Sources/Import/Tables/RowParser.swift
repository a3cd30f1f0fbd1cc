// SPDX-License-Identifier: Apache-2.0

import IMUModel
import Text

/// Parses the lines and the objects of a table after its head.
struct RowParser {
  /// A column that is read.
  private struct Field {
    let index: Int
    let name: String
    let role: Understanding.Role
    var isCount = false
  }

  private let syntax: Syntax
  /// By their places.
  private let fields: [Field]
  private let keys: [[UInt8]]
  private var time: TimeParser?
  private let plain: PlainRow?
  /// Whether values that are none are 0: of rows whose columns are only proposed.
  private let isLenient: Bool
  /// The cells of the fields of the row that is parsed, valid meanwhile.
  private var cells: [UnsafeRawBufferPointer]

  /// The values of the row that was parsed last, by the channel's position.
  private(set) var numbers = [Decimal](repeating: Decimal(digits: 0, exponent: 0), count: 7)
  private(set) var isTimeRounded = false
  /// What the row states beside its values.
  private(set) var tick: UInt64?
  private(set) var gap: Gap?
  private(set) var mark: String?

  /// - Parameter times: `nil` for a table without times.
  init(
    _ syntax: Syntax, _ columns: [Understanding.Column], _ units: [Group: Unit], _ times: TimeForm?,
    isLenient: Bool = false
  ) {
    self.syntax = syntax
    self.isLenient = isLenient
    fields = columns.compactMap { column in
      var field = Field(index: column.index, name: column.name, role: column.role)
      switch column.role {
      case .leftOut, .open: return nil
      case .date:
        if case .dayAndTime = times { return field }
        return nil
      case .channel(let channel, _): field.isCount = units[Group(channel: channel)] == .count
      case .time where times == nil: return nil
      default: break
      }
      return field
    }
    keys = fields.map { Array($0.name.utf8) }
    cells = fields.map { _ in UnsafeRawBufferPointer(start: nil, count: 0) }
    time = times.map { TimeParser($0, mark: syntax.decimalMark) }
    plain = PlainRow(syntax, columns, units, times)
  }

  /// The time of a line, whose values are then in ``numbers`` unless there is a ``gap``; `nil` if one is missing.
  ///
  /// - Complexity: one pass over the line, without allocation unless something is wrong.
  mutating func parse(_ line: UnsafeRawBufferPointer) throws(FieldError) -> Int64? {
    if let found = plain?.parse(line, &numbers) {
      (isTimeRounded, tick, gap, mark) = (false, nil, nil, nil)
      return found
    }
    return try parseAny(line)
  }

  /// The time of a line whose values are of no interest; `nil` if only ``parse(_:)`` can tell.
  func plainTime(_ line: UnsafeRawBufferPointer) -> Int64? { plain?.time(line) }

  /// The same of an object of JSON, in a file whose rows are all whole.
  mutating func plainTime(object: UnsafeRawBufferPointer) throws(FieldError) -> Int64? {
    guard let place = fields.firstIndex(where: { $0.role == .time }),
      !fields.contains(where: { $0.role == .date }),
      let cell = try Members.value(fields[place].name, of: object)
    else { return nil }
    cells[place] = cell
    return try takeTime(place)
  }

  /// What ``parse(_:)`` returns, of an object of JSON.
  mutating func parse(object: UnsafeRawBufferPointer) throws(FieldError) -> Int64? {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    for place in cells.indices { cells[place] = nothing }
    var found = cells
    try Members.each(of: object) { key, value in
      guard let place = keys.firstIndex(where: { key.elementsEqual($0) }) else { return }
      found[place] = Members.isNull(value) ? nothing : value
    }
    cells = found
    return try takeCells()
  }

  private mutating func parseAny(_ line: UnsafeRawBufferPointer) throws(FieldError) -> Int64? {
    var (begin, field, next) = (0, 0, 0)
    // Blanks in a row are one separator.
    let areBlanks = syntax.separator == UInt8(ascii: " ")
    func passBlanks() {
      while areBlanks, begin < line.count, line[begin] == syntax.separator { begin += 1 }
    }
    passBlanks()
    while true {
      let end = self.end(of: line, from: begin)
      if next < fields.count, fields[next].index == field {
        cells[next] = FieldText.unquoted(
          FieldText.trimmed(UnsafeRawBufferPointer(rebasing: line[begin..<end])))
        next += 1
      }
      field += 1
      if end == line.count { break }
      begin = end + 1
      passBlanks()
      // Separators at the end make no columns.
      if field == syntax.fieldCount, line[begin...].allSatisfy(isNothing) { break }
    }
    guard field == syntax.fieldCount else { throw wrongCount(field, line) }
    return try takeCells()
  }

  private func isNothing(_ byte: UInt8) -> Bool {
    byte == syntax.separator || FieldText.isBlank(byte) || byte == UInt8(ascii: "\"")
  }

  /// The place of the separator after a field, or the line's end.
  private func end(of line: UnsafeRawBufferPointer, from begin: Int) -> Int {
    var (end, isQuoted) = (begin, false)
    while end < line.count {
      if line[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
      if line[end] == syntax.separator, !isQuoted { break }
      end += 1
    }
    return end
  }

  private mutating func takeCells() throws(FieldError) -> Int64? {
    (tick, gap, mark, isTimeRounded) = (nil, nil, nil, false)
    try takeNotes()
    var isWhole = true
    var found: Int64? = time == nil ? 0 : nil
    for (place, field) in fields.enumerated() {
      switch field.role {
      case .time: found = try takeTime(place)
      case .channel(let channel, let isReversed) where gap == nil:
        if !(try take(cells[place], field, channel, isReversed)) { isWhole = false }
      default: break
      }
    }
    return isWhole ? found : nil
  }

  private mutating func takeTime(_ place: Int) throws(FieldError) -> Int64? {
    let date = fields.firstIndex { $0.role == .date }.map { cells[$0] }
    switch time?.parse(cells[place], date: date) {
    case .time(let time, let isRounded):
      isTimeRounded = isRounded
      return time
    case .wrong(let problem, let remedy):
      let cell = cells[place]
      if let other = otherMark(cell, fields[place]) { throw other }
      throw FieldError(column: column(fields[place]), problem: problem, remedy: remedy)
    case .missing, nil: return nil
    }
  }

  /// Takes what a row of this program's tables states beside values.
  private mutating func takeNotes() throws(FieldError) {
    var cause: UnsafeRawBufferPointer?
    var ticks: UnsafeRawBufferPointer?
    for (place, field) in fields.enumerated() where !cells[place].isEmpty {
      switch field.role {
      case .gap: cause = cells[place]
      case .gapTicks: ticks = cells[place]
      case .mark: mark = String(decoding: cells[place], as: UTF8.self)
      case .tick:
        guard let number = whole(cells[place]), number >= 0 else {
          throw wrong(
            cells[place], field, "is not a tick, a whole number", "correct it or take the row out")
        }
        tick = UInt64(number)
      default: break
      }
    }
    guard let cause else { return }
    let name = String(decoding: cause, as: UTF8.self)
    guard let known = GapCause(name: name), let ticks, let count = whole(ticks), count > 0 else {
      throw FieldError(
        problem: "\"\(FieldText.shown(name.utf8)) \(FieldText.shown(ticks ?? cause))\" is no gap",
        remedy:
          "its cause must be one of \(GapCause.allCases.map(\.name).joined(separator: ", ")), and its ticks a whole number above 0"
      )
    }
    gap = Gap(firstTick: tick ?? 0, count: UInt64(count), cause: known)
  }

  private func whole(_ cell: UnsafeRawBufferPointer) -> Int64? {
    guard case .number(let number) = DecimalField(cell), let whole = number.whole(tenTo: 0),
      !whole.isRounded
    else { return nil }
    return whole.value
  }

  /// Whether a field has a value, which is then taken.
  private mutating func take(
    _ cell: UnsafeRawBufferPointer, _ field: Field, _ channel: Int, _ isReversed: Bool
  ) throws(FieldError) -> Bool {
    numbers[channel] = Decimal(digits: 0, exponent: 0)
    let beyond =
      field.isCount
      ? (
        "is not within -32768 to 32767",
        "counts have 16 bits; if values are in units, name them with --units"
      )
      : ("is beyond any sensor", "correct it or take the row out")
    switch DecimalField(cell, mark: syntax.decimalMark) {
    case .number(var number):
      if field.isCount {
        guard let whole = number.whole(tenTo: 0), !whole.isRounded else {
          throw wrong(
            cell, field, "is not a whole number", "samples are the sensor's counts (--units raw)")
        }
        let value = isReversed ? -Int128(whole.value) : Int128(whole.value)
        guard let count = Int16(exactly: value) else {
          throw wrong(cell, field, beyond.0, beyond.1)
        }
        number = Decimal(digits: Int64(count), exponent: 0)
      } else if isReversed {
        number.digits = 0 &- number.digits
      }
      guard number.value.magnitude < 1e9 else { throw wrong(cell, field, beyond.0, beyond.1) }
      numbers[channel] = number
      return true
    case .missing: return false
    case _ where isLenient: return true
    case .tooLarge: throw wrong(cell, field, beyond.0, beyond.1)
    case .none:
      throw otherMark(cell, field)
        ?? wrong(cell, field, "is not a number", "correct it or take the row out")
    }
  }

  private func column(_ field: Field) -> ImportError.Column {
    ImportError.Column(number: syntax.shape == .lines ? field.index + 1 : nil, name: field.name)
  }

  private func wrong(
    _ cell: UnsafeRawBufferPointer, _ field: Field, _ problem: String, _ remedy: String
  )
    -> FieldError
  {
    FieldError(
      column: column(field), problem: "\"\(FieldText.shown(cell))\" \(problem)", remedy: remedy)
  }

  /// The error of a number with the mark that the table does not have.
  private func otherMark(_ cell: UnsafeRawBufferPointer, _ field: Field) -> FieldError? {
    let comma = UInt8(ascii: ",")
    let mark = syntax.decimalMark == comma ? UInt8(ascii: ".") : comma
    guard syntax.shape == .lines, cell.contains(mark), case .number = DecimalField(cell, mark: mark)
    else {
      return nil
    }
    if syntax.separator == comma {
      return wrong(
        cell, field, "has a decimal comma, and commas are between the values",
        "write the table with decimal points, or with semicolons between values")
    }
    let (kind, others) = mark == comma ? ("comma", "points") : ("point", "commas")
    return wrong(
      cell, field,
      "has a decimal \(kind), and the first rows of the table have decimal \(others) or none",
      "write all numbers with one mark")
  }

  private func wrongCount(_ fields: Int, _ line: UnsafeRawBufferPointer) -> FieldError {
    let expected = syntax.fieldCount
    let areCommas =
      syntax.separator == UInt8(ascii: ",") && fields >= 2 * expected - 1 && expected > 1
      && line.last != syntax.separator
    return areCommas
      ? FieldError(
        problem:
          "\(fields) values where the header names \(expected) columns, as decimal commas between commas make",
        remedy: "write the table with decimal points, or with semicolons between values")
      : FieldError(
        problem: "\(Plain.count(fields, "value")) where the header names \(expected) columns",
        remedy: "complete the line or take it out")
  }
}
