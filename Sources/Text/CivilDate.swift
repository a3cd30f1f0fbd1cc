// SPDX-License-Identifier: Apache-2.0

/// Dates of the Gregorian calendar as days since 1970-01-01.
///
/// Years begin in March, so that a leap day is its year's last; 146 097 days are 400 years, and 719 468 lie between
/// 0000-03-01 and 1970. (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".)
package enum CivilDate {
  /// Days since 1970 of a date; `nil` for one that the calendar lacks, such as the 31st of a month of 30 days.
  package static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    let days = first(year: year, month: month) + day - 1
    return date(of: days) == (year, month, day) ? days : nil
  }

  /// The year of a day since 1970, and the day's number in it, from 1 on.
  package static func yearAndDay(of days: Int64) -> (year: Int64, day: Int64) {
    let year = date(of: days).year
    return (year, days - first(year: year, month: 1) + 1)
  }

  package static func date(of days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = Int64.floored(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func first(year: Int64, month: Int64) -> Int64 {
    let (era, yearOfEra) = Int64.floored(month <= 2 ? year - 1 : year, by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

extension Int64 {
  /// A quotient rounded down, and the rest, which is not negative.
  @inline(__always)
  package static func floored(_ value: Int64, by divisor: Int64) -> (whole: Int64, rest: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
