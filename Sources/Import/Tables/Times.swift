// SPDX-License-Identifier: Apache-2.0

import Text

/// The order of day, month and year in dates.
enum DateOrder: String, CaseIterable, Sendable {
  case ymd, mdy, dmy
}

/// From when times that are numbers count.
enum Epoch: Equatable, Sendable {
  /// From the beginning of 1970, or from an instant in nanoseconds since then.
  case unix, at(Int64)
}

/// How a table's times are written.
enum TimeForm: Hashable, Sendable {
  /// Numbers of `factor` × 10^`power` nanoseconds.
  case number(power: Int, factor: Int64 = 1)
  /// A date and a time of day in one field, all with or all without an offset from UTC.
  case date(DateOrder, zone: Bool)
  /// A time of day alone, such as `14:05:59.25`, on days that follow each other.
  case timeOfDay
  /// A time of day, and its date in a column of its own.
  case dayAndTime(DateOrder)

  /// A word for a unit of time.
  init?(word: some StringProtocol) {
    var text = word.lowercased().map { "µμ".contains($0) ? "u" : $0 }.filter { $0 != " " }
    // As a cell of a row of units has it.
    if text.first == "[", text.last == "]" { text = [Character](text.dropFirst().dropLast()) }
    guard let form = TimeForm.words[String(text)] else { return nil }
    self = form
  }

  private static let words: [String: TimeForm] = {
    var words: [String: TimeForm] = [:]
    for name in ["min", "mins", "minute", "minutes"] { words[name] = .number(power: 9, factor: 60) }
    for name in ["h", "hr", "hrs", "hour", "hours"] {
      words[name] = .number(power: 9, factor: 3600)
    }
    for (power, short, long) in [
      (0, "n", "nano"), (3, "u", "micro"), (6, "m", "milli"), (9, "", ""),
    ] {
      for end in ["s", "sec", "secs", "second", "seconds"] {
        words[short + end] = .number(power: power)
        words[long + end] = .number(power: power)
      }
    }
    return words
  }()

  static let nanoseconds = TimeForm.number(power: 0)
  static let microseconds = TimeForm.number(power: 3)
  static let milliseconds = TimeForm.number(power: 6)
  static let seconds = TimeForm.number(power: 9)

  var name: String {
    switch self {
    case .number(let power, let factor):
      switch (power, factor) {
      case (0, 1): "ns"
      case (3, 1): "µs"
      case (5, 1): "0.1 ms"
      case (6, 1): "ms"
      case (9, 1): "s"
      case (9, 60): "min"
      case (9, 3600): "h"
      default: "\(factor)e\(power - 9) s"
      }
    case .date: "dates"
    case .timeOfDay: "times of day"
    case .dayAndTime: "dates and times of day"
    }
  }

  var word: String { name == "µs" ? "us" : name }

  var order: DateOrder? {
    switch self {
    case .date(let order, _), .dayAndTime(let order): order
    case .number, .timeOfDay: nil
    }
  }

  /// Whether it has dates without an offset from UTC.
  var isLocal: Bool { if case .date(_, zone: true) = self { false } else { order != nil } }
  /// Whether it is a date with a time, or a date without one beside times of day.
  var isDate: Bool { if case .date = self { true } else { false } }
  var isDay: Bool { if case .dayAndTime = self { true } else { false } }
}

/// Parses the times of a table as whole nanoseconds; digits below one are rounded.
struct TimeParser {
  let form: TimeForm
  /// Before decimals.
  let mark: UInt8
  /// Whether times of day have AM or PM, as the first one; the other kind is another time.
  private var hasHalf: Bool?

  init(_ form: TimeForm, mark: UInt8) { (self.form, self.mark) = (form, mark) }

  /// The nanoseconds of a field: since 1970 of a date, since midnight of a time of day; `nil` of a missing one.
  mutating func parse(
    _ field: UnsafeRawBufferPointer,
    date: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) throws(FieldError) -> Int64? {
    if case .number(let power, let factor) = form {
      switch DecimalField(field, mark: mark) {
      case .missing: return nil
      case .number(let number):
        if let time = number.whole(times: factor, tenTo: power) { return time.value }
      case .tooLarge: break
      case .none: throw wrong(field)
      }
      throw FieldError(
        problem: "\(quoted(field)) is beyond the times that a log can hold",
        remedy: "correct it or take the row out")
    }
    let (text, day) = (FieldText.trimmed(field), FieldText.trimmed(date))
    if case .missing = DecimalField(text) { return nil }
    if form.isDay, case .missing = DecimalField(day) { return nil }
    guard let written = WrittenTime(text), let time = written.time,
      hasHalf ?? written.hasHalf == written.hasHalf
    else { throw wrong(text) }
    hasHalf = written.hasHalf
    let days: Int64?
    switch form {
    case .date(let order, let zone):
      days = zone == (written.offset != nil) ? written.days(order) : nil
    case .dayAndTime(let order) where !written.hasDate:
      guard let found = WrittenTime(day), found.time == nil, let date = found.days(order) else {
        throw wrong(day)
      }
      days = date
    case .timeOfDay: days = written.hasDate ? nil : 0
    case .dayAndTime, .number: days = nil
    }
    guard let days else { throw wrong(text) }
    return (days * 86_400 - (written.offset ?? 0)) * 1_000_000_000 + time
  }

  private func wrong(_ field: UnsafeRawBufferPointer) -> FieldError {
    guard TimeParser.forms(of: field).isEmpty else {
      return FieldError(
        problem: "\(quoted(field)) is not written like the times before it",
        remedy:
          "write all times in one way, an offset from UTC in all or none, AM or PM in all or none, and state dmy or mdy with --units if it is open which is first"
      )
    }
    return FieldError(
      problem: "\(quoted(field)) is not a time",
      remedy:
        "write times as numbers, as 2026-11-21 02:38:07.123 (1678 to 2261), or as 14:05:59.25"
    )
  }

  private func quoted(_ field: UnsafeRawBufferPointer) -> String { "\"\(FieldText.shown(field))\"" }

  /// The forms that a field's shape alone allows: `.number(power: 0)` for a number of any unit, ``TimeForm/dayAndTime(_:)``
  /// for a date without a time.
  static func forms(of field: UnsafeRawBufferPointer) -> Set<TimeForm> {
    for mark in [UInt8(ascii: "."), UInt8(ascii: ",")] {
      if case .number = DecimalField(field, mark: mark) { return [.nanoseconds] }
    }
    guard let written = WrittenTime(FieldText.trimmed(field)) else { return [] }
    guard written.hasDate else { return [.timeOfDay] }
    return Set(
      DateOrder.allCases.filter { written.days($0) != nil }.map {
        written.time == nil ? .dayAndTime($0) : .date($0, zone: written.offset != nil)
      })
  }
}
