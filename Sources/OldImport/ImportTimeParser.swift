// SPDX-License-Identifier: Apache-2.0

import Text

/// Parses the times of a table as whole nanoseconds.
struct ImportTimeParser {
  let form: ImportTimeForm
  let decimalMark: UInt8
  /// Whether a time that is missing is an error.
  let isStrict: Bool
  /// Whether dates have an offset from UTC; `nil` where nothing is a date.
  let hasZone: Bool?

  /// The time in a field, and whether digits below a nanosecond were rounded; `nil` if it is missing.
  ///
  /// - Parameter column: For errors.
  func parse(_ field: UnsafeRawBufferPointer, _ column: ImportLayout.Column)
    throws(ImportFieldError) -> (time: Int64, isRounded: Bool)?
  {
    switch form {
    case .date:
      let text = ImportText.trimmed(field)
      if text.isEmpty { return nil }
      if !isStrict, case .missing = ImportNumber(text) { return nil }
      switch ImportTimeParser.reading(text) {
      case .time(let time):
        let hasZone = ImportTimeParser.hasZone(text)
        guard hasZone == self.hasZone ?? hasZone else {
          throw ImportFieldError(
            .mixedZones(
              column: place(column), name: column.name, found: shown(field), hasZone: hasZone))
        }
        return (time, false)
      case .otherYear, .leapSecond, .other: throw wrongDate(field, column)
      }
    case .number(let power, let factor, _):
      switch ImportNumber(field, mark: decimalMark) {
      case .missing where !isStrict: return nil
      case .missing where ImportText.trimmed(field).isEmpty: throw wrong(field, column)
      case .number(let number):
        guard let (time, isRounded) = number.whole(times: factor, tenTo: power) else {
          throw outOfRange(field, column)
        }
        return (time, isRounded)
      case .tooLarge where ImportTimeParser.hasDigits(field):
        throw outOfRange(field, column)
      default: throw wrong(field, column)
      }
    case .timeOfDay:
      let text = ImportText.trimmed(field)
      if text.isEmpty { return nil }
      guard let time = ImportTimeParser.timeOfDay(text) else { throw wrong(field, column) }
      return (time, false)
    case .unknown:
      // The first rows have told it, unless there are none.
      throw wrong(field, column)
    }
  }

  /// Nanoseconds since 1970 of a date and a time of day; UTC where no offset from it is written.
  static func date(_ field: UnsafeRawBufferPointer) -> Int64? {
    guard case .time(let time) = reading(field) else { return nil }
    return time
  }

  private static func reading(_ field: UnsafeRawBufferPointer) -> RFC3339.Reading {
    var text = ImportText.trimmed(field)
    if text.count > 1, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") {
      text = UnsafeRawBufferPointer(rebasing: text.dropFirst().dropLast())
    }
    // 2026-11-21T02:38:07 has 19 characters; without this check every number would be made a string.
    guard (19...35).contains(text.count), text[4] == UInt8(ascii: "-") else { return .other }
    let word = String(decoding: text, as: UTF8.self)
    return RFC3339.read(hasZone(text) ? word : word + "Z")
  }

  /// Nanoseconds since midnight of `14:05:59.25`.
  private static func timeOfDay(_ text: UnsafeRawBufferPointer) -> Int64? {
    guard (8...18).contains(text.count) else { return nil }
    return RFC3339.nanoseconds("1970-01-01T\(String(decoding: text, as: UTF8.self))Z")
  }

  /// Whether a date ends with an offset from UTC.
  static func hasZone(_ text: UnsafeRawBufferPointer) -> Bool {
    text.dropFirst(19).contains {
      $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 | 0x20 == UInt8(ascii: "z")
    }
  }

  private func wrongDate(_ field: UnsafeRawBufferPointer, _ column: ImportLayout.Column)
    -> ImportFieldError
  {
    let (index, name, found) = (place(column), column.name, shown(field))
    switch ImportTimeParser.reading(field) {
    case .otherYear: return ImportFieldError(.yearOutOfRange(index, name: name, found: found))
    case .leapSecond: return ImportFieldError(.leapSecond(index, name: name, found: found))
    case .time, .other: return ImportFieldError(.notADate(index, name: name, found: found))
    }
  }

  private func wrong(_ field: UnsafeRawBufferPointer, _ column: ImportLayout.Column)
    -> ImportFieldError
  {
    if case .number = form, case .time = ImportTimeParser.reading(field) {
      return ImportFieldError(
        .dateAmongNumbers(
          place(column), name: column.name, found: shown(field), unit: form.undated.name))
    }
    if ImportTimeParser.looksDated(field) { return wrongDate(field, column) }
    return ImportFieldError(
      .notATime(column: place(column), name: column.name, found: shown(field)))
  }

  /// Whether a field is a number that is written out, and not a word for infinity.
  static func hasDigits(_ field: UnsafeRawBufferPointer) -> Bool {
    field.contains(where: ImportText.isDigit)
  }

  /// Whether a field has digits with two of the marks that are in dates and in times of day.
  private static func looksDated(_ field: UnsafeRawBufferPointer) -> Bool {
    field.contains(where: ImportText.isDigit)
      && [UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "/")].contains {
        mark in field.count { $0 == mark } == 2
      }
  }

  private func outOfRange(_ field: UnsafeRawBufferPointer, _ column: ImportLayout.Column)
    -> ImportFieldError
  {
    ImportFieldError(
      .timeOutOfRange(column: place(column), name: column.name, found: shown(field)))
  }

  private func place(_ column: ImportLayout.Column) -> Int { column.index + 1 }
  private func shown(_ field: UnsafeRawBufferPointer) -> String { ImportText.shown(field) }
}
