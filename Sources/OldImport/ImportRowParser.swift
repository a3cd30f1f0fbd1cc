// SPDX-License-Identifier: Apache-2.0

import IMUModel

/// Parses the lines of a table after its header.
struct ImportRowParser {
  private let layout: ImportLayout
  private let time: ImportTimeParser
  private let plain: ImportPlainRow?
  private let hasTime: Bool
  /// The values of the row that was parsed last, by the channel's position.
  private(set) var numbers = [ImportDecimal](
    repeating: ImportDecimal(digits: 0, exponent: 0), count: 7)
  private(set) var isTimeRounded = false
  /// Whether the row that was parsed last is one of ticks without a sample.
  private(set) var isGap = false
  /// The cause and the number of those ticks; `nil` if the table does not say how many they are.
  private(set) var gap: Gap?
  /// The time of the row that ``parseAny(_:)`` parsed last, or of the object, for errors.
  var timeText: String { ImportText.shown(timeBytes) }
  private var timeBytes: [UInt8] = []

  /// An object of JSON: its time unless some value is missing.
  struct Row {
    let time: Int64?
  }

  init(_ layout: ImportLayout) {
    self.layout = layout
    plain = ImportPlainRow(layout)
    hasTime = layout.hasTime
    time = ImportTimeParser(
      form: layout.timeForm, decimalMark: layout.decimalMark,
      isStrict: layout.isStrict, hasZone: layout.hasZone)
  }

  /// The time of a line, whose values are then in ``numbers`` unless ``isGap`` is set; `nil` if one is missing.
  ///
  /// - Complexity: one pass over the line, without allocation unless something is wrong.
  mutating func parse(_ line: UnsafeRawBufferPointer) throws(ImportFieldError) -> Int64? {
    if let time = plain(line) { return time }
    return try parseAny(line)
  }

  /// The time of a line whose values are of no interest; `nil` if only ``parse(_:)`` can tell.
  func plainTime(_ line: UnsafeRawBufferPointer) -> Int64? { plain?.time(line) }

  /// What ``parse(_:)`` returns, of any line; ``timeText`` is then its time.
  mutating func parseAny(_ line: UnsafeRawBufferPointer) throws(ImportFieldError) -> Int64? {
    isGap = false
    if let cause = layout.gapIndex.map({ cell(line, $0) }), !cause.isEmpty {
      try takeGap(cause, layout.ticksIndex.map { cell(line, $0) })
    }
    var time: Int64? = hasTime ? nil : 0
    var isWhole = true
    var (begin, field, next) = (0, 0, 0)
    while true {
      let end = self.end(of: line, from: begin)
      if next < layout.columns.count, layout.columns[next].index == field {
        let bytes = ImportText.unquoted(UnsafeRawBufferPointer(rebasing: line[begin..<end]))
        if layout.columns[next].channel == nil {
          time = try takeTime(bytes, layout.columns[next])
        } else if !isGap, !(try take(bytes, layout.columns[next])) {
          isWhole = false
        }
        next += 1
      }
      field += 1
      if end == line.count { break }
      begin = end + 1
    }
    guard next == layout.columns.count, isComplete(field, line) else {
      throw fieldCount(field, line)
    }
    return isWhole ? time : nil
  }

  /// A field of a line, without blanks around it; empty if there is none.
  private func cell(_ line: UnsafeRawBufferPointer, _ index: Int) -> UnsafeRawBufferPointer {
    var begin = 0
    for _ in 0..<index {
      begin = end(of: line, from: begin) + 1
      guard begin <= line.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    }
    return ImportText.trimmed(
      ImportText.unquoted(
        UnsafeRawBufferPointer(rebasing: line[begin..<end(of: line, from: begin)])))
  }

  /// Takes the row of a gap: its cause, and its ticks unless the table has none.
  private mutating func takeGap(_ name: UnsafeRawBufferPointer, _ ticks: UnsafeRawBufferPointer?)
    throws(ImportFieldError)
  {
    (isGap, gap) = (true, nil)
    guard let ticks else { return }
    guard let cause = GapCause(name: String(decoding: name, as: UTF8.self)),
      case .number(let number) = ImportNumber(ticks),
      let count = number.whole(tenTo: 0), !count.isRounded, count.value > 0
    else {
      throw ImportFieldError(
        .notAGap(found: "\(ImportText.shown(name)) \(ImportText.shown(ticks))"))
    }
    gap = Gap(firstTick: 0, count: UInt64(count.value), cause: cause)
  }

  /// Takes the gap in an object that has one.
  private mutating func takeGap(in object: UnsafeRawBufferPointer) throws(ImportFieldError) {
    var (cause, ticks) = (nil as UnsafeRawBufferPointer?, nil as UnsafeRawBufferPointer?)
    try ImportMember.each(of: object) { key, value in
      if key.elementsEqual(ImportLayout.gapName.utf8) { cause = value }
      if key.elementsEqual(ImportLayout.ticksName.utf8) { ticks = value }
    }
    if let cause, !ImportMember.isNull(cause) { try takeGap(cause, ticks) }
  }

  /// The time of an object, whose values are then in ``numbers`` unless ``isGap`` is set: `nil` in it if one is missing,
  /// and `nil` for the row of another sensor.
  mutating func parse(object: UnsafeRawBufferPointer) throws(ImportFieldError) -> Row? {
    if let time = plain(object) { return Row(time: time) }
    return try parseAny(object: object)
  }

  /// The time of a row of plain numbers, whose values are then in ``numbers``; `nil` if it is another one.
  mutating func plain(_ row: UnsafeRawBufferPointer) -> Int64? {
    guard let time = plain?.parse(row, &numbers) else { return nil }
    (isTimeRounded, isGap) = (false, false)
    return time
  }

  /// What ``parse(object:)`` returns, of any object; ``timeText`` is then its time.
  mutating func parseAny(object: UnsafeRawBufferPointer) throws(ImportFieldError) -> Row? {
    let cells = try layout.cells(of: object)
    if let filter = layout.filter, !layout.matches(filter, object) { return nil }
    var time: Int64? = hasTime ? nil : 0
    var isWhole = true
    isGap = false
    for column in layout.columns {
      let cell = cells[column.index]
      if layout.isStrict, cell.isEmpty || ImportMember.isNull(cell) {
        if !isGap { try takeGap(in: object) }
        if isGap, column.channel != nil { continue }
        guard !cell.isEmpty else { throw ImportFieldError(.noMember(column.name)) }
      }
      if column.channel == nil {
        time = try takeTime(cell, column)
      } else if !(try take(cell, column)) {
        isWhole = false
      }
    }
    return Row(time: isWhole ? time : nil)
  }

  /// Whether a row has the fields that the header names; other programs may leave out or add an empty one at the end.
  private func isComplete(_ fields: Int, _ line: UnsafeRawBufferPointer) -> Bool {
    if fields == layout.fieldCount { return true }
    guard !layout.isStrict else { return false }
    return fields == layout.fieldCount + 1 && line.last == layout.separator
  }

  /// The place of the separator after a field, or the line's end.
  private func end(of line: UnsafeRawBufferPointer, from begin: Int) -> Int {
    var (end, isQuoted) = (begin, false)
    while end < line.count {
      if line[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
      if line[end] == layout.separator, !isQuoted { break }
      end += 1
    }
    return end
  }

  private mutating func takeTime(_ field: UnsafeRawBufferPointer, _ column: ImportLayout.Column)
    throws(ImportFieldError) -> Int64?
  {
    timeBytes.removeAll(keepingCapacity: true)
    timeBytes.append(contentsOf: field.prefix(64))
    guard let (time, isRounded) = try time.parse(field, column) else { return nil }
    isTimeRounded = isRounded
    return time
  }

  /// Whether a field has a value, which is then taken.
  private mutating func take(_ field: UnsafeRawBufferPointer, _ column: ImportLayout.Column)
    throws(ImportFieldError) -> Bool
  {
    guard let channel = column.channel else { return true }
    let isCount = layout.units[ImportGroup(channel: channel)] == .count
    switch ImportNumber(field, mark: layout.decimalMark) {
    case .number(var number):
      if isCount {
        guard isInteger(number, field) else { throw wrong(field, column, isCount: true) }
        guard let whole = number.whole(tenTo: 0)?.value, whole.magnitude <= 32768,
          Int16(exactly: column.isReversed ? -whole : whole) != nil
        else { throw outOfRange(field, column) }
        number = ImportDecimal(digits: whole, exponent: 0)
      }
      if column.isReversed { number.digits = 0 &- number.digits }
      guard number.value.magnitude < 1e9 else { throw outOfRange(field, column) }
      numbers[channel] = number
      return true
    case .missing where !layout.isStrict: return false
    case .tooLarge where isCount || !layout.isStrict || ImportTimeParser.hasDigits(field):
      throw outOfRange(field, column)
    default: throw wrong(field, column, isCount: isCount)
    }
  }

  /// Whether a count is written without a point, or by another program with zeros after it.
  private func isInteger(_ number: ImportDecimal, _ field: UnsafeRawBufferPointer) -> Bool {
    if layout.isStrict {
      let text = ImportText.trimmed(field)
      return number.exponent == 0 && !number.isScientific && !number.isCut
        && !text.contains(layout.decimalMark) && text.first != UInt8(ascii: "+")
    }
    return number.whole(tenTo: 0).map { !$0.isRounded } ?? true
  }

  static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
    line.allSatisfy(ImportText.isBlank)
  }

  private func fieldCount(_ fields: Int, _ line: UnsafeRawBufferPointer) -> ImportFieldError {
    let isDecimalComma =
      layout.separator == UInt8(ascii: ",") && fields >= 2 * layout.fieldCount - 1
      && layout.fieldCount > 1 && line.last != layout.separator
    return ImportFieldError(
      isDecimalComma
        ? .decimalComma(found: fields, expected: layout.fieldCount)
        : .fieldCount(found: fields, expected: layout.fieldCount))
  }

  private func wrong(
    _ field: UnsafeRawBufferPointer, _ column: ImportLayout.Column, isCount: Bool
  ) -> ImportFieldError {
    let (place, found) = (column.index + 1, ImportText.shown(field))
    return ImportFieldError(
      isCount
        ? .notAnInteger(column: place, name: column.name, found: found)
        : .notANumber(column: place, name: column.name, found: found))
  }

  private func outOfRange(_ field: UnsafeRawBufferPointer, _ column: ImportLayout.Column)
    -> ImportFieldError
  {
    let isCount = column.channel.map { layout.units[ImportGroup(channel: $0)] == .count } ?? false
    let (place, found) = (column.index + 1, ImportText.shown(field))
    return ImportFieldError(
      isCount
        ? .outOfRange(column: place, name: column.name, found: found)
        : .valueOutOfRange(column: place, name: column.name, found: found))
  }
}
