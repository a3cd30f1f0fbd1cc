// SPDX-License-Identifier: Apache-2.0

/// Dates and times as RFC 3339 writes them, in UTC, such as `2026-11-21T02:38:07.123Z`.
public enum RFC3339 {
  /// The text of an instant in nanoseconds since 1970-01-01T00:00:00Z; a fraction of a second in the fewest groups of three
  /// digits that are exact.
  public static func text(nanoseconds: Int64) -> String {
    let (second, fraction) = Int64.floored(nanoseconds, by: 1_000_000_000)
    let decimals =
      fraction % 1_000_000 == 0
      ? (fraction / 1_000_000).digits(3)
      : fraction % 1000 == 0 ? (fraction / 1000).digits(6) : fraction.digits(9)
    return text(second: second) + (fraction == 0 ? "" : "." + decimals) + "Z"
  }

  /// The date and the time of day of a second since 1970, without a zone: `2026-11-21T02:38:07`.
  package static func text(second: Int64) -> String {
    let (day, secondOfDay) = Int64.floored(second, by: 86400)
    let (year, month, dayOfMonth) = CivilDate.date(of: day)
    let date = "\(year.digits(4))-\(month.digits(2))-\(dayOfMonth.digits(2))"
    let (hour, minute) = (secondOfDay / 3600, secondOfDay / 60 % 60)
    return "\(date)T\(hour.digits(2)):\(minute.digits(2)):\((secondOfDay % 60).digits(2))"
  }

  /// Nanoseconds since 1970 of a text of RFC 3339, with any offset from UTC and 1 to 9 digits of fraction; `nil` for other
  /// text, leap seconds, and years outside 1678 to 2261.
  public static func nanoseconds(_ text: some StringProtocol) -> Int64? {
    guard case .time(let nanoseconds) = read(text) else { return nil }
    return nanoseconds
  }

  package enum Reading: Equatable {
    /// A date and a time, in nanoseconds since 1970.
    case time(Int64)
    /// A date outside the years 1678 to 2261.
    case otherYear
    /// A leap second, which times since 1970 do not count.
    case leapSecond
    case other
  }

  /// Reads a text of RFC 3339, or why it is not a time.
  package static func read(_ text: some StringProtocol) -> Reading {
    var rest = Array(text.utf8)[...]
    guard let year = number(&rest, 4), consume(&rest, "-"), let month = number(&rest, 2),
      consume(&rest, "-"),
      let day = number(&rest, 2), consume(&rest, "T") || consume(&rest, "t") || consume(&rest, " "),
      let hour = number(&rest, 2), consume(&rest, ":"), let minute = number(&rest, 2),
      consume(&rest, ":"),
      let second = number(&rest, 2), hour < 24, minute < 60, second <= 60
    else { return .other }
    var fraction: Int64 = 0
    if consume(&rest, ".") {
      let digits = rest.prefix { FieldText.isDigit($0) }
      guard (1...9).contains(digits.count), let value = number(&rest, digits.count) else {
        return .other
      }
      fraction = value
      for _ in digits.count..<9 { fraction *= 10 }
    }
    guard let offset = offsetSeconds(&rest), rest.isEmpty else { return .other }
    guard let days = CivilDate.days(year: year, month: month, day: day) else { return .other }
    guard (1678...2261).contains(year) else { return .otherYear }
    guard second < 60 else { return .leapSecond }
    let seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset
    return .time(seconds * 1_000_000_000 + fraction)
  }

  private static func offsetSeconds(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    if consume(&rest, "Z") || consume(&rest, "z") { return 0 }
    let isWest = rest.first == UInt8(ascii: "-")
    guard consume(&rest, "+") || consume(&rest, "-"), let hours = number(&rest, 2),
      consume(&rest, ":"),
      let minutes = number(&rest, 2), hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return isWest ? -seconds : seconds
  }

  private static func consume(_ rest: inout ArraySlice<UInt8>, _ character: Unicode.Scalar) -> Bool
  {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private static func number(_ rest: inout ArraySlice<UInt8>, _ width: Int) -> Int64? {
    let digits = rest.prefix(width)
    guard digits.count == width, digits.allSatisfy(FieldText.isDigit) else { return nil }
    rest.removeFirst(width)
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }
}
