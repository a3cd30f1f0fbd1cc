// SPDX-License-Identifier: Apache-2.0

/// Dates and times as RFC 3339 writes them, in UTC, such as `2026-11-21T02:38:07.123Z`.
public enum RFC3339 {
  /// The text of an instant in nanoseconds since 1970-01-01T00:00:00Z; fractions of a second in the
  /// fewest groups of three digits that are exact, none for a whole second.
  public static func text(nanoseconds: Int64) -> String {
    let (second, fraction) = Int64.floored(nanoseconds, by: 1_000_000_000)
    var decimals = ""
    if fraction % 1_000_000 == 0 {
      decimals = fraction == 0 ? "" : "." + padded(fraction / 1_000_000, 3)
    } else if fraction % 1000 == 0 {
      decimals = "." + padded(fraction / 1000, 6)
    } else {
      decimals = "." + padded(fraction, 9)
    }
    return "\(text(second: second))\(decimals)Z"
  }

  /// The date and the time of day of a second since 1970, without a zone: `2026-11-21T02:38:07`.
  package static func text(second: Int64) -> String {
    let (day, secondOfDay) = Int64.floored(second, by: 86400)
    let (year, month, dayOfMonth) = CivilDate.date(of: day)
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    let (hour, minute) = (secondOfDay / 3600, secondOfDay / 60 % 60)
    return "\(date)T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(secondOfDay % 60, 2))"
  }

  /// Nanoseconds since 1970 of a text of RFC 3339: any offset from UTC, 1 to 9 digits of fraction.
  ///
  /// `nil` for everything else, for leap seconds, and outside the years 1678 to 2261.
  public static func nanoseconds(_ text: some StringProtocol) -> Int64? {
    guard case .time(let nanoseconds) = read(text) else { return nil }
    return nanoseconds
  }

  /// What a text is.
  package enum Reading: Equatable {
    /// A date and a time, in nanoseconds since 1970.
    case time(Int64)
    /// A date in another year than 1678 to 2261.
    case otherYear
    /// A date in a leap second, which times since 1970 do not count.
    case leapSecond
    /// Something else.
    case other
  }

  /// Reads a text of RFC 3339, and says why it is no time.
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
      let digits = rest.prefix { isDigit($0) }
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
    guard digits.count == width, digits.allSatisfy(isDigit) else { return nil }
    rest.removeFirst(width)
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
