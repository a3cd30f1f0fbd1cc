// SPDX-License-Identifier: Apache-2.0

import Text

/// The order of day, month and year in dates.
public enum DateOrder: String, CaseIterable, Sendable {
  case ymd, mdy, dmy
}

/// From when times that are numbers count.
public enum Epoch: Equatable, Sendable {
  /// From the beginning of 1970.
  case unix
  /// From an instant in nanoseconds since 1970.
  case at(Int64)
}

/// How a table's times are written.
public enum TimeForm: Hashable, Sendable {
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
    switch String(word.lowercased().map { "µμ".contains($0) ? "u" : $0 }.filter { $0 != " " }) {
    case "ns", "nsec", "nsecs", "nanosec", "nanosecs", "nanosecond", "nanoseconds", "nanos":
      self = .nanoseconds
    case "us", "usec", "usecs", "microsec", "microsecs", "microsecond", "microseconds", "micros":
      self = .microseconds
    case "ms", "msec", "msecs", "millisec", "millisecs", "millisecond", "milliseconds", "millis":
      self = .milliseconds
    case "s", "sec", "secs", "second", "seconds": self = .seconds
    case "min", "mins", "minute", "minutes": self = .number(power: 9, factor: 60)
    case "h", "hr", "hrs", "hour", "hours": self = .number(power: 9, factor: 3600)
    default: return nil
    }
  }

  static let nanoseconds = TimeForm.number(power: 0)
  static let microseconds = TimeForm.number(power: 3)
  static let milliseconds = TimeForm.number(power: 6)
  static let seconds = TimeForm.number(power: 9)

  /// Units for `--units`, for sentences.
  static let choices = "s, ms, us, ns, min or h"

  /// Its name, for sentences.
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

  /// Its word for `--units`.
  var word: String { name == "µs" ? "us" : name }
}

/// What a field of times has.
enum TimeReading: Equatable {
  /// Nanoseconds; since 1970 of a date, since midnight of a time of day. Digits below one may have been rounded.
  case time(Int64, isRounded: Bool)
  case missing
  /// Both are clauses.
  case wrong(String, remedy: String)
}

/// Parses the times of a table as whole nanoseconds.
struct TimeParser {
  let form: TimeForm
  /// Before decimals.
  let mark: UInt8
  /// Whether times of day have AM or PM, as the first one; the other kind is another time.
  private var hasHalf: Bool?

  init(_ form: TimeForm, mark: UInt8) { (self.form, self.mark) = (form, mark) }

  /// The time in a field.
  ///
  /// - Parameter date: The field with its date, where dates have a column of their own.
  mutating func parse(_ field: UnsafeRawBufferPointer, date: UnsafeRawBufferPointer? = nil)
    -> TimeReading
  {
    if case .number(let power, let factor) = form { return number(field, power, factor) }
    let text = FieldText.trimmed(field)
    if case .missing = DecimalField(text) { return .missing }
    guard let written = WrittenTime(text), let time = written.time else { return wrong(text) }
    guard hasHalf ?? written.hasHalf == written.hasHalf else {
      return .wrong(
        "\(quoted(text)) has \(written.hasHalf ? "AM or PM, and those before it have 24 hours" : "no AM or PM, and those before it have it")",
        remedy: "write all times in one way")
    }
    hasHalf = written.hasHalf
    switch form {
    case .date(let order, let zone) where written.hasDate:
      let found = sum(written.days(order), time, written, text)
      guard case .time = found, zone != (written.offset != nil) else { return found }
      return .wrong(
        "the date \(quoted(text)) has \(zone ? "no" : "an") offset from UTC, and those before it have \(zone ? "one" : "none")",
        remedy: "write one in all rows, or in none")
    case .timeOfDay where !written.hasDate: return .time(time, isRounded: written.isRounded)
    case .dayAndTime(let order) where !written.hasDate:
      let day = FieldText.trimmed(date ?? UnsafeRawBufferPointer(start: nil, count: 0))
      if case .missing = DecimalField(day) { return .missing }
      guard let writtenDay = WrittenTime(day), writtenDay.time == nil else { return wrong(day) }
      return sum(writtenDay.days(order), time, written, day)
    default: return wrong(text)
    }
  }

  private func sum(
    _ days: Int64??, _ time: Int64, _ written: WrittenTime, _ text: UnsafeRawBufferPointer
  ) -> TimeReading {
    guard let days else { return wrong(text) }
    guard let days else {
      return .wrong(
        "\(quoted(text)) is not in the years that a log holds, 1678 to 2261", remedy: "correct it")
    }
    guard !written.isLeap else {
      return .wrong(
        "\(quoted(text)) is a leap second, which times since 1970 have no place for",
        remedy: "write it as second 59, or as second 0 of the next minute")
    }
    let seconds = days * 86_400 - (written.offset ?? 0)
    return .time(seconds * 1_000_000_000 + time, isRounded: written.isRounded)
  }

  private func number(_ field: UnsafeRawBufferPointer, _ power: Int, _ factor: Int64)
    -> TimeReading
  {
    var beyond: TimeReading {
      .wrong(
        "\(quoted(field)) is beyond the times that a log can hold",
        remedy: "correct it or take the row out")
    }
    switch DecimalField(field, mark: mark) {
    case .missing: return .missing
    case .number(let number):
      return number.whole(times: factor, tenTo: power).map {
        .time($0.value, isRounded: $0.isRounded)
      }
        ?? beyond
    case .tooLarge where field.contains(where: FieldText.isDigit): return beyond
    case .tooLarge, .none: return wrong(field)
    }
  }

  private func wrong(_ field: UnsafeRawBufferPointer) -> TimeReading {
    let isDate = TimeParser.forms(of: field).contains { if case .date = $0 { true } else { false } }
    switch form {
    case .number where isDate:
      return .wrong(
        "\(quoted(field)) is a date, and the times before it are numbers",
        remedy: "write all times in one way")
    case .number where !looksDated(field), .timeOfDay where !looksDated(field):
      return .wrong(
        "\(quoted(field)) is not a time",
        remedy: "times are numbers, dates or times of day, all in one way; correct it")
    case .number, .timeOfDay, .date, .dayAndTime:
      return .wrong(
        "\(quoted(field)) is not a date and a time of day such as 2026-11-21 02:38:07.123 or 2026-11-21T02:38:07+01:00",
        remedy: "write times so, or as seconds")
    }
  }

  /// Whether a field has digits between two marks of dates.
  private func looksDated(_ field: UnsafeRawBufferPointer) -> Bool {
    field.contains(where: FieldText.isDigit)
      && "-/.".utf8.contains { mark in field.count { $0 == mark } == 2 }
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
    let orders = DateOrder.allCases.filter { written.days($0) != nil }
    guard written.time != nil else { return Set(orders.map { .dayAndTime($0) }) }
    return Set(orders.map { .date($0, zone: written.offset != nil) })
  }

  /// The same of a text.
  static func forms(of text: String) -> Set<TimeForm> {
    Array(text.utf8).withUnsafeBytes { forms(of: $0) }
  }
}
